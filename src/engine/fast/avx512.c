// SPDX-License-Identifier: MIT
// The kernel of engine fast for AVX-512. Only this file is compiled for AVX-512 F, BW, DQ and VL, BMI2
// and POPCNT.
#include "engine/fast/fast.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#include <string.h>

#include "engine/fast/coarser_plain.h"
#include "engine/fast/fold_avx512.h"

// See dj_fast_hash.
static inline void take_keys(dj_fast_chunk *c, const uint64_t *key, uint64_t seed)
{
    const __m512i seeds = _mm512_set1_epi64((long long)seed);
    const __m512i first = _mm512_set1_epi64((long long)DJ_FAST_FIRST_FACTOR);
    const __m512i second = _mm512_set1_epi64((long long)DJ_FAST_SECOND_FACTOR);
    for (uint32_t i = 0; i < c->count; i += 8) {
        __mmask8 there = first_of_8(c->count - i);
        __m512i keys = _mm512_maskz_loadu_epi64(there, key + i);
        _mm512_storeu_si512(c->key + DJ_FAST_WINDOW + i, keys);
        __m512i x = _mm512_mullo_epi64(_mm512_xor_si512(keys, seeds), first);
        x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 32));
        x = _mm512_srli_epi64(_mm512_mullo_epi64(x, second), 32);
        _mm256_storeu_si256((__m256i *)(void *)(c->hash + DJ_FAST_WINDOW + i), _mm512_cvtepi64_epi32(x));
        _mm_storeu_si128((__m128i *)(void *)(c->mark + DJ_FAST_WINDOW + i), _mm512_cvtepi64_epi16(x));
    }
}

static inline uint32_t find_lags_32(const uint16_t *mark, uint8_t *lag)
{
    __m512i marks = _mm512_loadu_si512(mark);
    const __m256i new_run = _mm256_set1_epi8(DJ_FAST_NEW_RUN);
    __m256i nearest = new_run;
#pragma GCC unroll 32
    for (int distance = DJ_FAST_WINDOW; distance > 0; distance--) {
        __mmask32 same = _mm512_cmpeq_epi16_mask(marks, _mm512_loadu_si512(mark - distance));
        nearest = _mm256_mask_mov_epi8(nearest, same, _mm256_set1_epi8((char)distance));
    }
    _mm256_storeu_si256((__m256i *)(void *)lag, nearest);
    return _mm256_cmpeq_epi8_mask(nearest, new_run);
}

static inline uint64_t find_lags(const uint16_t *mark, uint8_t *lag)
{
    uint64_t low = find_lags_32(mark, lag);
    return low | (uint64_t)find_lags_32(mark + 32, lag + 32) << 32;
}

// See plain_find_wrong. Both halves of 16 keys and of the 16 before them are in registers.
static inline uint64_t find_wrong(const uint64_t *key, const uint8_t *lag, uint64_t again)
{
    const __m512i numbers = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i even = _mm512_slli_epi32(numbers, 1), odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
    const __m512i behind = _mm512_add_epi32(numbers, _mm512_set1_epi32(DJ_FAST_WINDOW));
    __m512i first = _mm512_loadu_si512(key - 16), second = _mm512_loadu_si512(key - 8);
    __m512i low_before = _mm512_permutex2var_epi32(first, even, second);
    __m512i high_before = _mm512_permutex2var_epi32(first, odd, second);
    uint64_t wrong = 0;
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 64; i += 16) {
        first = _mm512_loadu_si512(key + i);
        second = _mm512_loadu_si512(key + i + 8);
        __m512i low = _mm512_permutex2var_epi32(first, even, second);
        __m512i high = _mm512_permutex2var_epi32(first, odd, second);
        __m512i lags = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(lag + i)));
        __m512i at = _mm512_sub_epi32(behind, lags);
        __m512i low_there = _mm512_permutex2var_epi32(low_before, at, low);
        __m512i high_there = _mm512_permutex2var_epi32(high_before, at, high);
        uint64_t differ =
            _mm512_cmpneq_epu32_mask(low, low_there) | _mm512_cmpneq_epu32_mask(high, high_there);
        wrong |= differ << i;
        low_before = low;
        high_before = high;
    }
    return wrong & again;
}

static inline uint64_t find_endings(const uint8_t *lag)
{
    __mmask64 repeated = 0;
#pragma GCC unroll 32
    for (int d = 1; d <= DJ_FAST_WINDOW; d++)
        repeated |= _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(lag + d), _mm512_set1_epi8((char)d));
    return ~repeated;
}

// See plain_count_short.
static inline void count_short(const uint8_t *lag, uint64_t *distance, uint32_t count)
{
    const __m512i one = _mm512_set1_epi8(1);
    __m512i rest = _mm512_loadu_si512(lag), between = _mm512_sub_epi8(rest, one);
#pragma GCC unroll 32
    for (int d = 1; d < DJ_FAST_WINDOW; d++) {
        rest = _mm512_subs_epu8(rest, one);
        __mmask64 inside = _mm512_cmple_epu8_mask(_mm512_loadu_si512(lag - d), rest);
        between = _mm512_mask_sub_epi8(between, inside, between, one);
    }
    uint8_t bytes[64];
    _mm512_storeu_si512(bytes, between);
    for (uint32_t i = 0; i < count; i += 8) {
        __mmask8 there = first_of_8(count - i);
        __m512i eight = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)(bytes + i)));
        _mm512_mask_storeu_epi64(distance + i, there, eight);
    }
}

static inline uint32_t list_bits(uint16_t *to, const uint64_t *bits, uint32_t count, uint32_t first)
{
    __m512i numbers = _mm512_add_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                                       _mm512_set1_epi32((int)first));
    uint32_t listed = 0;
    for (uint32_t from = 0; from < count; from += 16) {
        __mmask16 set = (__mmask16)(bits[from / 64] >> from % 64);
        __m256i some = _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(set, numbers));
        _mm256_storeu_si256((__m256i *)(void *)(to + listed), some);
        listed += (uint32_t)__builtin_popcount(set);
        numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
    }
    return listed;
}

// See plain_assign_points.
static inline void assign_points(dj_fast_chunk *c, uint32_t point)
{
    const __m512i numbers = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i gap = _mm512_set1_epi32(DJ_FAST_BLOCK_POINTS - DJ_FAST_BLOCK_BITS);
    for (uint32_t from = 0; from < c->count; from += 16) {
        __mmask16 ends = (__mmask16)(c->ends[from / 64] >> from % 64);
        uint32_t to_border = DJ_FAST_BLOCK_BITS - point % DJ_FAST_BLOCK_POINTS;
        uint32_t count = (uint32_t)__builtin_popcount(ends);
        __m512i points = _mm512_add_epi32(numbers, _mm512_set1_epi32((int)point));
        __mmask16 behind = _mm512_cmpge_epu32_mask(numbers, _mm512_set1_epi32((int)to_border));
        points = _mm512_mask_add_epi32(points, behind, points, gap);
        _mm512_storeu_si512(c->run_point + from, _mm512_maskz_expand_epi32(ends, points));
        point += count + (count >= to_border ? DJ_FAST_BLOCK_POINTS - DJ_FAST_BLOCK_BITS : 0);
    }
}

static inline void list_lines(dj_fast_chunk *c, uint64_t homes)
{
    const __m512i factor = _mm512_set1_epi64((long long)homes);
    uint32_t listed = 0;
    for (uint32_t from = 0; from < c->count; from += 8) {
        __mmask8 set = (__mmask8)(c->begins[from / 64] >> from % 64);
        __m512i keys = _mm512_loadu_si512(c->key + DJ_FAST_WINDOW + from);
        __m256i hashes = _mm256_loadu_si256((const __m256i *)(const void *)(c->hash + DJ_FAST_WINDOW + from));
        __m512i lines = _mm512_srli_epi64(_mm512_mul_epu32(_mm512_cvtepu32_epi64(hashes), factor), 32);
        lines = _mm512_mask_mov_epi64(lines, _mm512_testn_epi64_mask(keys, keys), factor); // key 0
        _mm512_storeu_si512(c->beginning_key + listed, _mm512_maskz_compress_epi64(set, keys));
        _mm256_storeu_si256((__m256i *)(void *)(c->beginning_line + listed),
                            _mm512_cvtepi64_epi32(_mm512_maskz_compress_epi64(set, lines)));
        listed += (uint32_t)__builtin_popcount(set);
    }
}

static inline uint32_t match_line(const dj_fast_line *line, uint64_t key)
{
    return _mm512_mask_cmpeq_epi64_mask((1 << DJ_FAST_WAYS) - 1, _mm512_load_si512(line),
                                        _mm512_set1_epi64((long long)key));
}

// See plain_compare_points.
static inline uint32_t compare_points(uint32_t *point, uint64_t keys, uint64_t *keys_at, uint32_t unused)
{
    const __m512i one = _mm512_set1_epi32(1), never = _mm512_set1_epi32(-1);
    __m512i points = _mm512_load_si512(point), sum = _mm512_setzero_si512();
    __mmask16 cold = _mm512_testn_epi32_mask(points, points);
    __m512i blocks = _mm512_srli_epi32(points, 9);
    blocks = _mm512_mask_add_epi32(blocks, _knot_mask16(cold), blocks, one);
    _mm512_store_si512(point, _mm512_mask_mov_epi32(points, cold, _mm512_set1_epi32((int)unused)));
#define COMPARE(d)                                                                                           \
    sum = _mm512_mask_add_epi32(                                                                             \
        sum, _mm512_cmplt_epu32_mask(_mm512_alignr_epi32(blocks, never, 16 - (d)), blocks), sum, one)
    COMPARE(1);
    COMPARE(2);
    COMPARE(3);
    COMPARE(4);
    COMPARE(5);
    COMPARE(6);
    COMPARE(7);
    COMPARE(8);
    COMPARE(9);
    COMPARE(10);
    COMPARE(11);
    COMPARE(12);
    COMPARE(13);
    COMPARE(14);
    COMPARE(15);
#undef COMPARE
    const __m512i all = _mm512_set1_epi64((long long)keys);
    __m256i low = _mm512_castsi512_si256(sum), high = _mm512_extracti64x4_epi64(sum, 1);
    _mm512_store_si512(keys_at, _mm512_add_epi64(all, _mm512_cvtepu32_epi64(low)));
    _mm512_store_si512(keys_at + 8, _mm512_add_epi64(all, _mm512_cvtepu32_epi64(high)));
    return cold;
}

static inline bool in_one_group(const uint32_t *point)
{
    __m512i groups = _mm512_srli_epi32(_mm512_load_si512(point), 14);
    return _mm512_cmpneq_epu32_mask(groups, _mm512_broadcastd_epi32(_mm512_castsi512_si128(groups))) == 0;
}

static inline void subtract_after_16(uint16_t *counts, uint32_t at)
{
    __m512i all = _mm512_load_si512(counts);
    _mm512_store_si512(counts,
                       _mm512_mask_sub_epi16(all, UINT32_C(0xfffffffe) << at, all, _mm512_set1_epi16(1)));
}

static inline void subtract_after_32(uint32_t *counts, uint32_t at, uint32_t less)
{
    __m512i all = _mm512_load_si512(counts), lesses = _mm512_set1_epi32((int)less);
    _mm512_store_si512(counts, _mm512_mask_sub_epi32(all, (__mmask16)(0xfffeu << at), all, lesses));
}

static inline void subtract_together_16(uint16_t *counts, const uint32_t *point)
{
    _Alignas(64) uint32_t at[DJ_FAST_TOGETHER];
    const __m512i one = _mm512_set1_epi16(1);
    const __m512i numbers = _mm512_set_epi16(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16,
                                             15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i blocks = _mm512_srli_epi32(_mm512_load_si512(point), 9);
    _mm512_store_si512(at, _mm512_and_si512(blocks, _mm512_set1_epi32(31)));
    __m512i all = _mm512_load_si512(counts);
#pragma GCC unroll 16
    for (uint32_t j = 0; j < DJ_FAST_TOGETHER; j++) {
        __mmask32 after = _mm512_cmpgt_epi16_mask(numbers, _mm512_set1_epi16((short)at[j]));
        all = _mm512_mask_sub_epi16(all, after, all, one);
    }
    _mm512_store_si512(counts, all);
}

static inline void subtract_together_32(uint32_t *counts, uint32_t count, const uint32_t *point,
                                        uint32_t shift)
{
    _Alignas(64) uint32_t at[DJ_FAST_TOGETHER];
    const __m512i one = _mm512_set1_epi32(1), sixteen = _mm512_set1_epi32(16);
    __m512i numbers = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    _mm512_store_si512(at, _mm512_srl_epi32(_mm512_load_si512(point), _mm_cvtsi32_si128((int)shift)));
    for (uint32_t from = 0; from < count; from += 16) {
        __m512i some = _mm512_load_si512(counts + from);
#pragma GCC unroll 16
        for (uint32_t j = 0; j < DJ_FAST_TOGETHER; j++) {
            __mmask16 after = _mm512_cmpgt_epu32_mask(numbers, _mm512_set1_epi32((int)at[j]));
            some = _mm512_mask_sub_epi32(some, after, some, one);
        }
        _mm512_store_si512(counts + from, some);
        numbers = _mm512_add_epi32(numbers, sixteen);
    }
}

#include "engine/fast/coarser_avx512.h"
#include "engine/fast/kernel.h"
#include "engine/fast/lines.h"
#include "engine/fast/operations_kernel.h"

const dj_fast_path dj_fast_avx512 = {.name = "avx512",
                                     .squeeze = squeeze,
                                     .spread = spread,
                                     .squeeze_tags = squeeze_tags,
                                     .squeeze_times = squeeze_times,
                                     .spread_tags = spread_tags,
                                     .spread_times = spread_times,
                                     .survey = survey,
                                     .answer_within = answer_within,
                                     .answer = answer,
                                     .answer_with_holes = answer_with_holes,
                                     .remove = remove_point,
                                     .exchange_all = exchange_all,
                                     .answer_given = answer_given,
                                     .find_others = find_others,
                                     .fill_tags = fill_tags,
                                     .compact = compact,
                                     .hashed = {.start = start_in_table, .find = find_in_table}};
#endif
