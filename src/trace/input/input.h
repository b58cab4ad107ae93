// SPDX-License-Identifier: MIT
// A byte stream over a file, standard input or memory. gzip, zstd, xz and zip are recognized by content and
// decompressed transparently. Memory is bounded for any input.
//
// Files are read with read(), not mapped: if another process truncates a mapped file, the reader dies of
// SIGBUS, and a library cannot prevent that without taking over the program's signals. Reading directly into
// the columns of a batch (dj_input_read) copies within the second-level cache; it was measured to be as fast
// as the page faults of a mapping. Memory inputs are returned in place, all at once.
#ifndef DEJA_TRACE_INPUT_INPUT_H
#define DEJA_TRACE_INPUT_INPUT_H

#include <deja/source.h>

typedef struct dj_input dj_input;

typedef struct dj_span {
    const uint8_t *data;
    size_t bytes;
} dj_span;

// The largest number of contiguous bytes that can be requested.
enum { DJ_INPUT_MOST = 64 << 20 };

// "-" is standard input.
int dj_input_open(dj_context *context, const char *path, dj_input **out);
// The memory must outlive the input. `name` is used in messages.
int dj_input_open_memory(dj_context *context, const void *data, size_t bytes, const char *name,
                         dj_input **out);
void dj_input_close(dj_input *input);

// Shows all available bytes without consuming them, after reading until there are at least `least` or the
// input ends; fewer mean the end. They stay valid until the next peek or read. An error is returned only when
// fewer than `least` bytes are available, and *out still shows those.
int dj_input_peek(dj_context *context, dj_input *input, size_t least, dj_span *out);

// Consumes `bytes` of those that peek has shown.
void dj_input_consume(dj_input *input, size_t bytes);

// Copies and consumes `bytes`; fewer only at the end or on an error, which again is returned after everything
// before it. *got is valid in both cases.
int dj_input_read(dj_context *context, dj_input *input, void *to, size_t bytes, size_t *got);

// Whether the bytes that peek shows remain valid until the input is closed, so that a batch may point to
// them.
bool dj_input_stable(const dj_input *input);

// Whether it is an uncompressed, named file, which can be read at any offset.
bool dj_input_is_plain(const dj_input *input);
// Opens another input over the same plain file, for another thread; the first one must outlive it.
int dj_input_share(dj_context *context, const dj_input *input, dj_input **out);
// Only for inputs from dj_input_share, at any time.
void dj_input_seek(dj_input *input, uint64_t offset);

// The program that decompresses data with these first bytes, such as "zcat"; NULL if it is not compressed.
const char *dj_input_compression(dj_span head);

uint64_t dj_input_offset(const dj_input *input); // of the next byte, after decompression
const char *dj_input_name(const dj_input *input);
void dj_input_progress(const dj_input *input, dj_progress *out); // in bytes as stored on disk

// Reports bad input at `offset` of the decompressed stream: "NAME: byte OFFSET: …", or, if it was compressed,
// "NAME: byte OFFSET of the decompressed data: …".
int dj_input_fail(dj_context *context, const dj_input *input, uint64_t offset, const char *format, ...)
    DJ_PRINTF(4, 5);

// Adds that position to the message of DJ_ERR_INPUT from a function that does not know it; returns `err`.
int dj_input_locate(dj_context *context, const dj_input *input, uint64_t offset, int err);
// What follows a byte offset in messages: "" or " of the decompressed data".
const char *dj_input_offset_of(const dj_input *input);

// For traces of records of one width. Peeks at the complete records available, at most `most`, after reading
// on for at least one; none at the end. An incomplete record at the end is bad input, reported after all
// records before it have been consumed.
int dj_input_peek_records(dj_context *context, dj_input *input, size_t width, size_t most, dj_span *out);
// The error for an incomplete record of `rest` bytes at `offset`.
int dj_input_fail_partial_record(dj_context *context, const dj_input *input, uint64_t offset, size_t rest,
                                 size_t width);

#endif
