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

// Sets the ranks: 1 is the best temporal locality; ties keep the given order.
void dj_stats_rank(dj_trace_stats *traces, size_t count);

// With `addresses`, the document also lists the distances of each address, if the profile
// contains them; the profiles must then outlive it. Its csv data is one row per trace, or
// the addresses.
int dj_document_stats(dj_context *context, const dj_trace_stats *traces, size_t count, bool addresses,
                      dj_document **out);
void dj_add_addresses(dj_document *document, const dj_key_profile *keys);
// Accesses of each block. With a sample, only the mean is known well: all accesses, divided by the estimated
// number of blocks. A few blocks with very many accesses may be in the sample or not.
dj_moments dj_stats_uses(const dj_lane_profile *lane);
int dj_stats_json(dj_context *context, const dj_trace_stats *traces, size_t count, bool addresses, FILE *out);

// The ranking rule, for readers.
extern const char dj_stats_rule[];

#endif
