// SPDX-License-Identifier: MIT
// Looks up marks, each 0 or 1, at unpredictable places in a table. A mark has 8
// bytes; with -DFIXED it has one.
#include <stdio.h>

#include "example.h"

enum { COUNT = 1 << 17, LOOKUPS = 100000 };

#ifdef FIXED
typedef uint8_t mark;
#else
typedef uint64_t mark;
#endif
static mark marks[COUNT];

static long look_up(void)
{
    long sum = 0;
    for (int i = 0; i < LOOKUPS; i++)
        sum += (long)marks[random_number() % COUNT];
    return sum;
}

int main(int argc, char **argv)
{
    int rounds = rounds_of(argc, argv, 20);
    long sum = 0;
    for (int i = 0; i < COUNT; i++)
        marks[i] = i % 3 == 0;
    for (int round = 0; round < rounds; round++)
        sum += look_up();
    printf("%ld\n", sum);
    return 0;
}
