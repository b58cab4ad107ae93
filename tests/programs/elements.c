// SPDX-License-Identifier: MIT
// Arrays that are accessed in known parts: a global, blocks of one allocation site that are freed and
// allocated again at any address, a block that grows, and a local.
#include <stdint.h>
#include <stdlib.h>

enum { GLOBAL = 100000, BLOCKS = 40, EACH = 500, GROWN = 3000, LOCAL = 64 };

static volatile double global[GLOBAL];

__attribute__((noinline)) static void sweep(void)
{
    for (int i = 0; i < GLOBAL; i += 2)
        global[i] = i; // [global]
    for (int i = GLOBAL / 2; i < GLOBAL; i++)
        (void)global[i];
}

// Blocks live in pairs, so the addresses change.
__attribute__((noinline)) static void blocks(void)
{
    volatile int32_t *before = NULL;
    for (int b = 0; b < BLOCKS; b++) {
        volatile int32_t *block = malloc(EACH * sizeof *block); // [block]
        for (int i = 0; i <= b; i++)
            block[EACH - 1 - i] = i;
        free((void *)before);
        before = block;
    }
    free((void *)before);
}

__attribute__((noinline)) static void grow(void)
{
    volatile uint64_t *list = NULL;
    for (int i = 0; i < GROWN; i++) {
        if (i % 100 == 0)
            list = realloc((void *)list, (size_t)(i + 100) * sizeof *list); // [grown]
        list[i] = 1;
    }
    free((void *)list);
}

__attribute__((noinline)) static int local(int depth)
{
    volatile int16_t table[LOCAL]; // [local]
    for (int i = depth; i < LOCAL; i++)
        table[i] = (int16_t)i;
    return depth < 4 ? local(depth + 1) + table[LOCAL - 1] : table[LOCAL - 1];
}

int main(void)
{
    sweep();
    blocks();
    grow();
    return local(0) == 0;
}
