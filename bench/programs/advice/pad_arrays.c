// SPDX-License-Identifier: MIT
// Ten arrays, used side by side, begin at multiples of 64 KiB: their current blocks compete for one set of
// eight. An array that begins a block later uses another set.
//
// ways: 8
// object: a b c d e f g h s t
// level: L1
// accept: pad regroup
// reject: tile fuse
// native: -DPASSES=2000
#include "kernel.h"

#ifndef PASSES
#define PASSES 4
#endif
#define N 16384
#ifdef FIXED
#define FROM(k) (16 * (k))
#else
#define FROM(k) 0
#endif
#define ARRAY __attribute__((aligned(65536)))

static uint32_t a[N + 256] ARRAY, b[N + 256] ARRAY, c[N + 256] ARRAY, d[N + 256] ARRAY, e[N + 256] ARRAY;
static uint32_t f[N + 256] ARRAY, g[N + 256] ARRAY, h[N + 256] ARRAY, s[N + 256] ARRAY, t[N + 256] ARRAY;

int main(void)
{
    for (int i = 0; i < N + 256; i++) {
        a[i] = b[i] = c[i] = d[i] = 7;
    }
    for (int i = 0; i < N + 256; i++) {
        e[i] = f[i] = g[i] = h[i] = 7;
    }
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        for (int i = 0; i < N; i++) { // [elements]
            t[i + FROM(0)] += pass + a[i + FROM(1)] + b[i + FROM(2)] + c[i + FROM(3)] + d[i + FROM(4)] +
                              e[i + FROM(5)] + f[i + FROM(6)] + g[i + FROM(7)] + h[i + FROM(8)] +
                              s[i + FROM(9)];
            s[i + FROM(9)] += (uint32_t)i;
        }
    }
    uint32_t sum = 0;
    for (int i = 0; i < N; i++) {
        sum = sum * 31 + t[i + FROM(0)];
    }
    printf("%u\n", sum);
}
