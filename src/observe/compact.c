// SPDX-License-Identifier: MIT
#include "observe/compact.h"

#include "base/machine.h"

#include <string.h>

static uint32_t find(const uint64_t *value, uint32_t count, uint64_t *bits)
{
    uint32_t found = 0;
    for (uint32_t from = 0; from < count; from += 64) {
        uint64_t some = 0;
        for (uint32_t i = from; i < count && i < from + 64; i++)
            some |= (uint64_t)(value[i] != 0) << i % 64;
        bits[from / 64] = some;
        found += (uint32_t)__builtin_popcountll(some);
    }
    return found;
}

static uint32_t gather(const uint64_t *bits, const uint64_t *value, uint32_t count, uint64_t *to)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        to[n] = value[i]; // kept only if wanted
        n += (uint32_t)(bits[i / 64] >> i % 64) & 1;
    }
    return n;
}

static uint32_t drop_zeros(const uint64_t *value, uint32_t count, uint64_t *to)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        to[n] = value[i];
        n += value[i] != 0;
    }
    return n;
}

static uint32_t differ(const uint64_t *bits, const uint32_t *last, const uint64_t *key, uint32_t count,
                       uint32_t *to)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        to[n] = last[i] != (uint32_t)key[i];
        n += (uint32_t)(bits[i / 64] >> i % 64) & 1;
    }
    return n;
}

const dj_compact dj_compact_portable = {
    .find = find, .gather = gather, .drop_zeros = drop_zeros, .differ = differ};

const dj_compact *dj_compact_choose(void)
{
#if defined(__x86_64__)
    if (strcmp(dj_machine_simd(), "avx512") == 0)
        return &dj_compact_avx512;
#endif
    return &dj_compact_portable;
}
