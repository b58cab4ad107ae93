// SPDX-License-Identifier: MIT
// Breadth-first search in a random graph with four edges for each node.
#include <stdio.h>
#include <stdlib.h>
static unsigned long x = 88172645463325252;
static unsigned long rnd(void)
{
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x >> 8;
}
int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], 0, 10) : 1000, deg = 4;
    size_t *edge = malloc(n * deg * sizeof *edge), *queue = malloc(n * sizeof *queue), head = 0, tail = 0;
    long *dist = malloc(n * sizeof *dist);
    for (size_t i = 0; i < n * deg; i++)
        edge[i] = rnd() % n;
    for (size_t i = 0; i < n; i++)
        dist[i] = -1;
    dist[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        size_t u = queue[head++];
        for (size_t k = 0; k < deg; k++) {
            size_t w = edge[u * deg + k];
            if (dist[w] < 0) {
                dist[w] = dist[u] + 1;
                queue[tail++] = w;
            }
        }
    }
    printf("%zu\n", tail);
    return 0;
}
