// SPDX-License-Identifier: MIT
// Copies a file with stdio streams, in units of every size, and prints how many bytes passed through each
// buffer.
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
    for (size_t piece = 1; written < BYTES; piece = piece * 2 % 9973)
        written += fwrite(from + written, 1, piece < BYTES - written ? piece : BYTES - written, file);
    fputs("a line\n", file);
    if (fclose(file) != 0)
        return 1;
    file = fopen(names[1], "r");
    for (size_t piece = 3; got < BYTES; piece = piece * 2 % 9973)
        got += fread(to + got, 1, piece < BYTES - got ? piece : BYTES - got, file);
    if (!fgets(line, sizeof line, file) || strcmp(line, "a line\n") != 0 || memcmp(from, to, BYTES) != 0)
        return 1;
    fclose(file);
    printf("%lx %lx %lx\n", (unsigned long)from, (unsigned long)to, (unsigned long)line);
    return 0;
}
