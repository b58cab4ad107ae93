// SPDX-License-Identifier: MIT
#include "trace/sink/sink.h"

#include <stdlib.h>

int dj_sink_buffer_create(dj_context *context, const dj_sink_output *output, dj_sink_buffer *out)
{
    *out = (dj_sink_buffer){.output = *output, .data = malloc(DJ_SINK_BUFFER_BYTES)};
    return out->data ? DJ_OK : dj_fail_memory(context, "the buffer of a sink", DJ_SINK_BUFFER_BYTES);
}

void dj_sink_buffer_free(dj_sink_buffer *buffer)
{
    free(buffer->data);
    buffer->data = NULL;
}

int dj_sink_buffer_flush(dj_sink_buffer *buffer, dj_context *context)
{
    size_t bytes = buffer->used;
    buffer->used = 0;
    return bytes ? buffer->output.write(buffer->output.user, context, buffer->data, bytes) : DJ_OK;
}

int dj_sink_buffer_reserve(dj_sink_buffer *buffer, dj_context *context, size_t bytes)
{
    return DJ_SINK_BUFFER_BYTES - buffer->used >= bytes ? DJ_OK : dj_sink_buffer_flush(buffer, context);
}

void dj_sink_buffer_decimal(dj_sink_buffer *buffer, uint64_t number)
{
    uint8_t digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (uint8_t)('0' + number % 10);
    while (number /= 10);
    for (; at < sizeof digits; at++)
        buffer->data[buffer->used++] = digits[at];
}
