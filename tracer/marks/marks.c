// SPDX-License-Identifier: MIT
// What a program with annotations (deja/record.h) loads under Valgrind: nothing
// but functions for the tracer to know by name (tracer/valgrind/functions.c), at
// whose entry it writes what they are given. Accesses it sees anyway.
#define DEJA_RECORD_OFF
#include <deja/record.h>

#include "marks.h"

// Each differs from the others: a compiler lets equal functions be one, or jump to one.
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
