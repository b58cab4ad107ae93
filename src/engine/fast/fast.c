// SPDX-License-Identifier: MIT
// Idea:  The reuse distance of a key is the number of keys minus the number of those last accessed no
//        later than it. A bit vector over time has a bit for the last access to each key, with counts
//        above it that provide that number directly (fast/timeline.h); a hash table maps a key to its
//        time (fast/table.h). When the timeline is full, each time is replaced by its rank, so memory
//        grows with the keys only.
//
//        It is fast because accesses are processed in chunks and divided into runs:
//        accesses to one key with at most 15 others between consecutive ones. Runs, and
//        the distances within them, are found for many accesses at once, by comparing
//        all of them with those before. Only the first access of a run needs the table,
//        and only the last one gets a bit. Since the last access of a run is known when
//        the first is answered, its time is stored in the table in the same step. All
//        tables are prefetched well before they are needed (fast/kernel.h). If many
//        accesses repeat the previous key, these are removed first (fast/fold.c).
// Paper: the bit vector is that of Bennett and Kruskal, IBM Journal of Research and Development 19(4),
//        1975; the counts follow Vigna, "Broadword implementation of rank/select queries", WEA 2008.
// Cost:  O(log keys) per access with base 16, in practice one or two overlapped cache misses at the
//        beginning of a run and almost nothing within it; 18 to 36 bytes per key, 5 to 8 more with
//        tags, 11 to 16 with times.
// Bound: exact; at most 1006632956 keys.
#include "base/machine.h"
#include "engine/fast/operations.h"
#include "engine/registry.h"

#include <stdlib.h>
#include <string.h>

enum simd { SIMD_AUTO, SIMD_AVX512, SIMD_AVX2, SIMD_PORTABLE };

typedef struct fast_options {
    int simd;
    uint64_t points;
} fast_options;

static const fast_options default_options = {.simd = SIMD_AUTO, .points = 8};

enum {
    LEAST_POINTS = 2,
    MOST_POINTS = 64,
    REBUILT_BYTES = 6 << 20, // of a table that exist twice while it is rebuilt
};

static const char *const simd_choices[] = {"auto", "avx512", "avx2", "portable", NULL};

static const dj_option option_table[] = {
    {.name = "fast-simd",
     .type = DJ_OPTION_CHOICE,
     .offset = offsetof(fast_options, simd),
     .argument = "SET",
     .help = "vector instructions that engine fast uses (default auto)",
     .choices = simd_choices},
    {.name = "fast-points",
     .type = DJ_OPTION_UINT,
     .offset = offsetof(fast_options, points),
     .argument = "N",
     .help = "points per key on the timeline of engine fast, 2 to 64 (default 8). A longer timeline needs "
             "more memory but is compacted less often"},
    {0},
};

static bool machine_has(enum simd simd)
{
    const char *widest = dj_machine_simd();
    if (simd == SIMD_AVX512)
        return strcmp(widest, "avx512") == 0;
    return simd != SIMD_AVX2 || strcmp(widest, "portable") != 0;
}

static const dj_fast_path *path_of(enum simd simd)
{
#if defined(__x86_64__)
    if (simd == SIMD_AVX512)
        return &dj_fast_avx512;
    if (simd == SIMD_AVX2)
        return &dj_fast_avx2;
#endif
    (void)simd;
    return &dj_fast_portable;
}

const dj_fast_path *dj_fast_widest_path(void)
{
    return path_of(machine_has(SIMD_AVX512) ? SIMD_AVX512
                   : machine_has(SIMD_AVX2) ? SIMD_AVX2
                                            : SIMD_PORTABLE);
}

static int choose_path(dj_context *context, int wanted, const dj_fast_path **out)
{
    enum simd simd = (enum simd)wanted;
    if (!machine_has(simd))
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "--fast-simd %s: this machine lacks these instructions",
                       simd_choices[simd]);
    *out = simd == SIMD_AUTO ? dj_fast_widest_path() : path_of(simd);
    return DJ_OK;
}

static int check_options(dj_context *context, const fast_options *options)
{
    if (options->points < LEAST_POINTS || options->points > MOST_POINTS)
        return dj_fail(context, DJ_ERR_USAGE, "--fast-points %llu: must be %d to %d",
                       (unsigned long long)options->points, LEAST_POINTS, MOST_POINTS);
    return DJ_OK;
}

static void set_slots(dj_fast_hashed *h)
{
    const dj_fast_table *t = &h->table;
    h->fast.slots = (dj_fast_slots){.words = (uint32_t *)(void *)t->lines,
                                    .lines = t->homes + 1,
                                    .ways = DJ_FAST_WAYS,
                                    .first_time = DJ_FAST_FIRST_TIME,
                                    .tag = t->tag,
                                    .stamp = t->stamp,
                                    .seed = t->seed};
}

static void destroy_table(dj_fast *fast)
{
    dj_fast_table_destroy(&((dj_fast_hashed *)(void *)fast)->table);
}

// The table has been rebuilt, so slots and hashes have changed.
static void look_up_again(dj_fast_hashed *h)
{
    dj_fast_chunk *c = &h->fast.chunk;
    for (uint32_t i = 0; i < DJ_FAST_WINDOW + c->count; i++) {
        c->hash[i] = dj_fast_hash(c->key[i], h->table.seed);
        c->mark[i] = (uint16_t)c->hash[i];
    }
    for (uint32_t i = dj_fast_window_start(&h->fast); i < DJ_FAST_WINDOW; i++)
        c->slot[i] = dj_fast_table_find(&h->table, c->key[i]);
}

static int reserve(dj_fast *fast, dj_context *context)
{
    dj_fast_hashed *h = (dj_fast_hashed *)(void *)fast;
    bool moved;
    int err = dj_fast_table_reserve(&h->table, context, fast->chunk.beginnings, &moved);
    if (err != DJ_OK || !moved)
        return err;
    set_slots(h);
    look_up_again(h);
    return DJ_OK;
}

static int forget(dj_fast *fast, dj_context *context, uint64_t room)
{
    dj_fast_hashed *h = (dj_fast_hashed *)(void *)fast;
    int err = dj_fast_table_forget(&h->table, context, room);
    if (err == DJ_OK)
        set_slots(h);
    return err;
}

static void put_all(const dj_fast *fast, const dj_order *out)
{
    const dj_fast_table *t = &((const dj_fast_hashed *)(const void *)fast)->table;
    for (uint64_t line = 0; line <= t->homes; line++)
        for (unsigned way = 0; way < t->lines[line].used; way++)
            dj_fast_order_put(fast, dj_fast_slot(line, way), t->lines[line].key[way], out);
}

// One instance never holds more keys than expected, and its table is never larger than needed for them. If
// there are several, one may have grown to hold all keys, while another one, after `keep`, has a table for
// twice its keys: at worst the first for half of the keys, the second for a quarter more than the other half.
static uint64_t fast_bytes_for(const dj_engine_params *params, uint32_t engines, uint64_t keys)
{
    const fast_options *options = params->options ? params->options : &default_options;
    const uint64_t tables = dj_fast_table_bytes(params->use, keys + DJ_FAST_CHUNK),
                   least = dj_fast_table_bytes(params->use, 0),
                   // While one timeline or table is replaced by another, there are both, but released pages.
        timeline = dj_fast_timeline_bytes(options->points * keys),
                   replaced = tables < REBUILT_BYTES ? tables : (uint64_t)REBUILT_BYTES;
    return (engines > 1 ? tables + tables * 5 / 8 : tables) + replaced + 2 * timeline +
           engines *
               (least + dj_fast_timeline_bytes(0) + sizeof(dj_fast_hashed) + sizeof(dj_fast_operations));
}

static const dj_fast_store store = {
    .destroy = destroy_table, .reserve = reserve, .forget = forget, .put_all = put_all};

static int fast_create(dj_context *context, const dj_engine_params *params, void **state)
{
    const fast_options *options = params->options ? params->options : &default_options;
    const dj_fast_path *path = NULL;
    int err = dj_engine_check(context, &dj_engine_fast, params);
    if (err == DJ_OK)
        err = check_options(context, options);
    if (err == DJ_OK)
        err = choose_path(context, options->simd, &path);
    if (err != DJ_OK)
        return err;
    dj_fast_hashed *h = calloc(1, sizeof *h);
    if (!h)
        return dj_fail_memory(context, "engine fast", sizeof *h);
    h->fast.path = path;
    h->fast.store = &store;
    h->fast.finder = &path->hashed;
    h->fast.points_per_key = options->points;
    err = dj_fast_prepare(&h->fast, context, params, sizeof *h);
    if (err == DJ_OK)
        err = dj_fast_table_create(&h->table, context, &h->fast.footprint, params);
    if (err != DJ_OK) {
        dj_fast_destroy(h);
        return err;
    }
    set_slots(h);
    *state = h;
    return DJ_OK;
}

void dj_fast_restart(dj_fast_hashed *h)
{
    dj_fast_table_clear(&h->table);
    dj_fast_timeline_reset(&h->fast.timeline, 0);
    memset(&h->fast.chunk, 0, sizeof h->fast.chunk);
    memset(h->fast.chunk.lag, DJ_FAST_NEW_RUN, sizeof h->fast.chunk.lag);
    h->fast.accesses = h->fast.keys = 0;
    h->fast.unfolded = 0;
}

const dj_engine_ops dj_engine_fast = {
    .name = "fast",
    .summary = "bit vector over time with prefix counts, and a hash table",
    .cost = "O(log keys) per access, with overlapped cache misses; 18 to 36 bytes per key",
    .can = DJ_CAN_EXACT | DJ_CAN_PER_ACCESS | DJ_CAN_TAGS | DJ_CAN_TIMES | DJ_CAN_SUMMARY |
           DJ_CAN_INVALIDATE | DJ_CAN_REMOVE,
    .folds = true,
    .options = option_table,
    .options_bytes = sizeof(fast_options),
    .default_options = &default_options,
    .create = fast_create,
    .destroy = dj_fast_destroy,
    .push = dj_fast_push,
    .pull = dj_work_pull_at_once,
    .drain = dj_work_drain_at_once,
    .order = dj_fast_order,
    .keep = dj_fast_keep,
    .bytes_for = fast_bytes_for,
    .stats = dj_fast_stats,
};
