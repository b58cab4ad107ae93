// SPDX-License-Identifier: MIT
// The sum of a binary tree, several times. The nodes were allocated in another order, with other data
// between them. A pool in the order of the traversal has two or three in each block.
//
// model: Olden treeadd
// object: node tree nodes
// level: L2
// accept: pool reorder
// reject: tile fuse
// carrier: passes
// native: -DHALF=10
#include "kernel.h"

#ifndef HALF
#define HALF 7
#endif
#define NODES (1U << (2 * HALF))
#define PASSES 6

struct tree {
    struct tree *left, *right;
    uint32_t value;
};

static struct tree *node[NODES];

#ifdef FIXED
static struct tree *pool;
static void place(uint32_t at)
{
    if (at < NODES) {
        node[at] = pool++;
        place(2 * at);
        place(2 * at + 1);
    }
}
#endif

ALONE uint32_t add(struct tree *tree)
{
    if (!tree) {
        return 0;
    }
    tree->value += 3;
    return tree->value + add(tree->left) * 3 + add(tree->right);
}

int main(void)
{
#ifdef FIXED
    pool = malloc(NODES * sizeof *pool);
    place(1);
#else
    char *name = NULL;
    for (uint32_t i = 0; i < NODES; i++) {
        node[shuffled(i, HALF)] = malloc(sizeof(struct tree));
        name = malloc(40);
        name[0] = (char)i;
    }
#endif
    for (uint32_t i = 1; i < NODES; i++) {
        node[i]->value = i;
        node[i]->left = 2 * i < NODES ? node[2 * i] : NULL;
        node[i]->right = 2 * i + 1 < NODES ? node[2 * i + 1] : NULL;
    }
    uint32_t sum = 0;
    for (int pass = 0; pass < PASSES; pass++) { // [passes]
        sum = sum * 31 + add(node[1]);
    }
    printf("%u\n", sum);
}
