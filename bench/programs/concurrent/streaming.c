// SPDX-License-Identifier: MIT
// Each thread sweeps over arrays of its own: a[i] = b[i] + 3 c[i].
#include "kernel.h"

static double *arrays[THREADS_MOST][3];

static void *work(void *argument)
{
    const long t = (long)(intptr_t)argument;
    double *a = arrays[t][0], *b = arrays[t][1], *c = arrays[t][2];
    for (long round = 0; round < rounds; round++)
        for (long i = 0; i < size; i++)
            a[i] = b[i] + 3 * c[i];
    return NULL;
}

int main(int count, char **words)
{
    read_arguments(count, words, 4000, 8);
    for (long t = 0; t < threads; t++)
        for (int k = 0; k < 3; k++)
            arrays[t][k] = need((size_t)size * sizeof(double));
    run_threads(work);
    printf("%g\n", arrays[0][0][size / 2]);
    return 0;
}
