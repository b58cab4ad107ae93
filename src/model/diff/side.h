// SPDX-License-Identifier: MIT
// The parts of one run, with what identifies them in another run of the program, or of a later version of it.
#ifndef DEJA_MODEL_DIFF_SIDE_H
#define DEJA_MODEL_DIFF_SIDE_H

#include <deja/diff.h>

typedef struct dj_diff_item {
    const dj_entity *entity;
    char *name;
    char *group;    // parts that correspond have the same: a function, or a name without its line
    uint64_t order; // of the parts of a group: the line, from the beginning of the function
    unsigned depth; // of a loop
    uint64_t accesses, writes;
    uint64_t *misses;     // at each cache
    uint64_t fingerprint; // of these counts
    double *errors;       // of the accesses, then of the misses
    size_t match;         // index of the corresponding part of the other side; SIZE_MAX: none
    uint32_t row;         // of the comparison, or DJ_NOWHERE
} dj_diff_item;

typedef struct dj_diff_side {
    dj_breakdown *breakdown;
    dj_diff_item *items; // by group, order and name
    size_t count;
    uint32_t *item_of; // of each entity of the breakdown: those with one name are one item
    uint64_t *miss_table;
    double *error_table;
    double *unseen; // what a part may have that this run, an estimate, has not seen: as `errors`
} dj_diff_side;

// `aliases` are the names by which functions of the attribution are known in both runs.
int dj_diff_side_create(dj_context *context, const dj_diff *diff, const dj_profile *profile, int run,
                        enum dj_by by, const char *const *aliases, dj_diff_side *out);
void dj_diff_side_free(dj_diff_side *side); // a zeroed structure is allowed

// Whether two parts have the same counts.
static inline bool dj_diff_alike(const dj_diff_item *a, const dj_diff_item *b)
{
    return a->fingerprint == b->fingerprint;
}

// Sets `match` on both sides.
int dj_diff_match(dj_context *context, enum dj_by by, dj_diff_side *before, dj_diff_side *after);

// Matches parts of one group, in their order; none of them has a match yet. Indexes count from `base`.
typedef struct dj_diff_run {
    dj_diff_item *items;
    size_t base, count;
} dj_diff_run;
// If one run did more work, its counts are about `scale` times those of the first.
int dj_diff_align(dj_context *context, enum dj_by by, double scale, dj_diff_run before, dj_diff_run after);

// DJ_ERR_USAGE, with the reason, if the runs are of different programs. `shared` as in dj_diff.
int dj_diff_check_program(dj_context *context, const dj_diff_request *request,
                          const dj_diff_side functions[DJ_SIDES], double *shared);

// The file of the program, without its folder; "": unknown.
const char *dj_diff_program(const dj_profile *profile);

// The name of a function without what compilers append to that of a copy: "solve.constprop.0" is "solve".
char *dj_diff_plain_function(const char *name);

#endif
