// SPDX-License-Identifier: MIT
// A transposition that divides the matrix until a part fits in any cache.
//
// object:
// level: L1
// accept: none
#include "kernel.h"

#define N 512

static uint32_t a[N][N], b[N][N];

ALONE void transpose(int i, int j, int size)
{
    if (size > 8) {
        int half = size / 2;
        transpose(i, j, half);
        transpose(i, j + half, half);
        transpose(i + half, j, half);
        transpose(i + half, j + half, half);
        return;
    }
    for (int y = i; y < i + size; y++) {
        for (int x = j; x < j + size; x++) {
            b[x][y] = a[y][x] + (uint32_t)(x * y);
        }
    }
}

int main(void)
{
    transpose(0, 0, N);
    printf("%u\n", b[100][200]);
}
