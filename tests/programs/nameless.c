// SPDX-License-Identifier: MIT
// Memory of a program without symbols and debug information: two heap blocks and a mapping.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { WORDS = 4000 };

int main(void)
{
    long *first = malloc(WORDS * sizeof *first), *second = calloc(WORDS, 2 * sizeof *second), sum = 0;
    long *mapped =
        mmap(NULL, WORDS * sizeof *mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!first || !second || mapped == MAP_FAILED)
        return 1;
    for (int i = 0; i < WORDS; i++)
        first[i] = second[i] = mapped[i] = i;
    for (int i = 0; i < WORDS; i++)
        sum += first[i] + second[i] + mapped[i];
    printf("%ld\n", sum);
    return 0;
}
