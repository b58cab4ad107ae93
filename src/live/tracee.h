// SPDX-License-Identifier: MIT
// A program that runs under a tracer, and the rings of all processes that
// come of it, as they appear. The program keeps its standard streams, working
// directory, environment, process group and terminal.
#ifndef DEJA_LIVE_TRACEE_H
#define DEJA_LIVE_TRACEE_H

#include <deja/session.h>

#include <sys/types.h>

typedef struct dj_tracee dj_tracee;

typedef struct dj_launch {
    const char *const *arguments; // the program first
    size_t count;
    enum dj_tool tool;
    bool profiles;             // a tool that leaves profiles will do
    const char *settings;      // for that one: lines NAME=VALUE (annotations/life.c), or NULL
    const char *unfit;         // and an option that was given and that it cannot heed, or NULL
    bool follow;               // trace the processes that it starts, too
    void (*before_exec)(void); // in the new process: sets back what was changed for this one; may be NULL
} dj_launch;

// On failure *status is what env(1) would exit with (program.h).
int dj_tracee_start(dj_context *context, const dj_launch *launch, dj_tracee **out, int *status);
// The program must have ended, or is left to itself. NULL is fine.
void dj_tracee_end(dj_tracee *tracee);

pid_t dj_tracee_root(const dj_tracee *tracee);
enum dj_tool dj_tracee_tool(const dj_tracee *tracee); // never DJ_TOOL_AUTO
// Whether the tracer takes what `deja cc` has put into the program for the program's own.
bool dj_tracee_sees_library(const dj_tracee *tracee);

// Where rings and profiles come; a profile is called profile.PID, or profile.first where others are not
// followed.
const char *dj_tracee_folder(const dj_tracee *tracee);

// A ring that has appeared; `image` counts the programs that a process ran, from 0.
typedef struct dj_tracee_ring {
    char path[512];
    uint32_t pid, image;
} dj_tracee_ring;

// Waits at most `wait_ms`; true: there is a new ring.
bool dj_tracee_find(dj_tracee *tracee, int wait_ms, dj_tracee_ring *out);
// Whether the program has ended; its wait status then, kept from there on.
bool dj_tracee_ended(dj_tracee *tracee, int *wait_status);

// Why the tracer could not do its work, in words for the user, as far as it
// left any for a process; false: nothing to say. `to` has room for `room` bytes.
bool dj_tracee_explain(const dj_tracee *tracee, uint32_t pid, char *to, size_t room);
// The program has ended, and no ring has come of it: fails, and says why.
int dj_tracee_fail_untraced(const dj_tracee *tracee, dj_context *context, const char *program);

#endif
