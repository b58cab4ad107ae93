// SPDX-License-Identifier: MIT
/// \file
/// Breakdowns: an attribution summed up by data object, function, loop, line, calling context or thread.
/// Pure functions of an attribution. The exclusive tallies of all entities of a breakdown add up to the
/// total.
#ifndef DEJA_BREAKDOWN_H
#define DEJA_BREAKDOWN_H

#include <deja/stall.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dj_by {
    DJ_BY_OBJECT,
    DJ_BY_FUNCTION,        ///< the innermost inlined one that contains the line
    DJ_BY_LOOP,            ///< the innermost one around the instruction in its function
    DJ_BY_LINE,            ///< file and line of the instruction
    DJ_BY_CALLING_CONTEXT, ///< node of the calling-context tree
    DJ_BY_THREAD,
};
enum { DJ_BY_COUNT = DJ_BY_THREAD + 1 };

/// "object", "function", …: as accepted by `--by` and used in reports.
DJ_API const char *dj_by_name(enum dj_by by);
/// "objects", "functions", …
DJ_API const char *dj_by_plural(enum dj_by by);
/// Parses a list such as "object,line"; "all" means every kind. `out` has space for DJ_BY_COUNT; duplicates
/// count once. DJ_ERR_USAGE.
DJ_API int dj_by_parse(dj_context *context, const char *text, enum dj_by *out, size_t *count);

/// The number of distinct blocks (of the first lane) touched.
typedef struct dj_distinct {
    bool known;
    bool exact; ///< false: an estimate with a standard error of about 6.5 %
    uint64_t blocks;
} dj_distinct;

/// Exclusive tallies count an access for the entity it belongs to. Inclusive tallies also count it, once
/// each, for everything that contains it:
/// - context: the calls below it in the tree; a recursive function is one node;
/// - function: everything in it, inlined into it, and called by it;
/// - loop: everything that happens while it runs, in nested loops and in functions it calls.
typedef struct dj_entity {
    char *name;        ///< "grid", "solve", "solve.c:12-20 in solve", "solve.c:14", "main"; owned
    uint32_t row;      ///< index in the attribution's list of its kind; for a line, of one of its sites;
                       ///< DJ_NOWHERE: none (code outside of loops, a module without line numbers)
    uint32_t function; ///< of a function, loop, line or context
    uint32_t module;   ///< of code
    uint32_t file;     ///< index into files, or DJ_NOWHERE
    uint32_t line, last_line; ///< equal except for loops; 0: unknown
    uint32_t parent;          ///< of a loop or context: index in this breakdown
    uint32_t depth;           ///< of a loop from 1, of a context from 0; otherwise 0
    uint64_t iterations;      ///< of a loop; 0: none, or not reported
    dj_tally exclusive;
    dj_tally inclusive;                ///< empty unless the breakdown has inclusive tallies
    const uint64_t *misses;            ///< at each cut, of the exclusive tally
    const uint64_t *inclusive_misses;  ///< NULL unless the breakdown has inclusive tallies
    dj_seconds stall, inclusive_stall; ///< 0 unless the breakdown is timed
    dj_distinct distinct;              ///< exclusive
    dj_distinct inclusive_distinct;
} dj_entity;

typedef struct dj_breakdown {
    enum dj_by by;
    bool has_inclusive;  ///< function, loop, context
    bool has_iterations; ///< loops of a program that reports them
    bool timed;          ///< sorted by stall time
    /// Worst first, by misses at `sort_cut`. Contexts are in tree order, each before its callees, the worst
    /// child first.
    dj_entity *entities;
    size_t count;
    size_t sort_cut; ///< index into cuts; cut_count: sorted by accesses
    bool simulated;  ///< sorted by misses of simulated caches (dj_breakdown_rank_simulated)
    dj_tally total;
    const uint64_t *total_misses; ///< at each cut
    uint64_t *miss_table;         ///< storage of the pointers above
} dj_breakdown;

DJ_API int dj_breakdown_create(dj_context *context, const dj_attribution *attribution, enum dj_by by,
                               dj_breakdown **out);
/// The same, sorted by the stall time that the misses cost (stall.h), the longest first.
DJ_API int dj_breakdown_create_timed(dj_context *context, const dj_attribution *attribution, enum dj_by by,
                                     const dj_stall_model *model, dj_breakdown **out);
DJ_API void dj_breakdown_destroy(dj_breakdown *breakdown); ///< NULL is allowed

/// Misses of the simulated cache of a cut; 0 if none was simulated. Levels of tallies correspond to the cuts
/// of their attribution.
DJ_API uint64_t dj_tally_simulated(const dj_tally *tally, size_t cut);
/// Sorts by misses of simulated caches, with the most informative cut chosen by these, if all cuts were
/// simulated; otherwise nothing changes.
DJ_API int dj_breakdown_rank_simulated(dj_breakdown *breakdown, dj_context *context,
                                       const dj_attribution *attribution);

/// The most informative cut: the largest at which at least a tenth of the misses are reuses; the smallest
/// if nearly all misses are cold at every cut; cut_count if there are no cuts or no misses.
DJ_API size_t dj_attribution_sort_cut(const dj_attribution *attribution);

#ifdef __cplusplus
}
#endif
#endif
