// SPDX-License-Identifier: MIT
// Reuses over several megabytes, which no burst of a sample can follow: sweeps, random accesses, a list in
// random order, a table that is hot, and two threads.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWEPT = 1 << 18, TABLE = 1 << 17, NODES = 1 << 15, HOT = 64, ROUNDS = 6, TAKEN = 1 << 17 };

#define NOINLINE __attribute__((noinline))

typedef struct node {
    struct node *next;
    long value[7];
} node;

static long hot[HOT];

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static NOINLINE long sweep(const long *from)
{
    long sum = 0;
    for (size_t i = 0; i < SWEPT; i++)
        sum += from[i]; // [sweep]
    return sum;
}

static NOINLINE void scatter(long *table, uint64_t *state)
{
    for (size_t i = 0; i < TAKEN; i++)
        table[next(state) % TABLE] += (long)i; // [scatter]
}

static NOINLINE long follow(const node *at)
{
    long sum = 0;
    for (; at; at = at->next) // [follow]
        sum += at->value[3];  // [value]
    return sum;
}

static NOINLINE void count(long *list)
{
    for (size_t i = 0; i < TAKEN; i++)
        list[i % HOT] += (long)i; // [count]
}

static NOINLINE node *link_up(node *nodes, uint64_t *state)
{
    uint32_t *order = malloc(NODES * sizeof *order); // [order]
    if (!order)
        abort();
    for (uint32_t i = 0; i < NODES; i++)
        order[i] = i; // [number]
    for (uint32_t i = NODES - 1; i > 0; i--) {
        const uint32_t k = (uint32_t)(next(state) % (i + 1)), kept = order[i];
        order[i] = order[k]; // [shuffle]
        order[k] = kept;
    }
    for (uint32_t i = 0; i < NODES; i++)
        nodes[order[i]] = (node){i + 1 < NODES ? &nodes[order[i + 1]] : NULL, {0}}; // [link]
    node *first = &nodes[order[0]];
    free(order);
    return first;
}

static void *work(void *of)
{
    uint64_t state = 7;
    long *own = calloc(TABLE, sizeof *own); // [own]
    if (!own)
        abort();
    for (int round = 0; round < ROUNDS; round++)
        scatter(own, &state);
    *(long *)of = own[5];
    free(own);
    return NULL;
}

// With an argument there is one thread only.
int main(int argument_count, char **arguments)
{
    uint64_t state = 1;
    long sum = 0, of_thread = 0;
    pthread_t thread;
    const int alone = argument_count > 1;
    (void)arguments;
    long *swept = calloc(SWEPT, sizeof *swept); // [swept]
    long *table = calloc(TABLE, sizeof *table); // [table]
    node *nodes = calloc(NODES, sizeof *nodes); // [nodes]
    if (!swept || !table || !nodes || (!alone && pthread_create(&thread, NULL, work, &of_thread)))
        return 1;
    const node *first = link_up(nodes, &state);
    for (int round = 0; round < ROUNDS; round++) {
        sum += sweep(swept);
        scatter(table, &state);
        sum += follow(first);
        count(hot);
    }
    if (alone)
        work(&of_thread);
    else
        pthread_join(thread, NULL);
    printf("%ld\n", sum + of_thread + table[3] + hot[1]);
    free(swept);
    free(table);
    free(nodes);
    return 0;
}
