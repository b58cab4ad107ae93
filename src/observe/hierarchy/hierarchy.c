// SPDX-License-Identifier: MIT
// Simulates the caches of a machine as they are, and counts by place: deja/hierarchy.h.
//
// The first level sees every access, so its hits are found without a search: in the slot where the block was
// last, if a small table knows it. What it sends goes through the other levels in turns of some thousand
// accesses, with prefetches. Its misses need no fully associative cache beside it: the reuse distance tells
// whether that would hit.
#include "observe/hierarchy/level.h"

#include <deja/observer_options.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "observe/compact.h"
#include "observe/counted.h"
#include "observe/observers.h"

enum { TURN = 2048, WORD_BITS = 64 };

typedef struct hierarchy {
    dj_level_state levels[DJ_LEVELS_MOST];
    char *names[DJ_LEVELS_MOST];
    uint32_t count;
    bool by_place;
    uint32_t *guesses;    // slots of the first level, by a hash of the key; NULL: fully associative
    unsigned guess_shift; // of a hash
    const dj_compact *compact;
    dj_level_counts *rows; // of each place, one for each level
    size_t row_capacity;
} hierarchy;

static void destroy(void *state)
{
    hierarchy *h = state;
    if (!h)
        return;
    for (uint32_t i = 0; i < h->count; i++) {
        dj_level_free(&h->levels[i]);
        free(h->names[i]);
    }
    free(h->guesses);
    free(h->rows);
    free(h);
}

static int create_guesses(hierarchy *h, dj_context *context)
{
    enum { HASH_BITS = 64 };
    uint64_t entries = 2;
    if (h->levels[0].kind != DJ_LEVEL_FIRST)
        return DJ_OK;
    h->guess_shift = HASH_BITS - 1;
    for (; entries < 2 * h->levels[0].blocks; entries *= 2)
        h->guess_shift--;
    h->guesses = calloc(entries, sizeof *h->guesses);
    return h->guesses ? DJ_OK : dj_fail_memory(context, "a simulated cache", entries * sizeof *h->guesses);
}

static int create_levels(hierarchy *h, dj_context *context, const dj_hierarchy_options *o)
{
    size_t most = TURN; // requests of a turn: a level sends those that it gets and a block for each fetch
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < o->level_count; i++, most += TURN) {
        const dj_hierarchy_level *level = &o->levels[i];
        if (level->ways == 0 || level->size_blocks == 0 || level->size_blocks % level->ways ||
            level->size_blocks >= UINT32_MAX)
            return dj_fail(context, DJ_ERR_USAGE, "%s: %llu blocks in sets of %llu cannot be simulated",
                           level->name, (unsigned long long)level->size_blocks,
                           (unsigned long long)level->ways);
        h->count = i + 1;
        err = dj_level_create(&h->levels[i], context, level->size_blocks, level->ways, i == 0, most);
        if (!err)
            err = dj_copy_text(context, level->name, &h->names[i]);
    }
    return err ? err : create_guesses(h, context);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    const dj_hierarchy_options *o = setup->options;
    if (!o || o->level_count == 0 || o->level_count > DJ_LEVELS_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "observer hierarchy needs 1 to %d caches", DJ_LEVELS_MOST);
    int err = dj_refuse_partitions(context, setup, "a simulated cache");
    if (err)
        return err;
    hierarchy *h = calloc(1, sizeof *h);
    if (!h)
        return dj_fail_memory(context, "the simulated caches", sizeof *h);
    h->by_place = o->by_place;
    h->compact = dj_compact_choose();
    err = create_levels(h, context, o);
    if (err)
        destroy(h);
    else
        *state = h;
    return err;
}

static int reserve_rows(hierarchy *h, dj_context *context, const dj_batch *batch)
{
    uint32_t most = 0;
    for (uint32_t i = 0; h->by_place && i < batch->count; i++)
        most = batch->column.place[i] > most ? batch->column.place[i] : most;
    int err = dj_grow(context, "the caches of places", &h->rows, &h->row_capacity,
                      ((size_t)most + 1) * h->count, sizeof *h->rows);
    for (uint32_t i = 0; !err && i < h->count; i++) {
        h->levels[i].counts = h->rows + i;
        h->levels[i].stride = h->count;
    }
    return err;
}

typedef struct columns {
    const uint64_t *key, *distance;
    const uint32_t *place;
    const uint8_t *kind, *verdict;
} columns;

static bool is_write(const columns *c, uint32_t i)
{
    return c->kind && c->kind[i] != DJ_KIND_READ;
}

static bool is_absent(const columns *c, uint32_t i)
{
    return c->verdict && c->verdict[i] != DJ_VERDICT_COUNT && c->verdict[i] != DJ_VERDICT_FILL;
}

// Whose access it is.
static uint32_t by(const columns *c, uint32_t i)
{
    return c->verdict && c->verdict[i] != DJ_VERDICT_COUNT ? DJ_BY_NOBODY : c->place ? c->place[i] + 1 : 1;
}

static dj_level_request request_of(const hierarchy *h, const columns *c, uint32_t i)
{
    const uint32_t flags = DJ_REQUEST_FETCH | (is_write(c, i) ? DJ_REQUEST_MODIFY : 0) |
                           (c->distance[i] == DJ_COLD ? DJ_REQUEST_COLD : 0) |
                           (c->distance[i] < h->levels[0].blocks ? DJ_REQUEST_NEAR : 0);
    return (dj_level_request){c->key[i], by(c, i), flags};
}

// Those of 64 accesses that may change the first level: not reads of the block that was accessed just before.
static uint64_t find_changes(const columns *c, uint64_t moves, uint32_t at, uint32_t end)
{
    if (c->kind && end - at >= WORD_BITS)
        return moves | dj_bytes_differ(c->kind + at, DJ_KIND_READ);
    for (uint32_t k = 0; c->kind && at + k < end; k++)
        moves |= (uint64_t)(c->kind[at + k] != DJ_KIND_READ) << k;
    return moves;
}

// The first level, for some accesses. What the loop needs is in variables of its own, since its stores might
// change everything else. `usual`: there are kinds and places, and all accesses count.
static inline void run_first_as(hierarchy *h, const columns *c, uint32_t from, uint32_t end, bool usual)
{
    dj_level_state *first = &h->levels[0];
    const uint64_t *const key = c->key, *const slot_key = first->sets.key;
    uint32_t *const guesses = h->guesses, *const stamp = first->sets.stamp;
    uint32_t now = first->now;
    const unsigned shift = h->guess_shift;
    uint64_t moves[TURN / WORD_BITS];
    (void)h->compact->find(c->distance + from, end - from, moves);
    for (uint32_t at = from; at < end; at += WORD_BITS) {
        uint64_t changes = find_changes(c, moves[(at - from) / WORD_BITS], at, end);
        for (; changes; changes &= changes - 1) {
            const uint32_t i = at + (uint32_t)__builtin_ctzll(changes);
            uint32_t *guess = &guesses[key[i] * UINT64_C(0x9e3779b97f4a7c15) >> shift];
            const uint32_t slot = *guess;
            if (!usual && is_absent(c, i))
                continue;
            if (slot_key[slot] == key[i] && stamp[slot]) {
                stamp[slot] = ++now;
                if (usual ? c->kind[i] != DJ_KIND_READ : is_write(c, i))
                    first->sets.modifier[slot] = usual ? c->place[i] + 1 : by(c, i);
            } else {
                first->now = now;
                *guess = dj_level_access_first(first, request_of(h, c, i));
                now = first->now;
            }
        }
    }
    first->now = now;
}

static void run_first(hierarchy *h, const columns *c, uint32_t from, uint32_t end)
{
    if (c->kind && c->place && !c->verdict)
        run_first_as(h, c, from, end, true);
    else
        run_first_as(h, c, from, end, false);
}

static void run_first_full(hierarchy *h, const columns *c, uint32_t from, uint32_t end)
{
    for (uint32_t i = from; i < end; i++) {
        const dj_level_request request = request_of(h, c, i);
        if (!is_absent(c, i))
            dj_level_run(&h->levels[0], &request, 1);
    }
}

static int run_turn(hierarchy *h, dj_context *context, const columns *c, uint32_t from, uint32_t end)
{
    int err = dj_level_reserve(&h->levels[0], context, end - from);
    if (err)
        return err;
    (h->guesses ? run_first : run_first_full)(h, c, from, end);
    for (uint32_t i = 1; i < h->count; i++) {
        const dj_level_state *before = &h->levels[i - 1];
        err = dj_level_reserve(&h->levels[i], context, before->sent_count);
        if (err)
            return err;
        dj_level_run(&h->levels[i], before->sent, before->sent_count);
    }
    return DJ_OK;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    hierarchy *h = state;
    const dj_batch *batch = view->batch;
    const columns c = {.key = view->lanes[0].key,
                       .distance = view->lanes[0].distance,
                       .place = h->by_place ? batch->column.place : NULL,
                       .kind = batch->column.kind,
                       .verdict = view->lanes[0].verdict};
    if (h->by_place && !c.place)
        return dj_fail(context, DJ_ERR_USAGE, "observer hierarchy saw an access without a place");
    if (c.verdict && batch->count > 0 && memchr(c.verdict, DJ_VERDICT_INVALIDATE, batch->count))
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "simulated caches cannot invalidate blocks");
    int err = reserve_rows(h, context, batch);
    for (uint32_t from = 0; !err && from < batch->count; from += TURN)
        err = run_turn(h, context, &c, from, from + TURN < batch->count ? from + TURN : batch->count);
    return err;
}

static bool is_zero(const dj_level_counts *counts, uint32_t levels)
{
    bool zero = true;
    for (uint32_t i = 0; i < levels; i++)
        zero = zero && counts[i].misses == 0 && counts[i].writebacks == 0;
    return zero;
}

// Places without misses have no tally.
static int finish_places(const hierarchy *h, dj_context *context, dj_hierarchy *to)
{
    const size_t count = h->row_capacity / h->count;
    to->places = calloc(count + 1, sizeof(dj_level_tally *));
    if (!to->places)
        return dj_fail_memory(context, "the caches of places", count * sizeof(dj_level_tally *));
    to->place_count = count;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < count; i++) {
        const dj_level_counts *row = &h->rows[i * h->count];
        if (is_zero(row, h->count))
            continue;
        err = dj_level_tally_create(context, h->count, &to->places[i]);
        if (!err)
            memcpy(to->places[i]->levels, row, h->count * sizeof *row);
    }
    return err;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const hierarchy *h = state;
    dj_hierarchy *to = NULL;
    int err = dj_profile_add_section(context, profile, &dj_section_hierarchy, &to);
    if (!err && !(to->levels = calloc(h->count, sizeof *to->levels)))
        err = dj_fail_memory(context, "the simulated caches", h->count * sizeof *to->levels);
    for (uint32_t i = 0; !err && i < h->count; i++) {
        dj_level *level = &to->levels[to->level_count++];
        level->size_blocks = h->levels[i].blocks;
        level->ways = h->levels[i].ways;
        err = dj_copy_text(context, h->names[i], &level->name);
        for (size_t k = i; k < h->row_capacity; k += h->count)
            dj_level_counts_add(&level->counts, &h->rows[k]);
        level->capacity = dj_level_capacity(&level->counts);
    }
    return err || !h->by_place ? err : finish_places(h, context, to);
}

// No merge: the contents of a cache depend on everything before.
const dj_observer_ops dj_observer_hierarchy = {
    .name = "hierarchy",
    .summary = "misses of caches with their sets, by kind, and what they fetch and write back",
    .needs = DJ_NEED_EXACT | DJ_NEED_PER_ACCESS,
    .fills = &dj_section_hierarchy,
    .create = create,
    .destroy = destroy,
    .see = see,
    .finish = finish,
};
