// SPDX-License-Identifier: MIT
// Folding of what filters and partitions leave of a batch.
#include "pipeline/lanes/fold.h"

bool dj_pick_pays(const dj_picks *picks, const uint64_t *key)
{
    const uint16_t *order = picks->order;
    uint32_t repeats = 0;
    for (uint32_t i = 1; i < picks->count; i++)
        repeats += key[order[i]] == key[order[i - 1]];
    return repeats > picks->count / 4;
}

// Each access is a run, which begins at itself; so it need not be said.
static void take_all(const dj_picks *picks, const uint64_t *key, dj_runs *runs, uint64_t *picked,
                     uint32_t *run_end)
{
    for (uint32_t i = 0; i < picks->count; i++)
        picked[i] = key[picks->order[i]];
    for (uint32_t k = 0; k < picks->share_count; k++)
        run_end[k] = picks->shares[k].end;
    runs->count = picks->count;
}

static bool is_all(const dj_picks *picks, const dj_runs *runs)
{
    return runs->count == picks->count;
}

void dj_pick_keys(const dj_picks *picks, const uint64_t *key, bool fold, dj_runs *runs, uint64_t *picked,
                  uint32_t *run_end)
{
    const uint16_t *order = picks->order;
    uint32_t n = 0;
    if (!fold) {
        take_all(picks, key, runs, picked, run_end);
        return;
    }
    for (uint32_t k = 0; k < picks->share_count; k++) {
        const dj_share *share = &picks->shares[k];
        uint64_t last = 0;
        for (uint32_t i = share->begin; i < share->end; i++) {
            uint64_t now = key[order[i]];
            if (i == share->begin || now != last) {
                runs->start[n] = i;
                picked[n++] = now;
            }
            last = now;
        }
        run_end[k] = n;
    }
    runs->count = n;
}

// The last access of run k.
static inline uint16_t last_of(const dj_picks *picks, const dj_runs *runs, uint32_t k)
{
    return picks->order[(k + 1 < runs->count ? runs->start[k + 1] : picks->count) - 1];
}

void dj_pick_u32(const dj_picks *picks, const dj_runs *runs, const uint32_t *column, uint32_t *picked)
{
    bool all = is_all(picks, runs);
    for (uint32_t k = 0; k < runs->count; k++)
        picked[k] = column[all ? picks->order[k] : last_of(picks, runs, k)];
}

void dj_pick_u64(const dj_picks *picks, const dj_runs *runs, const uint64_t *column, uint64_t *picked)
{
    bool all = is_all(picks, runs);
    for (uint32_t k = 0; k < runs->count; k++)
        picked[k] = column[all ? picks->order[k] : last_of(picks, runs, k)];
}

// Where the answer to run k goes.
static inline uint16_t place_of(const dj_picks *picks, const dj_runs *runs, bool all, uint32_t k)
{
    return picks->order[all ? k : runs->start[k]];
}

void dj_unpick_constant(const dj_picks *picks, const dj_runs *runs, const uint64_t *picked, uint64_t repeat,
                        uint64_t *out)
{
    const bool all = is_all(picks, runs);
    for (uint32_t i = 0; !all && i < picks->count; i++)
        out[picks->order[i]] = repeat;
    for (uint32_t k = 0; k < runs->count; k++)
        out[place_of(picks, runs, all, k)] = picked[k];
}

void dj_unpick_previous_u32(const dj_picks *picks, const dj_runs *runs, const uint32_t *picked,
                            const uint32_t *column, uint32_t *out)
{
    const bool all = is_all(picks, runs);
    for (uint32_t i = 1; !all && i < picks->count; i++)
        out[picks->order[i]] = column[picks->order[i - 1]];
    for (uint32_t k = 0; k < runs->count; k++)
        out[place_of(picks, runs, all, k)] = picked[k];
}

void dj_unpick_previous_u64(const dj_picks *picks, const dj_runs *runs, const uint64_t *picked,
                            const uint64_t *column, uint64_t *out)
{
    const bool all = is_all(picks, runs);
    for (uint32_t i = 1; !all && i < picks->count; i++)
        out[picks->order[i]] = column[picks->order[i - 1]];
    for (uint32_t k = 0; k < runs->count; k++)
        out[place_of(picks, runs, all, k)] = picked[k];
}
