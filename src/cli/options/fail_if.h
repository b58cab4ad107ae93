// SPDX-License-Identifier: MIT
// The option --fail-if: limits that decide about the exit status.
#ifndef DEJA_CLI_OPTIONS_FAIL_IF_H
#define DEJA_CLI_OPTIONS_FAIL_IF_H

#include <deja/limit.h>

#include "cli/command.h"
#include "cli/options/caches.h"

typedef struct dj_fail_if {
    dj_texts typed;
    dj_limits limits;
} dj_fail_if;

// A member of an option table.
#define DJ_FAIL_IF_OPTION(offset, example)                                                                   \
    {                                                                                                        \
        "fail-if", 0, DJ_OPTION_TEXTS | DJ_OPTION_COMMON, (offset), "LIMIT",                                 \
            "exit with status 1 if a limit is crossed, as in '" example                                      \
            "'. May be given several times; docs/diff.md lists what can be limited",                         \
            NULL                                                                                             \
    }

// Parses the limits, before any work is done. `changes`: there is a run before, so that changes can be
// limited. Free with dj_fail_if_free, also after an error.
int dj_fail_if_parse(dj_context *context, dj_fail_if *options, bool changes);
void dj_fail_if_free(dj_fail_if *options);

// Finds the caches that the limits name among these, and those of the attribution (may be NULL).
int dj_fail_if_resolve(dj_context *context, dj_fail_if *options, const dj_caches *caches,
                       const dj_attribution *attribution, uint64_t block_bytes);

// Checks the limits for one profile. NULL in *out if there are none.
int dj_fail_if_check(dj_context *context, const dj_fail_if *options, const dj_profile *profile,
                     const char *name, dj_crossings **out);

// Prints what was crossed on standard error; DJ_EXIT_THRESHOLD, or DJ_OK. NULL is allowed.
int dj_fail_if_say(dj_context *context, const dj_crossings *crossings);

#endif
