// SPDX-License-Identifier: MIT
// The AVX-512 version. Only this file is compiled for AVX-512.
#include "filter/sample_find.h"

#if defined(__AVX512DQ__)
#include <immintrin.h>

// One bit for each of eight addresses.
static inline __mmask8 find_8(const uint64_t *address, __m128i shift, __m512i start, __m512i mask)
{
    __m512i z = _mm512_add_epi64(_mm512_srl_epi64(_mm512_loadu_si512(address), shift), start);
    z = _mm512_xor_si512(z, _mm512_srli_epi64(z, 30));
    z = _mm512_mullo_epi64(z, _mm512_set1_epi64((long long)DJ_RANDOM_MIX_1));
    z = _mm512_xor_si512(z, _mm512_srli_epi64(z, 27));
    z = _mm512_mullo_epi64(z, _mm512_set1_epi64((long long)DJ_RANDOM_MIX_2));
    return _mm512_testn_epi64_mask(z, mask);
}

void dj_sample_find_avx512(const dj_sample_choice *choice, const uint64_t *address, uint32_t count,
                           uint64_t *bits)
{
    const __m128i shift = _mm_cvtsi32_si128((int)choice->shift);
    const __m512i start = _mm512_set1_epi64((long long)dj_sample_start(choice->seed));
    const __m512i mask = _mm512_set1_epi64((long long)dj_sample_mask(choice->log2));
    uint32_t from = 0;
    for (; from + 64 <= count; from += 64) {
        uint64_t found = 0;
        for (uint32_t i = 0; i < 64; i += 8)
            found |= (uint64_t)find_8(address + from + i, shift, start, mask) << i;
        bits[from / 64] = found;
    }
    dj_sample_find_portable(choice, address + from, count - from, bits + from / 64);
}
#endif
