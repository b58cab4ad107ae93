// SPDX-License-Identifier: MIT
#include "engine/aet/times.h"

#include "base/fine_bins.h"

enum { SHORTEST = 2 }; // time distance of a reuse that is no repeat

void dj_times_add(dj_times_bins *bins, uint64_t value, uint64_t count)
{
    uint64_t bin = dj_fine_bin(value, DJ_TIMES_BITS);
    bins->count[bin] += count;
    bins->sum[bin] += (double)value * (double)count;
}

// Σ max(0, length − x) over the values x of bins, for increasing lengths.
typedef struct shortfall {
    const dj_times_bins *bins;
    uint64_t next;     // the first bin whose mean is not below the length
    double count, sum; // of the bins before it
} shortfall;

static double shortfall_at(shortfall *s, double length)
{
    for (; s->next < DJ_TIMES_BINS; s->next++) {
        const double count = (double)s->bins->count[s->next];
        if (count > 0 && s->bins->sum[s->next] >= length * count)
            break;
        s->count += count;
        s->sum += s->bins->sum[s->next];
    }
    return length * s->count - s->sum;
}

// Makes the reuses as many as are known to exist. A few very frequent keys may be in the sample or not, which
// changes how many accesses it has; they have short distances.
static void adjust(dj_times *t)
{
    const uint64_t known = t->accesses - t->cold;
    uint64_t sampled = 0;
    for (uint64_t bin = 0; bin < DJ_TIMES_BINS; bin++)
        sampled += t->reuse.count[bin];
    if (known > sampled)
        dj_times_add(&t->reuse, SHORTEST, known - sampled);
    for (uint64_t bin = 0; sampled > known; bin++) {
        const uint64_t count = t->reuse.count[bin], excess = sampled - known;
        const uint64_t dropped = excess < count ? excess : count;
        if (dropped == 0)
            continue;
        t->reuse.sum[bin] -= t->reuse.sum[bin] / (double)count * (double)dropped;
        t->reuse.count[bin] -= dropped;
        sampled -= dropped;
    }
}

// What is needed for windows of increasing lengths.
typedef struct windows {
    shortfall reuse, edge;
    double accesses;
    enum dj_times_model model;
} windows;

// The average number of distinct keys in a window.
static double distinct_in(windows *w, double length)
{
    const double inside = length * w->accesses - shortfall_at(&w->reuse, length);
    return w->model == DJ_TIMES_AET ? inside / w->accesses
                                    : (inside - shortfall_at(&w->edge, length)) / (w->accesses - length + 1);
}

int dj_times_distances(dj_times *times, dj_context *context, enum dj_times_model model, dj_histogram *into,
                       uint64_t *cold)
{
    if (times->cold > times->accesses)
        times->cold = times->accesses;
    adjust(times);
    windows w = {{.bins = &times->reuse}, {.bins = &times->edge}, (double)times->accesses, model};
    const double most = times->cold > 1 ? (double)(times->cold - 1) : 0;
    double distance = 0;
    int err = DJ_OK;
    *cold += times->cold;
    for (uint64_t bin = 0; err == DJ_OK && bin < DJ_TIMES_BINS; bin++) {
        const uint64_t count = times->reuse.count[bin];
        if (count == 0)
            continue;
        const double distinct = distinct_in(&w, times->reuse.sum[bin] / (double)count - 1);
        if (distinct > distance)
            distance = distinct < most ? distinct : most;
        err = dj_histogram_add(into, context, (uint64_t)(distance + 0.5), count);
    }
    return err;
}
