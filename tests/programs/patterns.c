// SPDX-License-Identifier: MIT
// Functions whose misses have one pattern each, over data that no first-level cache holds.
// tests/live/test_classes.py knows the answers.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ALONE __attribute__((noinline))

enum { COUNT = 1 << 15, NODE_WORDS = 8, ROWS = 512, COLUMNS = 512, LOOKUPS = 4000 };

typedef struct node {
    struct node *next, *child[2];
    uint64_t key, rest[4];
} node;

// Not static, so that the compiler does not know what they hold.
double a[COUNT], b[COUNT], c[COUNT], grid[ROWS][COLUMNS];
uint32_t order[COUNT], follow[COUNT];
uint64_t sorted[COUNT * 4], table[COUNT * 4];
node nodes[COUNT / 4], *root;

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

ALONE static void triad(void)
{
    for (size_t i = 0; i < COUNT; i++)
        a[i] = b[i] + 3 * c[i];
}

ALONE static double strided(void)
{
    double sum = 0;
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j += 32) // 256 bytes
            sum += grid[i][j];
    return sum;
}

ALONE static double columns(void)
{
    double sum = 0;
    for (size_t j = 0; j < COLUMNS; j += 8)
        for (size_t i = 0; i < ROWS; i++) // 4096 bytes
            sum += grid[i][j];
    return sum;
}

ALONE static double gather(void)
{
    double sum = 0;
    for (size_t i = 0; i < COUNT; i++)
        sum += a[order[i]];
    return sum;
}

ALONE static uint64_t chase(void)
{
    uint64_t sum = 0;
    for (const node *at = nodes[0].next; at != nodes; at = at->next)
        sum += at->key;
    return sum;
}

ALONE static uint64_t chase_indexes(void)
{
    uint32_t at = 0;
    for (size_t i = 0; i < COUNT; i++)
        at = follow[at];
    return at;
}

ALONE static uint64_t descend(void)
{
    uint64_t state = 3, found = 0;
    for (size_t i = 0; i < LOOKUPS; i++) {
        const uint64_t key = next_random(&state) % (COUNT / 4);
        const node *at = root;
        while (at && at->key != key)
            at = at->child[at->key < key];
        found += at != NULL;
    }
    return found;
}

ALONE static uint64_t visit(const node *at)
{
    return at ? at->key + visit(at->child[0]) + visit(at->child[1]) : 0;
}

ALONE static uint64_t search(void)
{
    uint64_t state = 5, sum = 0;
    for (size_t i = 0; i < LOOKUPS; i++) {
        const uint64_t key = next_random(&state) % (2 * COUNT * 4);
        size_t low = 0, end = COUNT * 4;
        while (low < end) {
            const size_t middle = (low + end) / 2;
            if (sorted[middle] < key)
                low = middle + 1;
            else
                end = middle;
        }
        sum += low;
    }
    return sum;
}

ALONE static uint64_t probe(void)
{
    uint64_t state = 7, sum = 0;
    for (size_t i = 0; i < 4 * (size_t)LOOKUPS; i++) {
        const uint64_t key = next_random(&state);
        size_t at = key % (COUNT * 4);
        while (table[at] && table[at] != key)
            at = (at + 1) % (COUNT * 4);
        sum += at;
    }
    return sum;
}

static node *build(const uint32_t *places, size_t first, size_t end)
{
    if (first == end)
        return NULL;
    const size_t middle = (first + end) / 2;
    node *at = &nodes[places[middle]];
    at->key = middle;
    at->child[0] = build(places, first, middle);
    at->child[1] = build(places, middle + 1, end);
    return at;
}

// A random order of the first `count` numbers.
static void shuffle(size_t count)
{
    uint64_t state = 11;
    for (size_t i = 0; i < count; i++) {
        const size_t k = next_random(&state) % (i + 1);
        order[i] = order[k];
        order[k] = (uint32_t)i;
    }
}

int main(void)
{
    const size_t node_count = COUNT / 4;
    shuffle(node_count);
    for (size_t i = 0; i < node_count; i++)
        nodes[order[i]].next = &nodes[order[(i + 1) % node_count]];
    root = build(order, 0, node_count);
    shuffle(COUNT);
    for (size_t i = 0; i < COUNT; i++)
        follow[order[i]] = order[(i + 1) % COUNT];
    for (size_t i = 0; i < COUNT * 4; i++)
        sorted[i] = 2 * i;
    triad();
    const double real = strided() + columns() + gather();
    const uint64_t whole = chase() + chase_indexes() + descend() + visit(root) + search() + probe();
    printf("%g %llu\n", real, (unsigned long long)whole);
    return 0;
}
