// SPDX-License-Identifier: MIT
// Idea:  the reuse distance of a key is the number of keys minus the number of
//        those that were accessed last no later than it. A bit vector over time
//        has a bit for the last access to each key, with counts above it that
//        give that number at once (fast_timeline.h); a hash table leads from a
//        key to its time (fast_table.h). When the timeline is full, each time
//        is replaced by its rank, so memory grows with the keys alone.
//
//        What makes it fast is that accesses are taken in chunks and cut into
//        runs: accesses to one key with at most 15 others in between each two.
//        Runs are found for many accesses at once, by comparing all of them
//        with those before, and so are the distances within a run. Only the
//        first access of a run looks into the table, and only the last one gets
//        a bit. Since the last access of a run is known when the first is
//        answered, its time is put into the table in the same step. All tables
//        are asked for well before they are needed (fast_kernel.h). Accesses to
//        the same key as the one before are left out beforehand where there are
//        many (fast_fold.c).
// Paper: the bit vector is that of Bennett and Kruskal, IBM Journal of Research
//        and Development 19(4), 1975; the counts follow Vigna, "Broadword
//        implementation of rank/select queries", WEA 2008.
// Cost:  O(log keys) an access with a base of 16, in practice one or two
//        overlapped cache misses at the beginning of a run and next to nothing
//        within it; 18 to 36 bytes a key, 5 to 8 more with tags, 11 to 16 with
//        times.
// Bound: exact; at most 1006632956 keys.
#include "engine/fast.h"

#include "base/machine.h"
#include "engine/registry.h"

#include <stdlib.h>
#include <string.h>

enum simd { SIMD_AUTO, SIMD_AVX512, SIMD_AVX2, SIMD_PORTABLE };

typedef struct fast_options {
    int simd;
    uint64_t points;
} fast_options;

static const fast_options default_options = {.simd = SIMD_AUTO, .points = 8};

enum { LEAST_POINTS = 2, MOST_POINTS = 64 };

static const char *const simd_choices[] = {"auto", "avx512", "avx2", "portable", NULL};

static const dj_option option_table[] = {
    {.name = "fast-simd",
     .type = DJ_OPTION_CHOICE,
     .offset = offsetof(fast_options, simd),
     .argument = "SET",
     .help = "vector instructions of engine fast (default auto)",
     .choices = simd_choices},
    {.name = "fast-points",
     .type = DJ_OPTION_UINT,
     .offset = offsetof(fast_options, points),
     .argument = "N",
     .help = "points in time that engine fast has for each key, 2 to 64 (default 8)"},
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

static int choose_path(dj_context *context, int wanted, const dj_fast_path **out)
{
    enum simd simd = (enum simd)wanted;
    if (simd == SIMD_AUTO)
        simd = machine_has(SIMD_AVX512) ? SIMD_AVX512 : machine_has(SIMD_AVX2) ? SIMD_AVX2 : SIMD_PORTABLE;
    if (!machine_has(simd))
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "--fast-simd %s: this machine has no such instructions",
                       simd_choices[simd]);
    *out = path_of(simd);
    return DJ_OK;
}

static void fast_destroy(void *state)
{
    dj_fast *f = state;
    if (!f)
        return;
    dj_fast_timeline_destroy(&f->timeline);
    dj_fast_table_destroy(&f->table);
    free(f);
}

static int check_options(dj_context *context, const fast_options *options)
{
    if (options->points < LEAST_POINTS || options->points > MOST_POINTS)
        return dj_fail(context, DJ_ERR_USAGE, "--fast-points %llu: must be %d to %d",
                       (unsigned long long)options->points, LEAST_POINTS, MOST_POINTS);
    return DJ_OK;
}

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
    dj_fast *f = calloc(1, sizeof *f);
    if (!f)
        return dj_fail_memory(context, "engine fast", sizeof *f);
    f->path = path;
    f->use = params->use;
    f->points_per_key = options->points;
    memset(f->chunk.lag, DJ_FAST_NEW_RUN, sizeof f->chunk.lag);
    dj_footprint_add(&f->footprint, sizeof *f);
    err = dj_fast_table_create(&f->table, context, &f->footprint, params->use, params->expected_keys);
    if (err != DJ_OK)
        goto fail;
    err = dj_fast_timeline_create(&f->timeline, context, &f->footprint, DJ_FAST_LEAST_BLOCKS);
    if (err != DJ_OK)
        goto fail;
    *state = f;
    return DJ_OK;
fail:
    fast_destroy(f);
    return err;
}

// The accesses of the window that there are: those from here on.
static uint32_t window_start(const dj_fast *f)
{
    return f->accesses < DJ_FAST_WINDOW ? DJ_FAST_WINDOW - (uint32_t)f->accesses : 0;
}

// The table has moved: slots and hashes are no longer what they were.
static void look_up_again(dj_fast *f)
{
    dj_fast_chunk *c = &f->chunk;
    for (uint32_t i = 0; i < DJ_FAST_WINDOW + c->count; i++) {
        c->hash[i] = dj_fast_hash(c->key[i], f->table.seed);
        c->mark[i] = (uint16_t)c->hash[i];
    }
    for (uint32_t i = window_start(f); i < DJ_FAST_WINDOW; i++)
        c->slot[i] = dj_fast_table_find(&f->table, c->key[i]);
}

// The last accesses become the window of the next chunk.
static void move_window(dj_fast *f)
{
    dj_fast_chunk *c = &f->chunk;
    uint32_t slot[DJ_FAST_WINDOW];
    for (uint32_t i = 0; i < DJ_FAST_WINDOW; i++)
        slot[i] = c->slot[c->run[c->count + i]];
    memcpy(c->slot, slot, sizeof slot);
    memmove(c->key, c->key + c->count, DJ_FAST_WINDOW * sizeof *c->key);
    memmove(c->hash, c->hash + c->count, DJ_FAST_WINDOW * sizeof *c->hash);
    memmove(c->mark, c->mark + c->count, DJ_FAST_WINDOW * sizeof *c->mark);
    memmove(c->lag, c->lag + c->count, DJ_FAST_WINDOW * sizeof *c->lag);
    memmove(c->tag, c->tag + c->count, DJ_FAST_WINDOW * sizeof *c->tag);
    memmove(c->stamp, c->stamp + c->count, DJ_FAST_WINDOW * sizeof *c->stamp);
    f->accesses += c->count;
}

static int push_chunk(dj_fast *f, dj_context *context, const dj_work *part)
{
    bool moved;
    f->chunk.count = (uint32_t)part->count;
    f->path->survey(f, part->key, part->distance);
    int err = dj_fast_table_reserve(&f->table, context, f->chunk.beginnings, &moved);
    if (err != DJ_OK)
        return err;
    if (moved)
        look_up_again(f);
    err = dj_fast_make_room(f, context, f->chunk.endings);
    if (err != DJ_OK)
        return err;
    f->path->answer(f, part->distance);
    if (f->use & (DJ_CAN_TAGS | DJ_CAN_TIMES))
        dj_fast_exchange(f, part);
    move_window(f);
    return DJ_OK;
}

static dj_work part_of(const dj_fast *f, const dj_work *work, size_t from)
{
    size_t left = work->count - from;
    dj_work part = {.count = left < DJ_FAST_CHUNK ? left : DJ_FAST_CHUNK,
                    .key = work->key + from,
                    .distance = work->distance + from};
    if (f->use & DJ_CAN_TAGS) {
        part.tag = work->tag + from;
        part.prev_tag = work->prev_tag + from;
    }
    if (f->use & DJ_CAN_TIMES) {
        part.time = work->time + from;
        part.prev_time = work->prev_time + from;
    }
    return part;
}

static int fast_push(void *state, dj_context *context, dj_work *work)
{
    dj_fast *f = state;
    for (size_t from = 0; from < work->count; from += DJ_FAST_CHUNK) {
        const dj_work whole = part_of(f, work, from);
        size_t left = work->count - from - whole.count;
        f->chunk.upcoming = work->key + from + whole.count;
        f->chunk.upcoming_count = (uint32_t)(left < DJ_FAST_CHUNK ? left : DJ_FAST_CHUNK);
        dj_work part = whole;
        bool folded = dj_fast_fold_away(f, &part);
        int err = push_chunk(f, context, &part);
        if (err != DJ_OK)
            return err;
        if (folded)
            dj_fast_unfold(f, &whole);
    }
    dj_work_queue_put(&f->answered, work);
    return DJ_OK;
}

static void fast_stats(const void *state, dj_engine_stats *out)
{
    const dj_fast *f = state;
    *out = (dj_engine_stats){
        .keys = f->keys, .bytes = f->footprint.bytes, .peak_bytes = f->footprint.peak_bytes};
}

const dj_engine_ops dj_engine_fast = {
    .name = "fast",
    .summary = "runs of near accesses, blocked hash table, bit vector over time with prefix counts",
    .cost = "O(log keys) an access, overlapped cache misses; 18 to 36 bytes a key",
    .can = DJ_CAN_EXACT | DJ_CAN_PER_ACCESS | DJ_CAN_TAGS | DJ_CAN_TIMES | DJ_CAN_SUMMARY,
    .folds = true,
    .options = option_table,
    .options_bytes = sizeof(fast_options),
    .default_options = &default_options,
    .create = fast_create,
    .destroy = fast_destroy,
    .push = fast_push,
    .pull = dj_work_pull_at_once,
    .drain = dj_work_drain_at_once,
    .order = dj_fast_order,
    .stats = fast_stats,
};
