// SPDX-License-Identifier: MIT
// The smallest, the largest and the sum of each of several series, each by a function of its own.
//
// object: series
// level: L2
// accept: fuse "call together"
// reject: tile
#include <stdio.h>
#include <stdlib.h>

#define LENGTH 30000
#define SERIES 6

#define SEPARATE __attribute__((noinline)) static

SEPARATE double find_sum(const double *s, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += s[i];
    return sum;
}

SEPARATE double find_largest(const double *s, int n)
{
    double largest = s[0];
    for (int i = 1; i < n; i++)
        largest = s[i] > largest ? s[i] : largest;
    return largest;
}

SEPARATE double find_smallest(const double *s, int n)
{
    double smallest = s[0];
    for (int i = 1; i < n; i++)
        smallest = s[i] < smallest ? s[i] : smallest;
    return smallest;
}

SEPARATE void find_all(const double *s, int n, double *sum, double *largest, double *smallest)
{
    *sum = 0;
    *largest = *smallest = s[0];
    for (int i = 0; i < n; i++) {
        *sum += s[i];
        *largest = s[i] > *largest ? s[i] : *largest;
        *smallest = s[i] < *smallest ? s[i] : *smallest;
    }
}

int main(void)
{
    double total = 0;
    double *series = malloc(sizeof *series * LENGTH * SERIES);
    for (int i = 0; i < LENGTH * SERIES; i++)
        series[i] = i % 1013;
    for (int n = 0; n < SERIES; n++) {
        const double *s = series + (size_t)n * LENGTH;
        double sum, largest, smallest;
#ifndef FIXED
        sum = find_sum(s, LENGTH);
        largest = find_largest(s, LENGTH);
        smallest = find_smallest(s, LENGTH);
        if (sum < 0)
            find_all(s, LENGTH, &sum, &largest, &smallest);
#else
        find_all(s, LENGTH, &sum, &largest, &smallest);
        if (sum < 0)
            sum = find_sum(s, LENGTH) + find_largest(s, LENGTH) + find_smallest(s, LENGTH);
#endif
        total += sum * (largest - smallest);
    }
    printf("%.10g\n", total);
    free(series);
    return 0;
}
