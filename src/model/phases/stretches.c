// SPDX-License-Identifier: MIT
// Where the working set changes. The distances of a window depend on what was accessed before, so at the
// beginning of a phase they differ from later ones although the phase is the same. Three measures do not:
// - The number of distinct blocks in a window depends on nothing before the window.
// - In a phase, ever fewer of the blocks are new to the phase. If their share rises, the data are others.
// - A distance is as in the rest of the phase if it is shorter than the phase has blocks so far.
#include <math.h>

#include "model/phases/phases.h"

// The share by which new data must rise; and how many standard deviations are no chance.
static const double RISE = 0.25, DEVIATIONS = 5;
// Windows from which on their own spread shows what is chance, and a spread that small numbers may hide.
enum { SPREAD_FROM = 4, SPREAD_LEAST = 3, SPREADS = 6 };
static double count_in(const dj_window *window, unsigned bin)
{
    return bin < window->bin_count ? (double)window->bins[bin] : 0;
}

bool dj_sizes_differ(double a, double b, double noise)
{
    const double larger = fmax(a, b), smaller = fmin(a, b);
    return larger > DJ_PHASE_FACTOR * smaller && larger - smaller > noise;
}

// A window with more or fewer accesses, such as the last one or one of time, has between as much distinct
// data as the others and as much for each access.
static double expect_distinct(double mean, double accesses, double length, double here)
{
    const double scaled = length > 0 ? mean * accesses / length : mean;
    return fmin(fmax(here, fmin(mean, scaled)), fmax(mean, scaled));
}

static bool distinct_changes(const dj_trail *t, const dj_window *window)
{
    const double n = (double)t->windows, mean = t->distinct / n, here = (double)window->distinct;
    const double expected = expect_distinct(mean, (double)window->accesses, t->accesses / n, here);
    double noise = DEVIATIONS * sqrt(expected + here);
    if (t->windows >= SPREAD_FROM)
        noise = fmin(noise, SPREAD_LEAST + SPREADS * sqrt(fmax(0, t->squares / n - mean * mean)));
    return dj_sizes_differ(expected, here, noise);
}

// Accesses to blocks that are new to the stretch: first accesses, and those whose distance exceeds all that
// the stretch has accessed.
static double count_fresh(const dj_trail *t, const dj_window *window)
{
    double fresh = (double)window->cold;
    for (unsigned bin = 0; bin < DJ_PHASE_SIZES; bin++)
        fresh += dj_bin_low(bin) >= t->known ? count_in(window, bin) : 0;
    return fmax((double)window->cold, fmin((double)window->distinct, fresh));
}

static bool data_change(const dj_trail *t, const dj_window *window, double fresh)
{
    const double distinct = (double)window->distinct;
    double before = 0;
    for (int i = 0; i < DJ_TRAIL_RECENT; i++)
        before = fmax(before, t->fresh[i]);
    if (t->windows < 2 || distinct == 0)
        return false;
    const double chance = fmin(fmax(before, 1 / distinct), 0.5);
    return fresh / distinct - before > RISE &&
           fresh - before * distinct > DEVIATIONS * sqrt(distinct * chance * (1 - chance));
}

// Compares the distances that all windows of the stretch show, and this one.
static bool distances_change(const dj_trail *t, const dj_window *window)
{
    const double accesses = (double)window->accesses;
    double shown = 0;
    dj_bin_difference d = {0};
    for (unsigned bin = 0; bin < DJ_PHASE_SIZES && dj_bin_high(bin) < t->known; bin++) {
        if (t->shown[bin] == 0 || accesses == 0)
            break;
        shown = t->shown[bin]; // the fewest for the last
        dj_bins_compare(&d, count_in(window, bin), accesses, t->counts[bin], shown);
    }
    return shown > 0 && dj_bins_difference(&d, accesses, shown) > DJ_PHASE_DIFFERENT;
}

void dj_trail_add(dj_trail *t, const dj_window *window, double fresh)
{
    const double distinct = (double)window->distinct;
    if (t->windows > 0) {
        t->fresh[t->windows % DJ_TRAIL_RECENT] = distinct > 0 ? fresh / distinct : 0;
        for (unsigned bin = 0; bin < DJ_PHASE_SIZES && dj_bin_high(bin) < t->known; bin++) {
            t->counts[bin] += count_in(window, bin);
            t->shown[bin] += (double)window->accesses;
        }
    }
    t->known += fresh;
    t->accesses += (double)window->accesses;
    t->distinct += distinct;
    t->squares += distinct * distinct;
    t->windows++;
}

// The share of the accesses by which a window differs from any mixture of two others.
static double differs_from_mixture(const dj_window *window, const dj_window *a, const dj_window *b)
{
    enum { STEPS = 20 };
    double least = 1;
    if (window->accesses == 0 || a->accesses == 0 || b->accesses == 0)
        return 1;
    for (int step = 0; step <= STEPS; step++) {
        const double part = (double)step / STEPS;
        double sum = 0;
        for (unsigned bin = 0; bin <= DJ_PHASE_SIZES; bin++) {
            const bool cold = bin == DJ_PHASE_SIZES;
            const double x = cold ? (double)a->cold : count_in(a, bin);
            const double y = cold ? (double)b->cold : count_in(b, bin);
            const double z = cold ? (double)window->cold : count_in(window, bin);
            sum += fabs(z / (double)window->accesses - part * x / (double)a->accesses -
                        (1 - part) * y / (double)b->accesses);
        }
        least = fmin(least, 0.5 * sum);
    }
    return least;
}

// Whether the single window of a stretch is one in which one phase ends and the next begins: between two
// longer stretches, with data of both, and distances like a mixture of both but for the data that enter.
static bool is_between(const dj_windows *windows, const dj_stretch *before, const dj_stretch *s)
{
    const dj_stretch *after = s + 1;
    const dj_window *window = &windows->rows[s->first];
    const dj_window *a = &windows->rows[s->first - 1], *b = &windows->rows[after->first + 1];
    if (s->count != 1 || before->count < 2 || after->count < 2)
        return false;
    const double x = (double)a->distinct, y = (double)b->distinct, here = (double)window->distinct;
    const double entering = window->accesses ? here / (double)window->accesses : 1;
    return here * DJ_PHASE_FACTOR > fmin(x, y) && here < DJ_PHASE_FACTOR * (x + y) &&
           differs_from_mixture(window, a, b) <= DJ_PHASE_DIFFERENT + entering;
}

// Joins windows between two phases to the second one.
static size_t join_between(const dj_windows *windows, dj_stretch *list, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && i + 1 < count && is_between(windows, &list[kept - 1], &list[i])) {
            list[i + 1].first--;
            list[i + 1].count++;
            list[i + 1].entering++;
            list[i + 1].accesses += list[i].accesses;
            list[i + 1].cold += list[i].cold;
        } else {
            list[kept++] = list[i];
        }
    }
    return kept;
}

void dj_stretches_find(const dj_windows *windows, dj_stretch *out, size_t *count, double *fresh)
{
    dj_trail t = {0};
    *count = 0;
    for (size_t i = 0; i < windows->count; i++) {
        const dj_window *window = &windows->rows[i];
        fresh[i] = t.windows > 0 ? count_fresh(&t, window) : (double)window->distinct;
        if (i == 0 || distinct_changes(&t, window) || data_change(&t, window, fresh[i]) ||
            distances_change(&t, window)) {
            t = (dj_trail){0};
            fresh[i] = (double)window->distinct;
            out[(*count)++] = (dj_stretch){.first = i, .entering = 1};
        }
        dj_trail_add(&t, window, fresh[i]);
        dj_stretch *last = &out[*count - 1];
        last->count++;
        last->accesses += window->accesses;
        last->cold += window->cold;
    }
    *count = join_between(windows, out, *count);
}
