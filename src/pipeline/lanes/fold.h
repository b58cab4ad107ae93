// SPDX-License-Identifier: MIT
// Consecutive accesses to one key need no engine: the second and later ones
// have distance 0. Folding leaves them out of the work; unfolding fills them
// in again, so that no access and no site is lost. Runs do not reach over the
// border of a batch: the engine answers the first access of every batch.
#ifndef DEJA_PIPELINE_LANES_FOLD_H
#define DEJA_PIPELINE_LANES_FOLD_H

#include "pipeline/lanes/group.h"

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

// The same for some of the accesses of a batch, of which `order` lists the positions, those of
// each share together: what is not listed is left out of the work along with the repeats.
// Positions in the runs are those in `order`.
typedef struct dj_picks {
    const uint16_t *order;
    const dj_share *shares;
    uint32_t share_count;
    uint32_t count;
} dj_picks;

bool dj_pick_pays(const dj_picks *picks, const uint64_t *key);
// Runs lie within a share; run_end[k] is where those of share k end. Without `fold` each access is a run.
void dj_pick_keys(const dj_picks *picks, const uint64_t *key, bool fold, dj_runs *runs, uint64_t *picked,
                  uint32_t *run_end);
void dj_pick_u32(const dj_picks *picks, const dj_runs *runs, const uint32_t *column, uint32_t *picked);
void dj_pick_u64(const dj_picks *picks, const dj_runs *runs, const uint64_t *column, uint64_t *picked);
// What was not picked is left as it is.
void dj_unpick_constant(const dj_picks *picks, const dj_runs *runs, const uint64_t *picked, uint64_t repeat,
                        uint64_t *out);
void dj_unpick_previous_u32(const dj_picks *picks, const dj_runs *runs, const uint32_t *picked,
                            const uint32_t *column, uint32_t *out);
void dj_unpick_previous_u64(const dj_picks *picks, const dj_runs *runs, const uint64_t *picked,
                            const uint64_t *column, uint64_t *out);

#endif
