// SPDX-License-Identifier: MIT
// Walks over blocks of 32 bytes and reads the first 8 bytes of each: all blocks in
// order, every second block, and the even blocks before the odd ones.
#include <stdlib.h>

enum { BLOCKS = 8192, ROUNDS = 4 };

struct block {
    volatile long value;
    char rest[24];
};

static struct block walked[BLOCKS] __attribute__((aligned(4096)));
static struct block skipped[2 * BLOCKS] __attribute__((aligned(4096)));
static struct block halved[BLOCKS] __attribute__((aligned(4096)));

static __attribute__((noinline)) long walk(void)
{
    long sum = 0;
    for (int i = 0; i < BLOCKS; i++)
        sum += walked[i].value; // [walk]
    return sum;
}

static __attribute__((noinline)) long skip(void)
{
    long sum = 0;
    for (int i = 0; i < 2 * BLOCKS; i += 2)
        sum += skipped[i].value; // [skip]
    return sum;
}

static __attribute__((noinline)) long halve(void)
{
    long sum = 0;
    for (int i = 0; i < BLOCKS; i += 2)
        sum += halved[i].value; // [even]
    for (int i = 1; i < BLOCKS; i += 2)
        sum += halved[i].value; // [odd]
    return sum;
}

int main(int argc, char **argv)
{
    long sum = 0;
    for (int r = 0; r < ROUNDS; r++)
        sum += walk();
    for (int r = 0; r < ROUNDS; r++)
        sum += skip();
    for (int r = 0; r < ROUNDS; r++)
        sum += halve();
    return sum ? 1 : argc > 1 ? atoi(argv[1]) : 0;
}
