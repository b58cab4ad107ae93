// SPDX-License-Identifier: MIT
// The work on a chunk, the same for all paths. The including file must define what differs:
//   take_keys, find_lags, find_wrong, find_endings, count_short, list_bits, assign_points, compare_points,
//   squeeze_bits, spread_bits, find_different, find_latest, latest_row, give_latest,
//   in_one_group, subtract_after_16, subtract_after_32, subtract_together_16, subtract_together_32
// (fast/plain.h has them all in plain C).

enum { GROUP = 64 };

#include "engine/fast/coarser_kernel.h"

// Marks can be equal by chance: compares the keys themselves.
static void find_lag_by_key(dj_fast_chunk *c, uint32_t i)
{
    uint32_t lag = c->lag[i] + 1;
    while (lag <= DJ_FAST_WINDOW && c->key[i - lag] != c->key[i])
        lag++;
    c->lag[i] = lag <= DJ_FAST_WINDOW ? (uint8_t)lag : DJ_FAST_NEW_RUN;
}

// At the beginning, the window has no valid contents; discards matches there.
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

// The accesses, among 64 from `from` on, that do not begin a run.
static inline uint64_t find_again(const dj_fast_chunk *c, uint32_t from)
{
    uint64_t there = c->count - from < 64 ? (UINT64_C(1) << (c->count - from)) - 1 : UINT64_MAX;
    return ~c->begins[from / 64] & there;
}

static void correct_lags(dj_fast_chunk *c)
{
    for (uint32_t from = 0; from < c->count; from += 64) {
        const uint64_t *key = c->key + DJ_FAST_WINDOW + from;
        uint64_t wrong = find_wrong(key, c->lag + DJ_FAST_WINDOW + from, find_again(c, from));
        for (; wrong != 0; wrong &= wrong - 1) {
            uint32_t bit = (uint32_t)__builtin_ctzll(wrong), i = DJ_FAST_WINDOW + from + bit;
            find_lag_by_key(c, i);
            if (c->lag[i] == DJ_FAST_NEW_RUN)
                c->begins[from / 64] |= UINT64_C(1) << bit;
        }
    }
}

static void find_runs(dj_fast_chunk *c)
{
    for (uint32_t i = 0; i < DJ_FAST_WINDOW + c->count; i++)
        c->run[i] = (uint16_t)i;
    for (uint32_t from = 0; from < c->count; from += 64)
        for (uint64_t again = find_again(c, from); again != 0; again &= again - 1) {
            uint32_t i = DJ_FAST_WINDOW + from + (uint32_t)__builtin_ctzll(again);
            c->run[i] = c->run[i - c->lag[i]];
        }
}

static void answer_within(const dj_fast_chunk *c, uint64_t *distance)
{
    for (uint32_t from = 0; from < c->count; from += 64)
        count_short(&c->lag[DJ_FAST_WINDOW + from], distance + from,
                    c->count - from < 64 ? c->count - from : 64);
}

static void survey(dj_fast *f, const uint64_t *key, uint64_t *distance)
{
    dj_fast_chunk *c = &f->chunk;
    take_keys(c, key, f->slots.seed);
    for (uint32_t from = 0; from < c->count; from += 64)
        c->begins[from / 64] = find_lags(&c->mark[DJ_FAST_WINDOW + from], &c->lag[DJ_FAST_WINDOW + from]);
    correct_lags(c);
    if (f->accesses < DJ_FAST_WINDOW)
        forget_before_start(f);
    if (!f->given)
        find_runs(c);
    if (distance)
        answer_within(c, distance);
    for (uint32_t from = 0; from < c->count; from += 64)
        c->ends[from / 64] = find_endings(&c->lag[from]);
    if (c->count % 64 != 0) {
        uint64_t there = (UINT64_C(1) << c->count % 64) - 1;
        c->begins[c->count / 64] &= there;
        c->ends[c->count / 64] &= there;
    }
    if (f->accesses < DJ_FAST_WINDOW)
        c->ends[0] &= UINT64_MAX << (DJ_FAST_WINDOW - f->accesses);
    c->beginnings = list_bits(c->beginning, c->begins, c->count, DJ_FAST_WINDOW);
    c->endings = 0;
    for (uint32_t from = 0; from < c->count; from += 64)
        c->endings += (uint32_t)__builtin_popcountll(c->ends[from / 64]);
}

// Assigns points to the endings, from `now` on. Those of runs that began in this chunk are kept in
// run_point for their beginnings.
static void find_points(dj_fast_chunk *c, uint32_t now)
{
    assign_points(c, now);
    memset(c->run_point + c->count, 0, DJ_FAST_WINDOW * sizeof *c->run_point);
    uint64_t carried = UINT64_MAX >> (64 - DJ_FAST_WINDOW); // accesses that are single-access runs
    for (uint32_t from = 0; from < c->count; from += 64) {
        uint64_t begins = c->begins[from / 64] << DJ_FAST_WINDOW | carried;
        carried = c->begins[from / 64] >> (64 - DJ_FAST_WINDOW);
        for (uint64_t left = c->ends[from / 64] & ~begins; left != 0; left &= left - 1) {
            uint32_t i = from + (uint32_t)__builtin_ctzll(left);
            c->run_point[c->run[i]] = c->run_point[i];
        }
    }
}

// Stores the points of runs that began before this chunk.
static void end_window_runs(const dj_fast *f)
{
    const dj_fast_chunk *c = &f->chunk;
    for (uint32_t run = 0; run < DJ_FAST_WINDOW; run++)
        if (c->run_point[run] != 0)
            f->slots.words[c->slot[run]] = c->run_point[run];
}

static void end_runs(dj_fast *f)
{
    find_points(&f->chunk, f->timeline.now);
    dj_fast_timeline_append(&f->timeline, f->chunk.endings);
    append_coarser(f);
    begin_coarser(f);
    end_window_runs(f);
}

// Reads the points of up to GROUP run beginnings and stores their new ones. 0 if the key is new, and
// beyond the last one.
static void exchange_points(dj_fast *f, uint32_t from, uint32_t to, uint32_t *point)
{
    const dj_fast_chunk *c = &f->chunk;
    uint32_t *const words = f->slots.words;
    for (uint32_t i = from; i < to; i++) {
        uint32_t at = c->beginning[i];
        uint32_t *time = words + c->slot[at];
        *point++ = *time;
        *time = c->run_point[at];
    }
    memset(point, 0, DJ_FAST_TOGETHER * sizeof *point);
}

// From the store, or given.
static void get_points(dj_fast *f, uint32_t from, uint32_t to, uint32_t *point)
{
    if (f->given) {
        memcpy(point, f->given + from, (to - from) * sizeof *point);
        memset(point + (to - from), 0, DJ_FAST_TOGETHER * sizeof *point);
        return;
    }
    switch (f->coarser_count) { // constants for the compiler
    case 0:
        exchange_points(f, from, to, point);
        break;
    case 1:
        exchange_in_lines(f, from, to, point, 1);
        break;
    case 2:
        exchange_in_lines(f, from, to, point, 2);
        break;
    default:
        exchange_in_lines(f, from, to, point, f->coarser_count);
    }
}

// Answers up to 16 run beginnings, those in `at`. `keys` is the number of keys before each of them,
// except for those in earlier blocks. Removes the points from their blocks, in order, but does not
// update the counts above.
static inline __attribute__((always_inline)) void
take_from_blocks(const dj_fast_timeline *t, const uint32_t *point, const uint64_t *keys, uint64_t *distance,
                 const uint16_t *at, const uint32_t count, const uint32_t levels)
{
    uint64_t *const words = t->words;
    const uint16_t *const in_group = t->in_group;
    const uint32_t *above[DJ_FAST_LEVELS];
    for (uint32_t level = 0; level < levels; level++)
        above[level] = t->above[level];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = point[i] / 64, field = word % 8 * 9;
        uint64_t bits = words[word], counts = words[word | 7];
        words[word] = bits & ~(UINT64_C(1) << (point[i] & 63));
        words[word | 7] = counts - (UINT64_C(0x8040201008040200) << field); // 1 in each later field
        uint32_t before = (uint32_t)__builtin_popcountll(bits << (~point[i] & 63));
        before += (uint32_t)(counts >> field) & 511;
        uint32_t node = point[i] / DJ_FAST_BLOCK_POINTS;
        before += in_group[node];
        node /= DJ_FAST_GROUP_BLOCKS;
        for (uint32_t level = 0; level < levels; level++, node /= DJ_FAST_NODE)
            before += above[level][node];
        distance[at[i]] = keys[i] - before;
    }
}

// Removes 16 points from the counts above blocks. Points that are close to each other change the same
// counts: then they are processed together.
static inline __attribute__((always_inline)) void
take_from_levels(const dj_fast_timeline *t, const uint32_t *point, const uint32_t levels)
{
    if (in_one_group(point)) {
        uint32_t node = point[0] / DJ_FAST_BLOCK_POINTS / DJ_FAST_GROUP_BLOCKS;
        subtract_together_16(t->in_group + (size_t)node * DJ_FAST_GROUP_BLOCKS, point);
        for (uint32_t level = 0; level + 1 < levels; level++, node /= DJ_FAST_NODE)
            subtract_after_32(t->above[level] + (node & ~15u), node & 15, DJ_FAST_TOGETHER);
        subtract_after_32(t->above[levels - 1] + (node & ~15u), node & 15, DJ_FAST_TOGETHER);
        for (uint32_t from = (node | 15) + 1; from < t->top_counts; from += 16)
            for (uint32_t i = 0; i < 16; i++)
                t->above[levels - 1][from + i] -= DJ_FAST_TOGETHER;
    } else {
        uint16_t *const in_group = t->in_group;
        uint32_t *above[DJ_FAST_LEVELS];
        for (uint32_t level = 0; level + 1 < levels; level++)
            above[level] = t->above[level];
        for (uint32_t i = 0; i < DJ_FAST_TOGETHER; i++) {
            uint32_t node = point[i] / DJ_FAST_BLOCK_POINTS;
            subtract_after_16(in_group + (node & ~31u), node & 31);
            node /= DJ_FAST_GROUP_BLOCKS;
            for (uint32_t level = 0; level + 1 < levels; level++, node /= DJ_FAST_NODE)
                subtract_after_32(above[level] + (node & ~15u), node & 15, 1);
        }
        subtract_together_32(t->above[levels - 1], t->top_counts, point, 14 + 4 * (levels - 1));
    }
}

// Answers up to 16 run beginnings. Points of theirs in earlier blocks are counted by
// comparison, so all 16 read the upper levels before any of them changes these.
static inline __attribute__((always_inline)) void answer_together(dj_fast *f, uint64_t *distance,
                                                                  uint32_t from, uint32_t *point,
                                                                  const uint32_t count, const uint32_t levels)
{
    const dj_fast_timeline *t = &f->timeline;
    const uint16_t *at = f->chunk.beginning + from;
    _Alignas(64) uint64_t keys[DJ_FAST_TOGETHER];
    distance -= DJ_FAST_WINDOW;
    uint32_t cold = compare_points(point, f->keys, keys, dj_fast_timeline_unused(t));
    take_from_blocks(t, point, keys, distance, at, count, levels);
    take_from_levels(t, point, levels);
    for (cold &= (1u << count) - 1; cold != 0; cold &= cold - 1) {
        distance[at[__builtin_ctz(cold)]] = DJ_COLD;
        f->keys++;
    }
}

// With a constant number of levels, for the compiler.
static inline __attribute__((always_inline)) void answer_some(dj_fast *f, uint64_t *distance, uint32_t from,
                                                              uint32_t to, const uint32_t levels)
{
    _Alignas(64) uint32_t point[GROUP + DJ_FAST_TOGETHER];
    get_points(f, from, to, point);
    uint32_t i = from;
    for (; i + DJ_FAST_TOGETHER <= to; i += DJ_FAST_TOGETHER)
        answer_together(f, distance, i, point + (i - from), DJ_FAST_TOGETHER, levels);
    if (i < to)
        answer_together(f, distance, i, point + (i - from), to - i, levels);
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
    default:
        answer_some(f, distance, from, to, DJ_FAST_LEVELS);
    }
}

// Keys may come directly from memory that was never touched. Prefetches the same fraction of the next
// chunk's keys as `done` is of `all`; returns the position reached.
static inline uint32_t prefetch_upcoming(const dj_fast_chunk *c, uint32_t at, uint32_t done, uint32_t all)
{
    uint32_t to = (uint32_t)((uint64_t)c->upcoming_count * done / all);
    for (; at < to; at += 8)
        __builtin_prefetch(&c->upcoming[at], 0, 2);
    return at;
}

static void answer(dj_fast *f, uint64_t *distance)
{
    const dj_fast_finder *finder = f->finder;
    uint32_t count = f->chunk.beginnings;
    finder->start(f);
    end_runs(f);
    finder->find(f, 0, count < GROUP ? count : GROUP);
    for (uint32_t from = 0, upcoming = 0; from < count; from += GROUP) {
        uint32_t next = from + GROUP < count ? from + GROUP : count;
        finder->find(f, next, next + GROUP < count ? next + GROUP : count);
        upcoming = prefetch_upcoming(&f->chunk, upcoming, next, count);
        answer_group(f, distance, from, next);
    }
}

static void exchange_all(dj_fast *f, uint32_t *point)
{
    const dj_fast_finder *finder = f->finder;
    uint32_t count = f->chunk.beginnings;
    finder->start(f);
    find_points(&f->chunk, f->timeline.now);
    end_window_runs(f);
    finder->find(f, 0, count < GROUP ? count : GROUP);
    for (uint32_t from = 0; from < count; from += GROUP) {
        uint32_t next = from + GROUP < count ? from + GROUP : count;
        finder->find(f, next, next + GROUP < count ? next + GROUP : count);
        exchange_points(f, from, next, point + from);
    }
}

static void prefetch_given(const dj_fast *f, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        __builtin_prefetch(&f->timeline.words[f->given[i] / 64]);
}

static void answer_given(dj_fast *f, uint64_t *distance)
{
    uint32_t count = f->chunk.beginnings;
    prefetch_given(f, 0, count < GROUP ? count : GROUP);
    for (uint32_t from = 0; from < count; from += GROUP) {
        prefetch_given(f, from + GROUP, from + 2 * GROUP < count ? from + 2 * GROUP : count);
        answer_group(f, distance, from, from + GROUP < count ? from + GROUP : count);
    }
}

// Makes the counts of groups include all earlier bits, so that the levels above are not needed.
static void flatten(dj_fast_timeline *t)
{
    uint32_t groups = t->now / DJ_FAST_BLOCK_POINTS / DJ_FAST_GROUP_BLOCKS + 1;
    for (uint32_t level = 1; level < t->levels; level++)
        for (uint32_t i = 0; i < groups; i++)
            t->above[0][i] += t->above[level][i >> 4 * level];
}

static void replace_by_rank(const dj_fast_timeline *t, uint32_t *time)
{
    uint32_t point = *time, word = point / 64, block = point / DJ_FAST_BLOCK_POINTS;
    uint32_t before = t->above[0][block / DJ_FAST_GROUP_BLOCKS] + t->in_group[block];
    before += (uint32_t)(t->words[word | 7] >> word % 8 * 9) & 511;
    before += (uint32_t)__builtin_popcountll(t->words[word] & ((UINT64_C(1) << point % 64) - 1));
    *time = dj_fast_timeline_point(before);
}

static void compact(dj_fast *f)
{
    enum { LINES = 64 };
    const dj_fast_slots *s = &f->slots;
    uint64_t count = 0;
    for (uint32_t k = 0; k < f->coarser_count; k++)
        squeeze_timeline(&f->coarser[k]->fast.timeline, &f->timeline);
    flatten(&f->timeline);
    for (uint64_t from = 0; from < s->lines; from += LINES) {
        uint64_t to = from + LINES < s->lines ? from + LINES : s->lines;
        uint32_t *found[LINES * DJ_FAST_LINE_WORDS + 1];
        uint32_t n = 0;
        for (uint64_t line = from; line < to; line++) {
            uint32_t *time = s->words + line * DJ_FAST_LINE_WORDS + s->first_time;
            for (uint32_t way = 0; way < s->ways; way++) {
                found[n] = time + way;
                n += time[way] != 0;
            }
        }
        for (uint32_t i = 0; i < n; i++)
            replace_by_rank(&f->timeline, found[i]);
        count += n;
    }
    dj_fast_timeline_reset(&f->timeline, count);
}
