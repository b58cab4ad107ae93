// SPDX-License-Identifier: MIT
// What becomes of the profiles of processes that have ended. A run may start
// thousands; only the one that stands for it stays in memory as it is, of the
// others what will be printed.
#ifndef DEJA_CLI_SHELF_H
#define DEJA_CLI_SHELF_H

#include <deja/report.h>

#include <stdio.h>

#include "cli/live.h"

// The result of a worker: a profile, or its JSON on the shelf, or the sums alone.
typedef struct dj_kept {
    dj_profile *profile;
    uint64_t accesses, distinct;
    double mean; // distance
    long at;
    size_t bytes; // 0: not on the shelf
} dj_kept;

typedef struct dj_shelf {
    const dj_json_view *json; // whole profiles will be printed, so; NULL: sums
    // Private to shelf.c.
    pthread_mutex_t lock;
    FILE *file;             // NULL: none needed or possible
    const dj_worker *shown; // the last image of the root that has ended
} dj_shelf;

void dj_shelf_open(dj_shelf *shelf); // after its first member is set
// With all that it keeps for the workers.
void dj_shelf_close(dj_shelf *shelf, const dj_outcome *outcome);

// Takes over the profile of a worker that is done with it.
int dj_shelf_keep(dj_shelf *shelf, dj_worker *worker, dj_profile *profile);

#endif
