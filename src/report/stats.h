// SPDX-License-Identifier: MIT
// Summaries of one or several traces, as `deja stats` prints them.
#ifndef DEJA_REPORT_STATS_H
#define DEJA_REPORT_STATS_H

#include <deja/report.h>

// The profile has keys and strides; `rank` counts from 1.
typedef struct dj_trace_stats {
    dj_profile *profile;
    double seconds;
    size_t rank;
} dj_trace_stats;

// Fills in the ranks: best temporal locality first, in the order given when equal.
void dj_stats_rank(dj_trace_stats *traces, size_t count);

// `addresses`: with the distances of each address, where the profile has them.
void dj_stats_text(const dj_trace_stats *traces, size_t count, bool addresses, const dj_report_style *style,
                   FILE *out);
void dj_stats_json(const dj_trace_stats *traces, size_t count, bool addresses, FILE *out);
void dj_stats_csv(const dj_trace_stats *traces, size_t count, FILE *out);

// The rule of the ranking, for people.
extern const char dj_stats_rule[];

#endif
