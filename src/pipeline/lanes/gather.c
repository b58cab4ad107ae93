// SPDX-License-Identifier: MIT
// Folding of the accesses that filters and partitions select from a batch.
#include "pipeline/lanes/fold.h"

bool dj_subset_fold_pays(const dj_subset *subset, const uint64_t *key)
{
    const uint16_t *order = subset->order;
    uint32_t repeats = 0;
    for (uint32_t i = 1; i < subset->count; i++)
        repeats += key[order[i]] == key[order[i - 1]];
    return repeats > subset->count / 4;
}

// Each access is a run that begins at itself, so `start` is not filled in.
static void take_all(const dj_subset *subset, const uint64_t *key, dj_runs *runs, uint64_t *gathered,
                     uint32_t *run_end)
{
    for (uint32_t i = 0; i < subset->count; i++)
        gathered[i] = key[subset->order[i]];
    for (uint32_t k = 0; k < subset->share_count; k++)
        run_end[k] = subset->shares[k].end;
    runs->count = subset->count;
}

static bool is_all(const dj_subset *subset, const dj_runs *runs)
{
    return runs->count == subset->count;
}

void dj_subset_gather_keys(const dj_subset *subset, const uint64_t *key, bool fold, dj_runs *runs,
                           uint64_t *gathered, uint32_t *run_end)
{
    const uint16_t *order = subset->order;
    uint32_t n = 0;
    if (!fold) {
        take_all(subset, key, runs, gathered, run_end);
        return;
    }
    for (uint32_t k = 0; k < subset->share_count; k++) {
        const dj_share *share = &subset->shares[k];
        uint64_t last = 0;
        for (uint32_t i = share->begin; i < share->end; i++) {
            uint64_t now = key[order[i]];
            if (i == share->begin || now != last) {
                runs->start[n] = i;
                gathered[n++] = now;
            }
            last = now;
        }
        run_end[k] = n;
    }
    runs->count = n;
}

// The last access of run k.
static inline uint16_t last_of(const dj_subset *subset, const dj_runs *runs, uint32_t k)
{
    return subset->order[(k + 1 < runs->count ? runs->start[k + 1] : subset->count) - 1];
}

void dj_subset_gather_u32(const dj_subset *subset, const dj_runs *runs, const uint32_t *column,
                          uint32_t *gathered)
{
    bool all = is_all(subset, runs);
    for (uint32_t k = 0; k < runs->count; k++)
        gathered[k] = column[all ? subset->order[k] : last_of(subset, runs, k)];
}

void dj_subset_gather_u64(const dj_subset *subset, const dj_runs *runs, const uint64_t *column,
                          uint64_t *gathered)
{
    bool all = is_all(subset, runs);
    for (uint32_t k = 0; k < runs->count; k++)
        gathered[k] = column[all ? subset->order[k] : last_of(subset, runs, k)];
}

// Where the answer to run k goes.
static inline uint16_t place_of(const dj_subset *subset, const dj_runs *runs, bool all, uint32_t k)
{
    return subset->order[all ? k : runs->start[k]];
}

void dj_subset_scatter_constant(const dj_subset *subset, const dj_runs *runs, const uint64_t *gathered,
                                uint64_t repeat, uint64_t *out)
{
    const bool all = is_all(subset, runs);
    for (uint32_t i = 0; !all && i < subset->count; i++)
        out[subset->order[i]] = repeat;
    for (uint32_t k = 0; k < runs->count; k++)
        out[place_of(subset, runs, all, k)] = gathered[k];
}

void dj_subset_scatter_previous_u32(const dj_subset *subset, const dj_runs *runs, const uint32_t *gathered,
                                    const uint32_t *column, uint32_t *out)
{
    const bool all = is_all(subset, runs);
    for (uint32_t i = 1; !all && i < subset->count; i++)
        out[subset->order[i]] = column[subset->order[i - 1]];
    for (uint32_t k = 0; k < runs->count; k++)
        out[place_of(subset, runs, all, k)] = gathered[k];
}

void dj_subset_scatter_previous_u64(const dj_subset *subset, const dj_runs *runs, const uint64_t *gathered,
                                    const uint64_t *column, uint64_t *out)
{
    const bool all = is_all(subset, runs);
    for (uint32_t i = 1; !all && i < subset->count; i++)
        out[subset->order[i]] = column[subset->order[i - 1]];
    for (uint32_t k = 0; k < runs->count; k++)
        out[place_of(subset, runs, all, k)] = gathered[k];
}
