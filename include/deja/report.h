// SPDX-License-Identifier: MIT
/// \file
/// Reports: a profile and what models say about it, for people (text with
/// plots) and for other programs (CSV; JSON is dj_profile_save). They write to
/// the stream they are given; faults of writing stay in it (ferror).
#ifndef DEJA_REPORT_H
#define DEJA_REPORT_H

#include <deja/breakdown.h>
#include <deja/components.h>
#include <deja/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A cache size to mark in curves.
typedef struct dj_report_mark {
    const char *label; ///< "L1d"
    uint64_t size;     ///< in blocks (bytes for a byte curve)
} dj_report_mark;

typedef struct dj_report_style {
    unsigned width; ///< columns to fill; less than 40 counts as 40
    bool unicode;   ///< false: ASCII alone
    bool color;     ///< with ANSI escapes
    enum dj_binning binning;
    uint64_t bin_width; ///< of linear bins
    const dj_report_mark *marks;
    size_t mark_count;
} dj_report_style;

/// What was measured and how, key figures, histograms, miss-ratio curve and
/// effective sizes of the first lane; a line for each further one.
DJ_API int dj_report_profile(dj_context *context, const dj_profile *profile, const dj_report_style *style,
                             FILE *out);

/// The parts of the above, each alone. The title tells what was measured, by
/// what, and, so that nobody misses it, whether the numbers are partial or estimates.
DJ_API void dj_report_title(const dj_profile *profile, const dj_report_style *style, FILE *out);
DJ_API int dj_report_histogram(dj_context *context, const char *title, const dj_histogram *histogram,
                               uint64_t cold, const dj_report_style *style, FILE *out);
DJ_API int dj_report_curve(dj_context *context, const dj_profile *profile, const dj_report_style *style,
                           FILE *out);
/// The curves over bytes: requests and bytes that miss.
DJ_API int dj_report_byte_curve(dj_context *context, const dj_profile *profile, const dj_report_style *style,
                                FILE *out);
DJ_API int dj_report_effective(dj_context *context, const dj_profile *profile, const dj_report_style *style,
                               FILE *out);

/// What to show of an attribution.
typedef struct dj_attribution_view {
    const enum dj_by *by; ///< a table for each; none: the worst objects, lines and reuses
    size_t by_count;
    size_t top; ///< most rows of a table; 0: 10
} dj_attribution_view;

/// Where accesses and misses come from: title, totals, tables (contexts as a
/// tree), long reuses with advice. Needs a profile with an attribution (DJ_ERR_USAGE).
DJ_API int dj_report_attribution(dj_context *context, const dj_profile *profile,
                                 const dj_attribution_view *view, const dj_report_style *style, FILE *out);

/// CSV with a line of names: lo,hi,count over all bins; cold comes last, with empty bounds.
DJ_API int dj_report_csv_histogram(dj_context *context, const dj_lane_profile *lane, enum dj_binning binning,
                                   uint64_t bin_width, FILE *out);
/// key,access,distance: the distances of each address in order, cold ones empty.
DJ_API void dj_report_csv_addresses(const dj_key_profile *keys, FILE *out);

/// Profiles with an attribution (DJ_ERR_USAGE without one) for other tools.
/// The Callgrind Profile Format, with the events Refs, Writes, Cold, a count of
/// misses for each cut, and the sum of the distances.
DJ_API int dj_report_callgrind(dj_context *context, const dj_profile *profile, FILE *out);
/// Folded stacks, for flame graphs. `weight` is "accesses" (or NULL), "writes",
/// "cold", "distance" (the sum of them), or the name of a cut for the misses in it.
DJ_API int dj_report_folded(dj_context *context, const dj_profile *profile, const char *weight, FILE *out);
/// Lines of source files, where the caller has them.
typedef struct dj_report_source {
    /// The text of a line without its end; NULL: not there. Valid until the next call.
    const char *(*line)(void *state, const char *file, uint32_t line);
    void *state;
} dj_report_source;

/// What to show of spatial locality.
typedef struct dj_spatial_view {
    /// Block size of the pair that is ranked; 0: the one that doubles to 64 bytes, the
    /// line, or the first where there is none or blocks have no bytes.
    uint64_t block;
    const char *cache; ///< the cache that says which reuses are long; NULL: limits.near_blocks
    dj_spatial_limits limits;
    bool context;         ///< rank lines in each calling context, too
    const enum dj_by *by; ///< breakdowns, a table for each
    size_t by_count;
    size_t top;                     ///< most rows of a table; 0: 10
    const dj_report_source *source; ///< NULL: none
} dj_spatial_view;

/// What a view (NULL: as by default) means for a profile. A block or cache that it does not have is
/// DJ_ERR_USAGE, and so is a profile without a spatial part.
DJ_API int dj_spatial_view_find(dj_context *context, const dj_profile *profile, const dj_spatial_view *view,
                                dj_ranking_options *out);

/// Spatial locality: title, scores, components, the map of one pair as a heat
/// map, scores by distance, and, where there is an attribution, the code and
/// data that is to blame, with advice. Needs a profile with a spatial part, the
/// pair and cache that the view names, and an attribution for its breakdowns and
/// contexts (DJ_ERR_USAGE).
DJ_API int dj_report_spatial(dj_context *context, const dj_profile *profile, const dj_spatial_view *view,
                             const dj_report_style *style, FILE *out);
/// A line for each entity of these breakdowns (an attribution is needed), under a
/// line of names; with spatial locality, where the profile has it. A view of NULL
/// is as by default.
DJ_API int dj_report_csv_breakdowns(dj_context *context, const dj_profile *profile, const enum dj_by *by,
                                    size_t count, const dj_spatial_view *view, FILE *out);
/// The numbers of its figures as CSV with a line of names: for each pair a line
/// for every bin, every peak and every cache.
DJ_API int dj_report_csv_spatial(dj_context *context, const dj_profile *profile, const dj_spatial_view *view,
                                 FILE *out);

/// What a profile as JSON holds beside what is loaded again.
typedef struct dj_json_view {
    const enum dj_by *by; ///< breakdowns, where there is an attribution; none: all
    size_t by_count;
    enum dj_binning binning;
    uint64_t bin_width;
    const dj_spatial_view *spatial; ///< NULL: as by default
} dj_json_view;

/// The profile as JSON: what dj_profile_save writes and, where there is an
/// attribution, breakdowns and the long reuses as lists, which dj_profile_load
/// passes over.
DJ_API int dj_report_json(dj_context *context, const dj_profile *profile, const dj_json_view *view,
                          FILE *out);

#ifdef __cplusplus
}
#endif
#endif
