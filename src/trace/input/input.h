// SPDX-License-Identifier: MIT
// A byte stream over a file, standard input or memory, with gzip, zstd, xz and
// zip already seen through (by content). Memory is bounded whatever the input.
//
// Files are read(), never mapped: a mapped file that another process cuts
// short kills the reader with SIGBUS, against which a library has no defence
// that does not take over the program's signals. Reading straight into the
// columns of a batch (dj_input_read) copies within the second-level cache and
// was measured to be as fast as the page faults of a mapping. Memory inputs are
// given out in place, whole.
#ifndef DEJA_TRACE_INPUT_INPUT_H
#define DEJA_TRACE_INPUT_INPUT_H

#include <deja/source.h>

typedef struct dj_input dj_input;

typedef struct dj_span {
    const uint8_t *data;
    size_t bytes;
} dj_span;

// Most contiguous bytes that can be asked for.
enum { DJ_INPUT_MOST = 64 << 20 };

// "-" is standard input.
int dj_input_open(dj_context *context, const char *path, dj_input **out);
// The memory must outlive the input. `name` stands in messages.
int dj_input_open_memory(dj_context *context, const void *data, size_t bytes, const char *name,
                         dj_input **out);
void dj_input_close(dj_input *input);

// Shows all bytes at hand without consuming them, after reading on until there
// are `least` or the input ends; fewer mean that it ended. They stay where they
// are until the next want or read. When the input fails, the error comes
// only once fewer than `least` bytes are at hand, and *out still shows those.
int dj_input_peek(dj_context *context, dj_input *input, size_t least, dj_span *out);

// `bytes` of those that want has shown.
void dj_input_consume(dj_input *input, size_t bytes);

// Copies and consumes `bytes`, fewer only at the end (or with an error, which
// again comes after all that precedes it: *got is valid in both cases).
int dj_input_read(dj_context *context, dj_input *input, void *to, size_t bytes, size_t *got);

// Whether the bytes that want shows stay in place until the input is closed,
// so that a batch may point at them.
bool dj_input_stable(const dj_input *input);

// Whether it is a file by its name, as it lies on disk, which may be read anywhere.
bool dj_input_is_plain(const dj_input *input);
// Another input over the same such file, for another thread; the first one must outlive it.
int dj_input_share(dj_context *context, const dj_input *input, dj_input **out);
// Only for what dj_input_share made, at any time.
void dj_input_seek(dj_input *input, uint64_t offset);

uint64_t dj_input_offset(const dj_input *input); // of the next byte, decompressed
const char *dj_input_name(const dj_input *input);
void dj_input_progress(const dj_input *input, dj_progress *out); // in bytes as stored

// Bad input at `offset` of the decompressed stream: "NAME: byte OFFSET: …".
int dj_input_fail(dj_context *context, const dj_input *input, uint64_t offset, const char *format, ...)
    DJ_PRINTF(4, 5);

// For traces of records of one width. Peeks at the complete records available, at most `most`, after reading
// on for at least one; none at the end. An incomplete record at the end is bad input, reported after all
// records before it have been consumed.
int dj_input_peek_records(dj_context *context, dj_input *input, size_t width, size_t most, dj_span *out);
// The error for an incomplete record of `rest` bytes at `offset`.
int dj_input_fail_partial_record(dj_context *context, const dj_input *input, uint64_t offset, size_t rest,
                                 size_t width);

#endif
