// SPDX-License-Identifier: MIT
// A binary search tree whose nodes were allocated in the order of random insertions, walked in order of the
// keys again and again. Nodes copied in the order of the walk share blocks with their neighbours.
//
// object: heap root tree Node node
// level: L2
// accept: pool reorder split
// reject: tile fuse
#include <stdio.h>
#include <stdlib.h>

typedef struct Node {
    struct Node *left, *right;
    long key;
} Node;

static Node *insert(Node *root, long key)
{
    Node **at = &root;
    while (*at)
        at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    *at = calloc(1, sizeof(Node));
    (*at)->key = key;
    return root;
}

static long walk(const Node *node, long so_far)
{
    if (!node)
        return so_far;
    so_far = walk(node->left, so_far) * 3 + node->key;
    return walk(node->right, so_far);
}

#ifdef FIXED
static Node *pack(const Node *node, Node **free_node)
{
    if (!node)
        return NULL;
    Node *left = pack(node->left, free_node), *copy = (*free_node)++;
    copy->left = left;
    copy->key = node->key;
    copy->right = pack(node->right, free_node);
    return copy;
}
#endif

int main(void)
{
    Node *root = NULL;
    unsigned long seed = 7;
    const int nodes = 9000, walks = 20;
    for (int i = 0; i < nodes; i++) {
        seed = seed * 6364136223846793005ul + 1442695040888963407ul;
        root = insert(root, (long)(seed >> 33));
    }
#ifdef FIXED
    Node *store = malloc(nodes * sizeof *store), *free_node = store;
    root = pack(root, &free_node);
#endif
    long sum = 0;
    for (int i = 0; i < walks; i++)
        sum = walk(root, sum) % 1000003;
    printf("%ld\n", sum);
    return 0;
}
