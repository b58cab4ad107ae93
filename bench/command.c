// SPDX-License-Identifier: MIT
// Runs and times other programs.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

// `command` with every {} replaced by the path, quoted for the shell.
static char *fill_in(const char *command, const char *path)
{
    char *line = NULL;
    size_t bytes;
    FILE *out = open_memstream(&line, &bytes);
    if (!out)
        return NULL;
    for (const char *at = command; *at; at++) {
        if (at[0] != '{' || at[1] != '}') {
            fputc(*at, out);
            continue;
        }
        fputc('\'', out);
        for (const char *p = path; *p; p++)
            fputs(*p == '\'' ? "'\\''" : (char[]){*p, '\0'}, out);
        fputc('\'', out);
        at++;
    }
    if (fclose(out) == 0)
        return line;
    free(line);
    return NULL;
}

int bench_command_time(dj_context *context, const char *command, const char *path, uint64_t accesses,
                       double *seconds)
{
    char *line = fill_in(command, path);
    if (!line)
        return dj_fail_memory(context, "a command", 0);
    double own_rate = 0, start = bench_seconds();
    FILE *out = popen(line, "r");
    if (!out) {
        free(line);
        return dj_fail(context, DJ_ERR_IO, "%s: cannot be started: %s", command, strerror(errno));
    }
    char text[512];
    while (fgets(text, sizeof text, out))
        if (strncmp(text, "accesses_per_s ", 15) == 0)
            own_rate = strtod(text + 15, NULL);
    int status = pclose(out);
    *seconds = own_rate > 0 ? (double)accesses / own_rate : bench_seconds() - start;
    free(line);
    return status == 0 ? DJ_OK
                       : dj_fail(context, DJ_ERR_IO, "%s: ended with status %d on %s", command, status, path);
}
