// SPDX-License-Identifier: MIT
// Mapped files that somebody else may truncate. Touching memory that the file no longer has raises SIGBUS,
// which would end the process. Between enter and leave it makes the memory zeros instead.
#ifndef DEJA_LIVE_GUARD_H
#define DEJA_LIVE_GUARD_H

#include <stdbool.h>
#include <stddef.h>

typedef struct dj_guard {
    void *memory; // whole pages of a file
    size_t bytes;
    volatile int lost; // its file no longer has all of it: it is zeros, and written for nobody
} dj_guard;

// SIGBUS is handled while any guard is open. A signal that concerns no guard goes to whoever handled it
// before. False: it cannot be handled.
bool dj_guard_open(dj_guard *guard, void *memory, size_t bytes);
void dj_guard_close(dj_guard *guard);

// The calling thread, which must not block SIGBUS, may touch the memory of one guard at a time.
void dj_guard_enter(dj_guard *guard);
void dj_guard_leave(void);

#endif
