// SPDX-License-Identifier: MIT
// The options --bins, --time and --fingerprint: what a profile contains beside its distances, and how fine.
#ifndef DEJA_CLI_OPTIONS_DETAILS_H
#define DEJA_CLI_OPTIONS_DETAILS_H

#include "cli/measure.h"
#include "cli/options/bins.h"

typedef struct dj_detail_options {
    const char *bins; // as typed; NULL: the default
    bool time, fingerprint;
} dj_detail_options;

// Members of an option table; `details`: the offset of these options; `common`: DJ_OPTION_COMMON if the short
// help shows --bins, or 0.
#define DJ_DETAIL_OPTIONS(details, common)                                                                   \
    {"bins",                                                                                                 \
     0,                                                                                                      \
     DJ_OPTION_TEXT | (common),                                                                              \
     (details) + offsetof(dj_detail_options, bins),                                                          \
     "HOW",                                                                                                  \
     DJ_BINS_HELP,                                                                                           \
     dj_bins_choices},                                                                                       \
        {"time",                                                                                             \
         0,                                                                                                  \
         DJ_OPTION_FLAG,                                                                                     \
         (details) + offsetof(dj_detail_options, time),                                                      \
         NULL,                                                                                               \
         "also measure time distances: the number of accesses since the previous use",                       \
         NULL},                                                                                              \
    {                                                                                                        \
        "fingerprint", 0, DJ_OPTION_FLAG, (details) + offsetof(dj_detail_options, fingerprint), NULL,        \
            "also hash all distances: once in order, and once so that the hashes of parts can be joined. A " \
            "summary contains only the second hash",                                                         \
            NULL                                                                                             \
    }

// Adds the observers of --time and --fingerprint; `part`: for the summary of a part.
int dj_details_observe(dj_context *context, const dj_detail_options *options, bool part,
                       dj_observer_list *list);
// The first of the options that was given; NULL: none.
const char *dj_details_given(const dj_detail_options *options);

#endif
