// SPDX-License-Identifier: MIT
// The AVX-512 version. Only this file is compiled for AVX-512.
#include "observe/compact.h"

#if defined(__AVX512BW__)
#include <immintrin.h>

static inline __mmask8 first_of_8(uint32_t left)
{
    return (__mmask8)(left < 8 ? 0xff >> (8 - left) : 0xff);
}

static inline __mmask16 first_of_16(uint32_t left)
{
    return (__mmask16)(left < 16 ? 0xffff >> (16 - left) : 0xffff);
}

static uint32_t find(const uint64_t *value, uint32_t count, uint64_t *bits)
{
    uint32_t found = 0;
    for (uint32_t from = 0; from < count; from += 64) {
        uint64_t some = 0;
        for (uint32_t i = from; i < count && i < from + 64; i += 8) {
            __m512i eight = _mm512_maskz_loadu_epi64(first_of_8(count - i), value + i);
            some |= (uint64_t)_mm512_test_epi64_mask(eight, eight) << i % 64;
        }
        bits[from / 64] = some;
        found += (uint32_t)__builtin_popcountll(some);
    }
    return found;
}

static uint32_t gather(const uint64_t *bits, const uint64_t *value, uint32_t count, uint64_t *to)
{
    uint32_t n = 0;
    for (uint32_t from = 0; from < count; from += 64) {
        uint64_t some = bits[from / 64];
        for (uint32_t i = from; some != 0 && i < count; i += 8, some >>= 8) {
            __mmask8 set = (__mmask8)some & first_of_8(count - i);
            __m512i eight = _mm512_maskz_loadu_epi64(set, value + i);
            _mm512_storeu_si512(to + n, _mm512_maskz_compress_epi64(set, eight));
            n += (uint32_t)__builtin_popcount(set);
        }
    }
    return n;
}

static uint32_t drop_zeros(const uint64_t *value, uint32_t count, uint64_t *to)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += 8) {
        __m512i eight = _mm512_maskz_loadu_epi64(first_of_8(count - i), value + i);
        __mmask8 set = _mm512_test_epi64_mask(eight, eight);
        _mm512_storeu_si512(to + n, _mm512_maskz_compress_epi64(set, eight));
        n += (uint32_t)__builtin_popcount(set);
    }
    return n;
}

static inline __mmask16 differ_16(const uint32_t *last, const uint64_t *key, __mmask16 set)
{
    __m256i low = _mm512_cvtepi64_epi32(_mm512_maskz_loadu_epi64((__mmask8)set, key));
    __m256i high = _mm512_cvtepi64_epi32(_mm512_maskz_loadu_epi64((__mmask8)(set >> 8), key + 8));
    __m512i keys = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    return _mm512_mask_cmpneq_epu32_mask(set, keys, _mm512_maskz_loadu_epi32(set, last));
}

static uint32_t differ(const uint64_t *bits, const uint32_t *last, const uint64_t *key, uint32_t count,
                       uint32_t *to)
{
    uint32_t n = 0;
    for (uint32_t from = 0; from < count; from += 64) {
        uint64_t some = bits[from / 64];
        for (uint32_t i = from; some != 0 && i < count; i += 16, some >>= 16) {
            __mmask16 set = (__mmask16)some & first_of_16(count - i);
            uint32_t others = _pext_u32(differ_16(last + i, key + i, set), set);
            _mm512_storeu_si512(to + n, _mm512_maskz_set1_epi32((__mmask16)others, 1));
            n += (uint32_t)__builtin_popcount(set);
        }
    }
    return n;
}

const dj_compact dj_compact_avx512 = {
    .find = find, .gather = gather, .drop_zeros = drop_zeros, .differ = differ};
#endif
