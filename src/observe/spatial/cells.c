// SPDX-License-Identifier: MIT
#include "observe/spatial/cells.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/text.h"
#include "observe/doubling.h"

enum { PAYS = 8 }; // compaction pays off if it removes one access in this many

void dj_spatial_cells_destroy(dj_spatial_cells *s)
{
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

uint16_t dj_spatial_cells_class(const dj_spatial_cells *s, uint32_t lane, uint64_t distance)
{
    uint16_t class;
    s->path->classify(&distance, 1, s->cuts + lane * s->cache_count, s->cache_count, &class);
    return class;
}

static int keep_caches(dj_spatial_cells *s, dj_context *context, const dj_spatial_options *options)
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

int dj_spatial_cells_create(dj_context *context, const dj_setup *setup, dj_spatial_cells **out)
{
    static const dj_spatial_options defaults = {0};
    const dj_spatial_options *options = setup->options ? setup->options : &defaults;
    int err = dj_doubling_check(context, setup, options->caches, options->cache_count);
    if (err)
        return err;
    dj_spatial_cells *s = calloc(1, sizeof *s);
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
    s->cells = calloc(lanes, classes * classes * 2 * DJ_SPATIAL_TURNS * sizeof *s->cells);
    s->sums = calloc(lanes, classes * DJ_SPATIAL_TURNS * sizeof *s->sums);
    if (!s->block || !s->starts || !s->zeros || !s->cells || !s->sums)
        err = dj_fail_memory(context, "observer spatial",
                             lanes * classes * classes * 2 * DJ_SPATIAL_TURNS * sizeof *s->cells);
    if (!err)
        err = keep_caches(s, context, options);
    if (!err)
        err = dj_doubling_cuts(context, setup, s->caches, caches, &s->cuts);
    if (err) {
        dj_spatial_cells_destroy(s);
        return err;
    }
    for (size_t i = 0; i < lanes; i++)
        s->block[i] = setup->lanes[i].block_bytes;
    for (size_t i = 0; i < lanes * caches; i++)
        s->starts[i] = dj_spatial_cells_class(s, (uint32_t)(i / caches), s->cuts[i]);
    for (uint32_t lane = 0; lane < lanes; lane++)
        s->zeros[lane] = dj_spatial_cells_class(s, lane, 0);
    *out = s;
    return DJ_OK;
}

// Removes zeros of one lane, if there are enough. Returns whether it did.
static bool drop_zeros_of(dj_spatial_cells *s, const uint64_t *distance, uint32_t count)
{
    dj_spatial_left *left = &s->left;
    uint32_t n = s->compact->find(distance, count, left->next_bits);
    if (n > left->count - left->count / PAYS)
        return false;
    memcpy(left->bits, left->next_bits, sizeof left->bits);
    left->count = n;
    return true;
}

// The remaining values of a column, or the column itself if all remain.
static const uint64_t *left_of(const dj_spatial_cells *s, const uint64_t *column, uint32_t count,
                               uint64_t *buffer)
{
    if (s->left.count == count)
        return column;
    s->compact->gather(s->left.bits, column, count, buffer);
    return buffer;
}

static void count_pair(dj_spatial_cells *s, uint32_t pair, const uint64_t *distance, const uint16_t *here,
                       uint32_t count)
{
    const uint16_t *zero = s->zeros + pair;
    uint64_t *cells = s->cells + pair * s->classes * s->classes * 2 * DJ_SPATIAL_TURNS;
    uint64_t *sums = s->sums + pair * s->classes * DJ_SPATIAL_TURNS;
    for (uint32_t i = 0; i < s->left.count; i++) {
        cells[s->cell_at[i] * DJ_SPATIAL_TURNS + i % DJ_SPATIAL_TURNS]++;
        sums[here[i] * DJ_SPATIAL_TURNS + i % DJ_SPATIAL_TURNS] += distance[i];
    }
    cells[(zero[0] * s->classes + zero[1]) * 2 * DJ_SPATIAL_TURNS] += count - s->left.count;
}

static void classify(dj_spatial_cells *s, uint32_t lane, const uint64_t *distance, uint16_t *class_at)
{
    s->path->classify(distance, s->left.count, s->cuts + lane * s->cache_count, s->cache_count, class_at);
}

static void count_chunk(dj_spatial_cells *s, const dj_lane_view *lanes, uint32_t from, uint32_t count)
{
    dj_spatial_left *left = &s->left;
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

void dj_spatial_cells_count(dj_spatial_cells *s, const dj_lane_view *lanes, uint32_t from, uint32_t count)
{
    for (const uint32_t end = from + count; from < end; from += DJ_SPATIAL_CHUNK)
        count_chunk(s, lanes, from, end - from < DJ_SPATIAL_CHUNK ? end - from : DJ_SPATIAL_CHUNK);
}

size_t dj_spatial_cells_size(const dj_spatial_cells *s)
{
    return s->pair_count * s->classes * s->classes * 2;
}

size_t dj_spatial_cells_sums(const dj_spatial_cells *s)
{
    return s->pair_count * s->classes;
}
