// SPDX-License-Identifier: MIT
// What each thread knows of the others, as vector clocks: how many accesses of thread u precede the next one
// of thread t in every order that respects what t waited for. It may be less than the truth, never more.
#ifndef DEJA_TRACE_SHARERS_KNOWLEDGE_H
#define DEJA_TRACE_SHARERS_KNOWLEDGE_H

#include <deja/error.h>

// What a thread knew at some time; shared and never changed.
typedef struct dj_clock {
    unsigned references;
    uint32_t count;
    uint64_t made[]; // accesses of each thread
} dj_clock;

typedef struct dj_thread_knowledge {
    uint64_t done; // accesses that the thread has made; the caller counts them
    // Private to knowledge.c.
    uint64_t *made; // accesses of the other threads that precede the next one of this thread
    size_t count;
    uint64_t changed_at; // accesses it had made when it last learned something
    bool has_learned;    // anything
    bool has_changed;    // since its last version
    struct dj_version *versions;
    size_t version_count, version_capacity;
} dj_thread_knowledge;

typedef struct dj_knowledge {
    dj_thread_knowledge *threads;
    size_t count, capacity;
} dj_knowledge;

void dj_knowledge_free(dj_knowledge *knowledge);
int dj_knowledge_add_thread(dj_knowledge *knowledge, dj_context *context);
static inline bool dj_knows(const dj_thread_knowledge *t, uint32_t thread, uint64_t accesses)
{
    return accesses == 0 || (thread < t->count && t->made[thread] >= accesses);
}
// Before its next access, thread `t` waits until `u` has made so many. It learns what `u` knew then.
int dj_knowledge_learn(dj_knowledge *knowledge, dj_context *context, uint32_t t, uint32_t u,
                       uint64_t accesses);
// Keeps what `t` knows, so that others can learn it. To be called before `t` writes or releases anything.
int dj_knowledge_keep(dj_knowledge *knowledge, dj_context *context, uint32_t t);
// Whether it learned something since its last access: "`t` has made `done` accesses" does not imply that.
bool dj_knowledge_is_new(const dj_knowledge *knowledge, uint32_t t);
// What `t` knows, after dj_knowledge_keep; NULL: nothing. The caller gets a reference.
dj_clock *dj_knowledge_clock(const dj_knowledge *knowledge, uint32_t t);

int dj_clock_create(dj_context *context, size_t count, dj_clock **out); // zeros
void dj_clock_release(dj_clock *clock);                                 // NULL is allowed

#endif
