// SPDX-License-Identifier: MIT
// What coarser keys need from a path, with AVX-512. Included by fast/avx512.c.

#define squeeze_bits _pext_u64
#define spread_bits _pdep_u64

static inline uint64_t find_different(const uint8_t *a, const uint8_t *b)
{
    return _mm512_cmpneq_epu8_mask(_mm512_loadu_si512(a), _mm512_loadu_si512(b));
}

// See plain_find_latest. With the key itself first, the other one of two is the second, the other two
// of four are third and fourth, and so on.
static inline __attribute__((always_inline)) void find_latest(const uint32_t *line, uint32_t at,
                                                              const uint32_t wanted, uint32_t *latest)
{
    if (wanted <= 2) {
        plain_find_latest(line, at, wanted, latest);
        return;
    }
    const __m512i numbers = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i order = _mm512_xor_si512(numbers, _mm512_set1_epi32((int)at));
    __m512i times = _mm512_permutexvar_epi32(order, _mm512_load_si512(line));
    __m256i half = _mm512_castsi512_si256(times);
    __m256i all = _mm256_max_epu32(half, _mm512_extracti64x4_epi64(times, 1));
    __m128i four = _mm256_castsi256_si128(half);
    __m128i eight = _mm_max_epu32(four, _mm256_extracti128_si256(half, 1));
    __m128i sixteen = _mm_max_epu32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    four = _mm_max_epu32(four, _mm_shuffle_epi32(four, _MM_PERM_CDAB));
    eight = _mm_max_epu32(eight, _mm_shuffle_epi32(eight, _MM_PERM_CDAB));
    sixteen = _mm_max_epu32(sixteen, _mm_shuffle_epi32(sixteen, _MM_PERM_CDAB));
    // The first two times of each, side by side: those of two, and of all that will be one.
    __m128i left = _mm_unpacklo_epi64(four, eight), right = _mm_unpackhi_epi64(four, eight);
    __m128i both = _mm_max_epu32(left, right);
    sixteen = _mm_max_epu32(sixteen, _mm_shuffle_epi32(sixteen, _MM_PERM_BADC));
    both = _mm_blend_epi32(both, four, 1);
    _mm_storeu_si128((__m128i *)(void *)latest, _mm_blend_epi32(both, sixteen, 8));
}

// Chosen so that 16 rows are in order after they are transposed to one vector per coarser key.
static inline uint32_t latest_row(uint32_t number)
{
    return (number & ~15u) + number % 4 * 4 + number / 4 % 4;
}

// See plain_give_latest.
static inline __attribute__((always_inline)) void give_latest(dj_fast *f, uint32_t from, uint32_t n,
                                                              const uint32_t *point,
                                                              uint32_t (*latest)[DJ_FAST_COARSER],
                                                              const uint32_t count)
{
    uint64_t other[DJ_FAST_COARSER] = {0}, first[DJ_FAST_COARSER] = {0};
    for (uint32_t k = 0; from == 0 && k < count; k++)
        f->coarser[k]->taken = 0;
    for (uint32_t i = 0; i < n; i += 16) {
        __mmask16 there = (__mmask16)(n - i < 16 ? 0xffff >> (16 - (n - i)) : 0xffff);
        __m512i a = _mm512_load_si512(latest[i]), b = _mm512_load_si512(latest[i + 4]);
        __m512i c = _mm512_load_si512(latest[i + 8]), d = _mm512_load_si512(latest[i + 12]);
        __m512i ab = _mm512_unpacklo_epi32(a, b), cd = _mm512_unpacklo_epi32(c, d);
        __m512i ab_high = _mm512_unpackhi_epi32(a, b), cd_high = _mm512_unpackhi_epi32(c, d);
        const __m512i of[DJ_FAST_COARSER] = {_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd),
                                             _mm512_unpacklo_epi64(ab_high, cd_high),
                                             _mm512_unpackhi_epi64(ab_high, cd_high)};
        __m512i finer = _mm512_loadu_si512(point + i);
#pragma GCC unroll 4
        for (uint32_t k = 0; k < DJ_FAST_COARSER; k++) {
            if (k >= count)
                break;
            dj_fast_coarser *g = f->coarser[k];
            __mmask16 begins = (__mmask16)(g->begins_too[from / 64] >> i) & there;
            _mm512_storeu_si512(g->point + g->taken, _mm512_maskz_compress_epi32(begins, of[k]));
            g->taken += (uint32_t)__builtin_popcount(begins);
            other[k] |= (uint64_t)_mm512_mask_cmpneq_epu32_mask(there, of[k], finer) << i;
            first[k] |= (uint64_t)_mm512_mask_testn_epi32_mask(there, of[k], of[k]) << i;
            finer = of[k];
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        f->coarser[k]->last_by_other[from / 64] = other[k];
        f->coarser[k]->first[from / 64] = first[k];
    }
}

static void fill_tags(const dj_fast_coarser *g, const dj_fast_fold *fold)
{
    const dj_work *part = &g->part;
    const __m512i one = _mm512_set1_epi32(1);
    for (uint32_t from = 0, n = 0; from < part->count; from += 64) {
        uint64_t is_new = fold ? fold->is_new[from / 64] : UINT64_MAX;
        uint64_t other = _pdep_u64(bits_from(g->by_other, n), is_new);
        uint64_t warm = ~_pdep_u64(bits_from(g->is_cold, n), is_new);
        for (uint32_t i = from; i < part->count && i < from + 64; i += 16, other >>= 16, warm >>= 16) {
            uint32_t left = (uint32_t)part->count - i;
            __mmask8 low = first_of_8(left), high = left > 8 ? first_of_8(left - 8) : 0;
            __m256i first = _mm512_cvtepi64_epi32(_mm512_maskz_loadu_epi64(low, part->key + i));
            __m256i second = _mm512_cvtepi64_epi32(_mm512_maskz_loadu_epi64(high, part->key + i + 8));
            __m512i keys = _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
            keys = _mm512_mask_xor_epi32(keys, (__mmask16)other, keys, one);
            _mm512_mask_storeu_epi32(part->prev_tag + i, (__mmask16)(high << 8 | low),
                                     _mm512_maskz_mov_epi32((__mmask16)warm, keys));
        }
        n += (uint32_t)__builtin_popcountll(is_new);
    }
}
