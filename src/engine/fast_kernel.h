// SPDX-License-Identifier: MIT
// The work on a chunk, the same for all paths. The including file has defined
// what differs:
//   take_keys, find_lags, find_endings, count_short, list_bits, list_lines, match_line,
//   subtract_after_16, subtract_after_32
// (see fast_plain.h, which has them all in plain C).

enum { GROUP = 64 };

// Marks can be equal by chance: looks again at the keys themselves.
static void find_lag_by_key(dj_fast_chunk *c, uint32_t i)
{
    uint32_t lag = c->lag[i] + 1;
    while (lag <= DJ_FAST_WINDOW && c->key[i - lag] != c->key[i])
        lag++;
    c->lag[i] = lag <= DJ_FAST_WINDOW ? (uint8_t)lag : DJ_FAST_NEW_RUN;
}

// At the start of the stream the window holds no accesses that could be met.
static void forget_before_start(dj_fast *f)
{
    dj_fast_chunk *c = &f->chunk;
    for (uint32_t i = 0; i < c->count && f->accesses + i < DJ_FAST_WINDOW; i++) {
        if (c->lag[DJ_FAST_WINDOW + i] > f->accesses + i) {
            c->lag[DJ_FAST_WINDOW + i] = DJ_FAST_NEW_RUN;
            c->begins[0] |= UINT64_C(1) << i;
        }
    }
}

static void find_runs(dj_fast_chunk *c)
{
    for (uint32_t i = 0; i < DJ_FAST_WINDOW + c->count; i++)
        c->run[i] = (uint16_t)i;
    for (uint32_t from = 0; from < c->count; from += 64) {
        uint64_t again = ~c->begins[from / 64];
        if (c->count - from < 64)
            again &= (UINT64_C(1) << (c->count - from)) - 1;
        for (; again != 0; again &= again - 1) {
            uint32_t bit = (uint32_t)__builtin_ctzll(again), i = DJ_FAST_WINDOW + from + bit;
            if (__builtin_expect(c->key[i] != c->key[i - c->lag[i]], 0)) {
                find_lag_by_key(c, i);
                if (c->lag[i] == DJ_FAST_NEW_RUN) {
                    c->begins[from / 64] |= UINT64_C(1) << bit;
                    continue;
                }
            }
            c->run[i] = c->run[i - c->lag[i]];
        }
    }
}

static void survey(dj_fast *f, const uint64_t *key, uint64_t *distance)
{
    dj_fast_chunk *c = &f->chunk;
    uint64_t ends[DJ_FAST_CHUNK / 64 + 1] = {0};
    take_keys(c, key, f->table.seed);
    for (uint32_t from = 0; from < c->count; from += 64)
        c->begins[from / 64] = find_lags(&c->mark[DJ_FAST_WINDOW + from], &c->lag[DJ_FAST_WINDOW + from]);
    if (f->accesses < DJ_FAST_WINDOW)
        forget_before_start(f);
    find_runs(c);
    for (uint32_t from = 0; from < c->count; from += 64) {
        count_short(&c->lag[DJ_FAST_WINDOW + from], distance + from,
                    c->count - from < 64 ? c->count - from : 64);
        ends[from / 64] = find_endings(&c->lag[from]);
    }
    if (c->count % 64 != 0) {
        uint64_t there = (UINT64_C(1) << c->count % 64) - 1;
        c->begins[c->count / 64] &= there;
        ends[c->count / 64] &= there;
    }
    if (f->accesses < DJ_FAST_WINDOW)
        ends[0] &= UINT64_MAX << (DJ_FAST_WINDOW - f->accesses);
    c->beginnings = list_bits(c->beginning, c->begins, c->count, DJ_FAST_WINDOW);
    c->endings = list_bits(c->ending, ends, c->count, 0);
}

static inline void found(dj_fast *f, uint32_t i, uint32_t slot)
{
    f->chunk.slot[f->chunk.beginning[i]] = slot;
    // For `answer_some`. What the table says now may change until then, seldom.
    __builtin_prefetch(&f->timeline.words[*dj_fast_slot_time(&f->table, slot) / 64]);
}

// The slots of some beginnings whose keys are in the first line that they can
// be in, which is in the cache by now. The others are listed as missing.
static void find_slots(dj_fast *f, uint32_t from, uint32_t to)
{
    dj_fast_chunk *c = &f->chunk;
    const dj_fast_line *const lines = f->table.lines;
    uint32_t missing = c->missing_count;
    for (uint32_t i = from; i < to; i++) {
        uint64_t line = c->beginning_line[i];
        uint32_t match = match_line(&lines[line], c->beginning_key[i]);
        found(f, i, dj_fast_slot(line, (unsigned)__builtin_ctz(match | 1u << DJ_FAST_WAYS)));
        c->missing[missing] = (uint16_t)i; // stays if it does not match
        missing += match == 0;
    }
    for (uint32_t i = c->missing_count; i < missing; i++)
        __builtin_prefetch(&lines[c->beginning_line[c->missing[i]] + 1]);
    c->missing_count = missing;
}

// Goes on to later lines. A key that is new gets a slot here already, with time
// 0, so its answer will be that it is cold.
static inline __attribute__((always_inline)) void find_further(dj_fast *f, uint32_t i)
{
    uint64_t line = f->chunk.beginning_line[i], key = f->chunk.beginning_key[i];
    uint32_t match = match_line(&f->table.lines[line], key), steps = 0;
    while (match == 0 && f->table.lines[line].used == DJ_FAST_WAYS) {
        line = dj_fast_line_after(&f->table, line, ++steps);
        match = match_line(&f->table.lines[line], key);
    }
    found(f, i,
          match ? dj_fast_slot(line, (unsigned)__builtin_ctz(match)) : dj_fast_put(&f->table, key, line));
}

// Finds the missing beginnings. Those that are new and those that are in
// another line have a loop of their own each, for the sake of branch prediction.
static void find_missing(dj_fast *f, uint32_t to)
{
    dj_fast_chunk *c = &f->chunk;
    uint16_t new_key[GROUP + 1], elsewhere[GROUP + 1];
    uint32_t new_keys = 0, others = 0;
    for (; c->missing_found < c->missing_count && c->missing[c->missing_found] < to; c->missing_found++) {
        uint32_t i = c->missing[c->missing_found];
        bool full = f->table.lines[c->beginning_line[i]].used == DJ_FAST_WAYS;
        new_key[new_keys] = elsewhere[others] = (uint16_t)i;
        others += full;
        new_keys += !full;
    }
    for (uint32_t i = 0; i < new_keys; i++)
        find_further(f, new_key[i]);
    for (uint32_t i = 0; i < others; i++)
        find_further(f, elsewhere[i]);
}

// How many bits are set up to a point, that of its own included; takes it out.
static inline __attribute__((always_inline)) uint32_t take_out(const dj_fast_timeline *t, uint64_t *words,
                                                               uint16_t *in_group, uint32_t point,
                                                               const uint32_t levels)
{
    uint32_t at = point / 64, block = point / DJ_FAST_BLOCK_POINTS, field = at % 8 * 9;
    uint64_t bits = words[at], counts = words[at | 7];
    uint32_t count = (uint32_t)__builtin_popcountll(bits << (~point & 63));
    count += (uint32_t)(counts >> field) & 511;
    words[at] = bits & ~(UINT64_C(1) << (point & 63));
    words[at | 7] = counts - (UINT64_C(0x8040201008040200) << field); // 1 in each later field
    count += in_group[block];
    subtract_after_16(in_group + (block & ~31u), block & 31);
    uint32_t node = block / DJ_FAST_GROUP_BLOCKS;
    for (uint32_t level = 0; level < levels; level++, node /= DJ_FAST_NODE) {
        count += t->above[level][node];
        subtract_after_32(t->above[level] + (node & ~15u), node & 15);
    }
    return count;
}

// With the number of levels known to the compiler.
static inline __attribute__((always_inline)) void answer_some(dj_fast *f, uint64_t *distance, uint32_t from,
                                                              uint32_t to, const uint32_t levels)
{
    dj_fast_chunk *c = &f->chunk;
    dj_fast_line *const lines = f->table.lines;
    const dj_fast_timeline timeline = f->timeline;
    uint64_t *const words = timeline.words;
    uint16_t *const in_group = timeline.in_group;
    uint64_t keys = f->keys;
    distance -= DJ_FAST_WINDOW;
    for (uint32_t i = from; i < to; i++) {
        __builtin_prefetch(&lines[c->beginning_line[i + DJ_FAST_AHEAD]], 0, 2);
        uint32_t at = c->beginning[i];
        uint32_t *time = (uint32_t *)(void *)lines + c->slot[at];
        uint32_t point = *time;
        *time = c->run_point[at];
        if (point == 0) {
            distance[at] = DJ_COLD;
            keys++;
        } else {
            distance[at] = keys - take_out(&timeline, words, in_group, point, levels);
        }
    }
    f->keys = keys;
}

static void answer_group(dj_fast *f, uint64_t *distance, uint32_t from, uint32_t to)
{
    switch (f->timeline.levels) {
    case 1:
        answer_some(f, distance, from, to, 1);
        break;
    case 2:
        answer_some(f, distance, from, to, 2);
        break;
    case 3:
        answer_some(f, distance, from, to, 3);
        break;
    case 4:
        answer_some(f, distance, from, to, 4);
        break;
    default:
        answer_some(f, distance, from, to, DJ_FAST_LEVELS);
    }
}

static void answer(dj_fast *f, uint64_t *distance)
{
    dj_fast_chunk *c = &f->chunk;
    uint32_t count = c->beginnings;
    if (count == 0)
        return;
    list_lines(c, f->table.homes);
    for (uint32_t i = count; i < count + DJ_FAST_AHEAD; i++)
        c->beginning_line[i] = c->beginning_line[count - 1];
    for (uint32_t i = 0; i < count && i < DJ_FAST_AHEAD; i++)
        __builtin_prefetch(&f->table.lines[c->beginning_line[i]], 0, 2);
    c->missing_count = c->missing_found = 0;
    find_slots(f, 0, count < GROUP ? count : GROUP);
    for (uint32_t from = 0; from < count; from += GROUP) {
        uint32_t next = from + GROUP < count ? from + GROUP : count;
        uint32_t after = next + GROUP < count ? next + GROUP : count;
        find_slots(f, next, after);
        find_missing(f, next);
        answer_group(f, distance, from, next);
    }
}

static void compact(dj_fast *f)
{
    dj_fast_timeline *t = &f->timeline;
    uint64_t count = 0;
    for (uint64_t line = 0; line <= f->table.homes; line++) {
        uint32_t *time = f->table.lines[line].time;
        for (unsigned way = 0; way < DJ_FAST_WAYS; way++) {
            uint32_t point = time[way];
            uint32_t rank = dj_fast_timeline_point(dj_fast_timeline_before(t, point));
            time[way] = point != 0 ? rank : 0;
            count += point != 0;
        }
    }
    dj_fast_timeline_reset(t, count);
}
