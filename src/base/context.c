// SPDX-License-Identifier: MIT
#include <deja/error.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

struct dj_context {
    atomic_bool stopped; // set by signal handlers and other threads
    char message[2048];
    char warning[1024]; // the first one
};

int dj_context_create(dj_context **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? DJ_OK : DJ_ERR_MEMORY;
}

void dj_context_destroy(dj_context *context)
{
    free(context);
}

const char *dj_context_message(const dj_context *context)
{
    return context->message;
}

int(dj_fail)(dj_context *context, enum dj_err err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(context->message, sizeof context->message, format, args);
    va_end(args);
    dj_plain_clean(context->message); // it quotes files and streams, which are untrusted
    return err;
}

int dj_fail_within(dj_context *context, int err, const char *format, ...)
{
    char inner[sizeof context->message];
    memcpy(inner, context->message, sizeof inner);
    va_list args;
    va_start(args, format);
    int used = vsnprintf(context->message, sizeof context->message, format, args);
    va_end(args);
    size_t at = used < 0 ? 0 : (size_t)used;
    if (at + 2 < sizeof context->message)
        snprintf(context->message + at, sizeof context->message - at, ": %.*s",
                 (int)(sizeof context->message - at - 3), inner);
    dj_plain_clean(context->message); // it quotes files and streams, which are untrusted
    return err;
}

void dj_warn(dj_context *context, const char *format, ...)
{
    if (context->warning[0])
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(context->warning, sizeof context->warning, format, args);
    va_end(args);
    dj_plain_clean(context->warning);
}

const char *dj_context_warning(const dj_context *context)
{
    return context->warning;
}

int(dj_fail_memory)(dj_context *context, const char *what, uint64_t bytes)
{
    if (bytes == 0)
        return dj_fail(context, DJ_ERR_MEMORY, "out of memory for %s", what);
    return dj_fail(context, DJ_ERR_MEMORY, "out of memory: %s needs %llu bytes", what,
                   (unsigned long long)bytes);
}

void dj_context_stop(dj_context *context)
{
    atomic_store(&context->stopped, true);
}

bool dj_context_stopped(const dj_context *context)
{
    return atomic_load_explicit(&context->stopped, memory_order_relaxed);
}
