// SPDX-License-Identifier: MIT
#include "pipeline/lanes/fold.h"

bool dj_fold_pays(const uint64_t *key, uint32_t count)
{
    uint32_t repeats = 0;
    for (uint32_t i = 1; i < count; i++)
        repeats += key[i] == key[i - 1];
    return repeats > count / 4;
}

void dj_fold_keys(const uint64_t *key, uint32_t count, dj_runs *runs, uint64_t *folded)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        // Written unconditionally; `n` advances only at the beginning of a run. This avoids a branch
        // that would be mispredicted.
        runs->start[n] = i;
        folded[n] = key[i];
        n += i + 1 == count || key[i + 1] != key[i] ? 1u : 0u;
    }
    runs->count = n;
    // The loop above stored the end of each run; each run begins after the end of the previous one.
    for (uint32_t k = n; k-- > 1;)
        runs->start[k] = runs->start[k - 1] + 1;
    if (n > 0)
        runs->start[0] = 0;
}

static uint32_t run_end(const dj_runs *runs, uint32_t count, uint32_t k)
{
    return k + 1 < runs->count ? runs->start[k + 1] : count;
}

void dj_fold_u32(const dj_runs *runs, uint32_t count, const uint32_t *column, uint32_t *folded)
{
    for (uint32_t k = 0; k < runs->count; k++)
        folded[k] = column[run_end(runs, count, k) - 1];
}

void dj_fold_u64(const dj_runs *runs, uint32_t count, const uint64_t *column, uint64_t *folded)
{
    for (uint32_t k = 0; k < runs->count; k++)
        folded[k] = column[run_end(runs, count, k) - 1];
}

void dj_unfold_constant(const dj_runs *runs, uint32_t count, const uint64_t *folded, uint64_t repeat,
                        uint64_t *out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = repeat;
    for (uint32_t k = 0; k < runs->count; k++)
        out[runs->start[k]] = folded[k];
}

void dj_unfold_previous_u32(const dj_runs *runs, uint32_t count, const uint32_t *folded,
                            const uint32_t *column, uint32_t *out)
{
    for (uint32_t i = 1; i < count; i++)
        out[i] = column[i - 1];
    for (uint32_t k = 0; k < runs->count; k++)
        out[runs->start[k]] = folded[k];
}

void dj_unfold_previous_u64(const dj_runs *runs, uint32_t count, const uint64_t *folded,
                            const uint64_t *column, uint64_t *out)
{
    for (uint32_t i = 1; i < count; i++)
        out[i] = column[i - 1];
    for (uint32_t k = 0; k < runs->count; k++)
        out[runs->start[k]] = folded[k];
}
