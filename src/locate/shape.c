// SPDX-License-Identifier: MIT
#include "locate/shape.h"

#include <stdlib.h>

enum { HEAD_WORDS = 3, BLOCK_WORDS = 4, LOOP_WORDS = 4, BLOCKS_MOST = 1 << 24 };

void dj_shape_destroy(dj_shape *s)
{
    if (!s)
        return;
    free(s->blocks);
    free(s->edges);
    free(s->loops);
    free(s);
}

static bool read_blocks(dj_shape *s, const uint64_t **at, const uint64_t *end)
{
    for (uint32_t i = 0; i < s->block_count; i++) {
        const uint64_t *w = *at;
        if (end - w < BLOCK_WORDS || w[3] > (uint64_t)(end - w - BLOCK_WORDS) ||
            (uint32_t)w[2] > s->loop_count)
            return false;
        s->blocks[i] = (dj_shape_block){.lo = w[0],
                                        .hi = w[1],
                                        .loop = (uint32_t)w[2],
                                        .reported = w[2] >> 32,
                                        .first_edge = s->edge_count,
                                        .edge_count = (uint32_t)w[3]};
        for (uint32_t k = 0; k < w[3]; k++) {
            if (w[BLOCK_WORDS + k] >= s->block_count)
                return false;
            s->edges[s->edge_count++] = (uint32_t)w[BLOCK_WORDS + k];
            s->blocks[i].reported |= w[BLOCK_WORDS + k] < i;
        }
        *at = w + BLOCK_WORDS + w[3];
    }
    return true;
}

static bool read_loops(dj_shape *s, const uint64_t *at, const uint64_t *end)
{
    if ((uint64_t)(end - at) != (uint64_t)s->loop_count * LOOP_WORDS)
        return false;
    for (uint32_t i = 0; i < s->loop_count; i++, at += LOOP_WORDS) {
        if (at[0] > i || at[2] >= s->block_count)
            return false;
        s->loops[i] = (dj_shape_loop){(uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2], at[3]};
        if (s->loops[i].depth != dj_shape_depth(s, s->loops[i].parent) + 1)
            return false;
    }
    return true;
}

int dj_shape_create(dj_context *context, uint32_t module, const uint64_t *words, size_t count, dj_shape **out)
{
    *out = NULL;
    if (!words || count < HEAD_WORDS || words[1] > BLOCKS_MOST || words[2] > words[1])
        return DJ_OK;
    dj_shape *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "the loops of a function", sizeof *s);
    s->module = module;
    s->entry = words[0];
    s->block_count = (uint32_t)words[1];
    s->loop_count = (uint32_t)words[2];
    s->blocks = calloc((size_t)s->block_count + 1, sizeof *s->blocks);
    s->edges = calloc(count, sizeof *s->edges);
    s->loops = calloc((size_t)s->loop_count + 1, sizeof *s->loops);
    if (!s->blocks || !s->edges || !s->loops) {
        dj_shape_destroy(s);
        return dj_fail_memory(context, "the loops of a function", count * sizeof *words);
    }
    const uint64_t *at = words + HEAD_WORDS;
    if (read_blocks(s, &at, words + count) && read_loops(s, at, words + count))
        *out = s;
    else
        dj_shape_destroy(s);
    return DJ_OK;
}

uint32_t dj_shape_block_at(const dj_shape *s, uint64_t offset)
{
    uint32_t lo = 0, hi = s->block_count ? s->block_count - 1 : 0;
    while (lo < hi) {
        const uint32_t middle = lo + (hi - lo) / 2;
        if (s->blocks[middle].lo <= offset)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo > 0 && offset < s->blocks[lo - 1].hi ? lo - 1 : UINT32_MAX;
}

static uint32_t common_loop(const dj_shape *s, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (a > b)
            a = s->loops[a - 1].parent;
        else
            b = s->loops[b - 1].parent;
    }
    return a;
}

// Loops are others where the chains of two loops differ.
static uint32_t differ(const dj_shape *s, uint32_t from, uint32_t to, uint32_t common)
{
    return common == from && common == to ? DJ_MOVE_NONE : 2 * dj_shape_depth(s, common);
}

uint32_t dj_shape_arrive(const dj_shape *s, uint32_t from, uint32_t block)
{
    const uint32_t to = s->blocks[block].loop, common = common_loop(s, from, to);
    if (to && common == to && s->loops[to - 1].header == block)
        return 2 * (s->loops[to - 1].depth - 1) + 1;
    return differ(s, from, to, common);
}

// What the ways to a block change: the least of them, and the most; a change at a lower depth is more.
typedef struct ways {
    bool any;
    uint32_t least, most;
} ways;

static void add_way(ways *to, ways from, uint32_t change)
{
    const uint32_t least = from.least < change ? from.least : change;
    const uint32_t most = from.most < change ? from.most : change;
    to->least = !to->any || least > to->least ? least : to->least;
    to->most = !to->any || most < to->most ? most : to->most;
    to->any = true;
}

static const ways unchanged = {true, DJ_MOVE_NONE, DJ_MOVE_NONE};

// Follows the edges of a block; those that go back, or to the block of unknown places, only at the start.
static void follow(const dj_shape *s, ways *at, uint32_t block, ways so_far, bool anywhere)
{
    const dj_shape_block *from = &s->blocks[block];
    const uint32_t unknown = s->block_count - 1;
    for (uint32_t i = 0; i < from->edge_count; i++) {
        const uint32_t to = s->edges[from->first_edge + i];
        if (to == unknown && anywhere) {
            ways through = {0};
            add_way(&through, so_far, dj_shape_arrive(s, from->loop, to));
            for (uint32_t k = 0; k < s->blocks[to].edge_count; k++) {
                const uint32_t last = s->edges[s->blocks[to].first_edge + k];
                add_way(&at[last], through, dj_shape_arrive(s, s->blocks[to].loop, last));
            }
        } else if (to != unknown && (anywhere || to > block)) {
            add_way(&at[to], so_far, dj_shape_arrive(s, from->loop, to));
        }
    }
}

// Where control is after `hi`, on its way to `to`.
static void begin(const dj_shape *s, ways *at, uint32_t block, uint64_t hi, uint64_t next, uint64_t to)
{
    const bool known = next > DJ_ROUTE_ANYWHERE;
    if (!known && hi >= s->blocks[block].hi) {
        follow(s, at, block, unchanged, next == DJ_ROUTE_ANYWHERE);
        return;
    }
    const uint64_t here = known ? next : hi;
    const uint32_t first = dj_shape_block_at(s, here);
    if (first == UINT32_MAX)
        return;
    const uint32_t a = s->blocks[block].loop, b = s->blocks[first].loop;
    if (s->blocks[first].lo == here) {
        add_way(&at[first], unchanged, dj_shape_arrive(s, a, first));
        return;
    }
    ways there = {0};
    add_way(&there, unchanged, differ(s, a, b, common_loop(s, a, b)));
    if (here <= to && to < s->blocks[first].hi)
        at[first] = there;
    else
        follow(s, at, first, there, false);
}

int dj_shape_move_to(const dj_shape *s, dj_context *context, uint64_t hi, uint64_t next, uint64_t to,
                     dj_shape_move *out)
{
    const uint32_t from = dj_shape_block_at(s, hi - 1), target = dj_shape_block_at(s, to);
    if (from == UINT32_MAX || target == UINT32_MAX) {
        *out = (dj_shape_move){0, 0};
        return DJ_OK;
    }
    ways *at = calloc(s->block_count, sizeof *at);
    if (!at)
        return dj_fail_memory(context, "the ways of a program", s->block_count * sizeof *at);
    begin(s, at, from, hi, next, to);
    for (uint32_t i = 0; i < target; i++)
        if (at[i].any && !s->blocks[i].reported)
            follow(s, at, i, at[i], false);
    const uint32_t a = s->blocks[from].loop, b = s->blocks[target].loop, common = common_loop(s, a, b);
    const ways found = at[target];
    if (!found.any) // as after an exception
        *out = (dj_shape_move){differ(s, a, b, common), common ? 0 : DJ_MOVE_NONE};
    else
        *out = (dj_shape_move){found.least, found.least == found.most ? DJ_MOVE_NONE : found.most / 2};
    free(at);
    return DJ_OK;
}
