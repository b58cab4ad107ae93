// SPDX-License-Identifier: MIT
// All data fits in the smallest cache. What remains is the start of the program.
//
// object:
// level: L1
// accept: none
#include "kernel.h"

static uint32_t state[512];

int main(void)
{
    for (uint32_t step = 0; step < 1000; step++) {
        for (uint32_t i = 1; i < 512; i++) {
            state[i] = state[i] * 3 + state[i - 1] + step;
        }
    }
    printf("%u\n", state[511]);
}
