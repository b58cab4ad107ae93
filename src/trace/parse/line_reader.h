// SPDX-License-Identifier: MIT
// The framework for text formats whose lines are independent: a format is a table with one function that
// turns a line into accesses. The framework reads the lines, skips blank ones and comments, fills batches,
// reports where a bad line is, and probes a head with the same function.
#ifndef DEJA_TRACE_PARSE_LINE_READER_H
#define DEJA_TRACE_PARSE_LINE_READER_H

#include "trace/format.h"
#include "trace/parse/fields.h"

typedef struct dj_access {
    uint64_t address;
    uint64_t size;
    uint64_t clock; // nanoseconds since an arbitrary time, modulo 2^64
    uint32_t device;
    uint32_t site;
    uint8_t kind;
} dj_access;

// Receives the accesses of a line.
typedef struct dj_line_sink {
    dj_context *context;
    dj_batch *batch; // NULL while probing
    dj_batch_buffers to;
    uint32_t columns; // dj_column_bit
    uint32_t count;
    uint32_t capacity;
    uint64_t given;       // see `line`; 0 when a new line begins
    const char *expected; // for a bad line: what was expected …
    const char *found;    // … here
} dj_line_sink;

// Returned by `line` if the batch became full before the line ended.
enum { DJ_LINE_MORE = 1 };

typedef struct dj_line_ops {
    const char *syntax; // the syntax of a line, for messages: "time id size"
    uint32_t columns;   // dj_column_bit that `line` fills; DJ_COLUMN_CLOCK only if requested
    // A line that begins with # is a comment. If lines begin with arbitrary words, only a line that begins
    // with "# " (or is just #) is. Such words may contain anything, so control characters are checked for and
    // refused.
    bool words;
    int score; // of the probe if every line of a head parses, 1 to 100
    // May be NULL. The score, if it depends on the contents of the lines.
    int (*judge)(const void *state);
    // Size of the format's private state, which is zero-initialized; may be 0. start and stop may be NULL;
    // stop is also called after a failed start.
    size_t state_bytes;
    int (*start)(void *state, dj_context *context, const dj_source_options *options);
    void (*stop)(void *state);
    void (*restart)(void *state); // may be NULL: the next line is the first of another file
    // Turns a line (never blank, without its newline) into accesses. If the sink is full, stores in
    // sink->given how far it came and returns DJ_LINE_MORE; it is then called again with the same line.
    int (*line)(void *state, dj_line_sink *sink, dj_text_field line);
} dj_line_ops;

// The functions of a dj_format, except its table.
int dj_line_open(dj_context *context, const dj_line_ops *ops, dj_input *input,
                 const dj_source_options *options, void **state);
int dj_line_resume(void *state, dj_context *context, dj_input *input);
int dj_line_read(void *state, dj_context *context, dj_input *input, dj_batch *batch);
void dj_line_close(void *state);
// The score if the head has complete lines and all of them parse.
int dj_line_probe(const dj_line_ops *ops, const dj_head *head);

// Removes the next complete line from the front of `rest`, a part of a head.
bool dj_head_line(const dj_head *head, dj_text_field *rest, dj_text_field *line);

// For a format whose columns depend on its options or its first line: the private state of an open reader,
// its first line (NULL if there is none) without consuming it, and the columns that its batches will have.
void *dj_line_state(const void *state);
int dj_line_peek(void *state, dj_context *context, dj_text_field *first);
void dj_line_set_columns(void *state, uint32_t columns);

static inline bool dj_line_full(const dj_line_sink *sink)
{
    return sink->count == sink->capacity;
}

// Adds an access; the sink must not be full.
static inline void dj_line_put(dj_line_sink *sink, const dj_access *access)
{
    uint32_t i = sink->count++;
    sink->to.address[i] = access->address;
    if (sink->columns & DJ_COLUMN_SIZE)
        sink->to.size[i] = access->size;
    if (sink->columns & DJ_COLUMN_DEVICE)
        sink->to.device[i] = access->device;
    if (sink->columns & DJ_COLUMN_SITE)
        sink->to.site[i] = access->site;
    if (sink->columns & DJ_COLUMN_KIND)
        sink->to.kind[i] = access->kind;
    if (sink->columns & DJ_COLUMN_CLOCK)
        sink->to.clock[i] = access->clock;
}

// Consumes a time stamp in units of `unit` nanoseconds; computes its value only if it is requested.
static inline bool dj_line_clock(const dj_line_sink *sink, dj_text_field *field, uint64_t unit,
                                 uint64_t *clock)
{
    return sink->columns & DJ_COLUMN_CLOCK ? dj_field_clock(field, unit, clock) : dj_field_skip_real(field);
}

// Adds an event before the next access.
int dj_line_event(dj_line_sink *sink, dj_event event);

// Reports a bad line: `expected` should be where `found` begins.
int dj_line_expected(dj_line_sink *sink, dj_text_field found, const char *expected);

// dj_line_put for an access with a size; fails if its end overflows.
static inline int dj_line_put_range(dj_line_sink *sink, const dj_access *access, dj_text_field found)
{
    if (!dj_range_fits(access->address, access->size))
        return dj_line_expected(sink, found, "an access that ends below 2^64");
    dj_line_put(sink, access);
    return DJ_OK;
}

// Common to all tables of this framework. DJ_LINE_FUNCTIONS(ops) defines the two functions that refer to
// `ops`; a format may define them differently.
#define DJ_LINE_FUNCTIONS(ops)                                                                               \
    static int line_probe(const dj_head *head)                                                               \
    {                                                                                                        \
        return dj_line_probe(&(ops), head);                                                                  \
    }                                                                                                        \
    static int line_open(dj_context *context, dj_input *input, const dj_source_options *options,             \
                         void **state)                                                                       \
    {                                                                                                        \
        return dj_line_open(context, &(ops), input, options, state);                                         \
    }

#define DJ_LINE_TABLE                                                                                        \
    .probe = line_probe, .open = line_open, .resume = dj_line_resume, .read = dj_line_read,                  \
    .close = dj_line_close, .grows_by = DJ_GROWS_BY_LINES

// The three classes with their usual block sizes.
#define DJ_CLASS_KEYS_TABLE .default_block = 1, .unit_bytes = 0, .default_split = false
#define DJ_CLASS_MEMORY_TABLE .default_block = 64, .unit_bytes = 1, .default_split = false
#define DJ_CLASS_BLOCK_IO_TABLE .default_block = 4096, .unit_bytes = 1, .default_split = true

#endif
