// SPDX-License-Identifier: MIT
// The threads of a parallel loop divide the arrays: a[i] = b[i] + 3 c[i].
#include "kernel.h"

int main(int count, char **words)
{
    read_arguments(count, words, 8000, 8);
    double *a = need((size_t)size * sizeof *a), *b = need((size_t)size * sizeof *b),
           *c = need((size_t)size * sizeof *c);
    for (long round = 0; round < rounds; round++) {
#pragma omp parallel for num_threads((int)threads) schedule(static)
        for (long i = 0; i < size; i++)
            a[i] = b[i] + 3 * c[i];
    }
    printf("%g\n", a[size / 2]);
    return 0;
}
