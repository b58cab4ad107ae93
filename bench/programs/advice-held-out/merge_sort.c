// SPDX-License-Identifier: MIT
// Bottom-up merge sort: every width sweeps the whole data. Sorting parts that fit in the cache completely
// before going on saves all but the last few sweeps.
//
// object: data spare heap
// level: L2
// accept: tile fuse "call together" recursion
// carrier: widths
#include <stdio.h>
#include <stdlib.h>

#define COUNT 32768
#define PART 4096

static int data[COUNT], spare[COUNT];

static void merge(int *from, int *to, int low, int middle, int high)
{
    int left = low, right = middle;
    for (int at = low; at < high; at++)
        to[at] = left < middle && (right >= high || from[left] <= from[right]) ? from[left++] : from[right++];
}

static int *sort(int begin, int end, int first, int last, int *from, int *to)
{
    for (int width = first; width < last; width *= 2) { // [widths]
        for (int low = begin; low < end; low += 2 * width) {
            merge(from, to, low, low + width, low + 2 * width);
        }
        int *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

int main(void)
{
    unsigned seed = 4;
    for (int i = 0; i < COUNT; i++) {
        seed = seed * 69069u + 1u;
        data[i] = (int)(seed >> 8);
    }
    int *sorted = data;
#ifndef FIXED
    sorted = sort(0, COUNT, 1, COUNT, data, spare);
#else
    for (int part = 0; part < COUNT; part += PART)
        sorted = sort(part, part + PART, 1, PART, data, spare);
    sorted = sort(0, COUNT, PART, COUNT, sorted, sorted == data ? spare : data);
#endif
    unsigned sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum = sum * 31u + (unsigned)sorted[i];
    printf("%u\n", sum);
    return 0;
}
