// SPDX-License-Identifier: MIT
// What `deja run` and `deja record` share: a program runs under the tracer, and
// each process that comes of it has a worker, a thread with a context of its
// own, which reads its stream.
#ifndef DEJA_CLI_LIVE_H
#define DEJA_CLI_LIVE_H

#include <pthread.h>
#include <stdatomic.h>

#include "cli/command.h"
#include "live/session.h"
#include "live/stream.h"

typedef struct dj_worker {
    uint32_t pid, image; // a process runs one image after the other, by exec
    bool root;           // the process that was asked for
    dj_context *context;
    dj_stream *stream; // NULL: it left a profile
    char *command;     // without a stream
    int err;           // of the work, with its message in the context
    void *result;
    // Private to live.c.
    const struct dj_job *job;
    dj_stream_info told; // without a stream
    pthread_t thread;
    atomic_bool done;
    bool joined;
} dj_worker;

typedef struct dj_job {
    const char *const *program; // with its arguments
    size_t program_count;
    enum dj_tool tool;
    bool follow;
    // For a tool that leaves profiles instead of rings: takes one out of a file, when the
    // program has ended, and sets `command` and `killed`. NULL: no such tool.
    int (*collect)(dj_worker *worker, const char *path, bool *killed);
    const char *settings, *unfit;                      // as in dj_launch
    atomic_bool *paused;                               // accesses do not count while it is true
    int (*work)(dj_worker *worker, dj_source *source); // in the worker's thread
    void *user;
} dj_job;

typedef struct dj_outcome {
    dj_worker **workers; // in order of appearance, the images of the root first
    size_t count;
    int wait_status;  // of the root
    bool interrupted; // the user did not want to wait for the end
    bool running;     // and the program still runs
} dj_outcome;

// Runs the program to its end. On failure *status is the exit status to use.
int dj_live_run(dj_context *context, const dj_job *job, dj_outcome *out, int *status);
void dj_outcome_free(dj_outcome *outcome); // but for the results

dj_stream_info dj_worker_info(const dj_worker *worker);

// The exit status of the program as a shell tells it: 128 + n for signal n.
int dj_live_status(const dj_outcome *outcome);

#endif
