// SPDX-License-Identifier: MIT
// Alternating-direction implicit integration with every access annotated, as
// the 2001 paper's instrumentor does it: annotated [SIZE [ROUNDS]].
#include <deja/record.h>

#include <stdio.h>
#include <stdlib.h>

static int n;
static double *x, *a, *b;

#define AT(array, i, j) array[(size_t)(i) * (size_t)n + (size_t)(j)]
#define READ(array, i, j) dj_record_read(array, &AT(array, i, j))
#define WRITE(array, i, j) dj_record_write(array, &AT(array, i, j))

static void eliminate(int i, int j, int before_i, int before_j)
{
    AT(x, i, j) -= AT(x, before_i, before_j) * AT(a, i, j) / AT(b, before_i, before_j);
    READ(x, i, j);
    READ(x, before_i, before_j);
    READ(a, i, j);
    READ(b, before_i, before_j);
    WRITE(x, i, j);
    AT(b, i, j) -= AT(a, i, j) * AT(a, i, j) / AT(b, before_i, before_j);
    READ(b, i, j);
    READ(a, i, j);
    READ(a, i, j);
    READ(b, before_i, before_j);
    WRITE(b, i, j);
}

static void sweep(void)
{
    for (int j = 0; j < n; j++)
        for (int i = 1; i < n; i++)
            eliminate(i, j, i - 1, j);
    for (int j = 1; j < n; j++)
        for (int i = 0; i < n; i++)
            eliminate(i, j, i, j - 1);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            AT(x, i, j) /= AT(b, i, j);
            READ(x, i, j);
            READ(b, i, j);
            WRITE(x, i, j);
        }
}

static double *make(const char *name)
{
    size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    double *array = malloc(bytes);
    if (!array)
        exit(1);
    dj_record_data(array, bytes, sizeof(double), name);
    return array;
}

int main(int argc, char **argv)
{
    n = argc > 1 ? atoi(argv[1]) : 100;
    int rounds = argc > 2 ? atoi(argv[2]) : 1;
    x = make("x");
    a = make("a");
    b = make("b");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            AT(x, i, j) = 1;
            WRITE(x, i, j);
            AT(a, i, j) = -1;
            WRITE(a, i, j);
            AT(b, i, j) = 4;
            WRITE(b, i, j);
        }
    for (int r = 0; r < rounds; r++)
        sweep();
    printf("%g\n", AT(x, n - 1, n - 1));
    return 0;
}
