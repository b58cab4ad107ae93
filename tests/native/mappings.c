// SPDX-License-Identifier: MIT
// Mappings of all kinds: requested by main, by a function that returns them, moved to
// another address, and before main's first access.
#include <stdlib.h>
#include <sys/mman.h>

static __attribute__((noinline)) void *take(size_t bytes)
{
    void *memory = mmap64(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

static __attribute__((noinline)) void touch(volatile long *at, int count)
{
    for (int i = 0; i < count; i++)
        at[i] = i;
}

int main(void)
{
    long *field = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long *table = take(1 << 16), *block = malloc(1000);
    touch(field, 100);
    touch(table, 50);
    touch(block, 20);
    long *behind = mmap(NULL, 1 << 17, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long *grown = mremap(table, 1 << 16, 1 << 17, MREMAP_MAYMOVE | MREMAP_FIXED, behind);
    touch(grown, 30);
    munmap(field, 1 << 16);
    free(block);
    return 0;
}
