// SPDX-License-Identifier: MIT
// Consecutive accesses to one key need no engine: all but the first have distance 0. Folding removes
// them from the work; unfolding restores them, so that no access and no site is lost. Runs end with the
// batch: the engine answers the first access of every batch.
#ifndef DEJA_PIPELINE_LANES_FOLD_H
#define DEJA_PIPELINE_LANES_FOLD_H

#include "pipeline/lanes/group.h"

// Position of the first access of each run. Run k ends before start[k + 1], the last one before
// `count`.
typedef struct dj_runs {
    uint32_t count;
    uint32_t *start;
} dj_runs;

// Whether removing the repeats saves more than it costs.
bool dj_fold_pays(const uint64_t *key, uint32_t count);

// Finds the runs and gathers their keys.
void dj_fold_keys(const uint64_t *key, uint32_t count, dj_runs *runs, uint64_t *folded);

// Gathers a column at the last access of each run, which is what the engine must store.
void dj_fold_u32(const dj_runs *runs, uint32_t count, const uint32_t *column, uint32_t *folded);
void dj_fold_u64(const dj_runs *runs, uint32_t count, const uint64_t *column, uint64_t *folded);

// Distributes the answers `folded` to all accesses; repeats get `repeat`.
void dj_unfold_constant(const dj_runs *runs, uint32_t count, const uint64_t *folded, uint64_t repeat,
                        uint64_t *out);
// Likewise; repeats get the column's value at the previous access.
void dj_unfold_previous_u32(const dj_runs *runs, uint32_t count, const uint32_t *folded,
                            const uint32_t *column, uint32_t *out);
void dj_unfold_previous_u64(const dj_runs *runs, uint32_t count, const uint64_t *folded,
                            const uint64_t *column, uint64_t *out);

// The same for a subset of a batch. `order` lists the positions of the accesses, grouped by share; all
// others are removed from the work along with the repeats. Positions in runs are positions in `order`.
typedef struct dj_subset {
    const uint16_t *order;
    const dj_share *shares;
    uint32_t share_count;
    uint32_t count;
} dj_subset;

bool dj_subset_fold_pays(const dj_subset *subset, const uint64_t *key);
// No run extends beyond a share; run_end[k] is the end of the runs of share k. Without `fold` each
// access is a run.
void dj_subset_gather_keys(const dj_subset *subset, const uint64_t *key, bool fold, dj_runs *runs,
                           uint64_t *gathered, uint32_t *run_end);
void dj_subset_gather_u32(const dj_subset *subset, const dj_runs *runs, const uint32_t *column,
                          uint32_t *gathered);
void dj_subset_gather_u64(const dj_subset *subset, const dj_runs *runs, const uint64_t *column,
                          uint64_t *gathered);
// Values at other positions are not changed.
void dj_subset_scatter_constant(const dj_subset *subset, const dj_runs *runs, const uint64_t *gathered,
                                uint64_t repeat, uint64_t *out);
void dj_subset_scatter_previous_u32(const dj_subset *subset, const dj_runs *runs, const uint32_t *gathered,
                                    const uint32_t *column, uint32_t *out);
void dj_subset_scatter_previous_u64(const dj_subset *subset, const dj_runs *runs, const uint64_t *gathered,
                                    const uint64_t *column, uint64_t *out);

#endif
