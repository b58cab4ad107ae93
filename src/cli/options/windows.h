// SPDX-License-Identifier: MIT
// --windows: observer `windows`, whose windows show the phases of a trace or a run.
#ifndef DEJA_CLI_OPTIONS_WINDOWS_H
#define DEJA_CLI_OPTIONS_WINDOWS_H

#include <deja/windows.h>

#include "cli/measure.h"

typedef struct dj_windows_choice {
    const char *text; // as typed; NULL: none
    dj_windows_options options;
} dj_windows_choice;

// A member of an option table; `timed`: also durations.
#define DJ_WINDOWS_OPTION(offset, timed)                                                                     \
    {                                                                                                        \
        "windows", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, (offset), "N",                                      \
            "also find the phases, from windows of N accesses" timed                                         \
            ". A phase is a part in which the working set stays the same; the best cache size for each "     \
            "is printed",                                                                                    \
            NULL                                                                                             \
    }

// Sets *timed if the windows are of time.
int dj_windows_parse(dj_context *context, dj_windows_choice *choice, bool *timed);
// Adds the observer, if there are windows.
int dj_windows_observe(dj_context *context, const dj_windows_choice *choice, dj_observer_list *list);

#endif
