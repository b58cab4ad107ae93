// SPDX-License-Identifier: MIT
// What Valgrind writes to its log when it cannot go on, in words that help.
#include "live/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { LOG_MOST = 16384 };

static const struct {
    const char *sign, *words;
} known[] = {
    {"unhandled instruction bytes: 0x62",
     "it uses an instruction that Valgrind does not know, most likely of AVX-512; compile it without "
     "-march=native, or with -mno-avx512f"},
    {"Unrecognised instruction",
     "it uses an instruction that Valgrind does not know; compile it for an older processor (without "
     "-march=native, as with -march=x86-64-v3)"},
    {"unhandled instruction bytes",
     "it uses an instruction that Valgrind does not know; compile it for an older processor (without "
     "-march=native, as with -march=x86-64-v3)"},
    {"failed to start tool", "Valgrind could not start the tracer; DEJA_LIB may name a wrong folder"},
    {"Valgrind's memory management: out of memory",
     "Valgrind ran out of memory for it; raise the limit (ulimit -v) or take a smaller input"},
    {"the 'impossible' happened", "Valgrind itself failed"},
    {"Can't extend stack", "its stack outgrew the limit; raise it with 'ulimit -s'"},
};

// Without the "==1234== " in front of each line.
static void copy_line(char *to, size_t room, const char *line)
{
    size_t length = strcspn(line, "\n");
    if (strncmp(line, "==", 2) == 0 || strncmp(line, "--", 2) == 0) {
        const char *end = strstr(line + 2, line[0] == '=' ? "== " : "-- ");
        if (end && end < line + length) {
            length -= (size_t)(end + 3 - line);
            line = end + 3;
        }
    }
    snprintf(to, room, "%.*s", (int)length, line);
    for (char *c = to; *c; c++)
        if (dj_is_control(*c))
            *c = '?';
}

static bool explain_text(const char *text, char *to, size_t room)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(text, known[i].sign)) {
            snprintf(to, room, "%s", known[i].words);
            return true;
        }
    return false;
}

bool dj_explain_log(const char *path, char *to, size_t room)
{
    char *text = calloc(1, LOG_MOST + 1);
    FILE *file = text ? fopen(path, "re") : NULL;
    size_t length = file ? fread(text, 1, LOG_MOST, file) : 0;
    if (file)
        fclose(file);
    bool found = length && explain_text(text, to, room);
    if (!found && length) {
        char line[256];
        copy_line(line, sizeof line, text);
        snprintf(to, room, "Valgrind says: %s", line);
        found = true;
    }
    free(text);
    return found;
}
