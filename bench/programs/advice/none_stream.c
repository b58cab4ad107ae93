// SPDX-License-Identifier: MIT
// Large arrays, each used once.
//
// object:
// level: L2
// accept: none
#include "kernel.h"

#define N 400000

int main(void)
{
    uint32_t *a = calloc(N, sizeof *a), *b = calloc(N, sizeof *b), *c = malloc(N * sizeof *c), sum = 0;
    for (int i = 0; i < N; i++) {
        c[i] = a[i] + 3 * b[i] + (uint32_t)i;
        sum += c[i];
    }
    printf("%u\n", sum);
}
