// SPDX-License-Identifier: MIT
// The report of `deja stats`: summaries of traces, and their ranking.
#ifndef DEJA_REPORT_STATS_H
#define DEJA_REPORT_STATS_H

#include <deja/report.h>

// The profile must contain keys and strides. `rank` counts from 1.
typedef struct dj_trace_stats {
    dj_profile *profile;
    double seconds;
    size_t rank;
} dj_trace_stats;

typedef struct dj_stats_view {
    enum dj_locality_rule rule; // of the ranking
    // The document also lists the distances of each address, if the profile contains them; the profiles must
    // then outlive it.
    bool addresses;
} dj_stats_view;

// Names of the rules, ended by NULL.
extern const char *const dj_stats_rules[];
// A rule as readers need it.
const char *dj_stats_rule(enum dj_locality_rule rule);

// Sets the ranks: 1 is the best temporal locality; ties keep the given order.
void dj_stats_rank(dj_trace_stats *traces, size_t count, enum dj_locality_rule rule);
// Which of the ranked traces has the best temporal locality and which the poorest, by which rule; and the
// order of the other rule, if it differs. There are at least two traces.
const char *dj_stats_verdict(dj_document *document, const dj_trace_stats *traces, size_t count,
                             enum dj_locality_rule rule);
// The ranks as a table, and the verdict as the summary.
void dj_add_stats_ranking(dj_document *document, const dj_trace_stats *traces, size_t count,
                          enum dj_locality_rule rule);

// The csv data of the document is one row per trace, or the addresses.
int dj_document_stats(dj_context *context, const dj_trace_stats *traces, size_t count,
                      const dj_stats_view *view, dj_document **out);
void dj_add_addresses(dj_document *document, const dj_key_profile *keys);
// Accesses of each block. With a sample, only the mean is known well: all accesses, divided by the estimated
// number of blocks. A few blocks with very many accesses may be in the sample or not.
dj_moments dj_stats_uses(const dj_lane_profile *lane);
// The most frequent reuse distance; count 0 without reuses, and in a sample, which does not show it.
dj_mode dj_stats_mode(const dj_lane_profile *lane);
int dj_stats_json(dj_context *context, const dj_trace_stats *traces, size_t count, const dj_stats_view *view,
                  FILE *out);

#endif
