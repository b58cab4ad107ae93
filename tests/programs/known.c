// SPDX-License-Identifier: MIT
// A program whose accesses are known. Its data is volatile, so that each read and
// write in the source is exactly one access, and nothing else accesses it. Before
// `kernel`, stack and heap are aligned to page boundaries, so that reuse distances
// do not depend on the environment. tests/live/test_known.py uses the marks [x] at
// the ends of lines and the constants of the enum below, and contains the expected
// results.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 24, COLUMNS = 40, PARTS = 64, WORDS = 512, DEPTH = 20, LOCAL = 64, SWEEPS = 10 };

struct part {
    long id;
    double vel[3];
    char rest[96];
};

_Alignas(64) volatile double grid[ROWS][COLUMNS];
_Alignas(64) volatile struct part parts[PARTS];
_Alignas(64) volatile long trail[DEPTH + 1];
_Alignas(64) volatile long turns;
_Alignas(64) volatile uintptr_t window_at;
volatile long *volatile blocks[2];

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE static void fill_grid(void)
{
    for (int i = 0; i < ROWS; i++)        // [rows]
        for (int j = 0; j < COLUMNS; j++) // [columns]
            grid[i][j] = i + j;           // [fill]
}

NOINLINE static double sum_columns(void)
{
    double sum = 0;
    for (int j = 0; j < COLUMNS; j++)  // [outer]
        for (int i = 0; i < ROWS; i++) // [inner]
            sum += grid[i][j];         // [sum]
    return sum;
}

NOINLINE static double move_parts(void)
{
    double sum = 0;
    for (int i = 0; i < PARTS; i++) {
        parts[i].vel[2] = i;    // [vel]
        sum += parts[i].vel[2]; // [vel again]
        parts[i].id = i;        // [id]
    }
    return sum + parts[12].vel[2]; // [part 12]
}

NOINLINE static long descend(long depth)
{
    trail[depth] = depth;                        // [down]
    long below = depth ? descend(depth - 1) : 0; // [again]
    return below + trail[depth];                 // [up]
}

NOINLINE static volatile long *make(long words)
{
    return malloc((size_t)words * sizeof(long)); // [make]
}

NOINLINE static long touch(volatile long *block, long words)
{
    long sum = 0;
    for (long i = 0; i < words; i++)
        sum += block[i] = i;                   // [touch]
    __asm__ volatile("incq %0" : "+m"(turns)); // [turn]
    return sum;
}

NOINLINE static long one_way(void)
{
    volatile long *block = make(WORDS); // [one make]
    blocks[0] = block;                  // [one block]
    return touch(block, WORDS);         // [one way]
}

NOINLINE static long other_way(void)
{
    volatile long *block = make(2 * WORDS); // [other make]
    blocks[1] = block;                      // [other block]
    long sum = touch(block, WORDS);         // [other way]
    return sum + touch(block, 2 * WORDS);   // [other way again]
}

NOINLINE static double window(void)
{
    volatile double local[LOCAL];
    double sum = 0;
    window_at = (uintptr_t)local; // [at]
    for (int i = 0; i < LOCAL; i++)
        local[i] = i; // [local write]
    for (int i = 0; i < LOCAL; i++)
        sum += local[i]; // [local read]
    return sum;
}

NOINLINE void kernel(void)
{
    double sum = 0;
    for (int i = 0; i < SWEEPS; i++) { // [sweeps]
        fill_grid();                   // [to fill]
        sum += sum_columns();          // [to sum]
    }
    sum += move_parts();
    sum += (double)descend(DEPTH); // [first descent]
    sum += (double)one_way();
    sum += (double)other_way();
    sum += window();
    turns = turns + (long)(sum > 0); // [end]
}

// Calls a function with the stack aligned to a page boundary.
void on_page(void (*function)(void));
__asm__(".text\n.globl on_page\n.type on_page, @function\non_page:\n"
        ".cfi_startproc\npush %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n"
        "mov %rsp, %rbp\n.cfi_def_cfa_register %rbp\nand $-4096, %rsp\ncall *%rdi\n"
        "mov %rbp, %rsp\npop %rbp\n.cfi_def_cfa %rsp, 8\nret\n.cfi_endproc\n.size on_page, . - on_page\n");

#define SHOW(name) printf("%s %#lx %zu\n", #name, (unsigned long)(uintptr_t) & (name), sizeof(name))

// Allocates so much of the heap that the next block begins 16 bytes after a page boundary.
static void align_heap(void)
{
    uintptr_t next = (uintptr_t)malloc(4088) + 4096; // larger than any free block
    uintptr_t chunk = 4096 + (16 - next) % 4096;
    blocks[0] = malloc(chunk - 8);
}

int main(void)
{
    align_heap();
    on_page(kernel);
    SHOW(grid);
    SHOW(parts);
    SHOW(trail);
    SHOW(turns);
    SHOW(window_at);
    SHOW(blocks);
    printf("one %p %zu\n", (void *)blocks[0], WORDS * sizeof(long));
    printf("other %p %zu\n", (void *)blocks[1], 2 * WORDS * sizeof(long));
    printf("local %#lx %zu\n", (unsigned long)window_at, LOCAL * sizeof(double));
    return turns == 4 ? 0 : 1;
}
