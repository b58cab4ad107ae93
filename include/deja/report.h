// SPDX-License-Identifier: MIT
/// \file
/// Reports: pure functions from a profile, and the results of models, to a document (document.h), which a
/// renderer (render.h) writes as text, csv, markdown or svg. Also writes the values as JSON, and profiles
/// in the formats of other tools; write errors remain in the stream (ferror).
#ifndef DEJA_REPORT_H
#define DEJA_REPORT_H

#include <deja/breakdown.h>
#include <deja/components.h>
#include <deja/corun.h>
#include <deja/diff.h>
#include <deja/document.h>
#include <deja/limit.h>
#include <deja/model.h>
#include <deja/orders.h>
#include <deja/predict.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A cache size to mark in curves.
typedef struct dj_report_mark {
    const char *label; ///< "L1d"
    uint64_t size;     ///< in blocks (bytes for a byte curve)
} dj_report_mark;

typedef struct dj_profile_view {
    enum dj_binning binning;
    uint64_t bin_width; ///< of linear bins
    const dj_report_mark *marks;
    size_t mark_count;
} dj_profile_view;

/// What was measured and how, key figures, histograms, miss-ratio curve and effective sizes of the first
/// lane; a row for each further lane. csv exports the histogram of reuse distances.
DJ_API int dj_document_profile(dj_context *context, const dj_profile *profile, const dj_profile_view *view,
                               dj_document **out);

/// What `deja co-run` found for a cache.
typedef struct dj_corun_view {
    const char *const *names; ///< of the sharers
    const dj_corun *corun;
    const char *cache;
    uint64_t blocks;  ///< of the cache
    const char *unit; ///< of these, such as "key"; NULL: "block"
    const dj_corun_group *groups;
    size_t group_count;
    const dj_corun_core *cores; ///< of each sharer; NULL: speeds were stated
    const size_t *partner;      ///< of each sharer, as dj_corun_pair returns it; NULL: they are not paired
    bool by_slowdown;           ///< pairs have the least slowdown; otherwise the fewest misses
    double cost;                ///< of all pairs: misses, or the sum of the slowdowns
    const char *command;        ///< the command line; NULL: unknown
} dj_corun_view;

/// The miss ratio of every sharer in every group, and the best pairs.
DJ_API int dj_document_corun(dj_context *context, const dj_corun_view *view, dj_document **out);

/// The slowdown of a sharer in a group: the time of an access there, relative to that alone. NAN if the
/// speeds were stated.
DJ_API double dj_corun_slowdown(const dj_corun_view *view, const dj_corun_group *group, size_t member);

/// What `deja predict` shows.
typedef struct dj_prediction_view {
    const dj_growth_prediction *prediction;
    const dj_profile *profile; ///< that of the largest input: what was measured, and how
    const char *const *names;  ///< of all of them
    size_t count;
    bool in_data;        ///< the sizes of inputs are numbers of distinct data
    size_t top;          ///< maximum rows of a table in text; 0: 10
    const char *command; ///< the command line; NULL: unknown
} dj_prediction_view;

/// Reuse distances at another size of the input: the growth of distances, the curve and the histogram, and
/// which code and data is evadable. csv exports the curve.
DJ_API int dj_document_prediction(dj_context *context, const dj_prediction_view *view, dj_document **out);

/// The hills of a profile, and the code and data of each. csv exports the hills.
DJ_API int dj_document_hills(dj_context *context, const dj_profile *profile, const dj_hills *hills,
                             dj_document **out);

/// What `deja diff` shows.
typedef struct dj_diff_view {
    const dj_diff *diff;
    const dj_profile *profiles[DJ_SIDES];
    const char *names[DJ_SIDES];
    const dj_crossings *crossings; ///< limits that were checked; NULL: none
    size_t top;                    ///< maximum rows of a table in text; 0: 10
    const char *command;           ///< the command line; NULL: unknown
} dj_diff_view;

/// What changed between two runs: the totals, the code and data responsible, and the curves. csv exports all
/// tables.
DJ_API int dj_document_diff(dj_context *context, const dj_diff_view *view, dj_document **out);

/// What `deja reorder` shows.
typedef struct dj_reordering_view {
    const dj_reordering *reordering;
    dj_reordered_rows objects, lines;
    const char *within;  ///< the function or region that counts; NULL: all
    size_t top;          ///< maximum rows of a table; 0: 10
    const char *command; ///< as typed; NULL: none
} dj_reordering_view;

/// The verdict, long reuses and miss ratios in each order, the histograms, and the data and lines whose long
/// reuses change.
DJ_API int dj_document_reordering(dj_context *context, const dj_reordering_view *view, dj_document **out);

/// What `deja co-run --threads` found: numbers of threads that run the code of one profile.
typedef struct dj_team_view {
    const char *name;
    const dj_corun_team *team;
    const char *cache;
    uint64_t blocks;                ///< of the cache
    const char *unit;               ///< of these, such as "key"; NULL: "block"
    const dj_corun_member *members; ///< for 1, 2, … threads
    size_t count;
    const dj_corun_core *core; ///< NULL: the time of accesses is unknown
    size_t cores;              ///< threads beyond this number share cores
    const char *command;       ///< the command line; NULL: unknown
} dj_team_view;

/// The miss ratio, throughput and gain of each number of threads.
DJ_API int dj_document_team(dj_context *context, const dj_team_view *view, dj_document **out);

/// The LRU miss-ratio curves of several profiles in one chart, and a table of miss ratios. Sizes are in
/// bytes if all blocks have a size in bytes.
DJ_API int dj_document_curves(dj_context *context, const dj_profile *const *profiles, size_t count,
                              const dj_profile_view *view, dj_document **out);

/// What an attribution report shows.
typedef struct dj_attribution_view {
    const enum dj_by *by; ///< a table for each; none: the worst objects, lines and reuses
    size_t by_count;
    size_t top;    ///< maximum rows of a table in text; 0: 10
    bool all_rows; ///< includes the other rows and the histogram, for renderers that write everything
    bool advice;   ///< all advice with its evidence, not only the best in a line each
    bool details;  ///< without `by`: further tables and charts, for renderers that can collapse them
    const dj_machine_costs *costs; ///< also estimates stall time, and sorts by it; NULL: no
    const char *own;               ///< folder of the user's own code; NULL: the sources of the executable
    dj_profile_view profile;
} dj_attribution_view;

/// Programs or threads that share caches: misses of each, what the others change, true and false sharing,
/// miss-ratio curves; and the same by data and code, if the profile has an attribution. Needs section
/// `sharing`.
DJ_API int dj_document_sharing(dj_context *context, const dj_profile *profile,
                               const dj_attribution_view *view, dj_document **out);

/// Attribution of accesses and misses to code and data: title, totals, tables (contexts as a tree), long
/// reuses with advice. csv exports the tables or, if there are none, the histogram. Needs a profile with an
/// attribution (DJ_ERR_USAGE).
DJ_API int dj_document_attribution(dj_context *context, const dj_profile *profile,
                                   const dj_attribution_view *view, dj_document **out);

/// Exports a profile with an attribution (DJ_ERR_USAGE without one) to another tool: the Callgrind Profile
/// Format, with the events Refs, Writes, Cold, the misses at each cut, and the sum of the distances.
DJ_API int dj_report_callgrind(dj_context *context, const dj_profile *profile, FILE *out);
/// Folded stacks, for flame graphs. `weight` is "accesses" (or NULL), "writes", "cold", "distance" (their
/// sum), or the name of a cut for its misses.
DJ_API int dj_report_folded(dj_context *context, const dj_profile *profile, const char *weight, FILE *out);
/// Access to lines of source files, provided by the caller.
typedef struct dj_report_source {
    /// The text of a line without its end; NULL: not available. Valid until the next call.
    const char *(*line)(void *state, const char *file, uint32_t line);
    void *state;
} dj_report_source;

/// What a report on spatial locality shows.
typedef struct dj_spatial_view {
    /// Block size of the pair that is ranked; 0: the one that doubles to 64 bytes, a cache line, or the
    /// first if there is none or blocks have no size in bytes.
    uint64_t block;
    const char *cache; ///< the cache that defines which reuses are long; NULL: limits.near_blocks
    dj_spatial_limits limits;
    bool context;         ///< also rank lines in each calling context
    const enum dj_by *by; ///< breakdowns, a table for each
    size_t by_count;
    size_t top;                     ///< maximum rows of a table; 0: 10
    bool all_rows;                  ///< includes the tables for renderers that write all rows
    const dj_report_source *source; ///< NULL: none
} dj_spatial_view;

/// Resolves a view (NULL: the default) for a profile. DJ_ERR_USAGE if the profile lacks its block size or
/// cache, or has no spatial part.
DJ_API int dj_spatial_view_find(dj_context *context, const dj_profile *profile, const dj_spatial_view *view,
                                dj_ranking_options *out);

/// Spatial locality: title, scores, components, the map of one pair as a heat map, scores by distance, and,
/// with an attribution, the responsible code and data with advice. csv exports the breakdowns of the view
/// or, without any, a row for every bin, peak and cache of each pair. Needs a profile with a spatial part,
/// the pair and cache that the view names, and an attribution for its breakdowns and contexts
/// (DJ_ERR_USAGE).
DJ_API int dj_document_spatial(dj_context *context, const dj_profile *profile, const dj_spatial_view *view,
                               dj_document **out);

/// A process of a run other than the reported one.
typedef struct dj_process_row {
    uint32_t pid;
    bool measured; ///< the next three are known
    uint64_t accesses, distinct;
    double mean;
    const char *command;
    const char *end; ///< how it ended: "status 0"
} dj_process_row;

/// Adds a table of processes to the report of a run, if there are any.
DJ_API void dj_document_add_processes(dj_document *document, const dj_process_row *processes, size_t count);

/// What the JSON of a profile contains in addition to what is loaded again.
typedef struct dj_json_view {
    const enum dj_by *by; ///< breakdowns, if there is an attribution; none: all
    size_t by_count;
    enum dj_binning binning;
    uint64_t bin_width;
    const dj_spatial_view *spatial; ///< NULL: the default
    const dj_machine_costs *costs;  ///< rows have their stall time, and are sorted by it; NULL: no
    const char *own;                ///< folder of the user's own code; NULL: the sources of the executable
} dj_json_view;

/// The profile as JSON: what dj_profile_save writes and, with an attribution, breakdowns and the long
/// reuses as lists, which dj_profile_load ignores.
DJ_API int dj_report_json(dj_context *context, const dj_profile *profile, const dj_json_view *view,
                          FILE *out);

#ifdef __cplusplus
}
#endif
#endif
