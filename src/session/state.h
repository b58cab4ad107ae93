// SPDX-License-Identifier: MIT
// The inside of a session. Each process has a worker: a thread with a context of
// its own, which reads the stream of the process.
#ifndef DEJA_SESSION_STATE_H
#define DEJA_SESSION_STATE_H

#include <deja/session.h>

#include <pthread.h>
#include <stdatomic.h>

#include "live/stream.h"
#include "live/tracee.h"
#include "session/spill.h"

typedef struct dj_worker {
    uint32_t pid, image;
    bool root;
    dj_context *context;
    dj_stream *stream;         // NULL: the process left a profile
    dj_stream_info unstreamed; // known of it then
    char *command;             // likewise
    int err;                   // of the work, with its message in the context
    // What the work gives.
    dj_kept *kept;        // measured; NULL: nothing
    char *trace;          // recorded
    dj_sink_stats stats;  // likewise
    char statements[256]; // likewise
    // Private to attend.c.
    dj_session *session;
    pthread_t thread;
    atomic_bool done;
    bool joined;
} dj_worker;

// What is done with each process.
typedef struct dj_session_ops {
    int (*work)(dj_session *session, dj_worker *worker, dj_source *source); // in the worker's thread
    // For a tool that leaves profiles in place of rings: takes one out of a file, when the
    // program has ended, and sets `command` and `unstreamed.killed`. NULL: no such tool.
    int (*collect)(dj_session *session, dj_worker *worker, const char *path);
} dj_session_ops;

typedef struct dj_note_text {
    bool fault;
    char *text;
} dj_note_text;

struct dj_session {
    dj_session_options options;
    dj_json_view view;
    const dj_request *request;     // while it runs; NULL: it is recorded
    const dj_recording *recording; // likewise
    const char *settings;          // likewise: for the recorder of an annotated program
    dj_worker **workers;           // in order of appearance, the images of the root first
    size_t count, capacity;
    int wait_status;  // of the root
    bool interrupted; // the caller did not want to wait for the end
    bool running;     // and the program still runs
    dj_spill_file spill;
    dj_note_text *notes;
    size_t note_count, note_capacity;
    const dj_worker *failed; // whose error is the session's; NULL: none
};

int dj_session_create(dj_context *context, const dj_session_options *options, dj_session **out);

// Runs the program to its end, with a worker for each process. *status as in dj_session_run.
int dj_session_supervise(dj_context *context, dj_session *session, const dj_session_ops *ops, int *status);

// What is known of the process; texts live as long as the worker.
dj_stream_info dj_worker_info(const dj_worker *worker);

// A note to the hook, or to the list. One that there is no memory for is lost.
void dj_session_add_note(dj_session *session, bool at_once, bool fault, const char *format, ...)
    DJ_PRINTF(4, 5);

#endif
