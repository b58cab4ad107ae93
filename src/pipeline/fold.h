// SPDX-License-Identifier: MIT
// Consecutive accesses to one key need no engine: the second and later ones
// have distance 0. Folding leaves them out of the work; unfolding fills them
// in again, so that no access and no site is lost. Runs do not reach over the
// border of a batch: the engine answers the first access of every batch.
#ifndef DEJA_PIPELINE_FOLD_H
#define DEJA_PIPELINE_FOLD_H

#include <deja/engine.h>

// Positions of the first access of each run; the last access of run k stands
// before start[k + 1] (count for the last run).
typedef struct dj_runs {
    uint32_t count;
    uint32_t *start;
} dj_runs;

// Whether leaving the repeats out saves more than it costs.
bool dj_fold_pays(const uint64_t *key, uint32_t count);

// Finds the runs and gathers their keys.
void dj_fold_keys(const uint64_t *key, uint32_t count, dj_runs *runs, uint64_t *folded);

// Gathers a column of the last access of each run: what the engine is to remember.
void dj_fold_u32(const dj_runs *runs, uint32_t count, const uint32_t *column, uint32_t *folded);
void dj_fold_u64(const dj_runs *runs, uint32_t count, const uint64_t *column, uint64_t *folded);

// Spreads the answers `folded` over all accesses; repeats get `repeat`.
void dj_unfold_constant(const dj_runs *runs, uint32_t count, const uint64_t *folded, uint64_t repeat,
                        uint64_t *out);
// Likewise; repeats get the column's value of the access before them.
void dj_unfold_previous_u32(const dj_runs *runs, uint32_t count, const uint32_t *folded,
                            const uint32_t *column, uint32_t *out);
void dj_unfold_previous_u64(const dj_runs *runs, uint32_t count, const uint64_t *folded,
                            const uint64_t *column, uint64_t *out);

#endif
