// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

long *fill(long count);
static long loads;

// Accesses during loading count too.
__attribute__((constructor)) static void load(void)
{
    loads++;
}

long *fill(long count)
{
    long *cells = malloc((size_t)count * sizeof *cells); // [block]
    memset(cells, 0, (size_t)count * sizeof *cells);
    for (long i = 0; i < count; i++)
        cells[i] = i + loads; // [cell]
    return cells;
}
