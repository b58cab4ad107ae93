// SPDX-License-Identifier: MIT
// Threads that work together: all run the same function, and meet at barriers.
#ifndef DEJA_ENGINE_TEAM_H
#define DEJA_ENGINE_TEAM_H

#include <deja/error.h>

#include <stdatomic.h>

typedef struct dj_team dj_team;

// One of the threads, as its function sees it.
typedef struct dj_team_member {
    dj_team *team;
    unsigned number, count; // this one, of so many
    dj_context *context;    // its own
} dj_team_member;

int dj_team_create(dj_context *context, unsigned count, dj_team **out);
void dj_team_destroy(dj_team *team); // NULL is fine; no turn may be under way

// Starts a turn: every thread calls run(user, member) once. Returns at once; the
// turn before must have ended.
void dj_team_start(dj_team *team, void (*run)(void *user, dj_team_member *member), void *user);
// Waits for the end of the turn that was started last, if there is one.
void dj_team_wait(dj_team *team);

// The error of a thread whose context has a message, told in `context`; outside of turns.
int dj_team_failure(const dj_team *team, dj_context *context);

// Within a turn: waits until all threads are here.
void dj_member_meet(dj_team_member *member);

// The next of a number of tasks, for threads that share them; `next` begins at 0.
static inline size_t dj_take_task(atomic_size_t *next)
{
    return atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
}

// The part of `count` things that a thread does: from the result up to *end.
static inline size_t dj_member_share(const dj_team_member *member, size_t count, size_t *end)
{
    *end = (size_t)((unsigned __int128)count * (member->number + 1) / member->count);
    return (size_t)((unsigned __int128)count * member->number / member->count);
}

#endif
