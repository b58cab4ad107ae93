// SPDX-License-Identifier: MIT
#include "live/start/start.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PADS = 2,
    PADDED_BYTES = 16 * 1024, // padded to a multiple
};

void dj_start_free(dj_start *start)
{
    for (unsigned i = 0; i < start->kept_count; i++)
        free(start->kept[i]);
    free(start->file);
    free(start->arguments);
    free(start->environment);
    *start = (dj_start){0};
}

int dj_start_as_is(dj_start *start, dj_context *context, const dj_launch *launch, const char *program)
{
    start->file = strdup(program);
    start->arguments = calloc(launch->count + 1, sizeof *start->arguments);
    if (!start->file || !start->arguments)
        return dj_fail_memory(context, "a command line", 0);
    memcpy(start->arguments, launch->arguments, launch->count * sizeof *start->arguments);
    return DJ_OK;
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

static bool is_ours(const char *variable)
{
    static const char *const ours[] = {
        "DEJA_RING=", "DEJA_SAMPLE=", "DEJA_RECORDER=", "DEJA_RECORD=", "DEJA_RECORD_", "DEJA_PADDING"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strncmp(variable, ours[i], strlen(ours[i])) == 0)
            return true;
    return false;
}

int dj_start_environment(dj_start *start, dj_context *context, const char *const *settings, size_t count)
{
    size_t variables = 0, to = 0;
    while (environ[variables])
        variables++;
    start->environment = calloc(variables + count + PADS + 1, sizeof *start->environment);
    if (!start->environment)
        return dj_fail_memory(context, "an environment", 0);
    for (size_t i = 0; i < variables; i++)
        if (!is_ours(environ[i]))
            start->environment[to++] = environ[i];
    for (size_t i = 0; i < count; i++) {
        if (!settings[i])
            return dj_fail_memory(context, "an environment", 0);
        start->environment[to++] = settings[i];
    }
    return DJ_OK;
}

static void count_texts(const char *const *texts, size_t *count, size_t *bytes)
{
    for (; *texts; texts++, (*count)++)
        *bytes += strlen(*texts) + 1;
}

// The kernel puts the strings at the end of the stack, then, with an end of their own at multiples of 16,
// the pointers to them.
int dj_start_pad(dj_start *start, dj_context *context)
{
    static const char *const names[PADS] = {"DEJA_PADDING=", "DEJA_PADDING_2="};
    size_t variables = 0, texts = 0, bytes = strlen(start->file) + 1;
    count_texts(start->environment, &variables, &bytes);
    texts = variables;
    count_texts(start->arguments, &texts, &bytes);
    const size_t pads = texts % 2 ? 1 : PADS; // an even number of pointers
    texts += pads;
    for (size_t i = pads; i-- > 0;) {
        bytes += strlen(names[i]) + 1;
        size_t used = bytes + sizeof(void *) * (texts + 1);
        int fill = i ? 0 : (int)((PADDED_BYTES - used % PADDED_BYTES) % PADDED_BYTES);
        start->environment[variables] = dj_start_format(start, "%s%*s", names[i], fill, "");
        if (!start->environment[variables++])
            return dj_fail_memory(context, "an environment", 0);
    }
    return DJ_OK;
}
