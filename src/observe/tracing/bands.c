// SPDX-License-Identifier: MIT
// Bounds of miss ratios. At a size of c blocks an access misses for certain if its distance is at least c, or
// unknown but at least c. It may miss if it is unknown and its burst has accessed fewer than c blocks.
#include "observe/tracing/traced.h"

#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/ratio.h"

enum { EIGHTHS = 8 };

uint64_t dj_traced_size(unsigned index)
{
    return index < EIGHTHS ? index : (uint64_t)(EIGHTHS + index % EIGHTHS) << (index / EIGHTHS - 1);
}

unsigned dj_traced_index(uint64_t distance)
{
    if (distance < EIGHTHS)
        return (unsigned)distance;
    const unsigned octave = 63 - (unsigned)__builtin_clzll(distance);
    const unsigned index = (octave - 2) * EIGHTHS + (unsigned)(distance >> (octave - 3) & (EIGHTHS - 1));
    return index < DJ_TRACED_SIZES ? index : DJ_TRACED_SIZES - 1;
}

void dj_traced_free(dj_traced_bursts *all)
{
    free(all->limits);
}

static void add_misses(dj_traced_sums *sums, double misses, double accesses)
{
    sums->misses += misses;
    sums->squares += misses * misses;
    sums->products += misses * accesses;
}

int dj_traced_add(dj_traced_bursts *all, dj_context *context, const dj_traced_burst *burst)
{
    const double accesses = (double)burst->accesses;
    uint64_t misses = burst->accesses;
    if (burst->accesses == 0)
        return DJ_OK;
    int err = dj_grow(context, "the bursts", &all->limits, &all->limit_capacity, all->limit_count + 1,
                      sizeof *all->limits);
    if (err)
        return err;
    all->limits[all->limit_count++] = burst->unknown;
    for (unsigned i = 0; i < DJ_TRACED_SIZES; i++) {
        const uint64_t size = dj_traced_size(i);
        const uint64_t open = burst->unknown < size ? burst->unknown : size;
        add_misses(&all->high[i], (double)misses, accesses);
        add_misses(&all->low[i], (double)(misses - open), accesses);
        misses -= burst->reuses[i];
    }
    all->count++;
    all->accesses += burst->accesses;
    all->unknown += burst->unknown;
    all->squares += accesses * accesses;
    return DJ_OK;
}

static double error_of(const dj_traced_bursts *all, const dj_traced_sums *sums)
{
    const double n = (double)all->accesses;
    const dj_ratio_sums over_bursts = {sums->squares, sums->products, all->squares};
    return dj_ratio_error(&over_bursts, sums->misses / n, (double)all->count, n);
}

static double clamp(double ratio)
{
    return fmin(fmax(ratio, 0), 1);
}

// One end of a band.
typedef struct end {
    double ratio;   // of the later bursts
    double outside; // of the part of the run that could not be sampled
    uint64_t size;
} end;

// The miss ratio of the run.
static double of_run(const dj_traced_bursts *later, const dj_traced_first *first, double weight,
                     double unsampled, end at)
{
    const double rest = weight * (double)later->accesses, own = (double)first->accesses;
    const double hits = (double)dj_histogram_sum(first->distance, 0, at.size);
    const double outside = fmin(unsampled * (own + rest), rest);
    return clamp((own - hits + (rest - outside) * clamp(at.ratio) + outside * at.outside) / (own + rest));
}

int dj_traced_bands(const dj_traced_bursts *later, dj_context *context, const dj_traced_first *first,
                    double weight, dj_tracing *out)
{
    const double n = (double)later->accesses;
    // Long bursts count more, so that there are fewer degrees of freedom than bursts.
    const double times = later->count > 1 ? dj_ratio_student(fmax(n * n / later->squares - 1, 1)) : 0;
    out->bands = malloc(DJ_TRACED_SIZES * sizeof *out->bands);
    if (!out->bands)
        return dj_fail_memory(context, "the error of an estimate", DJ_TRACED_SIZES * sizeof *out->bands);
    out->band_count = DJ_TRACED_SIZES;
    for (unsigned i = 0; i < DJ_TRACED_SIZES; i++) {
        const unsigned next = i + 1 < DJ_TRACED_SIZES ? i + 1 : i;
        const dj_traced_sums *high = &later->high[i], *low = &later->low[next];
        double most = 1, least = 0;
        if (later->count > 1) {
            most = high->misses / n + times * error_of(later, high);
            least = next > i ? low->misses / n - times * error_of(later, low) : 0;
        }
        const end low_end = {least, 0, next > i ? dj_traced_size(next) : UINT64_MAX};
        const end high_end = {most, 1, dj_traced_size(i)};
        out->bands[i] =
            (dj_tracing_band){dj_traced_size(i), of_run(later, first, weight, out->unsampled, low_end),
                              of_run(later, first, weight, out->unsampled, high_end)};
    }
    return DJ_OK;
}
