// SPDX-License-Identifier: MIT
// Samples are read once, filtered with a short window, and written once.
//
// object:
// level: L2
// accept: none
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    enum { COUNT = 200000, TAPS = 16 };
    const int *taps = (int[TAPS]){1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1};
    short *in = calloc(COUNT, sizeof *in), *out = calloc(COUNT, sizeof *out);
    int window[TAPS] = {0}, value = 1;
    for (int n = 0; n < COUNT; n++) {
        value = value * 75 % 65537;
        in[n % 64] = (short)value;
        window[n % TAPS] = in[n % 64];
        int sum = 0;
        for (int t = 0; t < TAPS; t++)
            sum += taps[t] * window[(n + t) % TAPS];
        out[n] = (short)(sum >> 6);
    }
    printf("%d %d\n", out[COUNT / 2], out[COUNT - 1]);
    free(in);
    free(out);
    return 0;
}
