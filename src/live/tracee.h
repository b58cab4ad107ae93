// SPDX-License-Identifier: MIT
// A program that runs under a tracer, and the rings of all its processes, as they appear. The program keeps
// its standard streams, working directory, environment, process group and terminal.
#ifndef DEJA_LIVE_TRACEE_H
#define DEJA_LIVE_TRACEE_H

#include <deja/session.h>

#include <sys/types.h>

typedef struct dj_tracee dj_tracee;

typedef struct dj_launch {
    const char *const *arguments; // the program first
    size_t count;
    enum dj_tool tool;
    bool profiles;             // an annotated program analyzes itself and leaves a profile, not a ring
    const char *settings;      // for its analysis: lines NAME=VALUE (annotations/lifecycle.c), or NULL
    const char *unfit;         // a given option that has no meaning for annotations, or NULL
    double rate;               // trace only this part of the run, in bursts; 0: all of it
    uint64_t seed;             // when bursts begin
    double budget;             // what bursts may cost, see dj_session_options; 0: any
    bool follow;               // also trace the processes that the program starts
    void (*before_exec)(void); // in the new process: undoes what was changed for this one; may be NULL
} dj_launch;

// On failure *status is the status that env(1) would use (program.h).
int dj_tracee_start(dj_context *context, const dj_launch *launch, dj_tracee **out, int *status);
// The program must have ended, unless it shall continue untraced. NULL is allowed.
void dj_tracee_end(dj_tracee *tracee);

pid_t dj_tracee_root(const dj_tracee *tracee);
enum dj_tool dj_tracee_tool(const dj_tracee *tracee); // never DJ_TOOL_AUTO
// Whether the tracer counts the code that `deja cc` added to the program.
bool dj_tracee_sees_library(const dj_tracee *tracee);

// The folder where rings and profiles appear. A profile is named profile.PID, or profile.first if other
// processes are not followed.
const char *dj_tracee_folder(const dj_tracee *tracee);

// A ring that has appeared; `image` is the number of the program within its process, from 0.
typedef struct dj_tracee_ring {
    char path[512];
    uint32_t pid, image;
} dj_tracee_ring;

// Waits at most `wait_ms`; true: there is a new ring.
bool dj_tracee_find(dj_tracee *tracee, int wait_ms, dj_tracee_ring *out);
// For one that cannot be read: its process continues untraced.
void dj_tracee_refuse(dj_tracee *tracee, const dj_tracee_ring *ring);
// Whether the program has ended; if so, sets its wait status, which is kept.
bool dj_tracee_ended(dj_tracee *tracee, int *wait_status);

// Explains to the user why the tracer failed for a process, if it left a reason; false: it did not. `to` is a
// buffer of `capacity` bytes.
bool dj_tracee_explain(const dj_tracee *tracee, uint32_t pid, char *to, size_t capacity);
// For a program that ended without a ring: fails with the reason.
int dj_tracee_fail_untraced(const dj_tracee *tracee, dj_context *context, const char *program);

#endif
