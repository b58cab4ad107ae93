// SPDX-License-Identifier: MIT
/// \file
/// Long reuses: where data was last used, where it is used next, which loop contains both, and what might
/// bring the uses closer together. Pure functions of an attribution.
#ifndef DEJA_REUSE_H
#define DEJA_REUSE_H

#include <deja/advice.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How the two uses are related by calls and loops. Known exactly.
enum dj_relation {
    DJ_RELATION_NEST,     ///< in the same loops of the same frame
    DJ_RELATION_SIBLINGS, ///< in different loops of the same frame
    DJ_RELATION_CALLS,    ///< in different calls from the same frame
    DJ_RELATION_DEEPER,   ///< in the same frame, one of them deeper in loops or calls
    DJ_RELATION_THREADS,  ///< in different threads
};

/// All pairs of places with the same lines, data, loop and carrier, combined.
typedef struct dj_reuse {
    uint32_t from, to;    ///< the places of the pair with the most reuses
    uint32_t from_object; ///< differs from `object` if the memory was reallocated
    uint32_t object;
    uint32_t loop; ///< the innermost loop that contains both uses; DJ_NOWHERE: none
    uint32_t
        outer_loop; ///< the enclosing loop that probably returns to the data (an estimate), or DJ_NOWHERE
    enum dj_relation relation;
    enum dj_carried carried;
    uint32_t carrier;             ///< as in dj_pair_row
    bool next_iteration;          ///< `to` precedes `from` in `loop`: the reuse is in the next iteration
    const dj_advice_rule *advice; ///< the rule that applies; NULL: none
    char *from_name, *to_name;    ///< "solve.c:14 in sweep"
    char *data_name;              ///< "grid[*][*]"
    char *loop_name;              ///< "solve.c:9-20 in main"; "": none
    char *text;                   ///< the reason and what may help, in sentences; "" without advice
    char *evidence;               ///< what the advice rests on, a fact per line; "" without advice
    dj_reuse_facts facts;
    uint32_t from_part, to_part; ///< where the paths to the uses diverge, loops or contexts; DJ_NOWHERE
    dj_tally tally;              ///< long reuses only
    const uint64_t *misses;      ///< at each cut: what would be saved if the distance fell below it
    uint64_t *saves;             ///< at each cut: what the advice would save; owned, NULL without advice
    double weight;               ///< sum over the cuts of its share of all misses
} dj_reuse;

typedef struct dj_reuses {
    dj_reuse *list; ///< by weight, so that whatever hurts any cache comes first; then by number of reuses
    size_t count;
    dj_tally total;
    const uint64_t *total_misses; ///< at each cut, of these reuses
    const uint64_t *all_misses;   ///< at each cut, of the entire program, including cold misses
    uint64_t *miss_table;         ///< storage of the pointers above
} dj_reuses;

/// Finds the long reuses and the advice for each, by the rules of the library (docs/attribution.md describes
/// the evidence that each needs) or by the given ones, which are tried in order and must outlive the reuses.
DJ_API int dj_reuses_create(dj_context *context, const dj_attribution *attribution, dj_reuses **out);
DJ_API int dj_reuses_create_with(dj_context *context, const dj_attribution *attribution,
                                 const dj_advice_rule *const *rules, size_t rule_count, dj_reuses **out);
/// The same of a profile with an attribution, without the advice for which an estimate is too weak.
DJ_API int dj_reuses_of_profile(dj_context *context, const dj_profile *profile, dj_reuses **out);
/// For a run that was traced in bursts (tracing.h): removes the advice for which the evidence is too weak,
/// or which needs the whole run. The text then says why, and what to do. Others are left as they are.
DJ_API int dj_reuses_withhold(dj_reuses *reuses, dj_context *context, const dj_profile *profile);
DJ_API void dj_reuses_destroy(dj_reuses *reuses); ///< NULL is allowed

/// A piece of advice: one change that may help, with all the misses that it is about.
typedef struct dj_advice_item {
    const char *kind; ///< "tile": the name of its rule
    char *data;       ///< "a[*], col[*]"
    uint32_t object;  ///< the one with most of these misses
    uint32_t carrier; ///< the loop that returns to the data; DJ_NOWHERE: none, or unknown
    bool measured;    ///< the carrier was measured, not inferred
    char *where;      ///< "solve.c:9-20 in main": the carrier or, without one, where the data is used again
    char *text;       ///< the reason and what may help, in sentences
    char *evidence;   ///< what it rests on, a fact per line
    size_t cut;       ///< the cache of whose misses these are the largest share
    double share;     ///< that share
    double saved;     ///< the share of those misses that the change would save
    uint64_t *misses; ///< at each cut, before the change; owned
    uint64_t *saves;  ///< at each cut, that the change would save; owned, and 0 if it hides misses
    double weight;    ///< sum over the cuts of the shares
} dj_advice_item;

/// All advice that is worth saying: in some cache it would save or hide at least DJ_ADVICE_SHARE of the
/// misses, and DJ_ADVICE_ACCESSES times the accesses, since fewer misses take little time. No miss counts for
/// two items that save it.
#define DJ_ADVICE_SHARE 0.03
#define DJ_ADVICE_ACCESSES 0.001
typedef struct dj_advice_list {
    dj_advice_item *items; ///< by weight; those that hide misses come last
    size_t count;
} dj_advice_list;

DJ_API int dj_advice_list_create(dj_context *context, const dj_profile *profile, const dj_reuses *reuses,
                                 dj_advice_list **out);
DJ_API void dj_advice_list_destroy(dj_advice_list *list); ///< NULL is allowed

#ifdef __cplusplus
}
#endif
#endif
