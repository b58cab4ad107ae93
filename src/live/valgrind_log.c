// SPDX-License-Identifier: MIT
// Translates the errors in Valgrind's log into helpful messages.
#include "live/valgrind_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
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
    {"failed to start tool", "Valgrind could not start the tracer; DEJA_LIB may name the wrong folder"},
    {"Valgrind's memory management: out of memory",
     "Valgrind ran out of memory; raise the limit (ulimit -v) or use a smaller input"},
    {"the 'impossible' happened", "Valgrind failed with an internal error"},
    {"Can't extend stack", "its stack exceeded the limit; raise it with 'ulimit -s'"},
};

// Copies a line without its prefix "==1234== ".
static void copy_line(char *to, size_t capacity, const char *line)
{
    size_t length = strcspn(line, "\n");
    if (strncmp(line, "==", 2) == 0 || strncmp(line, "--", 2) == 0) {
        const char *end = strstr(line + 2, line[0] == '=' ? "==" : "--");
        if (end && end < line + length) {
            length -= (size_t)(end + 2 - line);
            line = end + 2;
        }
    }
    while (length > 0 && *line == ' ') {
        line++;
        length--;
    }
    snprintf(to, capacity, "%.*s", (int)length, line);
    for (char *c = to; *c; c++)
        if (dj_is_control(*c))
            *c = '?';
}

static bool explain_text(const char *text, char *to, size_t capacity)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(text, known[i].sign)) {
            snprintf(to, capacity, "%s", known[i].words);
            return true;
        }
    return false;
}

static bool quote_first(const char *text, char *to, size_t capacity)
{
    char line[256];
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        copy_line(line, sizeof line, at);
        if (!line[0])
            continue;
        snprintf(to, capacity, "Valgrind says: %s", line);
        return true;
    }
    return false;
}

// The traced program can replace the file, even by a pipe.
static ssize_t read_log(const char *path, char *text)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t length =
        fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? dj_read_all(fd, text, LOG_MOST) : -1;
    if (fd >= 0)
        close(fd);
    return length;
}

bool dj_valgrind_log_explain(const char *path, char *to, size_t capacity)
{
    char *text = calloc(1, LOG_MOST + 1);
    bool found = text && read_log(path, text) > 0 &&
                 (explain_text(text, to, capacity) || quote_first(text, to, capacity));
    free(text);
    return found;
}
