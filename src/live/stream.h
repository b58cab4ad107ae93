// SPDX-License-Identifier: MIT
// A running program as a source of accesses: reads the ring of a traced process to its end. The program waits
// when the ring is full, so every stream needs a thread that keeps reading it.
#ifndef DEJA_LIVE_STREAM_H
#define DEJA_LIVE_STREAM_H

#include <deja/session.h>
#include <deja/source.h>

#include "base/route.h"

typedef struct dj_stream dj_stream;

typedef struct dj_stream_options {
    // Called before each frame: whether to ignore its accesses. NULL: never.
    bool (*is_paused)(void *user);
    void *user;
    bool bursts;        // the program is traced in bursts: column `device` numbers them
    const char *format; // the tool that traces the process, for the profile; NULL: "live"
} dj_stream_options;

// What is known about the process. Strings live as long as the stream.
typedef struct dj_stream_info {
    uint32_t pid, parent;
    const char *command; // its arguments, or "process PID" until they are known
    const char *message; // messages of the tracer, lines of text; "": none
    int status;          // wait status, if the tracer knew it; otherwise one of dj_end
    bool killed;         // it ended without notice
    bool broken;         // its end could not be read
    uint64_t accesses;   // delivered
    uint64_t left_out;   // ignored while paused
    uint64_t joined;     // steps of string instructions that were merged into another access
} dj_stream_info;

// Opens the ring in the file `path`. DJ_ERR_INPUT: it is not a ring.
int dj_stream_open(dj_context *context, const char *path, const dj_stream_options *options, dj_stream **out);
// Stops reading: the program continues untraced. What is known about it remains available.
void dj_stream_detach(dj_stream *stream);
void dj_stream_close(dj_stream *stream); // NULL is allowed

// Creates a source of its accesses. The stream must outlive the source. If the process is killed or violates
// the protocol of the ring, the source ends with DJ_ERR_INPUT after everything before.
int dj_stream_source(dj_stream *stream, dj_context *context, dj_source **out);
// From now on, each batch has a route, until the next one is requested. Call it before the first one.
int dj_stream_keep_route(dj_stream *stream, dj_context *context, const dj_route **out);
dj_stream_info dj_stream_get_info(const dj_stream *stream);
// Delivered so far. Any thread may call it.
uint64_t dj_stream_accesses(const dj_stream *stream);
// The processes that it forked.
const uint32_t *dj_stream_children(const dj_stream *stream, size_t *count);

#endif
