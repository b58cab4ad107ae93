// SPDX-License-Identifier: MIT
// Classes of distances, for observer `spatial`. The class of a distance is its bin plus the number of cache
// sizes that do not exceed it. It grows with the distance and changes at every boundary of bins and caches,
// so bins and caches are ranges of classes.
#ifndef DEJA_OBSERVE_SPATIAL_CLASSES_H
#define DEJA_OBSERVE_SPATIAL_CLASSES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Greater than any distance: represents cold misses, and no cache is larger.
#define DJ_SPATIAL_NEVER ((int64_t)1 << 50)

enum {
    DJ_SPATIAL_COLD = 51, // the bin of that, and its class without caches
    DJ_SPATIAL_CUTS = 4,  // number of cache sizes that cost next to nothing
};

typedef struct dj_spatial_path {
    // Classifies `count` distances, given the cache sizes in blocks.
    void (*classify)(const uint64_t *distance, uint32_t count, const uint64_t *cuts, size_t cut_count,
                     uint16_t *class_of);
    // The index of each access in a table [class][class at twice the block size][intercepted].
    void (*locate)(const uint16_t *here, const uint16_t *there, const uint32_t *intercepted, uint32_t count,
                   uint32_t classes, uint32_t *cell);
} dj_spatial_path;

extern const dj_spatial_path dj_spatial_portable, dj_spatial_avx512;

// The bin is the exponent of 2 · distance + 1 as a floating-point number, which compilers can vectorize.
static inline uint64_t dj_spatial_bin(int64_t distance)
{
    uint64_t bits = (uint64_t)(2 * distance + 1) | UINT64_C(0x433) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    value -= 0x1p52;
    memcpy(&bits, &value, sizeof bits);
    return (bits >> 52) - 1023;
}

static inline void dj_spatial_classify(const uint64_t *restrict distance, uint32_t count,
                                       const uint64_t *cuts, size_t cut_count, uint16_t *restrict class_of)
{
    int64_t first[DJ_SPATIAL_CUTS];
    for (size_t k = 0; k < DJ_SPATIAL_CUTS; k++) {
        first[k] = k < cut_count ? DJ_SPATIAL_NEVER : INT64_MAX;
        if (k < cut_count && cuts[k] < (uint64_t)DJ_SPATIAL_NEVER)
            first[k] = (int64_t)cuts[k];
    }
    for (uint32_t i = 0; i < count; i++) {
        int64_t d = (int64_t)distance[i] < 0 ? DJ_SPATIAL_NEVER : (int64_t)distance[i];
        uint64_t class = dj_spatial_bin(d);
        for (size_t k = 0; k < DJ_SPATIAL_CUTS; k++)
            class += d >= first[k];
        class_of[i] = (uint16_t) class;
    }
    for (size_t k = DJ_SPATIAL_CUTS; k < cut_count; k++)
        for (uint32_t i = 0; i < count; i++)
            class_of[i] = (uint16_t)(class_of[i] + (distance[i] >= cuts[k]));
}

static inline void dj_spatial_locate(const uint16_t *restrict here, const uint16_t *restrict there,
                                     const uint32_t *restrict intercepted, uint32_t count, uint32_t classes,
                                     uint32_t *restrict cell)
{
    for (uint32_t i = 0; i < count; i++)
        cell[i] = (here[i] * classes + there[i]) * 2 + intercepted[i];
}

#endif
