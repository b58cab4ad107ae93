// SPDX-License-Identifier: MIT
// How each reuse distance changes from one block size to the next, twice as large: the map, the cold row,
// intercepts, and the effect on caches.
//
// All of it derives from one count by the classes of both distances, for each pair of block sizes, which is
// summed up at the end.
#include "base/machine.h"
#include "base/pack.h"
#include "base/text.h"
#include "observe/compact.h"
#include "observe/counted.h"
#include "observe/doubling.h"
#include "observe/observers.h"
#include "observe/spatial/classes.h"
#include "profile/spatial_check.h"

#include <deja/observer_options.h>

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 1024, // accesses whose classes stay in the processor's cache meanwhile
    PAYS = 8,     // compaction pays off if it removes one access in this many
    TURNS = 4,    // each count is split into this many that alternate, so that no increment waits for the
                  // previous one
};

// The remaining accesses of a chunk. A distance of 0 is also 0 for all larger blocks, with the same
// previous access: those are counted all at once.
typedef struct left_accesses {
    uint32_t count;
    uint64_t bits[CHUNK / 64], next_bits[CHUNK / 64];
    uint64_t distance[2][CHUNK + DJ_COMPACT_PAD];
    uint32_t intercepted[CHUNK + DJ_COMPACT_PAD];
} left_accesses;

typedef struct spatial_state {
    const dj_spatial_path *path;
    const dj_compact *compact;
    dj_spatial_cache_size *caches;
    size_t cache_count;
    uint32_t pair_count;
    size_t classes;   // the last one is for cold misses
    uint64_t *block;  // of each lane
    uint64_t *cuts;   // [lane][cache], in blocks
    uint16_t *starts; // [lane][cache], the first class of the cache
    uint16_t *zeros;  // of each lane: the class of distance 0
    uint64_t *cells;  // [pair][class at b][class at 2b][intercepted][turn]
    uint64_t *sums;   // [pair][class at b][turn], of the distances at b
    uint16_t class_at[2][CHUNK];
    uint32_t cell_at[CHUNK];
    left_accesses left;
    dj_counted counted;
} spatial_state;

static void destroy(void *state)
{
    spatial_state *s = state;
    if (!s)
        return;
    for (size_t i = 0; s->caches && i < s->cache_count; i++)
        free(s->caches[i].name);
    free(s->caches);
    free(s->block);
    free(s->cuts);
    free(s->starts);
    free(s->zeros);
    free(s->cells);
    free(s->sums);
    dj_counted_free(&s->counted);
    free(s);
}

static const dj_spatial_path *choose_path(void)
{
#if defined(__x86_64__)
    if (strcmp(dj_machine_simd(), "avx512") == 0)
        return &dj_spatial_avx512;
#endif
    return &dj_spatial_portable;
}

static uint16_t class_of(const spatial_state *s, uint32_t lane, uint64_t distance)
{
    uint16_t class;
    s->path->classify(&distance, 1, s->cuts + lane * s->cache_count, s->cache_count, &class);
    return class;
}

static int keep_caches(spatial_state *s, dj_context *context, const dj_spatial_options *options)
{
    s->cache_count = options->cache_count;
    s->caches = calloc(s->cache_count + 1, sizeof *s->caches);
    int err = s->caches ? DJ_OK : dj_fail_memory(context, "observer spatial", 0);
    for (size_t i = 0; !err && i < s->cache_count; i++) {
        s->caches[i].bytes = options->caches[i].bytes;
        err = dj_copy_text(context, options->caches[i].name, &s->caches[i].name);
    }
    return err;
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    static const dj_spatial_options defaults = {0};
    const dj_spatial_options *options = setup->options ? setup->options : &defaults;
    int err = dj_doubling_check(context, setup, options->caches, options->cache_count);
    if (err)
        return err;
    spatial_state *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "observer spatial", sizeof *s);
    size_t lanes = setup->lane_count, caches = options->cache_count, classes = DJ_SPATIAL_COLD + 1 + caches;
    s->path = choose_path();
    s->compact = dj_compact_choose();
    s->pair_count = (uint32_t)(lanes - 1);
    s->classes = classes;
    s->block = calloc(lanes, sizeof *s->block);
    s->starts = calloc(lanes * caches + 1, sizeof *s->starts);
    s->zeros = calloc(lanes, sizeof *s->zeros);
    s->cells = calloc(lanes, classes * classes * 2 * TURNS * sizeof *s->cells);
    s->sums = calloc(lanes, classes * TURNS * sizeof *s->sums);
    if (!s->block || !s->starts || !s->zeros || !s->cells || !s->sums)
        err = dj_fail_memory(context, "observer spatial",
                             lanes * classes * classes * 2 * TURNS * sizeof *s->cells);
    if (!err)
        err = keep_caches(s, context, options);
    if (!err)
        err = dj_doubling_cuts(context, setup, s->caches, caches, &s->cuts);
    if (err) {
        destroy(s);
        return err;
    }
    for (size_t i = 0; i < lanes; i++)
        s->block[i] = setup->lanes[i].block_bytes;
    for (size_t i = 0; i < lanes * caches; i++)
        s->starts[i] = class_of(s, (uint32_t)(i / caches), s->cuts[i]);
    for (uint32_t lane = 0; lane < lanes; lane++)
        s->zeros[lane] = class_of(s, lane, 0);
    *state = s;
    return DJ_OK;
}

// Removes zeros of one lane, if there are enough. Returns whether it did.
static bool drop_zeros_of(spatial_state *s, const uint64_t *distance, uint32_t count)
{
    left_accesses *left = &s->left;
    uint32_t n = s->compact->find(distance, count, left->next_bits);
    if (n > left->count - left->count / PAYS)
        return false;
    memcpy(left->bits, left->next_bits, sizeof left->bits);
    left->count = n;
    return true;
}

// The remaining values of a column, or the column itself if all remain.
static const uint64_t *left_of(const spatial_state *s, const uint64_t *column, uint32_t count,
                               uint64_t *buffer)
{
    if (s->left.count == count)
        return column;
    s->compact->gather(s->left.bits, column, count, buffer);
    return buffer;
}

static void count_pair(spatial_state *s, uint32_t pair, const uint64_t *distance, const uint16_t *here,
                       uint32_t count)
{
    const uint16_t *zero = s->zeros + pair;
    uint64_t *cells = s->cells + pair * s->classes * s->classes * 2 * TURNS;
    uint64_t *sums = s->sums + pair * s->classes * TURNS;
    for (uint32_t i = 0; i < s->left.count; i++) {
        cells[s->cell_at[i] * TURNS + i % TURNS]++;
        sums[here[i] * TURNS + i % TURNS] += distance[i];
    }
    cells[(zero[0] * s->classes + zero[1]) * 2 * TURNS] += count - s->left.count;
}

static void classify(spatial_state *s, uint32_t lane, const uint64_t *distance, uint16_t *class_at)
{
    s->path->classify(distance, s->left.count, s->cuts + lane * s->cache_count, s->cache_count, class_at);
}

static void count_chunk(spatial_state *s, const dj_lane_view *lanes, uint32_t from, uint32_t count)
{
    left_accesses *left = &s->left;
    uint16_t *here = s->class_at[0], *there = s->class_at[1];
    left->count = count;
    memset(left->bits, 0xff, sizeof left->bits);
    drop_zeros_of(s, lanes[0].distance + from, count);
    uint64_t *buffer = left->distance[0], *next_buffer = left->distance[1];
    const uint64_t *distance = left_of(s, lanes[0].distance + from, count, buffer);
    classify(s, 0, distance, here);
    for (uint32_t pair = 0; pair < s->pair_count; pair++) {
        const uint64_t *all = lanes[pair + 1].distance + from, *larger = left_of(s, all, count, next_buffer);
        s->compact->differ(left->bits, lanes[pair + 1].prev_tag + from, lanes[pair].key + from, count,
                           left->intercepted);
        classify(s, pair + 1, larger, there);
        s->path->locate(here, there, left->intercepted, left->count, (uint32_t)s->classes, s->cell_at);
        count_pair(s, pair, distance, here, count);
        if (pair + 1 < s->pair_count && drop_zeros_of(s, all, count)) {
            distance = left_of(s, all, count, buffer);
            classify(s, pair + 1, distance, here);
            continue;
        }
        distance = larger;
        uint64_t *used = buffer;
        buffer = next_buffer;
        next_buffer = used;
        uint16_t *used_class = here;
        here = there;
        there = used_class;
    }
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    spatial_state *s = state;
    int err = dj_counted_view(&s->counted, context, view, DJ_SELECT_COUNTED, &view);
    uint32_t count = err ? 0 : view->batch->count;
    for (uint32_t from = 0; from < count; from += CHUNK)
        count_chunk(s, view->lanes, from, count - from < CHUNK ? count - from : CHUNK);
    return err;
}

static uint64_t all_turns(const uint64_t *parts)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < TURNS; i++)
        sum += parts[i];
    return sum;
}

// Number of counts; each consists of TURNS.
static size_t cell_count(const spatial_state *s)
{
    return s->pair_count * s->classes * s->classes * 2;
}

static int merge(void *state, dj_context *context, const void *other, uint64_t position)
{
    (void)position;
    spatial_state *s = state;
    const spatial_state *o = other;
    bool alike = s->cache_count == o->cache_count;
    for (size_t i = 0; alike && i < s->cache_count; i++)
        alike = s->caches[i].bytes == o->caches[i].bytes && strcmp(s->caches[i].name, o->caches[i].name) == 0;
    if (!alike)
        return dj_fail(context, DJ_ERR_INPUT, "the caches of the parts differ");
    for (size_t i = 0; i < cell_count(s) * TURNS; i++)
        s->cells[i] += o->cells[i];
    for (size_t i = 0; i < s->pair_count * s->classes * TURNS; i++)
        s->sums[i] += o->sums[i];
    return DJ_OK;
}

static int save(const void *state, dj_context *context, dj_packer *to)
{
    (void)context;
    const spatial_state *s = state;
    dj_pack_number(to, s->cache_count);
    for (size_t i = 0; i < s->cache_count; i++) {
        dj_pack_number(to, s->caches[i].bytes);
        dj_pack_text(to, s->caches[i].name);
    }
    for (size_t i = 0; i < cell_count(s); i++)
        dj_pack_number(to, all_turns(s->cells + i * TURNS));
    for (size_t i = 0; i < s->pair_count * s->classes; i++)
        dj_pack_number(to, all_turns(s->sums + i * TURNS));
    return DJ_OK;
}

static int load_caches(dj_context *context, dj_unpacker *from, dj_spatial_cache_size *caches, size_t *count)
{
    uint64_t end = 0;
    int err = dj_unpack_below(from, context, DJ_SPATIAL_CACHES_MOST, "the number of caches", &end);
    for (*count = 0; !err && *count < end; (*count)++) {
        err = dj_unpack_number(from, context, &caches[*count].bytes);
        if (!err)
            err = dj_unpack_text(from, context, &caches[*count].name);
    }
    return err;
}

static int load(dj_context *context, const dj_setup *setup, dj_unpacker *from, void **state)
{
    dj_spatial_cache_size caches[DJ_SPATIAL_CACHES_MOST] = {{0}};
    dj_spatial_options options = {.caches = caches};
    dj_setup own = *setup;
    own.options = &options;
    int err = load_caches(context, from, caches, &options.cache_count);
    if (!err)
        err = create(context, &own, state);
    for (size_t i = 0; i < options.cache_count; i++)
        free(caches[i].name);
    if (err)
        return err;
    spatial_state *s = *state;
    for (size_t i = 0; !err && i < cell_count(s); i++)
        err = dj_unpack_number(from, context, &s->cells[i * TURNS]);
    for (size_t i = 0; !err && i < s->pair_count * s->classes; i++)
        err = dj_unpack_number(from, context, &s->sums[i * TURNS]);
    if (err)
        destroy(s);
    return err;
}

// The bin of each class of a lane.
static void fill_bins(const spatial_state *s, uint32_t lane, uint8_t *bin_of)
{
    for (unsigned bin = 0; bin < DJ_SPATIAL_COLD; bin++) {
        uint64_t lowest = bin == 0 ? 0 : UINT64_C(1) << (bin - 1);
        for (size_t c = class_of(s, lane, lowest); c < s->classes; c++)
            bin_of[c] = (uint8_t)bin;
    }
}

static void add_to_caches(const spatial_state *s, uint32_t p, size_t here, size_t there, uint64_t count,
                          dj_spatial_pair *pair)
{
    const uint16_t *start = s->starts + p * s->cache_count, *larger = start + s->cache_count;
    for (size_t k = 0; k < s->cache_count && here >= start[k]; k++) {
        uint64_t effective = there < larger[k] ? count : 0;
        bool own = k + 1 == s->cache_count || here < start[k + 1];
        pair->caches[k].all.reuses += count;
        pair->caches[k].all.effective += effective;
        pair->caches[k].own.reuses += own ? count : 0;
        pair->caches[k].own.effective += own ? effective : 0;
    }
}

static void add_row(const spatial_state *s, uint32_t p, size_t here, const uint8_t *bin_here,
                    const uint8_t *bin_there, dj_spatial_pair *pair)
{
    const uint64_t *row = s->cells + (p * s->classes + here) * s->classes * 2 * TURNS;
    bool cold = here + 1 == s->classes;
    for (size_t there = 0; there < s->classes; there++) {
        uint64_t intercepted = all_turns(row + (there * 2 + 1) * TURNS);
        uint64_t count = all_turns(row + there * 2 * TURNS) + intercepted;
        if (count == 0)
            continue;
        if (cold && there == here) {
            pair->cold_both += count;
        } else if (cold) {
            pair->cold[bin_there[there]] += count;
        } else {
            pair->map[bin_here[here]][bin_there[there]] += count;
            pair->intercepted[bin_here[here]] += intercepted;
            add_to_caches(s, p, here, there, count, pair);
        }
    }
}

static void add_sums(const spatial_state *s, uint32_t p, const uint8_t *bin_here, dj_spatial_pair *pair)
{
    const uint16_t *start = s->starts + p * s->cache_count;
    for (size_t here = 0; here + 1 < s->classes; here++) {
        uint64_t sum = all_turns(s->sums + (p * s->classes + here) * TURNS);
        pair->distance_sum[bin_here[here]] += sum;
        size_t k = s->cache_count;
        while (k > 0 && here < start[k - 1])
            k--;
        if (k > 0)
            pair->cache_sum[k - 1] += sum;
    }
}

static int name_caches(const spatial_state *s, dj_context *context, dj_spatial *spatial)
{
    for (size_t k = 0; k < s->cache_count; k++) {
        spatial->caches[k].bytes = s->caches[k].bytes;
        spatial->caches[k].name = strdup(s->caches[k].name);
        if (!spatial->caches[k].name)
            return dj_fail_memory(context, "a profile", 0);
    }
    return DJ_OK;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const spatial_state *s = state;
    dj_spatial *out = NULL;
    int err = dj_spatial_create(context, s->pair_count, s->cache_count, &out);
    if (!err)
        err = dj_profile_give_section(context, profile, &dj_section_spatial, out);
    if (err)
        return err;
    uint8_t *bins = calloc(s->pair_count + 1, s->classes);
    if (!bins)
        return dj_fail_memory(context, "a profile", (s->pair_count + 1) * s->classes);
    for (uint32_t lane = 0; lane <= s->pair_count; lane++)
        fill_bins(s, lane, bins + lane * s->classes);
    for (uint32_t p = 0; p < s->pair_count; p++) {
        dj_spatial_pair *pair = &out->pairs[p];
        const uint8_t *bin_here = bins + p * s->classes, *bin_there = bin_here + s->classes;
        pair->block_bytes = s->block[p];
        for (size_t here = 0; here < s->classes; here++)
            add_row(s, p, here, bin_here, bin_there, pair);
        add_sums(s, p, bin_here, pair);
    }
    free(bins);
    return name_caches(s, context, out);
}

const dj_observer_ops dj_observer_spatial = {
    .name = "spatial",
    .summary = "how reuse distances change when the block size doubles",
    .needs = DJ_NEED_EXACT | DJ_NEED_PER_ACCESS | DJ_NEED_FINER,
    .fills = &dj_section_spatial,
    .create = create,
    .destroy = destroy,
    .see = see,
    .merge = merge,
    .unordered = true,
    .finish = finish,
    .save = save,
    .load = load,
};
