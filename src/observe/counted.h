// SPDX-License-Identifier: MIT
// For observers whose loops should not test whether a lane counts each access: a view that contains only
// the counted ones.
#ifndef DEJA_OBSERVE_COUNTED_H
#define DEJA_OBSERVE_COUNTED_H

#include "base/verdicts.h"
#include <deja/observer.h>

enum { DJ_SELECT_COUNTED = 1u << DJ_VERDICT_COUNT, DJ_SELECT_FILLED = 1u << DJ_VERDICT_FILL };

// Gathers the elements of a column whose accesses count. Returns their number.
static inline uint32_t dj_counted_column(const uint8_t *verdict, const uint64_t *column, uint32_t count,
                                         uint64_t *to)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < count;) {
        const uint32_t end = i + 8 < count ? i + 8 : count;
        for (; i < end; i++) {
            to[n] = column[i]; // kept only if wanted
            n += verdict[i] == DJ_VERDICT_COUNT;
        }
        i = dj_skip_absent(verdict, i, count);
    }
    return n;
}

// For dj_observer_ops.needs_all: observers that count accesses outside a sample, too.
static inline bool dj_needs_unsampled(void *state, const dj_batch *batch)
{
    (void)state;
    (void)batch;
    return true;
}

// Storage of a view. Zero-initialized.
typedef struct dj_counted {
    char *buffer;
    uint16_t *at;
    uint32_t lane_count;
    dj_lane_view *lanes;
    dj_batch batch;
    dj_view view;
} dj_counted;

void dj_counted_free(dj_counted *counted);

// The accesses to which the first lane gave one of these verdicts, as a view that is valid until the next
// call; the original view if all count. Accesses that fill have their distance. There are no events.
int dj_counted_view(dj_counted *counted, dj_context *context, const dj_view *view, uint32_t verdicts,
                    const dj_view **out);

// Keys of a partitioned lane that differ between partitions: the row of the partition is placed at the top
// of the key, bit-reversed, like device numbers.
typedef struct dj_part_keys {
    uint64_t *buffer, keys_seen;
    uint32_t rows_seen;
} dj_part_keys;

// *out is the key column itself if the lane is not partitioned.
int dj_part_keys_of(dj_part_keys *keys, dj_context *context, const dj_lane_view *lane, uint32_t count,
                    const uint64_t **out);

// Fails if a lane is partitioned.
int dj_refuse_partitions(dj_context *context, const dj_setup *setup, const char *what);

#endif
