// SPDX-License-Identifier: MIT
// The analyzer's end of a ring (tracer/ring.h). Everything in it is written by
// a process that may be broken or hostile, so nothing is believed unchecked.
#ifndef DEJA_LIVE_RING_H
#define DEJA_LIVE_RING_H

#include <deja/error.h>

#include "tracer/ring.h"

typedef struct dj_ring_reader {
    dj_ring *ring; // NULL: closed
    size_t bytes;  // of the mapping
    int fd;
    uint64_t inode;
    int process; // a file descriptor that becomes readable at its death; -1: it is dead
    uint32_t pid, parent;
    uint32_t frames, frame_words, header_bytes;
    uint64_t base;
    uint64_t consumed;
    char *path;
    uint32_t rest; // writer whose rest is looked for next, when no frames will come
    bool in_rest;  // what was found last is such a rest
} dj_ring_reader;

enum dj_ring_found {
    DJ_RING_FRAME,   // words to decode; give them back with dj_ring_release
    DJ_RING_NOTHING, // for now
    DJ_RING_OVER,    // no more will come: the process ended or was replaced
    DJ_RING_DEAD,    // likewise, but it was killed
};

// DJ_ERR_INPUT when the file is no ring. From here on the tracer knows that it
// is read, and waits when the ring is full.
int dj_ring_open(dj_ring_reader *reader, dj_context *context, const char *path);
// Waits at most `wait_ms` for the next frame.
int dj_ring_next(dj_ring_reader *reader, dj_context *context, int wait_ms, enum dj_ring_found *found,
                 const uint64_t **words, size_t *count);
void dj_ring_release(dj_ring_reader *reader);
// Tells the tracer that nobody reads any more, so that the program runs on by
// itself, and takes away the file, whose memory goes when the program goes.
void dj_ring_close(dj_ring_reader *reader);

#endif
