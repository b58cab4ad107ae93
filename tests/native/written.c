// SPDX-License-Identifier: MIT
// Kernels whose accesses to each variable are known from the source, as test_as_written.py lists them. Each
// has something that an optimizer removes, merges, moves or replaces.
#include <stdio.h>

enum { N = 1000 };
struct pair {
    int left, right;
};
struct node {
    struct node *next;
    int value;
};
struct bits {
    unsigned low : 3, high : 5;
};

int hoisted = 3, branches = 4, partly = 5, repeated = 6, overwritten, sum_kept, merged, both, unread = 7,
    pure_value = 8;
static int never_written = 9;
int condition[N], stored_if[N], zeroed[N], copied_from[N], copied_to[N], doubled_from[N], doubled_to[N],
    inlined[N];
int matrix[40][25], sunk[N], counted, fallthrough[4];
double series[N], scaled[N];
struct pair pairs[N], pairs_to[N];
struct node nodes[100];
struct bits flags;
char text[N + 1];
static const int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
static long total; // not in a register, since other functions use it

static int get(const int *from, int i)
{
    return from[i];
}

__attribute__((noinline, pure)) static int read_pure(void)
{
    return pure_value;
}

static int sum_list(const struct node *node)
{
    return node ? node->value + sum_list(node->next) : 0;
}

__attribute__((noinline)) static long moves(int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += (long)hoisted * i; // invariant
    for (int i = 0; i < n; i++)
        if (i % 10 < 3) // hoisted from both branches
            sum += (long)branches * i;
        else
            sum -= branches;
    for (int i = 0; i < n; i++) {
        if (i % 10 < 3) // partially redundant
            sum += partly;
        sum ^= partly;
    }
    for (int i = 0; i < n; i++) {
        sum += repeated;
        sum ^= repeated;
        sum += repeated;
    }
    return sum;
}

__attribute__((noinline)) static long stores(int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++) {
        overwritten = i; // dead
        overwritten = i + 1;
    }
    for (int i = 0; i < n; i++)
        sum_kept += i; // store motion
    for (int i = 0; i < n; i++)
        if (condition[i]) // if-conversion
            stored_if[i] = 1;
    for (int i = 0; i < n; i++) {
        sunk[i] = i; // needed in one branch only
        if (i % 10 < 3)
            sum += sunk[i];
    }
    for (int i = 0; i < n; i++)
        if (i & 1) { // the same ends
            merged = i;
            both++;
        } else {
            merged = i;
            both++;
        }
    return sum;
}

__attribute__((noinline)) static void idioms(int n)
{
    for (int i = 0; i < n; i++)
        zeroed[i] = 0; // memset
    for (int i = 0; i < n; i++)
        copied_to[i] = copied_from[i]; // memcpy
    for (int i = 0; i < n; i++)
        doubled_to[i] = 2 * doubled_from[i]; // vectors
    for (int i = 0; i < n; i++)
        scaled[i] = 0.5 * series[i];
    for (int i = 0; i < n; i++)
        text[i] = 'x';
    for (int i = 0; text[i]; i++) // strlen
        counted++;
}

__attribute__((noinline)) static long aggregates(int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++) {
        struct pair p = pairs[i]; // scalar replacement
        sum += p.left + p.right;
    }
    for (int i = 0; i < n; i++)
        pairs_to[i] = (struct pair){i, -i}; // store merging
    for (int i = 0; i < n; i++) {
        flags.low = i & 7;
        flags.high = i & 31;
    }
    return sum;
}

__attribute__((noinline)) static long calls(int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += get(inlined, i);
    for (int i = 0; i < n; i++) {
        sum += read_pure();
        sum ^= read_pure();
    }
    for (int i = 0; i < 100; i++) {
        nodes[i].next = i < 99 ? &nodes[i + 1] : NULL;
        nodes[i].value = i;
    }
    for (int i = 0; i < n; i++) {
        int value = unread; // dead
        (void)value;
    }
    for (int i = 0; i < n; i++)
        sum += table[i % 8] + never_written;
    return sum + sum_list(nodes);
}

__attribute__((noinline)) static long nests(int rows)
{
    long sum = 0;
    for (int j = 0; j < 25; j++)
        for (int i = 0; i < rows; i++) // interchange, unroll and jam
            sum += matrix[i][j];
    for (int i = 0; i < 25 * rows; i++)
        switch (i % 4) { // table of constants, tail merging
        case 0:
            fallthrough[0] += 1; // fall through
        case 1:
            fallthrough[1] += 1;
            break;
        case 2:
            fallthrough[2] += 1;
            break;
        default:
            fallthrough[2] += 1;
        }
    return sum;
}

int main(int count, char **arguments)
{
    (void)arguments;
    for (int i = 0; i < N; i++)
        condition[i] = i % 4 == 0;
    total += moves(N * count);
    total += stores(N * count);
    idioms(N * count);
    total += aggregates(N * count);
    total += calls(N * count);
    total += nests(40 * count);
    printf("%ld %d\n", total, counted);
    return 0;
}
