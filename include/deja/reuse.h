// SPDX-License-Identifier: MIT
/// \file
/// Long reuses: where data was last used, where it is used again, which loop
/// contains both, and what might bring the two together. Pure functions of an
/// attribution.
#ifndef DEJA_REUSE_H
#define DEJA_REUSE_H

#include <deja/advice.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How the two uses stand to each other in calls and loops. Known exactly.
enum dj_relation {
    DJ_RELATION_NEST,     ///< in the same loops of the same frame
    DJ_RELATION_SIBLINGS, ///< in different loops of the same frame
    DJ_RELATION_CALLS,    ///< in different calls from the same frame
    DJ_RELATION_APART,    ///< in the same frame, one of them deeper in loops or calls
    DJ_RELATION_THREADS,  ///< in different threads
};

/// All pairs of places with the same lines, data and loop, together.
typedef struct dj_reuse {
    uint32_t from, to;    ///< places; those of the pair with the most reuses
    uint32_t from_object; ///< differs from `object` when memory was recycled
    uint32_t object;
    uint32_t loop; ///< the innermost loop that contains both uses; DJ_NOWHERE: none
    uint32_t
        outer_loop; ///< the loop around it that likely comes back to the data (an estimate), or DJ_NOWHERE
    enum dj_relation relation;
    bool next_iteration;          ///< the reuse stands before the use in `loop`, which has come round
    const dj_advice_rule *advice; ///< the rule that applies; NULL: none does
    char *from_name, *to_name;    ///< "solve.c:14 in sweep"
    char *data_name;              ///< "grid[*][*]"
    char *loop_name;              ///< "solve.c:9-20 in main"; "" for none
    char *text;                   ///< the reason and what may help, in sentences; "" without advice
    dj_tally tally;               ///< long reuses only
    const uint64_t *misses;       ///< at each cut: what would go if the distance fell below it
    double weight;                ///< sum of its shares of all misses over the cuts
} dj_reuse;

typedef struct dj_reuses {
    dj_reuse *list; ///< by weight, so that what hurts any of the caches comes first; then by number
    size_t count;
    dj_tally total;
    const uint64_t *total_misses; ///< at each cut, of these reuses
    const uint64_t *all_misses;   ///< at each cut, of the whole program, cold ones included
    uint64_t *miss_table;         ///< what the pointers above point into
} dj_reuses;

/// With the rules of the library (docs/attribution.md has the evidence that each needs), or with others,
/// in the order in which they are asked, which must outlive the reuses.
DJ_API int dj_reuses_create(dj_context *context, const dj_attribution *attribution, dj_reuses **out);
DJ_API int dj_reuses_create_with(dj_context *context, const dj_attribution *attribution,
                                 const dj_advice_rule *const *rules, size_t rule_count, dj_reuses **out);
DJ_API void dj_reuses_destroy(dj_reuses *reuses); ///< NULL is fine

#ifdef __cplusplus
}
#endif
#endif
