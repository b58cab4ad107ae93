// SPDX-License-Identifier: MIT
// Passes batches to another process, which records them, through a ring (tracer/ring.h) with one writer.
#ifndef DEJA_ANNOTATIONS_RELAY_H
#define DEJA_ANNOTATIONS_RELAY_H

#include <deja/batch.h>

#include <sys/types.h>

typedef struct dj_relay dj_relay;

typedef struct dj_relay_config {
    const char *folder;
    pid_t reader;        // until it registers itself in the ring
    unsigned image;      // how many programs with a recorder this process ran before
    const char *command; // of the program: words separated by byte 1
} dj_relay_config;

// Creates the file ring.PID.IMAGE. Call it, and the functions below, in a thread that blocks signals.
int dj_relay_open(dj_context *context, const dj_relay_config *config, dj_relay **out);
// Waits while the ring is full. DJ_ERR_STOPPED: nobody reads any more.
int dj_relay_write(dj_relay *relay, dj_context *context, const dj_batch *batch);
// Announces that nothing more will come, and tells the user about a fault (NULL: none). NULL is allowed.
void dj_relay_close(dj_relay *relay, const char *fault);

#endif
