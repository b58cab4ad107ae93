// SPDX-License-Identifier: MIT
// The buffer between layers and readers.
#include "trace/input/layer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { BUFFER_BYTES = 256 << 10 };

static const uint8_t nothing[1]; // a valid address for empty ranges

struct dj_input {
    const dj_layer_ops *ops; // NULL: memory, all of it available
    void *state;
    char *name;
    const uint8_t *at, *end; // the available bytes
    uint64_t offset;         // of `at`
    uint8_t *buffer;         // NULL for memory
    size_t capacity;
    bool decoded; // offsets are those after decompression
    bool ended;
    int error; // found while filling; reported when the bytes before it are consumed
    char *message;
    const uint8_t *memory; // all of it, for memory
    size_t memory_bytes;
};

static int input_allocate(dj_context *context, const char *name, dj_input **out)
{
    dj_input *input = calloc(1, sizeof *input);
    char *copy = strdup(name);
    if (!input || !copy) {
        free(input);
        free(copy);
        return dj_fail_memory(context, "an input", 0);
    }
    input->name = copy;
    input->at = input->end = nothing;
    *out = input;
    return DJ_OK;
}

int dj_input_create(dj_context *context, const char *name, const dj_layer_ops *ops, void *state,
                    dj_input **out)
{
    dj_input *input = NULL;
    int err = input_allocate(context, name, &input);
    if (err) {
        ops->close(state);
        return err;
    }
    input->ops = ops;
    input->state = state;
    *out = input;
    return DJ_OK;
}

typedef struct compression {
    const char *magic;
    size_t bytes;
    const char *program; // that decompresses it
    int (*open)(dj_context *context, dj_input *below, dj_input **out);
} compression;

static const compression compressions[] = {
    {"\x1f\x8b\x08", 3, "zcat", dj_input_open_gzip},
    {"\x28\xb5\x2f\xfd", 4, "zstdcat", dj_input_open_zstd},
    {"\xfd"
     "7zXZ",
     6, "xzcat", dj_input_open_xz},
    {"PK\x03\x04", 4, "unzip -p", dj_input_open_zip},
    {"PK\x05\x06", 4, "unzip -p", dj_input_open_zip},
};

// NULL: none of them.
static const compression *find_compression(dj_span head)
{
    for (size_t i = 0; i < sizeof compressions / sizeof *compressions; i++)
        if (head.bytes >= compressions[i].bytes &&
            memcmp(head.data, compressions[i].magic, compressions[i].bytes) == 0)
            return &compressions[i];
    return NULL;
}

const char *dj_input_compression(dj_span head)
{
    const compression *found = find_compression(head);
    return found ? found->program : NULL;
}

// Adds the decoder that the first bytes of `raw` require on top of it. Closes `raw` on failure.
static int add_decoder(dj_context *context, dj_input *raw, dj_input **out)
{
    dj_span head;
    int err = dj_input_peek(context, raw, 6, &head);
    if (err && head.bytes == 0) {
        dj_input_close(raw);
        return err;
    }
    const compression *found = find_compression(head);
    if (!found) {
        *out = raw;
        return DJ_OK;
    }
    err = found->open(context, raw, out);
    if (!err)
        (*out)->decoded = true;
    return err;
}

int dj_input_open(dj_context *context, const char *path, dj_input **out)
{
    dj_input *input = NULL;
    int err = dj_input_open_file(context, path, &input);
    return err ? err : add_decoder(context, input, out);
}

int dj_input_open_memory(dj_context *context, const void *data, size_t bytes, const char *name,
                         dj_input **out)
{
    dj_input *input = NULL;
    int err = input_allocate(context, name, &input);
    if (err)
        return err;
    input->memory = bytes ? data : nothing;
    input->memory_bytes = bytes;
    input->at = input->memory;
    input->end = input->memory + bytes;
    input->ended = true;
    return add_decoder(context, input, out);
}

void dj_input_close(dj_input *input)
{
    if (!input)
        return;
    if (input->ops)
        input->ops->close(input->state);
    free(input->message);
    free(input->buffer);
    free(input->name);
    free(input);
}

static int remember_error(dj_input *input, dj_context *context, int err)
{
    input->message = strdup(dj_context_message(context));
    input->error = input->message ? err : dj_fail_memory(context, "an error", 0);
    return input->error;
}

static int repeat_error(const dj_input *input, dj_context *context)
{
    return input->message ? dj_fail(context, (enum dj_err)input->error, "%s", input->message)
                          : dj_fail_memory(context, "an error", 0);
}

// Fills [to, to + capacity) once; sets `ended` at the end.
static int fill(dj_context *context, dj_input *input, uint8_t *to, size_t capacity, size_t *got)
{
    *got = 0;
    if (input->error)
        return repeat_error(input, context);
    if (input->ended)
        return DJ_OK;
    int err = input->ops->fill(input->state, context, input->name, to, capacity, got);
    if (err)
        return remember_error(input, context, err);
    input->ended = *got == 0;
    return DJ_OK;
}

// Moves the available bytes to the front of a buffer with a capacity of at least `least` bytes.
static int make_room(dj_context *context, dj_input *input, size_t least)
{
    size_t kept = (size_t)(input->end - input->at);
    if (least > input->capacity) {
        size_t capacity = 2 * input->capacity;
        if (capacity < BUFFER_BYTES)
            capacity = BUFFER_BYTES;
        if (capacity < least)
            capacity = least;
        capacity = (capacity + DJ_READ_ALIGNMENT - 1) / DJ_READ_ALIGNMENT * DJ_READ_ALIGNMENT;
        uint8_t *buffer = aligned_alloc(DJ_READ_ALIGNMENT, capacity);
        if (!buffer)
            return dj_fail_memory(context, "the buffer of an input", capacity);
        if (kept)
            memcpy(buffer, input->at, kept);
        free(input->buffer);
        input->buffer = buffer;
        input->capacity = capacity;
    } else if (kept) {
        memmove(input->buffer, input->at, kept);
    }
    input->at = input->buffer;
    input->end = input->buffer + kept;
    return DJ_OK;
}

int dj_input_peek(dj_context *context, dj_input *input, size_t least, dj_span *out)
{
    int err = DJ_OK;
    size_t available = (size_t)(input->end - input->at);
    if (available < least && least > DJ_INPUT_MOST)
        err = dj_input_fail(context, input, input->offset, "a unit of %zu bytes is too long (at most %d)",
                            least, (int)DJ_INPUT_MOST);
    else if (available < least && !input->ended)
        err = make_room(context, input, least);
    while (!err && available < least && !input->ended) {
        size_t got = 0;
        err = fill(context, input, input->buffer + available, input->capacity - available, &got);
        available += got;
        input->end = input->buffer + available;
    }
    out->data = input->at;
    out->bytes = available;
    return err;
}

void dj_input_consume(dj_input *input, size_t bytes)
{
    input->at += bytes;
    input->offset += bytes;
}

int dj_input_read(dj_context *context, dj_input *input, void *to, size_t bytes, size_t *got)
{
    size_t done = (size_t)(input->end - input->at);
    if (done > bytes)
        done = bytes;
    if (done)
        memcpy(to, input->at, done);
    dj_input_consume(input, done);
    int err = DJ_OK;
    while (!err && done < bytes && !input->ended) {
        size_t more = 0;
        err = fill(context, input, (uint8_t *)to + done, bytes - done, &more);
        done += more;
        input->offset += more;
    }
    *got = done;
    return err;
}

void dj_input_restart(dj_input *input, uint64_t offset)
{
    input->at = input->end = nothing;
    input->offset = offset;
    input->ended = false;
    input->error = DJ_OK;
    free(input->message);
    input->message = NULL;
}

void dj_input_continue(dj_input *input)
{
    input->ended = false;
}

bool dj_input_stable(const dj_input *input)
{
    return input->memory != NULL;
}

uint64_t dj_input_offset(const dj_input *input)
{
    return input->offset;
}

const char *dj_input_name(const dj_input *input)
{
    return input->name;
}

void dj_input_progress(const dj_input *input, dj_progress *out)
{
    if (input->ops) {
        input->ops->progress(input->state, out);
        return;
    }
    out->bytes_read = input->offset;
    out->bytes_total = input->memory_bytes;
}

bool dj_input_memory(const dj_input *input, dj_span *out)
{
    out->data = input->memory;
    out->bytes = input->memory_bytes;
    return input->memory != NULL;
}

const void *dj_input_layer(const dj_input *input, const dj_layer_ops *ops)
{
    return input->ops == ops ? input->state : NULL;
}

const char *dj_input_offset_of(const dj_input *input)
{
    return input->decoded ? " of the decompressed data" : "";
}

int dj_input_locate(dj_context *context, const dj_input *input, uint64_t offset, int err)
{
    return err == DJ_ERR_INPUT ? dj_fail_within(context, err, "%s: byte %llu%s", input->name,
                                                (unsigned long long)offset, dj_input_offset_of(input))
                               : err;
}

int dj_input_fail(dj_context *context, const dj_input *input, uint64_t offset, const char *format, ...)
{
    char what[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return dj_input_locate(context, input, offset, dj_fail(context, DJ_ERR_INPUT, "%s", what));
}

int dj_input_fail_decode(dj_context *context, const dj_input *below, const char *kind, const char *what)
{
    return dj_fail(context, DJ_ERR_INPUT, "%s: byte %llu of the compressed data: %s: %s", below->name,
                   (unsigned long long)below->offset, kind, what);
}

int dj_input_fail_partial_record(dj_context *context, const dj_input *input, uint64_t offset, size_t rest,
                                 size_t width)
{
    return dj_input_fail(
        context, input, offset,
        "the trace ends within a record: %zu of %zu bytes; it was cut short or has another format", rest,
        width);
}

int dj_input_peek_records(dj_context *context, dj_input *input, size_t width, size_t most, dj_span *out)
{
    int err = dj_input_peek(context, input, width, out);
    if (err || out->bytes == 0 || width == 0)
        return err;
    if (out->bytes < width)
        return dj_input_fail_partial_record(context, input, dj_input_offset(input), out->bytes, width);
    size_t count = out->bytes / width;
    out->bytes = (count < most ? count : most) * width;
    return DJ_OK;
}
