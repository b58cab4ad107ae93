// SPDX-License-Identifier: MIT
// Threads that work together: all run the same function and meet at barriers.
#ifndef DEJA_ENGINE_TEAM_H
#define DEJA_ENGINE_TEAM_H

#include <deja/error.h>
#include <deja/option.h>

#include <stdatomic.h>
#include <stddef.h>

enum { DJ_THREADS_MOST = 1024 };

// The option of engines that use several threads, as a row of the option table; 0 means all processors.
#define DJ_THREADS_OPTION(engine, structure, field)                                                          \
    {                                                                                                        \
        .name = "threads", .letter = 'j', .type = DJ_OPTION_UINT, .offset = offsetof(structure, field),      \
        .argument = "N", .help = "number of threads of engine " engine " (default: one per processor)"       \
    }

int dj_threads_check(dj_context *context, uint64_t threads);
// Warns that only `started` of `wanted` threads could be started, with an error number.
void dj_threads_warn(dj_context *context, unsigned started, unsigned wanted, int error);

typedef struct dj_team dj_team;

// One of the threads, passed to the function.
typedef struct dj_team_member {
    dj_team *team;
    unsigned number, count; // its number, from 0, and the number of threads
    dj_context *context;    // private
} dj_team_member;

// Starts *count threads. If there cannot be so many, it warns, continues with fewer and sets *count; with
// none at all, *count is 1 and *out NULL: the caller does the work.
int dj_team_create(dj_context *context, unsigned *count, dj_team **out);
void dj_team_destroy(dj_team *team); // NULL is allowed; no turn may be running

// Starts a turn: every thread calls run(user, member) once. Returns immediately; the previous turn must
// have ended.
void dj_team_start(dj_team *team, void (*run)(void *user, dj_team_member *member), void *user);
// Waits for the end of the last turn, if any.
void dj_team_wait(dj_team *team);

// Returns the error of a thread whose context has a message, and copies that to `context`. Not during a
// turn.
int dj_team_failure(const dj_team *team, dj_context *context);
// Passes a warning of a thread on to `context`. Not during a turn.
void dj_team_pass_warning(const dj_team *team, dj_context *context);

// During a turn: waits until all threads have arrived.
void dj_member_wait_for_all(dj_team_member *member);

// Returns the next of a sequence of tasks that threads share; `next` begins at 0.
static inline size_t dj_take_task(atomic_size_t *next)
{
    return atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
}

// The range of `count` items that a thread processes: from the return value up to *end.
static inline size_t dj_member_share(const dj_team_member *member, size_t count, size_t *end)
{
    *end = (size_t)((unsigned __int128)count * (member->number + 1) / member->count);
    return (size_t)((unsigned __int128)count * member->number / member->count);
}

#endif
