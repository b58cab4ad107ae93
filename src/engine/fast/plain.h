// SPDX-License-Identifier: MIT
// The functions that the kernel of engine fast is made of, in plain C that compilers vectorize.

// See dj_fast_path.
static inline uint32_t plain_squeeze(dj_fast_fold *fold, const uint64_t *key, uint32_t count)
{
    uint64_t last = ~key[0];
    uint32_t n = 0;
    for (uint32_t from = 0; from < count; from += 64) {
        uint64_t is_new = 0;
        for (uint32_t i = from; i < count && i < from + 64; i++) {
            fold->key[n] = key[i]; // overwritten unless it differs
            n += key[i] != last;
            is_new |= (uint64_t)(key[i] != last) << i % 64;
            last = key[i];
        }
        fold->is_new[from / 64] = is_new;
    }
    return n;
}

static inline void plain_spread(const dj_fast_fold *fold, uint64_t *distance, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t is_new = fold->is_new[i / 64] >> i % 64 & 1;
        distance[i] = fold->distance[n] & -is_new;
        n += (uint32_t)is_new;
    }
}

#define DEFINE_PLAIN_COLUMN(type, column, columns)                                                           \
    static inline void plain_squeeze_##columns(dj_fast_fold *fold, const type *column, uint32_t count)       \
    {                                                                                                        \
        uint32_t n = 0;                                                                                      \
        for (uint32_t i = 0; i < count; i += 64)                                                             \
            for (uint64_t left = fold->is_last[i / 64]; left != 0; left &= left - 1)                         \
                fold->column[n++] = column[i + (uint32_t)__builtin_ctzll(left)];                             \
    }                                                                                                        \
    static inline void plain_spread_##columns(const dj_fast_fold *fold, const type *column, type *previous,  \
                                              uint32_t count)                                                \
    {                                                                                                        \
        for (uint32_t i = 1; i < count; i++)                                                                 \
            previous[i] = column[i - 1];                                                                     \
        for (uint32_t i = 0, n = 0; i < count; i += 64)                                                      \
            for (uint64_t left = fold->is_new[i / 64]; left != 0; left &= left - 1)                          \
                previous[i + (uint32_t)__builtin_ctzll(left)] = fold->prev_##column[n++];                    \
    }

DEFINE_PLAIN_COLUMN(uint32_t, tag, tags)
DEFINE_PLAIN_COLUMN(uint64_t, time, times)

// Keys, hashes and marks of the chunk's accesses, after the window.
static inline void plain_take_keys(dj_fast_chunk *c, const uint64_t *key, uint64_t seed)
{
    memcpy(c->key + DJ_FAST_WINDOW, key, c->count * sizeof *key);
    for (uint32_t i = DJ_FAST_WINDOW; i < DJ_FAST_WINDOW + c->count; i++)
        c->hash[i] = dj_fast_hash(c->key[i], seed);
    for (uint32_t i = DJ_FAST_WINDOW; i < DJ_FAST_WINDOW + c->count; i++)
        c->mark[i] = (uint16_t)c->hash[i];
}

// Lags of 64 accesses, from their marks and those of the window before them. Returns a bit for each
// access that begins a run.
static inline uint64_t plain_find_lags(const uint16_t *mark, uint8_t *lag)
{
    enum { AT_ONCE = 16 };
    uint64_t begins = 0;
    for (uint32_t from = 0; from < 64; from += AT_ONCE) {
        uint16_t nearest[AT_ONCE];
        for (uint32_t i = 0; i < AT_ONCE; i++)
            nearest[i] = DJ_FAST_NEW_RUN;
        for (uint16_t distance = DJ_FAST_WINDOW; distance > 0; distance--)
            for (uint32_t i = 0; i < AT_ONCE; i++)
                nearest[i] = mark[from + i] == (mark + from - distance)[i] ? distance : nearest[i];
        for (uint32_t i = 0; i < AT_ONCE; i++)
            lag[from + i] = (uint8_t)nearest[i];
        for (uint32_t i = 0; i < AT_ONCE; i++)
            begins |= (uint64_t)(lag[from + i] == DJ_FAST_NEW_RUN) << (from + i);
    }
    return begins;
}

// A bit for each of 64 accesses in `again` whose key differs from that of the access `lag` before it.
static inline uint64_t plain_find_wrong(const uint64_t *key, const uint8_t *lag, uint64_t again)
{
    uint64_t wrong = 0;
    for (; again != 0; again &= again - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(again);
        wrong |= (uint64_t)(key[i] != *(key + i - lag[i])) << i;
    }
    return wrong;
}

// Reuse distances of `count` accesses (at most 64) whose previous access is in the window. Counts the
// accesses in between, except those whose own previous access is also in between.
static inline void plain_count_short(const uint8_t *lag, uint64_t *distance, uint32_t count)
{
    uint8_t between[64], rest[64];
    for (uint32_t i = 0; i < 64; i++) {
        between[i] = (uint8_t)(lag[i] - 1);
        rest[i] = lag[i];
    }
    for (uint32_t d = 1; d < DJ_FAST_WINDOW; d++)
        for (uint32_t i = 0; i < 64; i++) {
            rest[i] = (uint8_t)(rest[i] - (rest[i] != 0));
            between[i] = (uint8_t)(between[i] - ((lag - d)[i] <= rest[i]));
        }
    for (uint32_t i = 0; i < count; i++)
        distance[i] = between[i];
}

// A bit for each of 64 accesses that is not repeated within the window.
static inline uint64_t plain_find_endings(const uint8_t *lag)
{
    uint8_t repeated[64] = {0};
    uint64_t ends = 0;
    for (uint32_t d = 1; d <= DJ_FAST_WINDOW; d++)
        for (uint32_t i = 0; i < 64; i++)
            repeated[i] = (uint8_t)(repeated[i] | (lag[i + d] == d));
    for (uint32_t i = 0; i < 64; i++)
        ends |= (uint64_t)(repeated[i] == 0) << i;
    return ends;
}

// The indices of the set bits; the first bit has index `first`.
static inline uint32_t plain_list_bits(uint16_t *to, const uint64_t *bits, uint32_t count, uint32_t first)
{
    uint32_t listed = 0;
    for (uint32_t from = 0; from < count; from += 64)
        for (uint64_t left = bits[from / 64]; left != 0; left &= left - 1)
            to[listed++] = (uint16_t)(first + from + (uint32_t)__builtin_ctzll(left));
    return listed;
}

// Assigns points, from `point` on, to the accesses that end runs, and 0 to the others.
static inline void plain_assign_points(dj_fast_chunk *c, uint32_t point)
{
    for (uint32_t i = 0; i < c->count; i++) {
        bool ends = c->ends[i / 64] >> i % 64 & 1;
        c->run_point[i] = ends ? point : 0;
        point = ends ? dj_fast_timeline_next(point) : point;
    }
}

static inline void plain_list_lines(dj_fast_chunk *c, uint64_t homes)
{
    for (uint32_t i = 0; i < c->beginnings; i++) {
        uint64_t key = c->key[c->beginning[i]];
        c->beginning_key[i] = key;
        c->beginning_line[i] = (uint32_t)dj_fast_home(homes, key, c->hash[c->beginning[i]]);
    }
}

// A bit for each way that holds the key.
static inline uint32_t plain_match_line(const dj_fast_line *line, uint64_t key)
{
    uint32_t match = 0;
    for (uint32_t way = 0; way < DJ_FAST_WAYS; way++)
        match |= (uint32_t)(line->key[way] == key) << way;
    return match;
}

// For each of 16 points: `keys` plus the number of preceding points that lie in an earlier block. Point
// 0, of a new key, precedes all others; it is replaced by `unused`. Returns a bit for each point 0.
static inline uint32_t plain_compare_points(uint32_t *point, uint64_t keys, uint64_t *keys_at,
                                            uint32_t unused)
{
    uint32_t block[2 * DJ_FAST_TOGETHER], earlier[DJ_FAST_TOGETHER] = {0}, zeros = 0;
    for (uint32_t i = 0; i < DJ_FAST_TOGETHER; i++) {
        block[i] = UINT32_MAX; // never earlier
        block[DJ_FAST_TOGETHER + i] = point[i] / DJ_FAST_BLOCK_POINTS + (point[i] != 0);
    }
    for (uint32_t d = 1; d < DJ_FAST_TOGETHER; d++)
        for (uint32_t i = 0; i < DJ_FAST_TOGETHER; i++)
            earlier[i] += block[DJ_FAST_TOGETHER + i - d] < block[DJ_FAST_TOGETHER + i];
    for (uint32_t i = 0; i < DJ_FAST_TOGETHER; i++) {
        keys_at[i] = keys + earlier[i];
        zeros |= (uint32_t)(point[i] == 0) << i;
        point[i] = point[i] != 0 ? point[i] : unused;
    }
    return zeros;
}

static inline bool plain_in_one_group(const uint32_t *point)
{
    uint32_t differ = 0;
    for (uint32_t i = 1; i < DJ_FAST_TOGETHER; i++)
        differ |= point[i] ^ point[0];
    return differ < DJ_FAST_BLOCK_POINTS * DJ_FAST_GROUP_BLOCKS;
}

// Subtracts 1 from all counts of a cache line after index `at`.
static inline void plain_subtract_after_16(uint16_t *counts, uint32_t at)
{
    static const int16_t steps[64] = {
        [32] = -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
        -1,        -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    };
    const int16_t *step = steps + 31 - at;
    for (uint32_t i = 0; i < 32; i++)
        counts[i] = (uint16_t)(counts[i] + step[i]);
}

// Likewise, subtracts `less`.
static inline void plain_subtract_after_32(uint32_t *counts, uint32_t at, uint32_t less)
{
    static const uint32_t steps[32] = {
        [16] = UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
        UINT32_MAX,        UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
    };
    const uint32_t *step = steps + 15 - at;
    for (uint32_t i = 0; i < 16; i++)
        counts[i] -= step[i] & less;
}

// For each of 16 points, subtracts 1 from all counts of the group that belong to later blocks.
static inline void plain_subtract_together_16(uint16_t *counts, const uint32_t *point)
{
    for (uint32_t j = 0; j < DJ_FAST_TOGETHER; j++)
        plain_subtract_after_16(counts, point[j] / DJ_FAST_BLOCK_POINTS % DJ_FAST_GROUP_BLOCKS);
}

// For each of 16 points, subtracts 1 from all counts after index point >> shift.
static inline void plain_subtract_together_32(uint32_t *counts, uint32_t count, const uint32_t *point,
                                              uint32_t shift)
{
    for (uint32_t from = 0; from < count; from += 16)
        for (uint32_t j = 0; j < DJ_FAST_TOGETHER; j++)
            for (uint32_t i = 0; i < 16; i++)
                counts[from + i] -= from + i > point[j] >> shift;
}
