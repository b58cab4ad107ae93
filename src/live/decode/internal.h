// SPDX-License-Identifier: MIT
// Shared by the files of the decoder: one function per type of record, of `count` words.
#ifndef DEJA_LIVE_DECODE_INTERNAL_H
#define DEJA_LIVE_DECODE_INTERNAL_H

#include "live/decode/decode.h"

int dj_decode_event(dj_context *context, dj_batch *batch, uint32_t type, uint64_t a, uint64_t b, uint64_t c);

// Segments. `safe`: how many words may be read from `words` on.
int dj_decode_segment(dj_decoder *decoder, dj_context *context, const dj_segment *segment,
                      const uint64_t *words, size_t safe, dj_batch *batch);
int dj_decode_string(dj_decoder *decoder, dj_context *context, uint64_t record, const uint64_t *words,
                     dj_batch *batch);
int dj_decode_bad_segment(const dj_decoder *decoder, dj_context *context, uint64_t record);

// Reports how often control passed each site, and resets the counts.
int dj_decode_passes(dj_decoder *decoder, dj_context *context, dj_batch *batch);

// Decodes consecutive direct records from *at on.
int dj_decode_direct(dj_decoder *decoder, dj_context *context, const uint64_t *words, size_t count,
                     size_t *at, dj_batch *batch, bool *full);
int dj_decode_statement(dj_decoder *decoder, dj_context *context, const uint64_t *words, size_t count,
                        dj_batch *batch);

// Accesses to ranges. With *full, the batch has no space for the rest, and the same record must be passed
// again.
int dj_decode_range(dj_decoder *decoder, dj_context *context, uint64_t record, const uint64_t *words,
                    dj_batch *batch, bool *full);

// Blocks of memory.
int dj_decode_alloc(dj_decoder *decoder, dj_context *context, const uint64_t *words, size_t count,
                    dj_batch *batch);
int dj_decode_free(dj_decoder *decoder, dj_context *context, const uint64_t *words, size_t count,
                   dj_batch *batch);
int dj_decode_data(dj_decoder *decoder, dj_context *context, const uint64_t *words, size_t count,
                   dj_batch *batch);
int dj_decode_mapping(dj_decoder *decoder, dj_context *context, unsigned type, const uint64_t *words,
                      size_t count, dj_batch *batch);

// Programs that report their annotations.
int dj_decode_given_event(dj_context *context, uint32_t type, const uint64_t *words, size_t count,
                          dj_batch *batch);
int dj_decode_elements(dj_decoder *decoder, dj_context *context, const uint64_t *words, size_t count,
                       dj_batch *batch);

// Programs that are traced in bursts.
int dj_decode_burst(dj_decoder *d, dj_context *context, uint32_t id, const uint64_t *words, size_t count,
                    dj_batch *batch);
int dj_decode_budget(dj_context *context, uint32_t id, const uint64_t *words, size_t count, dj_batch *batch);
int dj_decode_stack(dj_decoder *decoder, dj_context *context, uint32_t id, const uint64_t *words,
                    size_t count, dj_batch *batch);

// Represents the call that returns to `pc` as an instruction's; `sp` is the stack pointer before it.
int dj_decode_call(dj_decoder *decoder, dj_context *context, uint64_t pc, uint64_t sp, dj_batch *batch);

// Strings, which the caller frees. Those shown to users are made printable, since a terminal must not
// interpret them as commands.
char *dj_decode_text(const uint64_t *words, size_t count, bool printable);
int dj_decode_command(dj_decoder *decoder, dj_context *context, const uint64_t *words, size_t count);
int dj_decode_message(dj_decoder *decoder, dj_context *context, const uint64_t *words, size_t count);
int dj_decode_module(dj_decoder *decoder, dj_context *context, bool silent, const uint64_t *words,
                     size_t count, dj_batch *batch);
int dj_decode_thread(dj_decoder *decoder, dj_context *context, uint32_t id, const uint64_t *words,
                     size_t count, dj_batch *batch);
int dj_decode_thread_name(dj_decoder *decoder, dj_context *context, uint32_t id, const uint64_t *words,
                          size_t count, dj_batch *batch);
int dj_decode_sync(dj_context *context, uint32_t id, const uint64_t *words, size_t count, dj_batch *batch);
int dj_decode_region(dj_context *context, uint32_t id, const uint64_t *words, size_t count, dj_batch *batch);
int dj_decode_fork(dj_decoder *decoder, dj_context *context, uint32_t pid);

#endif
