// SPDX-License-Identifier: MIT
// What fast/fold.c needs, with AVX-512; see dj_fast_path. Included by fast/avx512.c.

// The first `left` of eight.
static inline __mmask8 first_of_8(uint32_t left)
{
    return (__mmask8)(left < 8 ? 0xff >> (8 - left) : 0xff);
}

static uint32_t squeeze(dj_fast_fold *fold, const uint64_t *key, uint32_t count)
{
    uint32_t n = 0;
    __m512i before = _mm512_set1_epi64((long long)~key[0]);
    for (uint32_t from = 0; from < count; from += 64) {
        uint64_t is_new = 0;
        for (uint32_t i = from; i < count && i < from + 64; i += 8) {
            __mmask8 there = first_of_8(count - i);
            __m512i keys = _mm512_maskz_loadu_epi64(there, key + i);
            __m512i last = _mm512_alignr_epi64(keys, before, 7);
            __mmask8 differ = _mm512_mask_cmpneq_epu64_mask(there, keys, last);
            _mm512_storeu_si512(fold->key + n, _mm512_maskz_compress_epi64(differ, keys));
            n += (uint32_t)__builtin_popcount(differ);
            is_new |= (uint64_t)differ << i % 64;
            before = keys;
        }
        fold->is_new[from / 64] = is_new;
    }
    return n;
}

static void spread(const dj_fast_fold *fold, uint64_t *distance, uint32_t count)
{
    const uint64_t *next = fold->distance;
    for (uint32_t from = 0; from < count; from += 64) {
        uint64_t is_new = fold->is_new[from / 64];
        for (uint32_t i = from; i < count && i < from + 64; i += 8, is_new >>= 8) {
            __m512i some = _mm512_maskz_expand_epi64((__mmask8)is_new, _mm512_loadu_si512(next));
            _mm512_mask_storeu_epi64(distance + i, first_of_8(count - i), some);
            next += __builtin_popcount((uint8_t)is_new);
        }
    }
}

static void squeeze_tags(dj_fast_fold *fold, const uint32_t *tag, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += 16) {
        __mmask16 last = (__mmask16)(fold->is_last[i / 64] >> i % 64);
        __m512i some = _mm512_maskz_loadu_epi32(last, tag + i);
        _mm512_storeu_si512(fold->tag + n, _mm512_maskz_compress_epi32(last, some));
        n += (uint32_t)__builtin_popcount(last);
    }
}

static void squeeze_times(dj_fast_fold *fold, const uint64_t *time, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += 8) {
        __mmask8 last = (__mmask8)(fold->is_last[i / 64] >> i % 64);
        __m512i some = _mm512_maskz_loadu_epi64(last, time + i);
        _mm512_storeu_si512(fold->time + n, _mm512_maskz_compress_epi64(last, some));
        n += (uint32_t)__builtin_popcount(last);
    }
}

// There is no access before the first one, but the first one is always new.
static void spread_tags(const dj_fast_fold *fold, const uint32_t *tag, uint32_t *previous, uint32_t count)
{
    const uint32_t *next = fold->prev_tag;
    for (uint32_t i = 0; i < count; i += 16) {
        __mmask16 there = (__mmask16)(count - i < 16 ? 0xffff >> (16 - (count - i)) : 0xffff);
        __mmask16 is_new = (__mmask16)(fold->is_new[i / 64] >> i % 64);
        __m512i before = _mm512_maskz_loadu_epi32((__mmask16)(there & ~is_new), tag + i - 1);
        __m512i all = _mm512_mask_expand_epi32(before, is_new, _mm512_loadu_si512(next));
        _mm512_mask_storeu_epi32(previous + i, there, all);
        next += __builtin_popcount(is_new);
    }
}

static void spread_times(const dj_fast_fold *fold, const uint64_t *time, uint64_t *previous, uint32_t count)
{
    const uint64_t *next = fold->prev_time;
    for (uint32_t i = 0; i < count; i += 8) {
        __mmask8 there = first_of_8(count - i);
        __mmask8 is_new = (__mmask8)(fold->is_new[i / 64] >> i % 64);
        __m512i before = _mm512_maskz_loadu_epi64((__mmask8)(there & ~is_new), time + i - 1);
        __m512i all = _mm512_mask_expand_epi64(before, is_new, _mm512_loadu_si512(next));
        _mm512_mask_storeu_epi64(previous + i, there, all);
        next += __builtin_popcount(is_new);
    }
}
