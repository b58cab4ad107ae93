// SPDX-License-Identifier: MIT
// One running program as a source of accesses: reads the ring of a traced
// process to its end. Reading keeps pace with the program, which waits when
// the ring is full, so every stream needs a thread that reads it.
#ifndef DEJA_LIVE_STREAM_H
#define DEJA_LIVE_STREAM_H

#include <deja/session.h>
#include <deja/source.h>

typedef struct dj_stream dj_stream;

typedef struct dj_stream_options {
    // Asked before each frame: whether its accesses are left out. NULL: never.
    bool (*is_paused)(void *user);
    void *user;
    const char *format; // what traces the process, for the profile; NULL: "live"
} dj_stream_options;

// What is known of the process. Texts live as long as the stream.
typedef struct dj_stream_info {
    uint32_t pid, parent;
    const char *command; // its arguments, or "process PID" while not told
    const char *message; // what the tracer has to say, lines of text; "": nothing
    int status;          // wait status, as far as the tracer knew; else one of dj_end
    bool killed;         // it ended without a word
    uint64_t accesses;   // delivered
    uint64_t left_out;   // while paused
    uint64_t joined;     // steps of string instructions that are a part of another's access
} dj_stream_info;

// Opens the ring in the file `path`. DJ_ERR_INPUT: it is none.
int dj_stream_open(dj_context *context, const char *path, const dj_stream_options *options, dj_stream **out);
// Nothing more is read: the program runs on by itself. What is known of it stays.
void dj_stream_detach(dj_stream *stream);
void dj_stream_close(dj_stream *stream); // NULL is fine

// The accesses. The stream outlives the source. A process that
// was killed, and one that breaks the rules of the ring, end in DJ_ERR_INPUT
// after all that came before.
int dj_stream_source(dj_stream *stream, dj_context *context, dj_source **out);
dj_stream_info dj_stream_get_info(const dj_stream *stream);
// The processes that it forked.
const uint32_t *dj_stream_children(const dj_stream *stream, size_t *count);

#endif
