// SPDX-License-Identifier: MIT
// The kernel of engine fast for AVX2. Only this file is compiled for AVX2, BMI2 and POPCNT.
#include "engine/fast/fast.h"

#if defined(__AVX2__)
#include <immintrin.h>
#include <string.h>

#include "engine/fast/coarser_plain.h"
#include "engine/fast/plain.h"

// For 32 accesses; until the end, bytes are in the order of the pack instruction.
static inline uint32_t find_lags_32(const uint16_t *mark, uint8_t *lag)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)mark);
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(mark + 16));
    const __m256i new_run = _mm256_set1_epi8(DJ_FAST_NEW_RUN);
    __m256i nearest = new_run;
    for (int distance = DJ_FAST_WINDOW; distance > 0; distance--) {
        const __m256i *before = (const __m256i *)(const void *)(mark - distance);
        const __m256i *before_high = (const __m256i *)(const void *)(mark - distance + 16);
        __m256i same = _mm256_packs_epi16(_mm256_cmpeq_epi16(low, _mm256_loadu_si256(before)),
                                          _mm256_cmpeq_epi16(high, _mm256_loadu_si256(before_high)));
        nearest = _mm256_blendv_epi8(nearest, _mm256_set1_epi8((char)distance), same);
    }
    nearest = _mm256_permute4x64_epi64(nearest, 0xd8);
    _mm256_storeu_si256((__m256i *)(void *)lag, nearest);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(nearest, new_run));
}

static inline uint64_t find_lags(const uint16_t *mark, uint8_t *lag)
{
    uint64_t low = find_lags_32(mark, lag);
    return low | (uint64_t)find_lags_32(mark + 32, lag + 32) << 32;
}

static inline uint64_t find_endings(const uint8_t *lag)
{
    uint64_t ends = 0;
    for (uint32_t half = 0; half < 2; half++) {
        __m256i repeated = _mm256_setzero_si256();
        for (int d = 1; d <= DJ_FAST_WINDOW; d++) {
            __m256i later = _mm256_loadu_si256((const __m256i *)(const void *)(lag + 32 * half + d));
            repeated = _mm256_or_si256(repeated, _mm256_cmpeq_epi8(later, _mm256_set1_epi8((char)d)));
        }
        ends |= (uint64_t)(uint32_t)~_mm256_movemask_epi8(repeated) << 32 * half;
    }
    return ends;
}

static inline uint32_t match_line(const dj_fast_line *line, uint64_t key)
{
    __m256i same = _mm256_cmpeq_epi64(_mm256_load_si256((const __m256i *)(const void *)line->key),
                                      _mm256_set1_epi64x((long long)key));
    uint32_t four = (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(same));
    return four | (uint32_t)(line->key[4] == key) << 4;
}

#define take_keys plain_take_keys
#define count_short plain_count_short
#define list_bits plain_list_bits
#define assign_points plain_assign_points
#define list_lines plain_list_lines
#define find_wrong plain_find_wrong
#define squeeze_bits _pext_u64
#define spread_bits _pdep_u64
#define find_different plain_find_different
#define find_latest plain_find_latest
#define latest_row plain_latest_row
#define give_latest plain_give_latest
#define compare_points plain_compare_points
#define in_one_group plain_in_one_group
#define subtract_after_16 plain_subtract_after_16
#define subtract_after_32 plain_subtract_after_32
#define subtract_together_16 plain_subtract_together_16
#define subtract_together_32 plain_subtract_together_32
#include "engine/fast/kernel.h"
#include "engine/fast/lines.h"
#include "engine/fast/operations_kernel.h"

const dj_fast_path dj_fast_avx2 = {.name = "avx2",
                                   .squeeze = plain_squeeze,
                                   .spread = plain_spread,
                                   .squeeze_tags = plain_squeeze_tags,
                                   .squeeze_times = plain_squeeze_times,
                                   .spread_tags = plain_spread_tags,
                                   .spread_times = plain_spread_times,
                                   .survey = survey,
                                   .answer_within = answer_within,
                                   .answer = answer,
                                   .answer_with_holes = answer_with_holes,
                                   .remove = remove_point,
                                   .exchange_all = exchange_all,
                                   .answer_given = answer_given,
                                   .find_others = find_others,
                                   .fill_tags = plain_fill_tags,
                                   .compact = compact,
                                   .hashed = {.start = start_in_table, .find = find_in_table}};
#endif
