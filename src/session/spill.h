// SPDX-License-Identifier: MIT
// The profiles of processes that have ended. A session may have thousands: only the main one stays in memory;
// the others are spilled to an unnamed file, or only their counts are kept.
#ifndef DEJA_SESSION_SPILL_H
#define DEJA_SESSION_SPILL_H

#include <deja/session.h>

#include <pthread.h>
#include <stdio.h>

struct dj_worker;

// What is kept of a profile: the profile itself, its JSON in the file, or only the counts.
typedef struct dj_kept {
    dj_profile *profile;
    uint64_t accesses, distinct;
    double mean; // reuse distance
    long at;
    size_t bytes; // 0: not in the file
} dj_kept;

typedef struct dj_spill_file {
    bool whole; // keep profiles, not only counts
    const dj_json_view *view;
    // Private to spill.c.
    pthread_mutex_t lock;
    FILE *file;                     // NULL: none needed or possible
    const struct dj_worker *latest; // the last image of the root that has ended
} dj_spill_file;

void dj_spill_open(dj_spill_file *spill, bool whole, const dj_json_view *view);
void dj_spill_close(dj_spill_file *spill);

// Takes ownership of the profile of a worker.
int dj_spill_keep(dj_spill_file *spill, struct dj_worker *worker, dj_profile *profile);
void dj_kept_free(dj_kept *kept); // NULL is allowed

#endif
