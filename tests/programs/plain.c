// SPDX-License-Identifier: MIT
// Two arrays and a heap block; built statically, as PIE and not, with and without debug information, and
// stripped.
#include <stdio.h>
#include <stdlib.h>

enum { CELLS = 5000 };

volatile long numbers[CELLS];
static volatile long squares[CELLS];

__attribute__((noinline, noclone)) static long work(volatile long *block)
{
    long sum = 0;
    for (long i = 0; i < CELLS; i++) {
        numbers[i] = i;        // [numbers]
        squares[i] = i * i;    // [squares]
        block[i] = numbers[i]; // [block]
        sum += squares[i];     // [sum]
    }
    return sum;
}

int main(void)
{
    long *block = malloc(CELLS * sizeof *block);
    if (!block)
        return 1;
    printf("%ld\n", work(block));
    free(block);
    return 0;
}
