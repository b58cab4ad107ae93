// SPDX-License-Identifier: MIT
// Copies a file with stdio, in chunks of many sizes, and prints the addresses of its
// three buffers.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 50000 };
static char from[BYTES], to[BYTES], line[1000];

int main(int count, char **names)
{
    if (count < 2)
        return 2;
    for (int i = 0; i < BYTES; i++)
        from[i] = (char)('a' + i % 23);
    FILE *file = fopen(names[1], "w");
    size_t written = 0, got = 0;
    for (size_t chunk = 1; written < BYTES; chunk = chunk * 2 % 9973)
        written += fwrite(from + written, 1, chunk < BYTES - written ? chunk : BYTES - written, file);
    fputs("a line\n", file);
    if (fclose(file) != 0)
        return 1;
    file = fopen(names[1], "r");
    for (size_t chunk = 3; got < BYTES; chunk = chunk * 2 % 9973)
        got += fread(to + got, 1, chunk < BYTES - got ? chunk : BYTES - got, file);
    if (!fgets(line, sizeof line, file) || strcmp(line, "a line\n") != 0 || memcmp(from, to, BYTES) != 0)
        return 1;
    fclose(file);
    printf("%lx %lx %lx\n", (unsigned long)from, (unsigned long)to, (unsigned long)line);
    return 0;
}
