// SPDX-License-Identifier: MIT
// What the bursts of a run say about all of it. A burst is a stretch of consecutive accesses with an LRU
// stack of its own. The distance of an access to a block that the burst has accessed before is exact. Of
// another access only a lower bound is known: the number of blocks that the burst has accessed so far. That
// is an observation that was cut off, as in a study of survival times.
#ifndef DEJA_OBSERVE_TRACING_TRACED_H
#define DEJA_OBSERVE_TRACING_TRACED_H

#include <deja/attribution.h>
#include <deja/tracing.h>

// Cache sizes with sums of their own: 0, and eight for each doubling.
enum { DJ_TRACED_SIZES = 8 * 40 };

uint64_t dj_traced_size(unsigned index);
unsigned dj_traced_index(uint64_t distance); // of the largest size that is not above it

// The accesses of one burst.
typedef struct dj_traced_burst {
    uint64_t accesses;
    uint64_t unknown;                 // to blocks that it had not accessed before
    uint64_t reuses[DJ_TRACED_SIZES]; // with a distance from this size up to the next
} dj_traced_burst;

// Sums over bursts of misses at a size, for the error of their ratio to the accesses.
typedef struct dj_traced_sums {
    double misses, squares, products; // products with the accesses of the burst
} dj_traced_sums;

typedef struct dj_traced_bursts {
    uint64_t count, accesses, unknown;
    double squares; // of accesses
    dj_traced_sums low[DJ_TRACED_SIZES], high[DJ_TRACED_SIZES];
    uint64_t *limits; // the number of unknown accesses of each burst
    size_t limit_count, limit_capacity;
} dj_traced_bursts;

int dj_traced_add(dj_traced_bursts *all, dj_context *context, const dj_traced_burst *burst);
void dj_traced_free(dj_traced_bursts *all);

// The first burst, which stands for itself: what it accesses first is a first access of the program.
typedef struct dj_traced_first {
    uint64_t accesses, cold;
    const dj_histogram *distance;
} dj_traced_first;

// The bounds of the miss ratio at all sizes. Each access of the later bursts stands for `weight`.
int dj_traced_bands(const dj_traced_bursts *later, dj_context *context, const dj_traced_first *first,
                    double weight, dj_tracing *out);

// Estimates the distances of `accesses` accesses from those that are known, `seen`: those that are not are
// assumed to be distributed as others that were followed further (Kaplan and Meier, 1958). *cold counts what
// no burst has followed to its end.
int dj_traced_distances(const dj_traced_bursts *all, dj_context *context, const dj_histogram *seen,
                        uint64_t accesses, dj_histogram **out, uint64_t *cold);

// The same for places: unknown accesses of each are distributed as those of all. Places of the first burst
// stay as they are.
typedef struct dj_traced_estimate {
    double weight;        // of a traced access
    uint32_t first_place; // the first one of later bursts
    uint64_t unknown;
    const dj_histogram *seen, *estimated;
    uint64_t cold;
} dj_traced_estimate;

int dj_traced_places(const dj_traced_estimate *estimate, dj_context *context, dj_attribution *attribution);

#endif
