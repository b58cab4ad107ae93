// SPDX-License-Identifier: MIT
// A compact sequence of numbers and texts in a file, in compressed blocks. Each block has a checksum, which
// is verified before its contents are used. Summaries of parts of a trace are stored this way.
#ifndef DEJA_BASE_PACK_H
#define DEJA_BASE_PACK_H

#include <deja/histogram.h>
#include <deja/observer.h>

#include <stdio.h>

enum { DJ_PACK_TEXT_MOST = 1 << 16 };

// How blocks are compressed. Files have frames of zstd. Browsers can only inflate (RFC 1951).
enum dj_pack_coding { DJ_PACK_ZSTD, DJ_PACK_DEFLATE };

// Write errors are kept and reported at the end.
int dj_packer_create(dj_context *context, FILE *to, dj_packer **out);
int dj_packer_create_coded(dj_context *context, FILE *to, enum dj_pack_coding coding, dj_packer **out);
void dj_pack_number(dj_packer *packer, uint64_t number);
// Truncates texts longer than DJ_PACK_TEXT_MOST.
void dj_pack_text(dj_packer *packer, const char *text);
void dj_pack_bytes(dj_packer *packer, const uint8_t *bytes, size_t count);
// Writes only the bytes: the reader must know their number.
void dj_pack_raw(dj_packer *packer, const char *bytes, size_t count);
// Stores blocks in at least 1 / `ratio` of their plain size, padded with zeros if necessary, so that a reader
// can bound how much data a file contains.
void dj_packer_bound(dj_packer *packer, unsigned ratio);
void dj_pack_histogram(dj_packer *packer, const dj_histogram *histogram);
// Writes the remaining data and a final block that marks the end. Frees the packer.
int dj_packer_end(dj_packer *packer, dj_context *context);

// The input is untrusted: callers request one number at a time and allocate only for what was read. Errors
// are DJ_ERR_INPUT, without the name of the file, or DJ_ERR_IO.
int dj_unpacker_create(dj_context *context, FILE *from, dj_unpacker **out);
void dj_unpacker_destroy(dj_unpacker *unpacker);
// Where the current block begins, from where the unpacker began. Contents are compressed, so nothing in a
// block has an offset of its own.
uint64_t dj_unpacker_offset(const dj_unpacker *unpacker);
int dj_unpack_number(dj_unpacker *unpacker, dj_context *context, uint64_t *out);
// Reads a number that must not exceed `most`; `what` names it in the message.
int dj_unpack_below(dj_unpacker *unpacker, dj_context *context, uint64_t most, const char *what,
                    uint64_t *out);
// The caller frees *out with free().
int dj_unpack_text(dj_unpacker *unpacker, dj_context *context, char **out);
int dj_unpack_raw(dj_unpacker *unpacker, dj_context *context, char *to, size_t count);
// Refuses blocks that were not written with this bound.
void dj_unpacker_bound(dj_unpacker *unpacker, unsigned ratio);
// The caller frees *out with free().
int dj_unpack_bytes(dj_unpacker *unpacker, dj_context *context, uint8_t **out, size_t *count);
// Adds to a histogram.
int dj_unpack_histogram(dj_unpacker *unpacker, dj_context *context, dj_histogram *to);
// Fails unless everything was read.
int dj_unpack_end(dj_unpacker *unpacker, dj_context *context);

#endif
