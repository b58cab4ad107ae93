// SPDX-License-Identifier: MIT
// What a writable format implements.
#ifndef DEJA_TRACE_SINK_SINK_H
#define DEJA_TRACE_SINK_SINK_H

#include <deja/sink.h>

typedef struct dj_sink_setup {
    dj_sink_output output;
    const dj_source_info *info;
    const dj_sink_options *options; // never NULL
} dj_sink_setup;

typedef struct dj_sink_ops {
    dj_sink_info info;
    int (*create)(dj_context *context, const dj_sink_setup *setup, void **state);
    int (*write)(void *state, dj_context *context, const dj_batch *batch);
    int (*finish)(void *state, dj_context *context);
    int (*flush)(void *state, dj_context *context); // without the end; NULL: traces have none
    void (*destroy)(void *state);
} dj_sink_ops;

extern const dj_sink_ops dj_sink_deja, dj_sink_text, dj_sink_csv, dj_sink_u32le, dj_sink_u32be, dj_sink_u64le,
    dj_sink_u64be;

// Collects bytes until there are enough to write.
typedef struct dj_sink_buffer {
    dj_sink_output output;
    uint8_t *data;
    size_t used;
} dj_sink_buffer;

enum { DJ_SINK_BUFFER_BYTES = 256 << 10 };

int dj_sink_buffer_create(dj_context *context, const dj_sink_output *output, dj_sink_buffer *out);
void dj_sink_buffer_free(dj_sink_buffer *buffer);
// Makes space for `bytes` (at most a quarter of the buffer) after the used part.
int dj_sink_buffer_reserve(dj_sink_buffer *buffer, dj_context *context, size_t bytes);
int dj_sink_buffer_flush(dj_sink_buffer *buffer, dj_context *context);
// Appends a decimal number; 20 bytes must have been reserved.
void dj_sink_buffer_decimal(dj_sink_buffer *buffer, uint64_t number);

#endif
