// SPDX-License-Identifier: MIT
// The analyzer's end of a ring (tracer/ring.h). Everything in it was written by a process that may be broken
// or hostile, so everything is checked.
#ifndef DEJA_LIVE_RING_H
#define DEJA_LIVE_RING_H

#include <deja/error.h>

#include "live/ring_file.h"

typedef struct dj_ring_reader {
    dj_ring_file file;
    int process; // a file descriptor that becomes readable when the process dies; -1: it is dead
    uint32_t pid, parent;
    uint32_t frames, frame_words, header_bytes;
    uint64_t base;
    uint64_t consumed;
    dj_ring_front front; // as last read
    uint64_t *frame;     // a copy of the current frame
    char *path;          // NULL: closed
    uint32_t rest;       // writer whose last frame is examined next, after the last published frame
    bool in_rest;        // the last frame found is such an unpublished one
} dj_ring_reader;

enum dj_ring_found {
    DJ_RING_FRAME,   // words to decode; return them with dj_ring_release
    DJ_RING_NOTHING, // for now
    DJ_RING_OVER,    // no more will come: the process ended or was replaced
    DJ_RING_DEAD,    // no more will come: the process was killed
};

// DJ_ERR_INPUT if the file is not a ring. From now on the tracer knows that it is being read, and waits when
// the ring is full.
int dj_ring_open(dj_ring_reader *reader, dj_context *context, const char *path);
// Waits at most `wait_ms` for the next frame.
int dj_ring_next(dj_ring_reader *reader, dj_context *context, int wait_ms, enum dj_ring_found *found,
                 const uint64_t **words, size_t *count);
void dj_ring_release(dj_ring_reader *reader);
// Of a run in bursts, while no burst is in progress: what the tracer has left out since the last one.
uint64_t dj_ring_gap_length(dj_ring_reader *reader);
// Informs the tracer that nobody reads any more, so that the program continues untraced, and deletes the
// file, whose memory is freed when the program ends.
void dj_ring_close(dj_ring_reader *reader);

#endif
