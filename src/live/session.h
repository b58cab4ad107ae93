// SPDX-License-Identifier: MIT
// A program that runs under a tracer, and the rings of all processes that
// come of it, as they appear. The program keeps its standard streams, working
// directory, environment, process group and terminal.
#ifndef DEJA_LIVE_SESSION_H
#define DEJA_LIVE_SESSION_H

#include <deja/error.h>

#include <sys/types.h>

typedef struct dj_session dj_session;

// What traces the program.
enum dj_tool {
    DJ_TOOL_AUTO, // as the program was built
    DJ_TOOL_NATIVE,
    DJ_TOOL_VALGRIND,
    DJ_TOOL_ANNOTATIONS, // the program analyzes itself: instead of a ring it leaves a profile
};

extern const char *const dj_tool_names[]; // by number, NULL after the last

typedef struct dj_launch {
    const char *const *arguments; // the program first
    size_t count;
    enum dj_tool tool;
    bool profiles;             // a tool that leaves profiles will do
    const char *settings;      // for that one: lines NAME=VALUE (record/life.c), or NULL
    const char *unfit;         // and an option that was given and that it cannot heed, or NULL
    bool follow;               // trace the processes that it starts, too
    void (*before_exec)(void); // in the new process: sets back what was changed for this one; may be NULL
} dj_launch;

// On failure *status is what env(1) would exit with (program.h).
int dj_session_start(dj_context *context, const dj_launch *launch, dj_session **out, int *status);
// The program must have ended, or is left to itself. NULL is fine.
void dj_session_end(dj_session *session);

pid_t dj_session_root(const dj_session *session);
enum dj_tool dj_session_tool(const dj_session *session); // never DJ_TOOL_AUTO
// Whether the tracer takes what `deja cc` has put into the program for the program's own.
bool dj_session_sees_library(const dj_session *session);

// Where rings and profiles come; a profile is called profile.PID, or profile.first where others are not
// followed.
const char *dj_session_folder(const dj_session *session);

// A ring that has appeared; `image` counts the programs that a process ran, from 0.
typedef struct dj_session_ring {
    char path[512];
    uint32_t pid, image;
} dj_session_ring;

// Waits at most `wait_ms`; true: there is a new ring.
bool dj_session_find(dj_session *session, int wait_ms, dj_session_ring *out);
// Whether the program has ended; its wait status then, kept from there on.
bool dj_session_ended(dj_session *session, int *wait_status);

// Why the tracer could not do its work, in words for the user, as far as it
// left any for a process; false: nothing to say. `to` has room for `room` bytes.
bool dj_session_explain(const dj_session *session, uint32_t pid, char *to, size_t room);
// The program has ended, and no ring has come of it: fails, and says why.
int dj_session_fail_untraced(const dj_session *session, dj_context *context, const char *program);

#endif
