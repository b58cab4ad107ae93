// SPDX-License-Identifier: MIT
// Counts of accesses by the classes of their distances at two block sizes, for each pair of block sizes, from
// which everything in section `spatial` derives.
#ifndef DEJA_OBSERVE_SPATIAL_CELLS_H
#define DEJA_OBSERVE_SPATIAL_CELLS_H

#include <deja/observer.h>
#include <deja/observer_options.h>

#include "observe/compact.h"
#include "observe/spatial/classes.h"

enum {
    DJ_SPATIAL_CHUNK = 1024, // accesses whose classes stay in the processor's cache meanwhile
    DJ_SPATIAL_TURNS = 4,    // each count is split into this many that alternate, so that no increment waits
                             // for the previous one
};

// The remaining accesses of a chunk. A distance of 0 is also 0 for all larger blocks, with the same
// previous access: those are counted all at once.
typedef struct dj_spatial_left {
    uint32_t count;
    uint64_t bits[DJ_SPATIAL_CHUNK / 64], next_bits[DJ_SPATIAL_CHUNK / 64];
    uint64_t distance[2][DJ_SPATIAL_CHUNK + DJ_COMPACT_PAD];
    uint32_t intercepted[DJ_SPATIAL_CHUNK + DJ_COMPACT_PAD];
} dj_spatial_left;

typedef struct dj_spatial_cells {
    const dj_spatial_path *path;
    const dj_compact *compact;
    dj_spatial_cache_size *caches;
    size_t cache_count;
    uint32_t pair_count;
    size_t classes;   // the last one is for cold misses
    uint64_t *block;  // of each lane
    uint64_t *cuts;   // [lane][cache], in blocks
    uint16_t *starts; // [lane][cache], the first class of the cache
    uint16_t *zeros;  // of each lane: the class of distance 0
    uint64_t *cells;  // [pair][class at b][class at 2b][intercepted][turn]
    uint64_t *sums;   // [pair][class at b][turn], of the distances at b
    uint16_t class_at[2][DJ_SPATIAL_CHUNK];
    uint32_t cell_at[DJ_SPATIAL_CHUNK];
    dj_spatial_left left;
} dj_spatial_cells;

// The options are dj_spatial_options, or NULL.
int dj_spatial_cells_create(dj_context *context, const dj_setup *setup, dj_spatial_cells **out);
void dj_spatial_cells_destroy(dj_spatial_cells *cells); // NULL is allowed

// Counts accesses `from` to `from` + `count` − 1 of all lanes.
void dj_spatial_cells_count(dj_spatial_cells *cells, const dj_lane_view *lanes, uint32_t from,
                            uint32_t count);

// The number of counts, and of sums; each consists of DJ_SPATIAL_TURNS.
size_t dj_spatial_cells_size(const dj_spatial_cells *cells);
size_t dj_spatial_cells_sums(const dj_spatial_cells *cells);

uint16_t dj_spatial_cells_class(const dj_spatial_cells *cells, uint32_t lane, uint64_t distance);
// A new section.
int dj_spatial_cells_fill(const dj_spatial_cells *cells, dj_context *context, dj_spatial **out);

static inline uint64_t dj_spatial_all_turns(const uint64_t *parts)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < DJ_SPATIAL_TURNS; i++)
        sum += parts[i];
    return sum;
}

#endif
