// SPDX-License-Identifier: MIT
// The option --bins.
#ifndef DEJA_CLI_OPTIONS_BINS_H
#define DEJA_CLI_OPTIONS_BINS_H

#include <deja/histogram.h>

#define DJ_BINS_HELP                                                                                         \
    "histogram bins: log2 (default), linear:WIDTH or exact. The bins of log2 are 0, 1, 2-3, 4-7, ..."

extern const char *const dj_bins_choices[]; // for completion

// Parses the value of --bins; NULL: the default.
int dj_bins_parse(dj_context *context, const char *text, enum dj_binning *binning, uint64_t *width);

#endif
