// SPDX-License-Identifier: MIT
// Text of invented words, few of them frequent, for compression programs.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "bench/live.h"

enum { WORDS = 4000, LONGEST = 12 };

static void write_words(FILE *out, uint64_t bytes)
{
    static char words[WORDS][LONGEST + 1];
    dj_random random;
    dj_random_seed(&random, 1);
    for (size_t i = 0; i < WORDS; i++) {
        size_t length = 1 + dj_random_below(&random, LONGEST);
        for (size_t c = 0; c < length; c++)
            words[i][c] = (char)('a' + dj_random_below(&random, 1 + dj_random_below(&random, 26)));
    }
    for (uint64_t written = 0; written < bytes;) {
        uint64_t word = dj_random_below(&random, 1 + dj_random_below(&random, WORDS));
        int printed = fprintf(out, "%s%c", words[word], dj_random_below(&random, 12) ? ' ' : '\n');
        written += (uint64_t)(printed > 0 ? printed : 1);
    }
}

int bench_text_write(dj_context *context, uint64_t bytes, char *path)
{
    int fd = mkstemp(path);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) {
        if (fd >= 0)
            close(fd);
        return dj_fail(context, DJ_ERR_IO, "%s cannot be made", path);
    }
    write_words(out, bytes);
    bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed)
        return DJ_OK;
    unlink(path);
    return dj_fail(context, DJ_ERR_IO, "%s cannot be written", path);
}
