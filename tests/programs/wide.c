// SPDX-License-Identifier: MIT
// Uses AVX-512 without checking that the processor supports it.
#include <stdio.h>

static double cells[8] __attribute__((aligned(64)));

int main(void)
{
    printf("before\n");
    fflush(stdout);
    __asm__ volatile("vmovapd %0, %%zmm0\n\tvaddpd %%zmm0, %%zmm0, %%zmm1\n\tvmovapd %%zmm1, %0"
                     : "+m"(cells)
                     :
                     : "xmm0", "xmm1");
    printf("after\n");
    return 0;
}
