// SPDX-License-Identifier: MIT
// First accesses of a part of a trace. Whether they are cold is known only when the earlier parts have
// been joined; until then they are kept here, in order, with everything that an observer will need.
#ifndef DEJA_PIPELINE_PARTS_PENDING_H
#define DEJA_PIPELINE_PARTS_PENDING_H

#include <deja/observer.h>

// The columns of an access that are kept.
enum {
    DJ_PENDING_COLUMNS = DJ_COLUMN_SIZE | DJ_COLUMN_DEVICE | DJ_COLUMN_SITE | DJ_COLUMN_PLACE |
                         DJ_COLUMN_TIME | DJ_COLUMN_KIND | DJ_COLUMN_OFFSET
};

// The answer of one lane; the distance is DJ_COLD while pending.
typedef struct dj_pending_answer {
    uint64_t distance;
    uint64_t prev_time;
    uint64_t byte_distance;
    uint64_t time; // as dj_lane_view.time, if there is one
    uint32_t prev_tag;
} dj_pending_answer;

typedef struct dj_pending_access {
    uint64_t address, size, time, offset;
    uint32_t device, site, place;
    uint8_t kind;
    dj_pending_answer *answers; // one per lane
} dj_pending_access;

typedef struct dj_pending {
    uint32_t lane_count;
    uint32_t columns; // bits of dj_column_bit that the accesses have
    size_t count, capacity;
    dj_pending_access *accesses;
    dj_pending_answer *answers; // lane_count per access
} dj_pending;

void dj_pending_init(dj_pending *pending, uint32_t lane_count);
void dj_pending_free(dj_pending *pending);

// Copies access `index` of the view; out->answers must have one element per lane.
void dj_pending_from_view(const dj_view *view, uint32_t index, dj_pending_access *out);

// Appends a copy of the access, which has these columns.
int dj_pending_add(dj_pending *pending, dj_context *context, const dj_pending_access *access,
                   uint32_t columns);

// With fixed memory: the bytes that it may take until two more batches have been added.
uint64_t dj_pending_bytes_ahead(const dj_pending *pending);
// Moves an access, to where there is none that is needed.
void dj_pending_move(dj_pending *pending, size_t from, size_t to);
// Keeps the first `count`, and releases memory.
int dj_pending_shorten(dj_pending *pending, dj_context *context, size_t count);

// Whether the answer of any lane is missing.
bool dj_pending_is_open(const dj_pending *pending, const dj_pending_access *access);

#endif
