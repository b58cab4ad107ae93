// SPDX-License-Identifier: MIT
#include "base/shell_word.h"

#include <stdbool.h>
#include <string.h>

#include "base/plain.h"

// Whether a shell would read the word as something else.
static bool needs_quotes(const char *word)
{
    for (const char *c = word; *c; c++)
        if ((unsigned char)*c < 0x80 && !dj_plain_is_word(*c) && !strchr("_-./:=,@%+^", *c))
            return true;
    return !*word;
}

void dj_shell_word_print(FILE *out, const char *word)
{
    const bool quoted = needs_quotes(word);
    fputs(quoted ? "'" : "", out);
    for (const char *c = word; *c; c++)
        if (*c == '\'')
            fputs("'\\''", out);
        else
            fputc(*c, out);
    fputs(quoted ? "'" : "", out);
}
