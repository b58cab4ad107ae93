// SPDX-License-Identifier: MIT
#include "cli/options/output.h"

#include <stdlib.h>
#include <string.h>

#include "render/plain.h"

static void print_lines(const char *text)
{
    for (size_t length; (length = strcspn(text, "\n")), *text; text += length + (text[length] == '\n')) {
        char *line = strndup(text, length);
        if (line)
            dj_plain_print(stderr, line, true);
        free(line);
        if (text[length] == '\n')
            fputc('\n', stderr);
    }
}

void dj_output_message_about(const char *before, const char *name, const char *after)
{
    fprintf(stderr, "deja: %s", before);
    print_lines(name);
    fprintf(stderr, "%s\n", after);
}

void dj_output_message(const char *prefix, const char *text)
{
    dj_output_message_about(prefix, text, "");
}

void dj_output_warn_estimate(const dj_provenance *from)
{
    if (!from->exact)
        dj_output_message_about("the numbers are estimates by engine ", from->engine, ", not exact");
}
