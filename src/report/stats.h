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

// `addresses`: with the distances of each address, where the profile has them; the
// profiles must outlive the document then. Its data is a row for each trace, or the addresses.
int dj_document_stats(dj_context *context, const dj_trace_stats *traces, size_t count, bool addresses,
                      dj_document **out);
void dj_add_addresses(dj_document *document, const dj_key_profile *keys);
void dj_stats_json(const dj_trace_stats *traces, size_t count, bool addresses, FILE *out);

// The rule of the ranking, for people.
extern const char dj_stats_rule[];

#endif
