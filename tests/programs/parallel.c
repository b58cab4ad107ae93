// SPDX-License-Identifier: MIT
// An OpenMP parallel loop over an array, divided into equal parts.
#include <stdio.h>

enum { CELLS = 8000, ROUNDS = 3 };

static volatile double cells[CELLS];

int main(void)
{
    double sum = 0;
    for (int r = 0; r < ROUNDS; r++) {
#pragma omp parallel for schedule(static) reduction(+ : sum) num_threads(4)
        for (int i = 0; i < CELLS; i++) {
            cells[i] = i;    // [write]
            sum += cells[i]; // [read]
        }
    }
    printf("%.0f\n", sum);
    return 0;
}
