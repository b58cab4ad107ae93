// SPDX-License-Identifier: MIT
// Follows the loops of a process, if its tracer says which way it takes.
#ifndef DEJA_SESSION_FOLLOW_H
#define DEJA_SESSION_FOLLOW_H

#include "locate/loops.h"
#include "session/state.h"

typedef struct dj_follower {
    dj_symbols *symbols;
    dj_loops *loops;
    dj_source *source; // NULL: nothing is followed
} dj_follower;

// `symbols`: folders, separated by colons; NULL: none.
int dj_follower_create(dj_worker *worker, dj_source *inner, const char *symbols, dj_follower *out);
void dj_follower_destroy(dj_follower *follower);

#endif
