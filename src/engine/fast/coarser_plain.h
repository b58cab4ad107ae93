// SPDX-License-Identifier: MIT
// What coarser keys need from a path, in plain C; see fast/coarser.c and dj_fast_path.

// The bits of `bits` selected by `mask`, without gaps.
static inline uint64_t plain_squeeze_bits(uint64_t bits, uint64_t mask)
{
    uint64_t out = 0;
    for (uint32_t n = 0; mask != 0; mask &= mask - 1, n++)
        out |= (bits >> __builtin_ctzll(mask) & 1) << n;
    return out;
}

// The inverse: the lowest bits of `bits`, at the positions of `mask`.
static inline uint64_t plain_spread_bits(uint64_t bits, uint64_t mask)
{
    uint64_t out = 0;
    for (; mask != 0; mask &= mask - 1, bits >>= 1)
        out |= (bits & 1) << __builtin_ctzll(mask);
    return out;
}

// 64 bits of an array of bits, from any position on.
static inline uint64_t bits_from(const uint64_t *words, uint32_t at)
{
    uint64_t low = words[at / 64] >> at % 64;
    return at % 64 ? low | words[at / 64 + 1] << (64 - at % 64) : low;
}

// The latest time among 2, 4, 8 and 16 keys of a line, up to the number requested; key number `at` is
// one of them.
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

// Where the latest times of one of many keys are stored.
static inline uint32_t plain_latest_row(uint32_t number)
{
    return number;
}

// Passes coarser keys the points of those of the `n` run beginnings from `from` on, a multiple of 64,
// that also begin runs of the coarser keys.
static inline __attribute__((always_inline)) void plain_give_latest(dj_fast *f, uint32_t from, uint32_t n,
                                                                    const uint32_t *point,
                                                                    uint32_t (*latest)[DJ_FAST_COARSER],
                                                                    const uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        dj_fast_coarser *g = f->coarser[k];
        uint64_t other = 0, first = 0;
        uint32_t taken = from == 0 ? 0 : g->taken;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t mine = latest[i][k], finer = k == 0 ? point[i] : latest[i][k - 1];
            g->point[taken] = mine; // overwritten unless it begins a run
            taken += (uint32_t)(g->begins_too[from / 64] >> i) & 1;
            other |= (uint64_t)(mine != finer) << i;
            first |= (uint64_t)(mine == 0) << i;
        }
        g->taken = taken;
        g->last_by_other[from / 64] = other;
        g->first[from / 64] = first;
    }
}

// A bit for each of 64 bytes that differ.
static inline uint64_t plain_find_different(const uint8_t *a, const uint8_t *b)
{
    uint64_t differ = 0;
    for (uint32_t i = 0; i < 64; i++)
        differ |= (uint64_t)(a[i] != b[i]) << i;
    return differ;
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
