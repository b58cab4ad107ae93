// SPDX-License-Identifier: MIT
// Searches, several elements at once. Those among the slots of a set may read up to DJ_SLOTS_PAD elements
// beyond the set.
#ifndef DEJA_OBSERVE_HIERARCHY_VECTORS_H
#define DEJA_OBSERVE_HIERARCHY_VECTORS_H

#include <stdint.h>

enum { DJ_KEYS_AT_ONCE = 16, DJ_STAMPS_AT_ONCE = 16, DJ_SLOTS_PAD = 16 };

// A bit for each of the first elements, up to `count` of them.
static inline uint32_t dj_first_bits(uint64_t count)
{
    return count < DJ_KEYS_AT_ONCE ? (1u << count) - 1 : (1u << DJ_KEYS_AT_ONCE) - 1;
}

#ifdef __SSE2__
#include <emmintrin.h>

static inline __m128i dj_load(const void *from, unsigned nth)
{
    return _mm_loadu_si128((const __m128i *)from + nth);
}

static inline __m128i dj_pack(__m128i a, __m128i b, __m128i c, __m128i d)
{
    return _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
}

// Two bits for each of eight keys, one for each half that is equal.
static inline uint32_t dj_halves_equal(const uint64_t *keys, __m128i key)
{
    return (uint32_t)_mm_movemask_epi8(
        dj_pack(_mm_cmpeq_epi32(dj_load(keys, 0), key), _mm_cmpeq_epi32(dj_load(keys, 1), key),
                _mm_cmpeq_epi32(dj_load(keys, 2), key), _mm_cmpeq_epi32(dj_load(keys, 3), key)));
}

// Of each pair of bits one, if both are set.
static inline uint32_t dj_join_pairs(uint32_t bits)
{
    bits &= bits >> 1 & 0x55555555;
    bits = (bits | bits >> 1) & 0x33333333;
    bits = (bits | bits >> 2) & 0x0f0f0f0f;
    bits = (bits | bits >> 4) & 0x00ff00ff;
    return (bits | bits >> 8) & 0x0000ffff;
}

static inline __m128i dj_lesser(__m128i a, __m128i b)
{
    const __m128i more = _mm_cmpgt_epi32(a, b);
    return _mm_or_si128(_mm_and_si128(more, b), _mm_andnot_si128(more, a));
}

static inline uint32_t dj_stamps_equal(const uint32_t *stamps, __m128i stamp)
{
    return (uint32_t)_mm_movemask_epi8(
        dj_pack(_mm_cmpeq_epi32(dj_load(stamps, 0), stamp), _mm_cmpeq_epi32(dj_load(stamps, 1), stamp),
                _mm_cmpeq_epi32(dj_load(stamps, 2), stamp), _mm_cmpeq_epi32(dj_load(stamps, 3), stamp)));
}

// A bit for each of 64 bytes that is not `byte`.
static inline uint64_t dj_bytes_differ(const uint8_t *bytes, uint8_t byte)
{
    const __m128i wanted = _mm_set1_epi8((char)byte);
    uint64_t equal = 0;
    for (unsigned i = 0; i < 4; i++)
        equal |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(dj_load(bytes, i), wanted)) << 16 * i;
    return ~equal;
}

// Which of the first DJ_KEYS_AT_ONCE keys, `count` at most, are equal to `key`: a bit for each.
static inline uint32_t dj_keys_equal(const uint64_t *keys, uint64_t count, uint64_t key)
{
    const __m128i wanted = _mm_set1_epi64x((long long)key);
    uint32_t halves = dj_halves_equal(keys, wanted);
    if (count > DJ_KEYS_AT_ONCE / 2)
        halves |= dj_halves_equal(keys + DJ_KEYS_AT_ONCE / 2, wanted) << DJ_KEYS_AT_ONCE;
    return halves ? dj_join_pairs(halves) & dj_first_bits(count) : 0;
}

// Where the least of `count` stamps is, which are at most INT32_MAX.
static inline uint32_t dj_stamps_least(const uint32_t *stamps, uint64_t count)
{
    enum { LANES = 4 };
    __m128i low = _mm_set1_epi32(INT32_MAX);
    uint64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        low = dj_lesser(low, dj_load(stamps + i, 0));
    for (; i < count; i++)
        low = dj_lesser(low, _mm_set1_epi32((int)stamps[i]));
    low = dj_lesser(low, _mm_shuffle_epi32(low, _MM_SHUFFLE(1, 0, 3, 2)));
    low = dj_lesser(low, _mm_shuffle_epi32(low, _MM_SHUFFLE(2, 3, 0, 1)));
    for (i = 0; i < count; i += DJ_STAMPS_AT_ONCE) {
        const uint32_t equal = dj_stamps_equal(stamps + i, low);
        if (equal)
            return (uint32_t)i + (uint32_t)__builtin_ctz(equal);
    }
    return 0; // not reached
}
#else
static inline uint64_t dj_bytes_differ(const uint8_t *bytes, uint8_t byte)
{
    uint64_t differ = 0;
    for (unsigned i = 0; i < 64; i++)
        differ |= (uint64_t)(bytes[i] != byte) << i;
    return differ;
}

static inline uint32_t dj_keys_equal(const uint64_t *keys, uint64_t count, uint64_t key)
{
    uint32_t equal = 0;
    for (uint32_t i = 0; i < DJ_KEYS_AT_ONCE && i < count; i++)
        equal |= (uint32_t)(keys[i] == key) << i;
    return equal;
}

static inline uint32_t dj_stamps_least(const uint32_t *stamps, uint64_t count)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < count; i++)
        least = stamps[i] < stamps[least] ? i : least;
    return least;
}
#endif

#endif
