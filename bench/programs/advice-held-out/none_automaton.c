// SPDX-License-Identifier: MIT
// Text goes through an automaton whose tables fit in the cache; every character is read once.
//
// object:
// level: L2
// accept: none
#include <stdio.h>
#include <stdlib.h>

static unsigned char next_state[12][256];
static unsigned count[12];

int main(void)
{
    const size_t length = 400000;
    unsigned char *text = malloc(length);
    unsigned seed = 8, state = 0;
    for (size_t i = 0; i < length; i++) {
        seed = seed * 1664525u + 1013904223u;
        text[i] = (unsigned char)(seed >> 24);
    }
    for (unsigned s = 0; s < 12; s++)
        for (unsigned c = 0; c < 256; c++)
            next_state[s][c] = (unsigned char)((s * 7 + c) % 12);
    for (size_t i = 0; i < length; i++) {
        state = next_state[state][text[i]];
        count[state]++;
    }
    for (unsigned s = 0; s < 12; s++)
        printf("%u ", count[s]);
    printf("\n");
    free(text);
    return 0;
}
