// SPDX-License-Identifier: MIT
// Variables on the stack: scopes that share a place, inlined functions,
// parameters, a caller's array, and heap blocks held by local pointers.
#include "facts.h"

#include <alloca.h>
#include <string.h>

struct pair {
    int a;
    double b[3];
};

volatile int one = 1;
static volatile double sink;
static volatile char *volatile escape;

__attribute__((noinline)) static void scopes(void)
{
    volatile double outer[8];
    struct pair pair;
    escape = (volatile char *)outer;
    escape = (volatile char *)&pair;
    for (int i = 0; i < 8; i++) {
        outer[i] = i;
        fact_local(__builtin_dwarf_cfa(), &outer[i], 8, "outer", "[%d]", i);
    }
    FACT_LOCAL(pair, .a);
    FACT_LOCAL(pair, .b[2]);
    if (one) {
        volatile float first[16];
        escape = (volatile char *)first;
        for (int i = 0; i < 16; i++)
            fact_local(__builtin_dwarf_cfa(), &first[i], 4, "first", "[%d]", i);
        FACT_LOCAL(outer, [3]);
    }
    if (one) {
        volatile short second[32];
        escape = (volatile char *)second;
        for (int i = 0; i < 32; i++)
            fact_local(__builtin_dwarf_cfa(), &second[i], 2, "second", "[%d]", i);
        if (one) {
            volatile int second[2]; // hides the one around it
            escape = (volatile char *)second;
            for (int i = 0; i < 2; i++)
                fact_local(__builtin_dwarf_cfa(), &second[i], 4, "second", "[%d]", i);
        }
    }
    sink = outer[2] + pair.b[0];
}

static inline __attribute__((always_inline)) void inlined(int n)
{
    volatile int within[6];
    escape = (volatile char *)within;
    for (int i = 0; i < 6; i++) {
        within[i] = n;
        fact_local(__builtin_dwarf_cfa(), &within[i], 4, "within", "[%d]", i);
    }
}

struct large {
    double v[12];
};

__attribute__((noinline)) static void parameters(int n, struct large by_value, double *caller_array)
{
    volatile int spilled[4];
    escape = (volatile char *)spilled;
    for (int i = 0; i < 12; i++)
        fact_local(__builtin_dwarf_cfa(), &by_value.v[i], 8, "by_value", ".v[%d]", i);
    for (int i = 0; i < 4; i++) {
        spilled[i] = n;
        fact_local(__builtin_dwarf_cfa(), &spilled[i], 4, "spilled", "[%d]", i);
    }
    caller_array[n] = spilled[0];
}

__attribute__((noinline)) static void around(void)
{
    double mine[10];
    struct large large = {{1}};
    memset(mine, 0, sizeof mine);
    escape = (volatile char *)mine;
    parameters(one, large, mine);
    for (int i = 0; i < 10; i++)
        fact_local(__builtin_dwarf_cfa(), &mine[i], 8, "mine", "[%d]", i);
    inlined(one);
    inlined(2 * one);
    sink = mine[1];
}

// A variable without a fixed place in the frame has no name there.
__attribute__((noinline)) static void dynamic(int n)
{
    volatile char *taken = alloca((size_t)n * 64);
    volatile int fixed[3];
    escape = taken;
    escape = (volatile char *)fixed;
    for (int i = 0; i < 3; i++)
        fact_local(__builtin_dwarf_cfa(), &fixed[i], 4, "fixed", "[%d]", i);
    fact_no_local(__builtin_dwarf_cfa(), taken + 8);
    sink = taken[0] + fixed[0];
}

__attribute__((noinline)) static double blocks(void)
{
    double *values = fact_allocate(32 * sizeof *values);
    for (int i = 0; i < 32; i++)
        fact_pointer(fact_asked_from, (size_t)i * 8, 8, "values", "[%d]", i);
    struct pair *pairs = fact_allocate(4 * sizeof *pairs);
    fact_pointer(fact_asked_from, sizeof *pairs, 4, "pairs", "[1].a");
    fact_pointer(fact_asked_from, 2 * sizeof *pairs + 16, 8, "pairs", "[2].b[1]");
    escape = (volatile char *)pairs;
    escape = (volatile char *)values;
    return values[1] + pairs[1].b[0];
}

struct list {
    struct list *next;
    long key;
};

__attribute__((noinline)) static struct list *linked(struct list *at)
{
    at->next = fact_allocate(sizeof *at);
    fact_pointer(fact_asked_from, 8, 8, "at->next", "[0].key");
    return at->next;
}

static struct {
    int count;
    float *tables[4];
    struct pair *pairs;
} config;

__attribute__((noinline)) static void tables(int n)
{
    for (int i = 0; i < n; i++) {
        config.tables[i] = fact_allocate(100);
        fact_pointer(fact_asked_from, 12, 4, "config.tables[*]", "[3]");
    }
    config.pairs = fact_allocate(2 * sizeof *config.pairs);
    fact_pointer(fact_asked_from, sizeof *config.pairs + 8, 8, "config.pairs", "[1].b[0]");
    escape = (volatile char *)&config;
}

__attribute__((noinline)) static double **rows_of(int n)
{
    double **rows = fact_allocate((size_t)n * sizeof *rows);
    fact_pointer(fact_asked_from, 16, 8, "rows", "[2]");
    if (rows == NULL)
        return NULL;
    for (int i = 0; i < n; i++) {
        rows[i] = fact_allocate((size_t)n * sizeof **rows);
        fact_pointer(fact_asked_from, 16, 8, "rows[*]", "[2]");
    }
    return rows;
}

__attribute__((noinline)) static int make(short **out)
{
    *out = fact_allocate(20);
    fact_pointer(fact_asked_from, 6, 2, "*out", "[3]");
    return *out != NULL;
}

__attribute__((noinline)) static int checked(void)
{
    int *numbers = (int *)fact_allocate(40);
    if (!numbers)
        return 1;
    fact_pointer(fact_asked_from, 8, 4, "numbers", "[2]");
    numbers[1] = 5;
    escape = (volatile char *)numbers;
    return numbers[1];
}

// Only its caller knows what the block is.
__attribute__((noinline)) static void *wrapper(size_t bytes)
{
    void *block = fact_allocate(bytes);
    if (block == NULL)
        escape = NULL;
    fact_no_pointer(fact_asked_from);
    return block;
}

static inline __attribute__((always_inline)) void *checked_block(size_t bytes)
{
    void *block = fact_allocate(bytes);
    if (block == NULL)
        escape = NULL;
    return block;
}

__attribute__((noinline)) static double through_inlined(int n)
{
    float **lines = checked_block((size_t)n * sizeof *lines);
    fact_pointer(fact_asked_from, 8, 8, "lines", "[1]");
    for (int i = 0; i < n; i++) {
        lines[i] = checked_block((size_t)n * sizeof **lines);
        fact_pointer(fact_asked_from, 8, 4, "lines[*]", "[2]");
    }
    return lines[1][0];
}

int main(void)
{
    short *shorts = NULL;
    struct list first = {0};
    fact_module();
    scopes();
    around();
    dynamic(one);
    sink = blocks() + through_inlined(3 * one);
    tables(2 + one);
    sink = rows_of(2 + one)[1][1] + checked() + make(&shorts) + shorts[1] + *(char *)wrapper(10);
    return linked(&first) == &first;
}
