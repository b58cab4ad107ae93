// SPDX-License-Identifier: MIT
#include "live/start.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void dj_start_free(dj_start *start)
{
    for (unsigned i = 0; i < start->kept_count; i++)
        free(start->kept[i]);
    free(start->file);
    free(start->arguments);
    free(start->environment);
    *start = (dj_start){0};
}

const char *dj_start_format(dj_start *start, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    int length = start->kept_count < sizeof start->kept / sizeof *start->kept
                     ? vasprintf(&text, format, arguments)
                     : -1;
    va_end(arguments);
    if (length < 0)
        return NULL;
    start->kept[start->kept_count++] = text;
    return text;
}

int dj_start_environment(dj_start *start, dj_context *context, const char *setting)
{
    static const char ours[] = "DEJA_RING=";
    size_t count = 0;
    while (environ[count])
        count++;
    start->environment = calloc(count + 2, sizeof *start->environment);
    if (!start->environment)
        return dj_fail_memory(context, "an environment", 0);
    size_t to = 0;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], ours, sizeof ours - 1) != 0)
            start->environment[to++] = environ[i];
    start->environment[to] = setting;
    return DJ_OK;
}
