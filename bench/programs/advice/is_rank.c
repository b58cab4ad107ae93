// SPDX-License-Identifier: MIT
// Counting keys without order: each count is anywhere in a table larger than the cache. Distributing the
// keys to buckets first makes the counts of a bucket fit.
//
// model: NPB IS
// object: count
// level: L2
// accept: partition reorder
// carrier: keys iterations
// native: -DKEYS=8000000 -DBITS=22
#include "kernel.h"

#ifndef KEYS
#define KEYS 200000
#endif
#ifndef BITS
#define BITS 16
#endif
#define BUCKETS 16
#define ITERATIONS 3

static uint32_t key[KEYS], count[1 << BITS];
#ifdef FIXED
static uint32_t sorted[KEYS], start[BUCKETS + 1];
#endif

int main(void)
{
    uint32_t state = 12345, sum = 0;
    for (int i = 0; i < KEYS; i++) {
        key[i] = next_random(&state) >> (32 - BITS);
    }
    for (uint32_t iteration = 0; iteration < ITERATIONS; iteration++) { // [iterations]
        key[iteration] = iteration;
#ifndef FIXED
        for (int i = 0; i < KEYS; i++) { // [keys]
            count[key[i]]++;
        }
#else
        for (int b = 0; b <= BUCKETS; b++) {
            start[b] = 0;
        }
        for (int i = 0; i < KEYS; i++) {
            start[(key[i] >> (BITS - 4)) + 1]++;
        }
        for (int b = 0; b < BUCKETS; b++) {
            start[b + 1] += start[b];
        }
        for (int i = 0; i < KEYS; i++) {
            sorted[start[key[i] >> (BITS - 4)]++] = key[i];
        }
        for (int i = 0; i < KEYS; i++) {
            count[sorted[i]]++;
        }
#endif
        sum += count[iteration * 1000];
    }
    for (int i = 0; i < 1 << BITS; i++) {
        sum = sum * 3 + count[i];
    }
    printf("%u\n", sum);
}
