// SPDX-License-Identifier: MIT
// What observers do about accesses that a lane does not count: those for which
// a test in their loops would cost see a view without them instead.
#ifndef DEJA_OBSERVE_NARROW_H
#define DEJA_OBSERVE_NARROW_H

#include <deja/observer.h>

enum { DJ_NARROW_COUNTED = 1u << DJ_VERDICT_COUNT, DJ_NARROW_FILLED = 1u << DJ_VERDICT_FILL };

// Gathers the elements of a column whose access counts. Returns how many.
static inline uint32_t dj_narrow_column(const uint8_t *verdict, const uint64_t *column, uint32_t count,
                                        uint64_t *to)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        to[n] = column[i]; // stays if it is wanted
        n += verdict[i] == DJ_VERDICT_COUNT;
    }
    return n;
}

// Room for a view. Zeroed at first.
typedef struct dj_narrow {
    char *room;
    uint16_t *at;
    uint32_t lane_count;
    dj_lane_view *lanes;
    dj_batch batch;
    dj_view view;
} dj_narrow;

void dj_narrow_free(dj_narrow *narrow);

// The accesses of which the first lane has one of these verdicts, in a view that is valid until the next
// call; the view itself where all of them count. What fills has its distance. There are no events.
int dj_narrow_view(dj_narrow *narrow, dj_context *context, const dj_view *view, uint32_t verdicts,
                   const dj_view **out);

// Keys of a partitioned lane that differ where the partition does: its row is laid into them from the top,
// bit-reversed, as devices are.
typedef struct dj_part_keys {
    uint64_t *room, keys_seen;
    uint32_t rows_seen;
} dj_part_keys;

// *out is the key column itself where the lane is not partitioned.
int dj_part_keys_of(dj_part_keys *keys, dj_context *context, const dj_lane_view *lane, uint32_t count,
                    const uint64_t **out);

// Fails when a lane is partitioned.
int dj_refuse_partitions(dj_context *context, const dj_setup *setup, const char *what);

#endif
