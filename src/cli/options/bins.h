// SPDX-License-Identifier: MIT
// The option --bins of the verbs that print histograms.
#ifndef DEJA_CLI_OPTIONS_BINS_H
#define DEJA_CLI_OPTIONS_BINS_H

#include <deja/histogram.h>

#define DJ_BINS_HELP "bins of the histograms: log2 (0, 1, 2-3, 4-7, ...; the default), linear:WIDTH or exact"

// `text` is as typed; NULL: the default.
int dj_bins_parse(dj_context *context, const char *text, enum dj_binning *binning, uint64_t *width);

#endif
