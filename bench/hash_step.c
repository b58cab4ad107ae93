// SPDX-License-Identifier: MIT
// Idea:  the work that every engine with a hash map must do: find the entry of each key and exchange its
// time.
//        Its speed is the limit that engines are compared with. Open addressing with linear probing, at most
//        half full, 16-byte entries of key and time in huge pages; the entries of a group of keys are
//        prefetched before the first one is read.
// Cost:  one overlapped cache miss per access; 32 to 64 bytes per key.
// Bound: not an engine for users: it returns time distances.
#include <stdlib.h>

#include "base/huge.h"
#include "base/probe.h"
#include "bench/bench.h"
#include "engine/work.h"

enum { LEAST_ENTRIES = 1 << 12, AHEAD = 32 };

typedef struct entry {
    uint64_t key;
    uint64_t time; // of the last access, from 1; 0: free
} entry;

typedef struct hash_step {
    dj_work_queue answered; // first, as dj_work_pull_at_once asks
    entry *entries;         // in `memory`
    dj_huge memory;
    unsigned shift; // 64 − log2 of the entries
    uint64_t keys, now;
    dj_footprint footprint;
} hash_step;

static uint64_t entries_of(unsigned shift)
{
    return UINT64_C(1) << (64 - shift);
}

static uint64_t place(unsigned shift, uint64_t key)
{
    key ^= key >> 32;
    return key * UINT64_C(0x9e3779b97f4a7c15) >> shift;
}

static entry *probe(const hash_step *h, uint64_t key)
{
    DJ_PROBE (at, place(h->shift, key), entries_of(h->shift) - 1)
        if (h->entries[at].time == 0 || h->entries[at].key == key)
            return &h->entries[at];
}

static int allocate(hash_step *h, dj_context *context, unsigned shift)
{
    dj_huge fresh;
    int err = dj_huge_allocate(&fresh, &h->footprint, context, "the hash table", entries_of(shift),
                               sizeof *h->entries);
    if (err != DJ_OK)
        return err;
    h->memory = fresh;
    h->entries = fresh.memory;
    h->shift = shift;
    return DJ_OK;
}

static int grow(hash_step *h, dj_context *context)
{
    dj_huge old_memory = h->memory;
    const entry *old = old_memory.memory;
    uint64_t count = entries_of(h->shift);
    int err = allocate(h, context, h->shift - 1);
    if (err != DJ_OK)
        return err;
    for (uint64_t i = 0; i < count; i++)
        if (old[i].time != 0)
            *probe(h, old[i].key) = old[i];
    dj_huge_free(&old_memory, &h->footprint);
    return DJ_OK;
}

static int hash_create(dj_context *context, const dj_engine_params *params, void **state)
{
    (void)params;
    hash_step *h = calloc(1, sizeof *h);
    if (!h)
        return dj_fail_memory(context, "the hash step", sizeof *h);
    int err = allocate(h, context, 64 - (unsigned)__builtin_ctz(LEAST_ENTRIES));
    if (err != DJ_OK) {
        free(h);
        return err;
    }
    *state = h;
    return DJ_OK;
}

static void hash_destroy(void *state)
{
    hash_step *h = state;
    dj_huge_free(&h->memory, &h->footprint);
    free(h);
}

static int hash_push(void *state, dj_context *context, dj_work *work)
{
    hash_step *h = state;
    for (size_t i = 0; i < work->count; i++) {
        if (i % AHEAD == 0) {
            while (h->keys + AHEAD > entries_of(h->shift) / 2) {
                int err = grow(h, context);
                if (err != DJ_OK)
                    return err;
            }
            for (size_t j = i; j < i + AHEAD && j < work->count; j++)
                __builtin_prefetch(&h->entries[place(h->shift, work->key[j])], 1);
        }
        entry *e = probe(h, work->key[i]);
        h->now++;
        h->keys += e->time == 0;
        work->distance[i] = e->time == 0 ? DJ_COLD : h->now - e->time;
        e->key = work->key[i];
        e->time = h->now;
    }
    dj_work_queue_put(&h->answered, work);
    return DJ_OK;
}

static void hash_stats(const void *state, dj_engine_stats *out)
{
    const hash_step *h = state;
    *out = (dj_engine_stats){
        .keys = h->keys, .bytes = h->footprint.bytes, .peak_bytes = h->footprint.peak_bytes};
}

const dj_engine_ops bench_hash_engine = {
    .name = "hash",
    .summary = "the hash step alone",
    .cost = "O(1) an access; 32 to 64 bytes a key",
    .can = DJ_CAN_PER_ACCESS,
    .create = hash_create,
    .destroy = hash_destroy,
    .push = hash_push,
    .pull = dj_work_pull_at_once,
    .drain = dj_work_drain_at_once,
    .stats = hash_stats,
};
