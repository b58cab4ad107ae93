// SPDX-License-Identifier: MIT
// ROUNDS thousand binary searches in a sorted array of SIZE words.
#include "kernel.h"

static uint64_t *list;

static void prepare(void)
{
    list = need(size * sizeof *list);
    for (size_t i = 0; i < size; i++)
        list[i] = 2 * i;
}

static double work(void)
{
    uint64_t state = 17, sum = 0;
    for (long i = 0; i < 1000 * rounds; i++) {
        const uint64_t key = next_random(&state) % (2 * size);
        size_t low = 0, end = size;
        while (low < end) {
            const size_t middle = (low + end) / 2;
            if (list[middle] < key)
                low = middle + 1;
            else
                end = middle;
        }
        sum += low;
    }
    return (double)sum;
}
