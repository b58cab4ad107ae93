// SPDX-License-Identifier: MIT
// A hash join of two tables of random keys.
#include <stdio.h>
#include <stdlib.h>
struct node {
    unsigned long key, value;
    struct node *next;
};
static unsigned long x = 88172645463325252;
static unsigned long rnd(void)
{
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x >> 8;
}
int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], 0, 10) : 1000, m = 2 * n, buckets = 1;
    unsigned long *r = malloc(n * sizeof *r), *s = malloc(m * sizeof *s), sum = 0;
    buckets = n;
    struct node **table = calloc(buckets, sizeof *table), *nodes = malloc(n * sizeof *nodes);
    for (size_t i = 0; i < n; i++)
        r[i] = rnd() % n;
    for (size_t i = 0; i < m; i++)
        s[i] = rnd() % n;
    for (size_t i = 0; i < n; i++) {
        size_t h = r[i] * 2654435761u % buckets;
        nodes[i] = (struct node){r[i], i, table[h]};
        table[h] = &nodes[i];
    }
    for (size_t i = 0; i < m; i++)
        for (struct node *p = table[s[i] * 2654435761u % buckets]; p; p = p->next)
            if (p->key == s[i])
                sum += p->value;
    printf("%lu\n", sum);
    return 0;
}
