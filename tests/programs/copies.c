// SPDX-License-Identifier: MIT
// Code that the compiler duplicates: a recursive function is cloned for each known
// depth, and the body of a loop is unrolled.
#include <stdlib.h>

enum { DEPTH = 6, ROWS = 12, CELLS = 20 };

struct node {
    struct node *left, *right;
    long depth;
};

__attribute__((noinline)) static struct node *build(int depth)
{
    struct node *n = malloc(sizeof *n); // [node]
    if (!n)
        exit(1);
    n->depth = depth;                           // [depth]
    n->left = depth ? build(depth - 1) : NULL;  // [left]
    n->right = depth ? build(depth - 1) : NULL; // [right]
    return n;
}

static volatile long *volatile rows[ROWS];

__attribute__((noinline)) static void make_rows(void)
{
#pragma GCC unroll 4
    for (int i = 0; i < ROWS; i++)
        rows[i] = malloc(CELLS * sizeof(long)); // [row]
}

int main(void)
{
    struct node *root = build(DEPTH);
    make_rows();
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < CELLS; k++)
            rows[i][k] = k; // [cell]
    return root->depth != DEPTH;
}
