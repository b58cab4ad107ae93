// SPDX-License-Identifier: MIT
// Which stretches are of one phase. Their signature is the number of distinct blocks in a window, and the
// distances of the reuses within a window: what was accessed before the stretch changes neither.
#include <math.h>
#include <stdlib.h>

#include "model/phases/phases.h"

// Where fewer data than this share are new, the stretch has accessed all of its data.
static const double COMPLETE = 0.01;
static const double DEVIATIONS = 5;
// How many blocks a stretch of several windows has accessed is known as well as distances in its bins.
static const double KNOWN_WITHIN = 2;

typedef struct phase_signature {
    double accesses, windows, distinct;
    double reuses[DJ_PHASE_SIZES]; // within windows
    dj_trail trail;
    double known; // all blocks; 0: not known
    bool single;  // only windows in which the data enter
} phase_signature;

void dj_window_trim(const dj_window *window, double longest, double out[DJ_PHASE_SIZES])
{
    double left = fmax(0, longest - (double)window->cold);
    for (unsigned bin = DJ_PHASE_SIZES; bin-- > 0;) {
        const double count = bin < window->bin_count ? (double)window->bins[bin] : 0;
        const double less = fmin(left, count);
        out[bin] = count - less;
        left -= less;
    }
}

static phase_signature sign(const dj_windows *windows, const dj_stretch *s, const double *fresh)
{
    phase_signature to = {.single = s->count <= s->entering};
    const size_t end = s->first + s->count;
    for (size_t i = s->first + s->entering - 1; i < end; i++)
        dj_trail_add(&to.trail, &windows->rows[i], fresh[i]);
    for (size_t i = s->first + (to.single ? 0 : s->entering); i < end; i++) {
        const dj_window *window = &windows->rows[i];
        double reuses[DJ_PHASE_SIZES];
        dj_window_trim(window, (double)window->distinct, reuses);
        for (unsigned bin = 0; bin < DJ_PHASE_SIZES; bin++)
            to.reuses[bin] += reuses[bin];
        to.accesses += (double)window->accesses;
        to.distinct += (double)window->distinct;
        to.windows++;
    }
    to.known = !to.single && to.trail.fresh[(to.trail.windows - 1) % DJ_TRAIL_RECENT] < COMPLETE
                   ? to.trail.known
                   : 0;
    return to;
}

static double mean_distinct(const phase_signature *s)
{
    return s->windows > 0 ? s->distinct / s->windows : 0;
}

// Of the reuses within windows.
static double difference(const phase_signature *a, const phase_signature *b)
{
    dj_bin_difference d = {0};
    if (a->accesses == 0 || b->accesses == 0)
        return a->accesses != b->accesses;
    for (unsigned bin = 0; bin < DJ_PHASE_SIZES; bin++)
        dj_bins_compare(&d, a->reuses[bin], a->accesses, b->reuses[bin], b->accesses);
    return dj_bins_difference(&d, a->accesses, b->accesses);
}

// Of the distances that both stretches show, also across windows.
static double long_difference(const dj_trail *a, const dj_trail *b)
{
    dj_bin_difference d = {0};
    double all_a = 0, all_b = 0;
    for (unsigned bin = 0; bin < DJ_PHASE_SIZES && a->shown[bin] > 0 && b->shown[bin] > 0; bin++) {
        all_a = a->shown[bin];
        all_b = b->shown[bin];
        dj_bins_compare(&d, a->counts[bin], all_a, b->counts[bin], all_b);
    }
    return all_a > 0 ? dj_bins_difference(&d, all_a, all_b) : 0;
}

// How much they differ; INFINITY: not one phase.
static double compare(const phase_signature *a, const phase_signature *b)
{
    const double x = mean_distinct(a), y = mean_distinct(b);
    if (dj_sizes_differ(x, y, DEVIATIONS * sqrt(x / fmax(a->windows, 1) + y / fmax(b->windows, 1))) ||
        (a->known > 0 && b->known > 0 && fmax(a->known, b->known) > KNOWN_WITHIN * fmin(a->known, b->known)))
        return INFINITY;
    // Single windows contain the first accesses to their data, which changes what is trimmed.
    const double slack = a->single != b->single ? DJ_PHASE_DIFFERENT : 0;
    const double found = fmax(difference(a, b) - slack, long_difference(&a->trail, &b->trail));
    return found <= DJ_PHASE_DIFFERENT ? found : INFINITY;
}

static void join(phase_signature *to, const phase_signature *from)
{
    const double known =
        to->known > 0 && from->known > 0 ? fmax(to->known, from->known) : to->known + from->known;
    if (to->single && !from->single) {
        *to = *from;
        to->known = known;
        return;
    }
    to->known = known;
    if (to->single != from->single)
        return;
    for (unsigned bin = 0; bin < DJ_PHASE_SIZES; bin++) {
        to->reuses[bin] += from->reuses[bin];
        to->trail.counts[bin] += from->trail.counts[bin];
        to->trail.shown[bin] += from->trail.shown[bin];
    }
    to->accesses += from->accesses;
    to->distinct += from->distinct;
    to->windows += from->windows;
}

int dj_stretches_compare(dj_context *context, const dj_windows *windows, const double *fresh,
                         dj_phase_list *list)
{
    phase_signature *phases = calloc(DJ_PHASES_MOST, sizeof *phases);
    if (!phases)
        return dj_fail_memory(context, "the phases", DJ_PHASES_MOST * sizeof *phases);
    for (size_t i = 0; i < list->stretch_count; i++) {
        const phase_signature here = sign(windows, &list->stretches[i], fresh);
        size_t nearest = list->phase_count;
        double least = INFINITY;
        for (size_t k = 0; k < list->phase_count; k++) {
            const double found = compare(&phases[k], &here);
            if (found < least) {
                least = found;
                nearest = k;
            }
        }
        if (nearest == DJ_PHASES_MOST)
            nearest--; // the last one has all others
        if (nearest == list->phase_count)
            phases[list->phase_count++] = here;
        else
            join(&phases[nearest], &here);
        list->stretches[i].phase = nearest;
    }
    free(phases);
    return DJ_OK;
}
