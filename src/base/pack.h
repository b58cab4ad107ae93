// SPDX-License-Identifier: MIT
// Numbers and texts one after another in a file, packed small: blocks that are
// compressed and carry a checksum, which is checked before anything is read from
// them. Summaries of pieces of a trace are made of it.
#ifndef DEJA_BASE_PACK_H
#define DEJA_BASE_PACK_H

#include <deja/histogram.h>
#include <deja/observer.h>

#include <stdio.h>

enum { DJ_PACK_TEXT_MOST = 1 << 16 };

// What goes wrong while writing is kept until the end.
int dj_packer_create(dj_context *context, FILE *to, dj_packer **out);
void dj_pack_number(dj_packer *packer, uint64_t number);
// Cut where it is longer than DJ_PACK_TEXT_MOST.
void dj_pack_text(dj_packer *packer, const char *text);
void dj_pack_bytes(dj_packer *packer, const uint8_t *bytes, size_t count);
// Just the bytes: who reads them knows how many.
void dj_pack_raw(dj_packer *packer, const char *bytes, size_t count);
// Blocks are stored in no less than a `ratio`th of their bytes, with zeros at the end if need be, so that a
// reader can bound what a file can hold.
void dj_packer_bound(dj_packer *packer, unsigned ratio);
void dj_pack_histogram(dj_packer *packer, const dj_histogram *histogram);
// Writes what is left, and a last block that says so. Frees the packer.
int dj_packer_end(dj_packer *packer, dj_context *context);

// Nothing is believed: whoever reads asks for one number after another, and takes no
// memory but for what was read. Errors are DJ_ERR_INPUT, without the name of the file.
int dj_unpacker_create(dj_context *context, FILE *from, dj_unpacker **out);
void dj_unpacker_destroy(dj_unpacker *unpacker);
int dj_unpack_number(dj_unpacker *unpacker, dj_context *context, uint64_t *out);
// A number that is not above `most`; `what` stands in the message.
int dj_unpack_below(dj_unpacker *unpacker, dj_context *context, uint64_t most, const char *what,
                    uint64_t *out);
// Freed with free().
int dj_unpack_text(dj_unpacker *unpacker, dj_context *context, char **out);
int dj_unpack_raw(dj_unpacker *unpacker, dj_context *context, char *to, size_t count);
// Refuses blocks that were not made so.
void dj_unpacker_bound(dj_unpacker *unpacker, unsigned ratio);
// Freed with free().
int dj_unpack_bytes(dj_unpacker *unpacker, dj_context *context, uint8_t **out, size_t *count);
// Adds to a histogram.
int dj_unpack_histogram(dj_unpacker *unpacker, dj_context *context, dj_histogram *to);
// That all was read.
int dj_unpack_end(dj_unpacker *unpacker, dj_context *context);

#endif
