// SPDX-License-Identifier: MIT
#include "engine/fast/table.h"

#include "base/random.h"

#include <deja/engine.h>
#include <string.h>
#include <time.h>

_Static_assert(sizeof(dj_fast_line) == 64, "a line is a cache line");

enum {
    LEAST_KEYS = 3000,
    MOST_EXPECTED = 1 << 24,
    MOST_HOMES = (1 << 28) - 1, // slots are 32-bit numbers
    RELEASE_LINES = 1 << 15,    // 2 MiB
    TOUCH_LINES = 1 << 10,
    FULL_NUMERATOR = 3,
    FULL_DENOMINATOR = 4,
};

static uint64_t most_keys(uint64_t homes)
{
    return homes * DJ_FAST_WAYS * FULL_NUMERATOR / FULL_DENOMINATOR;
}

static uint64_t homes_for(uint64_t keys)
{
    return keys * FULL_DENOMINATOR / (DJ_FAST_WAYS * FULL_NUMERATOR) + 1;
}

static int allocate(dj_fast_table *t, dj_context *context, bool tags, bool stamps)
{
    static const char what[] = "the hash table of engine fast";
    uint64_t slots = (t->homes + 1) * DJ_FAST_WAYS;
    int err = dj_huge_allocate(&t->lines_memory, t->footprint, context, what, t->homes + 1, sizeof *t->lines);
    if (err == DJ_OK && tags)
        err = dj_huge_allocate(&t->tag_memory, t->footprint, context, what, slots, sizeof *t->tag);
    if (err == DJ_OK && stamps)
        err = dj_huge_allocate(&t->stamp_memory, t->footprint, context, what, slots, sizeof *t->stamp);
    if (err != DJ_OK) {
        dj_fast_table_destroy(t);
        return err;
    }
    t->lines = t->lines_memory.memory;
    t->tag = t->tag_memory.memory;
    t->stamp = t->stamp_memory.memory;
    t->most_keys = most_keys(t->homes);
    t->lines[t->homes].used = 1; // key 0
    return DJ_OK;
}

// Allocates the pages of lines that are still empty: a page that is read before it is written is allocated
// twice. Returns the first line that is left.
static uint64_t touch(const dj_fast_table *t, uint64_t line, uint64_t end)
{
    for (; line < end && line < t->homes; line += RELEASE_LINES)
        *(volatile uint32_t *)&t->lines[line].used = 0;
    return line;
}

int dj_fast_table_create(dj_fast_table *table, dj_context *context, dj_footprint *footprint,
                         const dj_engine_params *params)
{
    uint64_t keys = params->expected_keys < MOST_EXPECTED ? params->expected_keys : MOST_EXPECTED;
    *table = (dj_fast_table){.homes = homes_for(keys < LEAST_KEYS ? LEAST_KEYS : keys),
                             .limit = params->most_keys,
                             .footprint = footprint};
    int err = allocate(table, context, params->use & DJ_CAN_TAGS, params->use & DJ_CAN_TIMES);
    if (err == DJ_OK)
        touch(table, 0, table->homes);
    return err;
}

void dj_fast_table_destroy(dj_fast_table *table)
{
    dj_huge_free(&table->lines_memory, table->footprint);
    dj_huge_free(&table->tag_memory, table->footprint);
    dj_huge_free(&table->stamp_memory, table->footprint);
}

void dj_fast_table_clear(dj_fast_table *table)
{
    memset(table->lines, 0, (table->homes + 1) * sizeof *table->lines);
    table->lines[table->homes].used = 1; // key 0
    table->keys = 0;
}

static void move_line(dj_fast_table *to, const dj_fast_table *from, uint64_t line, bool all)
{
    const dj_fast_line *l = &from->lines[line];
    for (unsigned way = 0; way < l->used; way++) {
        if (!all && l->time[way] == 0)
            continue;
        uint64_t key = l->key[way];
        uint64_t home = dj_fast_home(to->homes, key, dj_fast_hash(key, to->seed));
        for (uint32_t steps = 1; to->lines[home].used == DJ_FAST_WAYS; steps++)
            home = dj_fast_line_after(to, home, steps);
        unsigned free_way = to->lines[home].used;
        dj_fast_put(to, key, home);
        to->lines[home].time[free_way] = l->time[way];
        size_t old = line * DJ_FAST_WAYS + way, fresh = home * DJ_FAST_WAYS + free_way;
        if (to->tag && from->tag)
            to->tag[fresh] = from->tag[old];
        if (to->stamp && from->stamp)
            to->stamp[fresh] = from->stamp[old];
    }
}

static void move_key_0(dj_fast_table *to, const dj_fast_table *from)
{
    size_t old = from->homes * DJ_FAST_WAYS, fresh = to->homes * DJ_FAST_WAYS;
    to->lines[to->homes] = from->lines[from->homes];
    if (to->tag && from->tag)
        to->tag[fresh] = from->tag[old];
    if (to->stamp && from->stamp)
        to->stamp[fresh] = from->stamp[old];
}

static void release_front(dj_fast_table *t, uint64_t lines)
{
    dj_huge_release_front(&t->lines_memory, t->footprint, lines * sizeof *t->lines);
    dj_huge_release_front(&t->tag_memory, t->footprint, lines * DJ_FAST_WAYS * sizeof *t->tag);
    dj_huge_release_front(&t->stamp_memory, t->footprint, lines * DJ_FAST_WAYS * sizeof *t->stamp);
}

// Keys without a time move only if `all` do. With the same seed, keys stay in order, so the new table is
// allocated as the old one is freed.
static int rebuild(dj_fast_table *t, dj_context *context, uint64_t homes, uint64_t seed, bool all)
{
    dj_fast_table fresh = {.homes = homes, .seed = seed, .limit = t->limit, .footprint = t->footprint};
    const bool in_order = seed == t->seed;
    uint64_t touched = 0;
    int err = allocate(&fresh, context, t->tag != NULL, t->stamp != NULL);
    if (err != DJ_OK)
        return err;
    move_key_0(&fresh, t);
    for (uint64_t line = 0; line < t->homes; line++) {
        if (line % TOUCH_LINES == 0)
            touched = touch(&fresh, touched,
                            in_order ? (line + TOUCH_LINES) * homes / t->homes + RELEASE_LINES : fresh.homes);
        move_line(&fresh, t, line, all);
        if (line % RELEASE_LINES == 0)
            release_front(t, line);
    }
    dj_fast_table_destroy(t);
    *t = fresh;
    return DJ_OK;
}

// Random, so that a trace cannot be crafted to cause collisions; quality does not matter.
static uint64_t new_seed(const dj_fast_table *t)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return dj_random_mix((uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)t->lines ^ t->seed);
}

// The larger a slot, the smaller the steps: while growing there are two tables. So are they if memory is
// limited.
static uint64_t larger(const dj_fast_table *t)
{
    if (t->limit) {
        uint64_t most = homes_for(t->limit), homes = t->homes + t->homes / 4;
        return homes < most ? homes : most;
    }
    if (t->tag && t->stamp)
        return t->homes + t->homes / 4;
    return t->tag || t->stamp ? t->homes + t->homes / 2 : 2 * t->homes;
}

int dj_fast_table_reserve(dj_fast_table *table, dj_context *context, uint64_t more, bool *moved)
{
    uint64_t needed = table->keys + more;
    *moved = false;
    if (needed <= table->most_keys && !table->crowded)
        return DJ_OK;
    if (needed > most_keys(MOST_HOMES))
        return dj_fail(context, DJ_ERR_MEMORY,
                       "engine fast holds at most %llu distinct keys; choose engine tree",
                       (unsigned long long)most_keys(MOST_HOMES));
    uint64_t homes = table->homes, seed = table->crowded ? new_seed(table) : table->seed;
    if (needed > table->most_keys) {
        homes = larger(table);
        if (homes < homes_for(needed))
            homes = homes_for(needed);
        if (homes > MOST_HOMES)
            homes = MOST_HOMES;
    }
    int err = rebuild(table, context, homes, seed, true);
    *moved = err == DJ_OK;
    return err;
}

int dj_fast_table_forget(dj_fast_table *table, dj_context *context, uint64_t room)
{
    uint64_t homes =
        room < table->most_keys ? homes_for(room < LEAST_KEYS ? LEAST_KEYS : room) : table->homes;
    return rebuild(table, context, homes < table->homes ? homes : table->homes, table->seed, false);
}

uint64_t dj_fast_table_bytes(uint32_t use, uint64_t keys)
{
    const uint64_t slot =
        (use & DJ_CAN_TAGS ? sizeof(uint32_t) : 0) + (use & DJ_CAN_TIMES ? sizeof(uint64_t) : 0);
    return (homes_for(keys < LEAST_KEYS ? LEAST_KEYS : keys) + 1) *
           (sizeof(dj_fast_line) + DJ_FAST_WAYS * slot);
}

uint32_t dj_fast_table_find(const dj_fast_table *table, uint64_t key)
{
    uint64_t line = dj_fast_home(table->homes, key, dj_fast_hash(key, table->seed));
    for (;; line = line + 1 == table->homes ? 0 : line + 1) {
        for (unsigned way = 0; way < table->lines[line].used; way++)
            if (table->lines[line].key[way] == key)
                return dj_fast_slot(line, way);
        if (table->lines[line].used < DJ_FAST_WAYS)
            return 0;
    }
}
