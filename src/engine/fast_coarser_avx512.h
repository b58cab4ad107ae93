// SPDX-License-Identifier: MIT
// What coarser keys need of a path, with AVX-512. Part of fast_avx512.c.

#define squeeze_bits _pext_u64

// See plain_find_latest.
static inline __attribute__((always_inline)) void find_latest(const uint32_t *line, uint32_t at,
                                                              const uint32_t wanted, uint32_t *latest)
{
    if (wanted <= 2) {
        plain_find_latest(line, at, wanted, latest);
        return;
    }
    uint32_t all[DJ_FAST_COARSER][DJ_FAST_LINE_WORDS];
    __m512i last = _mm512_load_si512(line);
    last = _mm512_max_epu32(last, _mm512_shuffle_epi32(last, _MM_PERM_CDAB));
    _mm512_storeu_si512(all[0], last);
    last = _mm512_max_epu32(last, _mm512_shuffle_epi32(last, _MM_PERM_BADC));
    _mm512_storeu_si512(all[1], last);
    last = _mm512_max_epu32(last, _mm512_shuffle_i32x4(last, last, 0xb1));
    _mm512_storeu_si512(all[2], last);
    last = _mm512_max_epu32(last, _mm512_shuffle_i32x4(last, last, 0x4e));
    _mm512_storeu_si512(all[3], last);
    for (uint32_t k = 0; k < wanted; k++)
        latest[k] = all[k][at];
}

static void find_others(dj_fast_coarser *g, const dj_fast *finer)
{
    const dj_fast_chunk *c = &g->fast.chunk;
    const uint8_t *lag = c->lag + DJ_FAST_WINDOW, *finer_lag = finer->chunk.lag + DJ_FAST_WINDOW;
    const uint8_t *found = g->found;
    for (uint32_t from = 0; from < c->count; from += 64) {
        uint64_t begins = c->begins[from / 64];
        __m512i lags = _mm512_loadu_si512(lag + from), some = _mm512_loadu_si512(found);
        uint64_t differ = _mm512_cmpneq_epu8_mask(lags, _mm512_loadu_si512(finer_lag + from));
        uint64_t other = _mm512_test_epi8_mask(some, _mm512_set1_epi8(DJ_FAST_BY_OTHER));
        uint64_t cold = _mm512_test_epi8_mask(some, _mm512_set1_epi8(DJ_FAST_IS_COLD));
        g->by_other[from / 64] = (differ & ~begins) | _pdep_u64(other, begins);
        g->is_cold[from / 64] = _pdep_u64(cold, begins);
        found += __builtin_popcountll(begins);
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
