// SPDX-License-Identifier: MIT
#include "observe/bursts/head.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ratio.h"
#include "profile/sample_reach.h"

enum { SIZES = DJ_BURST_SIZES, FEWEST = 8 };

typedef struct head {
    double error[SIZES]; // of each size up to the next, of which the band has DJ_SAMPLE_ERRORS to each side
    double ratio[SIZES]; // of misses
    double tail[SIZES];  // the width of the band of the sample
    unsigned sizes;      // that bursts reach
    unsigned end;        // the first size that is not in the head
} head;

// The miss ratio in caches of increasing size. Distances that are only known to be at least so long are
// assumed to be as long as others that are (Kaplan and Meier, 1958).
typedef struct survival {
    const dj_burst_sums *sums;
    uint64_t size, reuses, unknown; // those with shorter distances
    double ratio;
} survival;

static void grow_to(survival *s, uint64_t size)
{
    for (uint64_t n; s->size < size; s->size++) {
        n = s->sums->reuses[s->size];
        s->unknown += s->sums->unknown[s->size];
        const uint64_t longer = s->sums->weighted - s->reuses - s->unknown;
        s->reuses += n;
        if (n > 0)
            s->ratio *= (double)(longer - n) / (double)longer;
    }
}

static void find_errors(const dj_burst_sums *s, head *h)
{
    const double quantile = dj_ratio_student(fmax(dj_burst_sums_effective(s) * 2 / 3 - 1, 3));
    // What happens only in one or two intervals is easily missed; then bursts do not differ.
    const double missed = 2 / dj_burst_sums_effective(s);
    survival at = {.sums = s, .ratio = 1};
    double error[SIZES], open[SIZES];
    for (unsigned i = 0; i < h->sizes; i++) {
        grow_to(&at, dj_burst_size(i));
        const uint64_t high = s->weighted - at.reuses, low = high - at.unknown;
        error[i] = fmax(dj_burst_sums_error(s, DJ_BURST_LOW, i, low),
                        dj_burst_sums_error(s, DJ_BURST_HIGH, i, high));
        error[i] = fmax(quantile * error[i], missed);
        open[i] =
            fmax((double)high / (double)s->weighted - at.ratio, at.ratio - (double)low / (double)s->weighted);
        h->ratio[i] = at.ratio;
    }
    for (unsigned i = 0; i < h->sizes; i++) {
        const unsigned next = i + 1 < h->sizes ? i + 1 : i;
        h->error[i] = (fmax(error[i], error[next]) + fmax(open[i], open[next])) / DJ_SAMPLE_ERRORS;
    }
}

// The share of accesses that miss in a cache of `size` blocks; sizes must not decrease.
typedef struct walk {
    const dj_lane_profile *lane;
    uint64_t size, hits;
} walk;

static double walk_to(walk *w, uint64_t size)
{
    w->hits += dj_histogram_sum(w->lane->distance, w->size, size);
    w->size = size;
    return 1 - (double)w->hits / (double)w->lane->accesses;
}

static void find_tail(const dj_profile *profile, const dj_lane_profile *lane, head *h)
{
    walk high = {.lane = lane}, low = {.lane = lane};
    for (unsigned i = 0; i < h->sizes; i++) {
        const dj_sample_reach reach = dj_sample_reach_at(profile, lane, dj_burst_size(i));
        const double most = fmin(walk_to(&high, reach.smaller) + reach.above, 1);
        h->tail[i] = most - fmax(walk_to(&low, reach.larger) - reach.below, 0);
    }
}

// Where one band replaces the other, such that the band is narrow at all sizes, on a logarithmic scale.
static void find_end(head *h)
{
    double narrower = 0, best = 0; // by how much the band is narrower with a head, in total
    for (unsigned i = 1; i + 1 < h->sizes; i++) {
        const double size = (double)dj_burst_size(i), next = (double)dj_burst_size(i + 1);
        narrower += (h->tail[i] - fmin(2 * DJ_SAMPLE_ERRORS * h->error[i], 1)) * (next - size) / size;
        if (narrower > best) {
            best = narrower;
            h->end = i + 1;
        }
    }
}

// Replaces the distances below the end of the head. At its last size, the number of misses becomes that of
// the sample, which no smaller size may be below.
static int replace_distances(dj_context *context, const dj_burst_sums *s, const head *h,
                             dj_lane_profile *lane)
{
    const uint64_t end = dj_burst_size(h->end),
                   least = lane->accesses - dj_histogram_sum(lane->distance, 0, end);
    survival at = {.sums = s, .ratio = 1};
    uint64_t misses = lane->accesses;
    dj_histogram *joined = NULL;
    int err = dj_histogram_create(context, &joined);
    for (uint64_t d = 0; !err && d < end; d++) {
        grow_to(&at, d + 1);
        uint64_t next = d + 1 < end ? (uint64_t)(at.ratio * (double)lane->accesses) : least;
        next = next > least ? next : least;
        if (next < misses)
            err = dj_histogram_add(joined, context, d, misses - next);
        misses = next;
    }
    for (uint64_t d = end, n; !err && (n = dj_histogram_next(lane->distance, &d)) != 0; d++)
        err = dj_histogram_add(joined, context, d, n);
    if (err) {
        dj_histogram_destroy(joined);
        return err;
    }
    dj_histogram_destroy(lane->distance);
    lane->distance = joined;
    return DJ_OK;
}

// The rows of the bursts, and those of the sample from the end of the head on.
static int replace_errors(dj_context *context, const head *h, double least, dj_sample *sample)
{
    const uint64_t end = dj_burst_size(h->end);
    dj_sample_error *rows = malloc((h->end + sample->error_count + 1) * sizeof *rows);
    size_t count = 0, from = 0;
    if (!rows)
        return dj_fail_memory(context, "the errors of a sample", 0);
    for (unsigned i = 0; i < h->end; i++) {
        const double lifted = fmax(least - h->ratio[i], 0);
        rows[count++] = (dj_sample_error){dj_burst_size(i), h->error[i] + lifted / DJ_SAMPLE_ERRORS};
    }
    while (from + 1 < sample->error_count && sample->errors[from + 1].size <= end)
        from++;
    for (; from < sample->error_count; from++) {
        const uint64_t size = sample->errors[from].size;
        rows[count++] = (dj_sample_error){size > end ? size : end, sample->errors[from].error};
    }
    free(sample->errors);
    sample->errors = rows;
    sample->error_count = count;
    return DJ_OK;
}

int dj_join_head(dj_context *context, const dj_burst_sums *s, const dj_profile *profile,
                 dj_lane_profile *lane, dj_sample *sample)
{
    sample->bursts += s->bursts;
    sample->burst_accesses += s->accesses;
    if (s->bursts < FEWEST || lane->accesses == 0)
        return DJ_OK;
    head *h = calloc(1, sizeof *h);
    if (!h)
        return dj_fail_memory(context, "the head of a curve", sizeof *h);
    h->sizes = (unsigned)dj_fine_bin(s->distances, DJ_BURST_BITS) + 1;
    find_errors(s, h);
    find_tail(profile, lane, h);
    find_end(h);
    int err = DJ_OK;
    if (h->end > 0) {
        walk to = {.lane = lane};
        const double least = walk_to(&to, dj_burst_size(h->end));
        err = replace_distances(context, s, h, lane);
        if (!err)
            err = replace_errors(context, h, least, sample);
        sample->head = sample->head > dj_burst_size(h->end) ? sample->head : dj_burst_size(h->end);
    }
    free(h);
    return err;
}
