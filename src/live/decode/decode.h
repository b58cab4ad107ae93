// SPDX-License-Identifier: MIT
// From the words of a ring (tracer/ring.h) to accesses and events. Knows
// nothing of where the words come from, trusts none of them, and keeps what
// must outlive a frame: segments, threads, blocks, strings under way.
#ifndef DEJA_LIVE_DECODE_DECODE_H
#define DEJA_LIVE_DECODE_DECODE_H

#include "live/segments.h"
#include "live/strings.h"
#include "live/threads.h"

// The columns of the batches.
enum { DJ_LIVE_COLUMNS = DJ_COLUMN_SIZE | DJ_COLUMN_SITE | DJ_COLUMN_KIND };

// Beside the accesses of a record a batch must have room for strings that end
// and for those written in vain by a copy.
enum { DJ_DECODER_SLACK = DJ_STRINGS_MOST + DJ_SEGMENT_STEP };

typedef struct dj_decoder {
    dj_live_sites sites;
    dj_segments segments;
    dj_threads threads;
    dj_blocks blocks;
    dj_strings strings;
    dj_live_thread *thread; // of what comes now; never NULL
    bool paused;            // accesses are left out, everything else is followed
    uint64_t left_out;      // accesses so far
    uint64_t range_done[2]; // of a range that did not fit its batch: bytes so far, of each operand
    uint64_t statements;    // instances so far
    uint64_t *passes;       // by site: how often control passed there
    size_t pass_capacity;
    char *command;      // NULL: not told; printable
    char *message;      // what the tracer has to say, lines of text; NULL: nothing
    int status;         // wait status; -1: not told
    uint32_t *children; // processes that it forked
    size_t child_count;
} dj_decoder;

// The decoder must stay where it is until it is destroyed.
int dj_decoder_create(dj_decoder *decoder, dj_context *context);
void dj_decoder_destroy(dj_decoder *decoder); // one that is all zero is fine
// Nothing more is decoded: frees all but what is known of the process.
void dj_decoder_forget(dj_decoder *decoder);

// A batch that the decoder can write to.
void dj_decoder_prepare(dj_batch *batch);

// Decodes `words` from *at on. Ends at the end of the words, or earlier, with
// *full, when the batch has no room for the next record. DJ_ERR_INPUT: the
// record at *at is not what it should be; all before it is in the batch.
int dj_decoder_feed(dj_decoder *decoder, dj_context *context, const uint64_t *words, size_t count, size_t *at,
                    dj_batch *batch, bool *full);

// The program is at a point where accesses begin to count, or no longer do.
int dj_decoder_pause(dj_decoder *decoder, dj_context *context, dj_batch *batch, bool paused);
// No more words: what is under way ends, and how often control passed where is told.
int dj_decoder_finish(dj_decoder *decoder, dj_context *context, dj_batch *batch);

// Whether the batch has room for all that one call of pause and finish may add.
bool dj_decoder_has_room(const dj_batch *batch);

#endif
