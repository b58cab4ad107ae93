// SPDX-License-Identifier: MIT
/// \file
/// Breakdowns: an attribution summed up by data object, function, loop, line,
/// calling context or thread. Pure functions of an attribution; over the
/// entities of a breakdown the exclusive tallies add up to the whole.
#ifndef DEJA_BREAKDOWN_H
#define DEJA_BREAKDOWN_H

#include <deja/attribution.h>

#ifdef __cplusplus
extern "C" {
#endif

enum dj_by {
    DJ_BY_OBJECT,
    DJ_BY_FUNCTION,        ///< the innermost inlined one that holds the line
    DJ_BY_LOOP,            ///< the innermost one around the instruction in its function
    DJ_BY_LINE,            ///< file and line of the instruction
    DJ_BY_CALLING_CONTEXT, ///< node of the calling-context tree
    DJ_BY_THREAD,
};
enum { DJ_BY_COUNT = DJ_BY_THREAD + 1 };

/// "object", "function", …: as `--by` takes it and reports call one of them.
DJ_API const char *dj_by_name(enum dj_by by);
/// "objects", "functions", …
DJ_API const char *dj_by_plural(enum dj_by by);
/// Reads a list as in "object,line"; "all" stands for each of them. `out` has
/// room for DJ_BY_COUNT; what is named twice counts once. DJ_ERR_USAGE.
DJ_API int dj_by_parse(dj_context *context, const char *text, enum dj_by *out, size_t *count);

/// How many distinct blocks (of the first lane) were touched.
typedef struct dj_distinct {
    bool known;
    bool exact; ///< false: an estimate with a standard error of about 6.5 %
    uint64_t blocks;
} dj_distinct;

/// Exclusive tallies count an access for the entity that it belongs to;
/// inclusive ones also for all that it happens within, once each:
/// - context: the frames below it; a recursive function is one node;
/// - function: all that is done in it, in what is inlined into it and in what it calls;
/// - loop: all that is done while it runs: in nested loops and in what is called from it.
typedef struct dj_entity {
    char *name;               ///< "grid", "solve", "solve.c:12-20 in solve", "solve.c:14", "main"; owned
    uint32_t row;             ///< in the list of its kind; of a line, one of its sites; DJ_NOWHERE: a rest
                              ///< without a name (code outside of loops, a module without line numbers)
    uint32_t function;        ///< of a function, loop, line or context
    uint32_t module;          ///< of code
    uint32_t file;            ///< index into files, or DJ_NOWHERE
    uint32_t line, last_line; ///< equal unless a loop; 0: unknown
    uint32_t parent;          ///< of a loop or context: index in this breakdown
    uint32_t depth;           ///< of a loop from 1 on, of a context from 0 on; else 0
    uint64_t iterations;      ///< of a loop; 0: none, or not told
    dj_tally exclusive;
    dj_tally inclusive;               ///< empty unless the breakdown has inclusive ones
    const uint64_t *misses;           ///< at each cut, of the exclusive tally
    const uint64_t *inclusive_misses; ///< NULL unless the breakdown has inclusive ones
    dj_distinct distinct;             ///< exclusive
    dj_distinct inclusive_distinct;
} dj_entity;

typedef struct dj_breakdown {
    enum dj_by by;
    bool has_inclusive;  ///< function, loop, context
    bool has_iterations; ///< loops of a program that tells them
    /// Worst first: by misses at `sort_cut`. Contexts stand in the order of the
    /// tree, each before what it calls, the worst child first.
    dj_entity *entities;
    size_t count;
    size_t sort_cut; ///< index into cuts; cut_count: sorted by accesses
    dj_tally total;
    const uint64_t *total_misses; ///< at each cut
    uint64_t *miss_table;         ///< what the pointers above point into
} dj_breakdown;

DJ_API int dj_breakdown_create(dj_context *context, const dj_attribution *attribution, enum dj_by by,
                               dj_breakdown **out);
DJ_API void dj_breakdown_destroy(dj_breakdown *breakdown); ///< NULL is fine

/// The cut that tells most: the largest at which at least a tenth of the misses
/// are reuses; the smallest when at all of them nearly all are cold; cut_count
/// when there are no cuts or no misses.
DJ_API size_t dj_attribution_telling_cut(const dj_attribution *attribution);

#ifdef __cplusplus
}
#endif
#endif
