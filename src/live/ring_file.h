// SPDX-License-Identifier: MIT
// The file of a ring, mapped by the analyzer. The program may truncate or overwrite it at any time, so its
// memory is touched behind a guard, and nothing in it is looked at twice.
#ifndef DEJA_LIVE_RING_FILE_H
#define DEJA_LIVE_RING_FILE_H

#include <deja/error.h>

#include "live/guard.h"
#include "tracer/ring.h"

typedef struct dj_ring_file {
    int fd;
    dj_ring *ring; // of `bytes`
    dj_guard guard;
    uint64_t inode, bytes;
    bool cut; // a part that must exist does not
} dj_ring_file;

// DJ_ERR_INPUT if it cannot be a ring. After a failure it is closed.
int dj_ring_file_open(dj_ring_file *file, dj_context *context, const char *path);
void dj_ring_file_close(dj_ring_file *file);

// Copies what the file has; otherwise `cut` is set, and the copy is worth nothing.
void dj_ring_file_read(dj_ring_file *file, uint64_t offset, void *to, size_t bytes);
uint32_t dj_ring_file_get(dj_ring_file *file, uint64_t offset);
void dj_ring_file_set(dj_ring_file *file, uint64_t offset, uint32_t value);

// What the tracer changes whenever it hands over a frame.
typedef struct dj_ring_front {
    uint64_t published;
    uint32_t state, tracer_waits;
} dj_ring_front;

dj_ring_front dj_ring_file_front(dj_ring_file *file);
void dj_ring_file_set_consumed(dj_ring_file *file, uint64_t consumed);

// Sleeps until more than `seen` frames are published, or `wait_ms` have passed.
void dj_ring_file_wait(dj_ring_file *file, uint64_t seen, int wait_ms);
void dj_ring_file_wake(const dj_ring_file *file); // a tracer that waits for frames

// Lets the process of a ring that cannot be read continue untraced: it would wait for space. Does nothing to
// a file that has another name too, which may belong to somebody else.
void dj_ring_file_detach(const char *path);

#endif
