// SPDX-License-Identifier: MIT
// The same for AVX-512. The build compiles this file alone for it.
#include "observe/squeeze.h"

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

static uint32_t squeeze_u64(const uint64_t *bits, const uint64_t *value, uint32_t count, uint64_t *to)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += 8) {
        __mmask8 set = (__mmask8)(bits[i / 64] >> i % 64) & first_of_8(count - i);
        __m512i eight = _mm512_maskz_loadu_epi64(set, value + i);
        _mm512_storeu_si512(to + n, _mm512_maskz_compress_epi64(set, eight));
        n += (uint32_t)__builtin_popcount(set);
    }
    return n;
}

static uint32_t squeeze_u32(const uint64_t *bits, const uint32_t *value, uint32_t count, uint32_t *to)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i += 16) {
        __mmask16 set = (__mmask16)(bits[i / 64] >> i % 64) & first_of_16(count - i);
        __m512i some = _mm512_maskz_loadu_epi32(set, value + i);
        _mm512_storeu_si512(to + n, _mm512_maskz_compress_epi32(set, some));
        n += (uint32_t)__builtin_popcount(set);
    }
    return n;
}

const dj_squeeze dj_squeeze_avx512 = {.find = find, .u64 = squeeze_u64, .u32 = squeeze_u32};
#endif
