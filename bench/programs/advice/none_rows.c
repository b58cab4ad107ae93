// SPDX-License-Identifier: MIT
// An alignment that keeps two rows of its table, which fit in the smallest cache. The longer text is read
// once.
//
// object:
// level: L1
// accept: none
#include "kernel.h"

#define LONG 3000
#define SHORT 300

static uint32_t row[2][SHORT + 1];
static unsigned char second[SHORT];

int main(void)
{
    unsigned char *first = calloc(LONG, 64);
    for (int j = 0; j < SHORT; j++) {
        second[j] = (unsigned char)(j * 7 % 4);
    }
    for (int i = 0; i < LONG; i++) {
        for (int j = 0; j < SHORT; j++) {
            uint32_t both = row[i % 2][j] + (first[i * 64] == second[j] ? 3 : 0);
            uint32_t one = row[i % 2][j + 1] > row[(i + 1) % 2][j] ? row[i % 2][j + 1] : row[(i + 1) % 2][j];
            row[(i + 1) % 2][j + 1] = both > one ? both : one;
        }
    }
    printf("%u\n", row[LONG % 2][SHORT]);
}
