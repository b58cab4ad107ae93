// SPDX-License-Identifier: MIT
// The internals of a session. Each process has a worker: a thread with its own context, which reads the
// stream of the process.
#ifndef DEJA_SESSION_STATE_H
#define DEJA_SESSION_STATE_H

#include <deja/session.h>

#include <pthread.h>
#include <stdatomic.h>

#include "live/cpu_times.h"
#include "live/stream.h"
#include "live/tracee.h"
#include "session/spill.h"

typedef struct dj_worker {
    uint32_t pid, image;
    bool root;
    bool first; // of its process
    dj_context *context;
    dj_stream *stream;         // NULL: the process left a profile
    dj_stream_info unstreamed; // what is known about such a process
    char *command;             // of such a process
    int err;                   // of the work, with its message in the context
    // The results.
    dj_kept *kept;           // measured; NULL: nothing
    char *trace;             // recorded
    dj_sink_stats stats;     // recorded
    char statements[256];    // recorded
    int unnamed;             // recorded: the file, if it has no name; otherwise -1
    dj_thread_work *threads; // recorded
    size_t thread_count;
    dj_session *session;
    // Private to supervise.c.
    pthread_t thread;
    atomic_bool done;
    bool joined;
} dj_worker;

// What to do with each process.
typedef struct dj_session_ops {
    int (*work)(dj_session *session, dj_worker *worker, dj_source *source); // in the worker's thread
    // For annotated programs, which then write profiles instead of rings: loads one from a file after the
    // program has ended, and sets `command` and `unstreamed.killed`. NULL: they write rings.
    int (*collect)(dj_session *session, dj_worker *worker, const char *path);
} dj_session_ops;

typedef struct dj_note_text {
    bool fault;
    char *text;
} dj_note_text;

struct dj_session {
    dj_session_options options;
    dj_json_view view;
    const dj_request *request;     // while it runs; NULL: it is being recorded
    const dj_recording *recording; // while it is being recorded
    const char *settings;          // for the recorder of an annotated program
    dj_worker **workers;           // in order of appearance, the images of the root first
    size_t count, capacity;
    dj_cpu_times times; // of the root, if requested
    int wait_status;    // of the root
    bool ended;         // the root: all its workers are done, too
    bool interrupted;   // the caller did not wait for the end
    bool running;       // the program was still running then
    dj_spill_file spill;
    dj_note_text *notes;
    size_t note_count, note_capacity;
    char *missing;           // processes that are not analyzed, and why; NULL: none
    const dj_worker *failed; // whose error is that of the session; NULL: none
};

int dj_session_create(dj_context *context, const dj_session_options *options, dj_session **out);

// Runs the program to its end, with a worker per process. *status is that of dj_session_run.
int dj_session_supervise(dj_context *context, dj_session *session, const dj_session_ops *ops, int *status);

// What is known about the process; strings live as long as the worker.
dj_stream_info dj_worker_info(const dj_worker *worker);

// Passes a note to the hook or adds it to the list. A note is dropped if there is no memory for it.
void dj_session_add_note(dj_session *session, bool at_once, bool fault, const char *format, ...)
    DJ_PRINTF(4, 5);

// Adds a note with what the tracer says about the process, unless a signal ended it, which the status says.
void dj_session_add_message(dj_session *session, const dj_worker *worker);

// Adds a note that a process is not analyzed, which the profile of the main process then contains, too.
void dj_session_add_missing(dj_session *session, const char *why);

#endif
