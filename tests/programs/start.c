// SPDX-License-Identifier: MIT
// Prints where its stack begins, its arguments and its environment, as the kernel left them. With the
// argument "quietly" it prints nothing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

extern char **environ;

static void print(int argc, char **argv, char **variables)
{
    printf("%p\n%s %s %d\n", (void *)argv, (const char *)getauxval(AT_EXECFN),
           (const char *)getauxval(AT_PLATFORM), variables == environ);
    for (int i = 0; i < argc; i++)
        puts(argv[i]);
    for (; *variables; variables++)
        puts(*variables);
}

int main(int argc, char **argv, char **variables)
{
    if (argc < 2 || strcmp(argv[1], "quietly") != 0)
        print(argc, argv, variables);
    long *block = malloc(4000 * sizeof *block), sum = 0;
    if (!block)
        return 1;
    for (int i = 0; i < 4000; i++)
        block[i] = i;
    for (int i = 0; i < 4000; i++)
        sum += block[i * 7 % 4000];
    free(block);
    return sum != 7998000;
}
