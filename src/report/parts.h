// SPDX-License-Identifier: MIT
// Parts that several documents share.
#ifndef DEJA_REPORT_PARTS_H
#define DEJA_REPORT_PARTS_H

#include <deja/partitions.h>
#include <deja/report.h>
#include <deja/tracing.h>

// A column for people and programs; either may be NULL.
#define DJ_COLUMN(title_, name_, width_, rank_)                                                              \
    {                                                                                                        \
        .title = (title_), .name = (name_), .width = (width_), .rank = (rank_)                               \
    }
#define DJ_COLUMNS(table, list) dj_sheet_add_columns(table, list, sizeof(list) / sizeof *(list))
#define DJ_CELLS(table, list) dj_sheet_add_cells(table, list, sizeof(list) / sizeof *(list))

// bursts.c, for a profile whose first lane was traced in bursts.
const char *dj_name_bursts(dj_document *document, const dj_profile *profile);
bool dj_bursts_are_few(const dj_tracing *tracing);
// What to do about wide ranges, such as "use --sample 5%, or run for longer".
const char *dj_name_more_bursts(dj_document *document, const dj_profile *profile);
void dj_add_budget(dj_document *document, const dj_tracing *tracing);
// What is to be known about the number of accesses, and of cold misses; "" if it was not traced in bursts.
const char *dj_note_traced_accesses(dj_document *document, const dj_profile *profile);
const char *dj_note_traced_cold(const dj_profile *profile);

// Adds what was measured and how, and prominently whether the numbers are partial or estimates.
void dj_add_title(dj_document *document, const dj_profile *profile);
// Only the latter.
void dj_add_alarms(dj_document *document, const dj_profile *profile);
// "deja 1.2: COMMAND"; the command may be NULL or "".
void dj_add_command(dj_document *document, const char *version, const char *command);
// "blocks of 64 B", "keys".
const char *dj_name_blocks(dj_document *document, const dj_profile *profile, const dj_lane_profile *lane);
// "trace.txt, other.txt and 2 more".
const char *dj_name_inputs(dj_document *document, const dj_provenance *from);
// "7.56 KiB"; "" if blocks have no size in bytes.
const char *dj_name_bytes(dj_document *document, const dj_profile *profile, uint64_t blocks);
// "distinct blocks", "elements".
const char *dj_name_distinct(dj_document *document, const dj_profile *profile);

// A histogram with its cold misses. `data`: csv exports it.
int dj_add_histogram(dj_context *context, dj_document *document, const char *title,
                     const dj_histogram *histogram, uint64_t cold, const dj_profile_view *view, bool data);
// The LRU miss-ratio curve of the first lane and the simulated caches, with the caches of the view as
// marks.
int dj_add_curve(dj_context *context, dj_document *document, const dj_profile *profile,
                 const dj_profile_view *view);
// The steps of a lane's LRU curve as a series, sizes times `unit`.
int dj_add_lru(dj_context *context, dj_chart *chart, const dj_lane_profile *lane, const char *name,
               double unit);
// The LRU curves of all lanes of these profiles, and of the parts of partitioned ones, in one chart, and
// their miss ratios as a table, which csv exports.
int dj_add_curves(dj_context *context, dj_document *document, const dj_profile *const *profiles, size_t count,
                  const dj_profile_view *view);
// The curves over bytes: requests and bytes that miss.
int dj_add_byte_curves(dj_context *context, dj_document *document, const dj_profile *profile);
// A row for each thread, device or file of the first lane, if it is partitioned. `trace` is the first cell
// for csv; `data`: csv exports it.
int dj_add_partitions(dj_context *context, dj_document *document, const dj_profile *profile,
                      const char *trace, bool data);
void dj_add_windows(dj_document *document, const dj_profile *profile);
// If the first lane has windows: its phases, as a sentence of the summary, tables and a chart, and the
// windows.
int dj_add_phases(dj_context *context, dj_document *document, const dj_profile *profile);
// "thread 3 worker".
const char *dj_name_partition(dj_document *document, const dj_lane_profile *lane,
                              const dj_partition_profile *part);
// The summary of a profile of a trace.
void dj_say_profile_verdict(dj_document *document, const dj_profile *profile);
// The table of TLBs; nothing if they were not measured.
void dj_add_tlb(dj_document *document, const dj_profile *profile);
// Effective cache sizes, in sentences.
int dj_add_effective(dj_context *context, dj_document *document, const dj_profile *profile);

// "… and 12 more, 3.4% of the L2 misses"; NULL if there are none.
const char *dj_name_rest(dj_document *document, size_t more, double part, double whole, const char *measure);

#endif
