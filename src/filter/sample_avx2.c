// SPDX-License-Identifier: MIT
// The AVX2 version. Only this file is compiled for AVX2.
#include "filter/sample_find.h"

#if defined(__AVX2__)
#include <immintrin.h>

// Products of 64 bits from those of 32 bits.
static inline __m256i multiply(__m256i a, uint64_t by)
{
    const __m256i low = _mm256_set1_epi64x((long long)by), high = _mm256_set1_epi64x((long long)(by >> 32));
    const __m256i middle =
        _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), low), _mm256_mul_epu32(a, high));
    return _mm256_add_epi64(_mm256_mul_epu32(a, low), _mm256_slli_epi64(middle, 32));
}

// One bit for each of four addresses.
static inline unsigned find_4(const uint64_t *address, __m128i shift, __m256i start, __m256i mask)
{
    __m256i z = _mm256_loadu_si256((const __m256i *)(const void *)address);
    z = _mm256_add_epi64(_mm256_srl_epi64(z, shift), start);
    z = multiply(_mm256_xor_si256(z, _mm256_srli_epi64(z, 30)), DJ_RANDOM_MIX_1);
    z = multiply(_mm256_xor_si256(z, _mm256_srli_epi64(z, 27)), DJ_RANDOM_MIX_2);
    z = _mm256_cmpeq_epi64(_mm256_and_si256(z, mask), _mm256_setzero_si256());
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(z));
}

void dj_sample_find_avx2(const dj_sample_choice *choice, const uint64_t *address, uint32_t count,
                         uint64_t *bits)
{
    const __m128i shift = _mm_cvtsi32_si128((int)choice->shift);
    const __m256i start = _mm256_set1_epi64x((long long)dj_sample_start(choice->seed));
    const __m256i mask = _mm256_set1_epi64x((long long)dj_sample_mask(choice->log2));
    uint32_t from = 0;
    for (; from + 64 <= count; from += 64) {
        uint64_t found = 0;
        for (uint32_t i = 0; i < 64; i += 4)
            found |= (uint64_t)find_4(address + from + i, shift, start, mask) << i;
        bits[from / 64] = found;
    }
    dj_sample_find_portable(choice, address + from, count - from, bits + from / 64);
}
#endif
