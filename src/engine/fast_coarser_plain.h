// SPDX-License-Identifier: MIT
// What coarser keys need of a path, in plain C; see fast_coarser.c and dj_fast_path.

// The bits of `bits` that are in `mask`, without gaps.
static inline uint64_t plain_squeeze_bits(uint64_t bits, uint64_t mask)
{
    uint64_t out = 0;
    for (uint32_t n = 0; mask != 0; mask &= mask - 1, n++)
        out |= (bits >> __builtin_ctzll(mask) & 1) << n;
    return out;
}

// The other way round: the lowest bits of `bits`, in the places of `mask`.
static inline uint64_t plain_spread_bits(uint64_t bits, uint64_t mask)
{
    uint64_t out = 0;
    for (; mask != 0; mask &= mask - 1, bits >>= 1)
        out |= (bits & 1) << __builtin_ctzll(mask);
    return out;
}

// 64 bits of a row of them, from any place on.
static inline uint64_t bits_from(const uint64_t *words, uint32_t at)
{
    uint64_t low = words[at / 64] >> at % 64;
    return at % 64 ? low | words[at / 64 + 1] << (64 - at % 64) : low;
}

// The latest time among 2, 4, 8 and 16 keys of a line, or as many of these as are
// wanted; number `at` is one of them.
static inline __attribute__((always_inline)) void plain_find_latest(const uint32_t *line, uint32_t at,
                                                                    const uint32_t wanted, uint32_t *latest)
{
    uint32_t last = line[at];
    for (uint32_t k = 0; k < wanted; k++) {
        const uint32_t *half = line + ((at & ~((1u << k) - 1)) ^ 1u << k); // the other one
        for (uint32_t i = 0; i < 1u << k; i++)
            last = half[i] > last ? half[i] : last;
        latest[k] = last;
    }
}

// See dj_fast_path. Within runs the lags tell it.
static inline void plain_find_others(dj_fast_coarser *g, const dj_fast *finer)
{
    const dj_fast_chunk *c = &g->fast.chunk;
    const uint8_t *lag = c->lag + DJ_FAST_WINDOW, *finer_lag = finer->chunk.lag + DJ_FAST_WINDOW;
    memset(g->by_other, 0, sizeof g->by_other);
    memset(g->is_cold, 0, sizeof g->is_cold);
    for (uint32_t i = 0; i < c->count; i++)
        g->by_other[i / 64] |= (uint64_t)(lag[i] != finer_lag[i]) << i % 64;
    for (uint32_t word = 0; word * 64 < c->count; word++)
        g->by_other[word] &= ~c->begins[word];
    for (uint32_t i = 0; i < c->beginnings; i++) {
        uint32_t at = c->beginning[i] - DJ_FAST_WINDOW;
        g->by_other[at / 64] |= (uint64_t)(g->found[i] & DJ_FAST_BY_OTHER) << at % 64;
        g->is_cold[at / 64] |= (uint64_t)(g->found[i] / DJ_FAST_IS_COLD) << at % 64;
    }
}

static inline void plain_fill_tags(const dj_fast_coarser *g, const dj_fast_fold *fold)
{
    const dj_work *part = &g->part;
    for (uint32_t from = 0, n = 0; from < part->count; from += 64) {
        uint64_t is_new = fold ? fold->is_new[from / 64] : UINT64_MAX;
        uint64_t other = plain_spread_bits(bits_from(g->by_other, n), is_new);
        uint64_t cold = plain_spread_bits(bits_from(g->is_cold, n), is_new);
        for (uint32_t i = from; i < part->count && i < from + 64; i++, other >>= 1, cold >>= 1)
            part->prev_tag[i] = cold & 1 ? 0 : (uint32_t)part->key[i] ^ (uint32_t)(other & 1);
        n += (uint32_t)__builtin_popcountll(is_new);
    }
}
