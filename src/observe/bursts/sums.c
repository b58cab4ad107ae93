// SPDX-License-Identifier: MIT
#include "observe/bursts/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ratio.h"

int dj_burst_sums_create(dj_context *context, unsigned warm_log2, dj_burst_sums *s)
{
    const uint64_t distances = UINT64_C(2) << warm_log2;
    *s = (dj_burst_sums){.reuses = calloc(distances, sizeof *s->reuses),
                         .unknown = calloc(distances, sizeof *s->unknown),
                         .distances = distances};
    return s->reuses && s->unknown
               ? DJ_OK
               : dj_fail_memory(context, "the distances in bursts", 2 * distances * sizeof *s->reuses);
}

void dj_burst_sums_free(dj_burst_sums *s)
{
    free(s->reuses);
    free(s->unknown);
    s->reuses = s->unknown = NULL;
}

void dj_burst_count(dj_burst_sums *s, dj_burst_counts *counts, const uint64_t *distance, uint32_t count,
                    bool whole, uint64_t *known)
{
    const uint64_t weight = counts->weight;
    for (uint32_t i = 0; i < count; i++) {
        if (distance[i] != DJ_COLD) {
            counts->reuses[dj_fine_bin(distance[i], DJ_BURST_BITS)]++;
            s->reuses[distance[i]] += weight;
        } else if (whole) {
            counts->cold++;
            s->cold += weight;
        } else {
            counts->unknown[dj_fine_bin(*known, DJ_BURST_BITS)]++;
            s->unknown[*known] += weight;
        }
        *known += distance[i] == DJ_COLD;
    }
    counts->accesses += count;
    s->accesses += count;
    s->weighted += weight * count;
}

// Products of integers are exact, so the sums are the same on every machine.
static void add_size(dj_burst_sums *s, unsigned end, unsigned size, uint64_t misses, int64_t longer)
{
    const int64_t more = (int64_t)(misses - s->last_misses[end][size]);
    if (s->bursts > 0) {
        s->misses[end][size] += (double)(more * more);
        s->mixed[end][size] += (double)(more * longer);
    }
    s->last_misses[end][size] = misses;
}

void dj_burst_sums_add(dj_burst_sums *s, const dj_burst_counts *counts)
{
    const uint64_t weighted = counts->weight * counts->accesses;
    const int64_t longer = (int64_t)(weighted - s->last_weighted);
    uint64_t low = counts->cold, unknown = 0;
    if (counts->accesses == 0)
        return;
    for (unsigned i = 0; i < DJ_BURST_SIZES; i++)
        unknown += counts->unknown[i];
    for (unsigned i = DJ_BURST_SIZES; i-- > 0;) {
        low += counts->reuses[i] + counts->unknown[i];
        unknown -= counts->unknown[i];
        add_size(s, DJ_BURST_LOW, i, counts->weight * low, longer);
        add_size(s, DJ_BURST_HIGH, i, counts->weight * (low + unknown), longer);
    }
    if (s->bursts > 0)
        s->lengths += (double)(longer * longer);
    s->squares += (double)(weighted * weighted);
    s->last_weighted = weighted;
    s->bursts++;
}

double dj_burst_sums_effective(const dj_burst_sums *s)
{
    return s->squares > 0 ? (double)s->weighted * (double)s->weighted / s->squares : 0;
}

// Each interval of the trace has one burst, so how much neighbours differ shows how much bursts vary;
// differences between the intervals add to it.
double dj_burst_sums_error(const dj_burst_sums *s, unsigned end, unsigned size, uint64_t misses)
{
    if (s->bursts < 2)
        return 1;
    // A difference has twice the variance.
    const dj_ratio_sums sums = {s->misses[end][size] / 2, s->mixed[end][size] / 2, s->lengths / 2};
    const double whole = (double)s->weighted;
    return dj_ratio_error(&sums, (double)misses / whole, (double)s->bursts, whole);
}

// The difference between the last burst of one part and the first of the next is not known.
void dj_burst_sums_merge(dj_burst_sums *s, const dj_burst_sums *later)
{
    for (unsigned end = 0; end < DJ_BURST_ENDS; end++)
        for (unsigned i = 0; i < DJ_BURST_SIZES; i++) {
            s->misses[end][i] += later->misses[end][i];
            s->mixed[end][i] += later->mixed[end][i];
        }
    s->bursts += later->bursts;
    s->accesses += later->accesses;
    s->weighted += later->weighted;
    s->cold += later->cold;
    s->squares += later->squares;
    s->lengths += later->lengths;
    for (uint64_t d = 0; d < s->distances; d++) {
        s->reuses[d] += later->reuses[d];
        s->unknown[d] += later->unknown[d];
    }
}
