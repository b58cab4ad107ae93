// SPDX-License-Identifier: MIT
// Merge sort of random numbers.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void merge_sort(long *v, long *t, size_t n)
{
    if (n < 2)
        return;
    size_t h = n / 2, i = 0, j = h, k = 0;
    merge_sort(v, t, h);
    merge_sort(v + h, t + h, n - h);
    while (i < h && j < n)
        t[k++] = v[i] <= v[j] ? v[i++] : v[j++];
    while (i < h)
        t[k++] = v[i++];
    while (j < n)
        t[k++] = v[j++];
    for (i = 0; i < n; i++)
        v[i] = t[i];
}
int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], 0, 10) : 1000;
    long *v = malloc(n * sizeof *v), *t = malloc(n * sizeof *t);
    unsigned long x = 88172645463325252;
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        v[i] = x >> 1;
    }
    merge_sort(v, t, n);
    printf("%ld\n", v[n / 2]);
    return 0;
}
