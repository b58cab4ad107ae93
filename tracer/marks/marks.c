// SPDX-License-Identifier: MIT
// The library that an annotated program (deja/record.h) loads under Valgrind. It contains only functions that
// the tracer knows by name (tracer/valgrind/functions.c); at their entry the tracer records their arguments.
// Accesses are traced anyway.
#define DEJA_RECORD_OFF
#include <deja/record.h>

#include "marks.h"

// Each differs from the others: a compiler may merge equal functions, or let one jump to another.
#define MARK(name) __asm__ volatile("# " name)

extern DJ_MARK const dj_record_calls dj_recorder;

void dj_mark_data(const void *base, size_t bytes, size_t element_bytes, const char *name)
{
    (void)base, (void)bytes, (void)element_bytes, (void)name;
    MARK("data");
}

void dj_mark_statement(void)
{
    MARK("statement");
}

void dj_mark_region(const char *name, int begins)
{
    (void)name, (void)begins;
    MARK("region");
}

void dj_mark_thread_name(const char *name)
{
    (void)name;
    MARK("thread name");
}

const dj_record_calls dj_recorder = {
    .version = DJ_RECORD_CALLS_VERSION,
    .data = dj_mark_data,
    .statement = dj_mark_statement,
    .region = dj_mark_region,
    .thread_name = dj_mark_thread_name,
};
