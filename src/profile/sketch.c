// SPDX-License-Identifier: MIT
// HyperLogLog (Flajolet, Fusy, Gandouet, Meunier 2007): the first bits of a key's hash select a register,
// which keeps the longest run of zeros in the remaining bits. 256 registers of a byte; standard error 1.04
// / sqrt(256) = 6.5 %. Small sets are counted by their empty registers instead.
#include <deja/attribution.h>

#include <math.h>

enum { INDEX_BITS = 8 };
_Static_assert(1 << INDEX_BITS == DJ_SKETCH_REGISTERS, "index bits");

void dj_sketch_add(dj_sketch *sketch, uint64_t key)
{
    uint64_t h = key + UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    h ^= h >> 31;
    uint8_t rank = (uint8_t)(__builtin_clzll(h << INDEX_BITS | 1) + 1);
    uint8_t *to = &sketch->rank[h >> (64 - INDEX_BITS)];
    *to = rank > *to ? rank : *to;
}

void dj_sketch_merge(dj_sketch *sketch, const dj_sketch *other)
{
    for (unsigned i = 0; i < DJ_SKETCH_REGISTERS; i++)
        if (other->rank[i] > sketch->rank[i])
            sketch->rank[i] = other->rank[i];
}

double dj_sketch_count(const dj_sketch *sketch)
{
    const double m = DJ_SKETCH_REGISTERS;
    double sum = 0;
    unsigned empty = 0;
    for (unsigned i = 0; i < DJ_SKETCH_REGISTERS; i++) {
        sum += ldexp(1, -sketch->rank[i]);
        empty += sketch->rank[i] == 0;
    }
    double estimate = 0.7213 / (1 + 1.079 / m) * m * m / sum;
    return estimate <= 2.5 * m && empty > 0 ? m * log(m / empty) : estimate;
}
