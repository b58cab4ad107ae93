// SPDX-License-Identifier: MIT
// Phases of a lane, from its windows.
#include "model/phases/phases.h"

#include <math.h>
#include <stdlib.h>

uint64_t dj_window_misses(const dj_window *window, unsigned k)
{
    uint64_t misses = window->cold;
    for (uint32_t bin = k + 1; bin < window->bin_count; bin++)
        misses += window->bins[bin];
    return misses;
}

// The reuses in a phase, without accesses to data that are new to the stretch.
typedef struct phase_curve {
    double accesses, fresh;
    double reuses[DJ_PHASE_SIZES];
} phase_curve;

static void add_window(phase_curve *to, const dj_window *window, double fresh)
{
    double reuses[DJ_PHASE_SIZES];
    dj_window_trim(window, fresh, reuses);
    to->accesses += (double)window->accesses;
    to->fresh += (double)window->accesses;
    for (unsigned bin = 0; bin < DJ_PHASE_SIZES; bin++) {
        to->reuses[bin] += reuses[bin];
        to->fresh -= reuses[bin];
    }
}

static phase_curve add_up(const dj_windows *windows, const dj_phase_list *list, size_t phase,
                          const double *fresh, bool settled)
{
    phase_curve to = {0};
    for (size_t i = 0; i < list->stretch_count; i++) {
        const dj_stretch *s = &list->stretches[i];
        if (s->phase != phase)
            continue;
        for (size_t w = settled ? s->entering : 0; w < s->count; w++)
            add_window(&to, &windows->rows[s->first + w],
                       w < s->entering ? (double)windows->rows[s->first + w].distinct : fresh[s->first + w]);
    }
    return to;
}

static void find_best(dj_locality_phase *p, const phase_curve *c)
{
    const double accesses = c->accesses > 0 ? c->accesses : 1;
    double misses = fmax(0, c->fresh);
    p->least = misses / accesses;
    for (unsigned k = DJ_PHASE_SIZES; k-- > 0;) {
        p->ratio[k] = misses / accesses;
        misses += c->reuses[k];
    }
    p->best_ratio = 1;
    if (1 - p->least <= DJ_PHASE_TOLERANCE || c->accesses == 0)
        return;
    unsigned k = 0;
    while (k < DJ_PHASE_SIZES - 2 && p->ratio[k] > p->least + DJ_PHASE_TOLERANCE)
        k++;
    p->best = UINT64_C(1) << k;
    p->best_ratio = p->ratio[k];
}

static void describe(const dj_windows *windows, dj_phase_list *list, const double *fresh)
{
    for (size_t i = 0; i < list->stretch_count; i++) {
        const dj_stretch *s = &list->stretches[i];
        dj_locality_phase *p = &list->phases[s->phase];
        p->stretches++;
        p->windows += s->count;
        p->settled += s->count > s->entering ? s->count - s->entering : 0;
        p->accesses += s->accesses;
        p->cold += s->cold;
        for (size_t w = 0; w < s->count; w++)
            p->distinct += (double)windows->rows[s->first + w].distinct;
    }
    for (size_t i = 0; i < list->phase_count; i++) {
        dj_locality_phase *p = &list->phases[i];
        p->distinct /= (double)p->windows;
        const phase_curve c = add_up(windows, list, i, fresh, p->settled > 0);
        p->settled = p->settled > 0 ? p->settled : p->windows;
        find_best(p, &c);
    }
}

int dj_phases_find(dj_context *context, const dj_windows *windows, dj_phase_list *out)
{
    const size_t count = windows->count;
    *out = (dj_phase_list){.stretches = calloc(count + 1, sizeof *out->stretches),
                           .phases = calloc(DJ_PHASES_MOST, sizeof *out->phases)};
    double *fresh = calloc(count + 1, sizeof *fresh);
    int err = DJ_OK;
    if (!out->stretches || !out->phases || !fresh)
        err = dj_fail_memory(context, "the phases", count * sizeof *out->stretches);
    if (!err) {
        dj_stretches_find(windows, out->stretches, &out->stretch_count, fresh);
        err = dj_stretches_compare(context, windows, fresh, out);
    }
    if (!err)
        describe(windows, out, fresh);
    free(fresh);
    if (err)
        dj_phase_list_free(out);
    return err;
}

void dj_phase_list_free(dj_phase_list *list)
{
    free(list->stretches);
    free(list->phases);
    *list = (dj_phase_list){.stretch_count = 0};
}
