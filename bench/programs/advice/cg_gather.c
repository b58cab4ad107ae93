// SPDX-License-Identifier: MIT
// A sparse matrix whose unknowns are numbered without regard to who is whose neighbor: each row gathers from
// all over the vector. Numbering neighbors consecutively makes the gathers local.
//
// model: NPB CG
// object: x
// level: L2
// accept: reorder
// carrier: rows sweeps
// native: -DHALF=11
#include "kernel.h"

#ifndef HALF
#define HALF 8
#endif
#define ROWS (1 << (2 * HALF))
#define WIDTH 5
#define SWEEPS 2

static uint32_t x[ROWS], y[ROWS], col[ROWS * WIDTH];

#ifndef FIXED
#define NUMBER(v) shuffled(v, HALF)
#define POSITION(v) unshuffled(v, HALF)
#else
#define NUMBER(v) (v)
#define POSITION(v) (v)
#endif

int main(void)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t at = POSITION(i);
        x[i] = at * 3 + 1;
        for (uint32_t k = 0; k < WIDTH; k++) {
            col[i * WIDTH + k] = NUMBER((at + k - WIDTH / 2) & (ROWS - 1));
        }
    }
    for (uint32_t sweep = 1; sweep <= SWEEPS; sweep++) { // [sweeps]
        for (int i = 0; i < ROWS; i++) {                 // [rows]
            uint32_t sum = 0;
            for (int k = 0; k < WIDTH; k++) {
                sum += x[col[i * WIDTH + k]];
            }
            y[i] += sum * sweep;
        }
    }
    uint32_t sum = 0;
    for (int i = 0; i < ROWS; i++) {
        sum += y[i] * y[i];
    }
    printf("%u\n", sum);
}
