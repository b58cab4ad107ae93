// SPDX-License-Identifier: MIT
// The numbers of one place or pair of places, while they are counted.
#ifndef DEJA_OBSERVE_PLACES_H
#define DEJA_OBSERVE_PLACES_H

#include <deja/attribution.h>

// The bins that all tallies share: eight to an octave, and a border at each cut.
typedef struct dj_binning_table {
    uint64_t *edges;
    size_t count;
    uint16_t *first; // for each eighth of an octave: the bin that its lowest value is in
} dj_binning_table;

int dj_binning_create(dj_binning_table *table, dj_context *context, const uint64_t *cuts, size_t cut_count);
void dj_binning_destroy(dj_binning_table *table);

enum {
    DJ_EIGHTHS = 8,
    DJ_EIGHTH_COUNT = 64 * DJ_EIGHTHS,
    DJ_EIGHTH_LAST = 40 * DJ_EIGHTHS, // its bin has no end
    DJ_BINS_SINGLE = 2 * DJ_EIGHTHS,  // so many bins hold one value each
};

// Values below 8 are alone; above, the three bits after the first one tell which eighth.
static inline unsigned dj_eighth_of(uint64_t value)
{
    if (value < DJ_EIGHTHS)
        return (unsigned)value;
    unsigned octave = 63 - (unsigned)__builtin_clzll(value);
    return (octave - 2) * DJ_EIGHTHS + (unsigned)(value >> (octave - 3) & (DJ_EIGHTHS - 1));
}

static inline unsigned dj_bin_of(const dj_binning_table *table, uint64_t value)
{
    unsigned bin = table->first[dj_eighth_of(value)];
    while (bin + 1 < table->count && value >= table->edges[bin + 1])
        bin++;
    return bin;
}

#endif
