// SPDX-License-Identifier: MIT
// How engine fast finds slots, the same for all paths; see dj_fast_finder. The including file must
// define list_lines and match_line (fast/plain.h has both in plain C).

static inline void found(dj_fast *f, uint32_t i, uint32_t slot)
{
    f->chunk.slot[f->chunk.beginning[i]] = slot;
    // For `answer_some`. The table may still change before then, but rarely does.
    if (f->timeline.words)
        __builtin_prefetch(&f->timeline.words[f->slots.words[slot] / 64]);
}

static inline dj_fast_table *table_of(dj_fast *f)
{
    return &((dj_fast_hashed *)(void *)f)->table;
}

// Finds the slots of some run beginnings whose keys are in their first possible line, which is in the
// cache by now. Lists the others as missing.
static void find_slots(dj_fast *f, uint32_t from, uint32_t to)
{
    dj_fast_chunk *c = &f->chunk;
    const dj_fast_line *const lines = table_of(f)->lines;
    uint32_t missing = c->missing_count;
    for (uint32_t i = from; i < to; i++) {
        __builtin_prefetch(&lines[c->beginning_line[i + DJ_FAST_AHEAD]], 0, 2);
        uint64_t line = c->beginning_line[i];
        uint32_t match = match_line(&lines[line], c->beginning_key[i]);
        found(f, i, dj_fast_slot(line, (unsigned)__builtin_ctz(match | 1u << DJ_FAST_WAYS)));
        c->missing[missing] = (uint16_t)i; // overwritten unless it is missing
        missing += match == 0;
    }
    for (uint32_t i = c->missing_count; i < missing; i++)
        __builtin_prefetch(&lines[c->beginning_line[c->missing[i]] + 1]);
    c->missing_count = missing;
}

// Searches later lines. A new key already gets a slot here, with time 0, so its answer will be cold.
static inline __attribute__((always_inline)) void find_further(dj_fast *f, uint32_t i)
{
    dj_fast_table *t = table_of(f);
    uint64_t line = f->chunk.beginning_line[i], key = f->chunk.beginning_key[i];
    uint32_t match = match_line(&t->lines[line], key), steps = 0;
    while (match == 0 && t->lines[line].used == DJ_FAST_WAYS) {
        line = dj_fast_line_after(t, line, ++steps);
        match = match_line(&t->lines[line], key);
    }
    found(f, i, match ? dj_fast_slot(line, (unsigned)__builtin_ctz(match)) : dj_fast_put(t, key, line));
}

// Finds the missing run beginnings. New keys and keys in another line have separate loops, for branch
// prediction.
static void find_missing(dj_fast *f, uint32_t to)
{
    dj_fast_chunk *c = &f->chunk;
    const dj_fast_line *const lines = table_of(f)->lines;
    uint16_t new_key[DJ_FAST_CHUNK + 1], elsewhere[DJ_FAST_CHUNK + 1];
    uint32_t new_keys = 0, others = 0;
    for (; c->missing_found < c->missing_count && c->missing[c->missing_found] < to; c->missing_found++) {
        uint32_t i = c->missing[c->missing_found];
        bool full = lines[c->beginning_line[i]].used == DJ_FAST_WAYS;
        new_key[new_keys] = elsewhere[others] = (uint16_t)i;
        others += full;
        new_keys += !full;
    }
    for (uint32_t i = 0; i < new_keys; i++)
        find_further(f, new_key[i]);
    for (uint32_t i = 0; i < others; i++)
        find_further(f, elsewhere[i]);
}

static void start_in_table(dj_fast *f)
{
    dj_fast_chunk *c = &f->chunk;
    const dj_fast_table *t = table_of(f);
    list_lines(c, t->homes);
    for (uint32_t i = c->beginnings; i < c->beginnings + DJ_FAST_AHEAD; i++)
        c->beginning_line[i] = 0;
    for (uint32_t i = 0; i < c->beginnings && i < DJ_FAST_AHEAD; i++)
        __builtin_prefetch(&t->lines[c->beginning_line[i]], 0, 2);
    c->missing_count = c->missing_found = 0;
}

static void find_in_table(dj_fast *f, uint32_t to, uint32_t ahead)
{
    find_slots(f, to, ahead);
    find_missing(f, to);
}
