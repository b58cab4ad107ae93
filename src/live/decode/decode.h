// SPDX-License-Identifier: MIT
// Decodes the words of a ring (tracer/ring.h) into accesses and events. Independent of the origin of the
// words, which are untrusted. Keeps what must outlive a frame: segments, threads, blocks, string runs.
#ifndef DEJA_LIVE_DECODE_DECODE_H
#define DEJA_LIVE_DECODE_DECODE_H

#include "base/route.h"
#include "live/segments.h"
#include "live/strings.h"
#include "live/threads.h"

// The columns of the batches.
enum { DJ_LIVE_COLUMNS = DJ_COLUMN_SIZE | DJ_COLUMN_SITE | DJ_COLUMN_KIND };

// In addition to the accesses of a record, a batch must have space for strings that end and for the surplus
// of a copy.
enum { DJ_DECODER_SLACK = DJ_STRINGS_MOST + DJ_SEGMENT_STEP };

typedef struct dj_decoder {
    dj_live_sites sites;
    dj_segments segments;
    dj_threads threads;
    dj_blocks blocks;
    dj_strings strings;
    dj_live_thread *thread; // current one; never NULL
    bool paused;            // accesses are ignored, everything else is followed
    uint64_t left_out;      // accesses ignored so far
    uint64_t range_done[2]; // of a range that did not fit into its batch: bytes so far, per operand
    uint64_t statements;    // instances so far
    uint64_t *passes;       // by site: how often control passed there
    size_t pass_capacity;
    char *command;      // NULL: unknown; printable
    char *message;      // messages of the tracer, lines of text; NULL: none
    int status;         // wait status; -1: unknown
    dj_route *route;    // of the current batch; NULL: nobody follows it
    bool in_gap;        // between bursts: what is executed is not recorded
    uint32_t *children; // processes that it forked
    size_t child_count;
} dj_decoder;

// The decoder must not move until it is destroyed.
int dj_decoder_create(dj_decoder *decoder, dj_context *context);
void dj_decoder_destroy(dj_decoder *decoder); // a zero-initialized one is allowed
// Ends decoding: frees everything except what is known about the process.
void dj_decoder_forget(dj_decoder *decoder);

// Prepares a batch for the decoder.
void dj_decoder_prepare(dj_batch *batch);

// From now on, batches have a route, which the caller keeps, but owns.
int dj_decoder_keep_route(dj_decoder *decoder, dj_context *context, dj_route *route);

// Decodes `words` from *at on. Stops at the end of the words, or earlier, with *full, if the batch has no
// space for the next record. DJ_ERR_INPUT: the record at *at is malformed; everything before it is in the
// batch.
int dj_decoder_feed(dj_decoder *decoder, dj_context *context, const uint64_t *words, size_t count, size_t *at,
                    dj_batch *batch, bool *full);

// From this point of the program on, accesses count or no longer count.
int dj_decoder_pause(dj_decoder *decoder, dj_context *context, dj_batch *batch, bool paused);
// No more words: ends runs in progress and reports how often control passed each site.
int dj_decoder_finish(dj_decoder *decoder, dj_context *context, dj_batch *batch);

// Whether the batch has space for everything that one call of pause and finish may add.
bool dj_decoder_has_room(const dj_batch *batch);

#endif
