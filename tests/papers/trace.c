// SPDX-License-Identifier: MIT
// A recorder that knows nothing of Deja but record.h: it numbers the elements
// of all recorded data and writes the number of each accessed one, 8 bytes in
// the order of the machine, to the file $TRACE. With $TRACE_STATEMENTS, an
// element counts once in a statement. With $TRACE_KINDS, it writes
// 4 * number + kind (enum dj_record_kind), and before each statement 2^64 - 1.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define DEJA_RECORD_OFF
#include "deja/record.h"

enum { DATA_MOST = 64, STATEMENT_MOST = 64 };

static struct {
    const char *base;
    size_t bytes, element_bytes;
    uint64_t first;
} data[DATA_MOST];

static size_t data_count, seen_count;
static uint64_t elements, seen[STATEMENT_MOST];
static FILE *file;

static void fail(const char *why)
{
    fprintf(stderr, "trace recorder: %s\n", why);
    exit(70);
}

static void add_data(const void *base, size_t bytes, size_t element_bytes, const char *name)
{
    (void)name;
    if (data_count == DATA_MOST)
        fail("too much data");
    data[data_count].base = base;
    data[data_count].bytes = bytes;
    data[data_count].element_bytes = element_bytes;
    data[data_count++].first = elements;
    elements += bytes / element_bytes;
}

static void write_word(uint64_t word)
{
    if (fwrite(&word, sizeof word, 1, file) != 1)
        fail("the trace cannot be written");
}

static void write_number(uint64_t number, int kind)
{
    if (getenv("TRACE_STATEMENTS")) {
        for (size_t i = 0; i < seen_count; i++)
            if (seen[i] == number)
                return;
        if (seen_count == STATEMENT_MOST)
            fail("a statement with too many accesses");
        seen[seen_count++] = number;
    }
    write_word(getenv("TRACE_KINDS") ? 4 * number + (uint64_t)kind : number);
}

static void add_access(const void *base, const void *element, int kind)
{
    for (size_t i = 0; i < data_count; i++) {
        size_t offset = (size_t)((const char *)element - data[i].base);
        if (data[i].base != base)
            continue;
        if (offset >= data[i].bytes || offset % data[i].element_bytes != 0)
            fail("an access outside of its data");
        write_number(data[i].first + offset / data[i].element_bytes, kind);
        return;
    }
    fail("an access to data that was not recorded");
}

static void no_partial(const void *base, const void *entry)
{
    (void)base, (void)entry;
}

static void no_forget(const void *base)
{
    (void)base;
}

static void begin_statement(void)
{
    seen_count = 0;
    if (getenv("TRACE_KINDS"))
        write_word(UINT64_MAX);
}

static void no_region(const char *name, int begins)
{
    (void)name, (void)begins;
}

static void no_name(const char *name)
{
    (void)name;
}

__attribute__((constructor)) static void open_trace(void)
{
    const char *path = getenv("TRACE");
    file = path ? fopen(path, "w") : NULL;
    if (!file)
        fail("the file $TRACE cannot be opened");
}

__attribute__((destructor)) static void close_trace(void)
{
    if (file && fclose(file) != 0)
        fail("the trace cannot be written");
}

__attribute__((visibility("default")))
const dj_record_calls dj_recorder = {DJ_RECORD_CALLS_VERSION, add_data,  no_partial, add_access, no_forget,
                                     begin_statement,         no_region, no_name};
