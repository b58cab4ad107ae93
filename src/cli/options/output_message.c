// SPDX-License-Identifier: MIT
#include "cli/options/output.h"

#include "base/plain.h"

void dj_output_message_about(const char *before, const char *name, const char *after)
{
    fprintf(stderr, "deja: %s", before);
    dj_plain_print(stderr, name, true);
    fprintf(stderr, "%s\n", after);
}

void dj_output_message(const char *prefix, const char *text)
{
    dj_output_message_about(prefix, text, "");
}

void dj_output_warn_estimate(const dj_provenance *from)
{
    if (from->exact)
        return;
    if (from->sampling > 0 && from->sampling < 1)
        dj_output_message("", "the numbers are estimates from a sample, not exact");
    else
        dj_output_message_about("the numbers are estimates by engine ", from->engine, ", not exact");
}
