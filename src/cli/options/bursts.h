// SPDX-License-Identifier: MIT
// Options for estimating a run from a part of it.
#ifndef DEJA_CLI_OPTIONS_BURSTS_H
#define DEJA_CLI_OPTIONS_BURSTS_H

#include <deja/session.h>

#include "cli/command.h"

enum dj_sample_by { DJ_SAMPLE_BY_BURSTS, DJ_SAMPLE_BY_BLOCKS };

typedef struct dj_burst_options {
    const char *rate, *budget; // as typed, or NULL
    uint64_t seed;
    int by; // enum dj_sample_by
} dj_burst_options;

#define DJ_BUDGET_HELP                                                                                       \
    "choose the rate of --sample such that the program takes at most FACTOR times as long as without "       \
    "bursts, "                                                                                               \
    "such as 5x. That is the speed of an unmodified program under valgrind --tool=none, or of a recompiled " \
    "one without an analyzer, which is measured early in the run. With --sample, RATE is the most. The "     \
    "rate depends on time: the same run again may get another one, which the report names"

int dj_bursts_list(dj_context *context, dj_burst_options *options, dj_groups *groups);
// The rate of --sample; 1 without the option. `unfit` is a given option that cannot be combined with it;
// NULL: none.
int dj_bursts_rate(dj_context *context, const dj_burst_options *options, const char *unfit, double *rate);
// For a program. With DJ_SAMPLE_BY_BLOCKS the whole run is traced, and dj_filters_sample_blocks chooses.
int dj_bursts_apply(dj_context *context, const dj_burst_options *options, const char *unfit,
                    dj_session_options *session, dj_observer_list *observers);

#endif
