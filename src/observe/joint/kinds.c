// SPDX-License-Identifier: MIT
// Phases are compared by the histograms of their time distances and of their reuse distances, with two bins
// per doubling and one for first accesses. A phase joins the kind that is most similar to it, or begins
// another.
#include "observe/joint/kinds.h"

#include <math.h>
#include <stdlib.h>

#include "base/fine_bins.h"

enum { COARSE_BITS = 1, COLD_BIN = 127, BINS };
// The share of the accesses in other bins from which on kinds differ.
static const double DIFFERENT = 0.1;

typedef struct coarse {
    double all, time[BINS], distance[BINS];
} coarse;

static void gather(const dj_joint_sharer *s, coarse *phases)
{
    for (size_t i = 0; i < s->phase_count; i++) {
        const double cold = (double)s->phases[i].cold;
        phases[i].all = phases[i].time[COLD_BIN] = phases[i].distance[COLD_BIN] = cold;
    }
    for (size_t i = 0; i < s->cell_count; i++) {
        const dj_joint_cell *cell = &s->cells[i];
        coarse *to = &phases[cell->kind];
        to->all += (double)cell->count;
        to->time[dj_fine_bin(cell->time, COARSE_BITS)] += (double)cell->count;
        to->distance[dj_fine_bin(cell->distance, COARSE_BITS)] += (double)cell->count;
    }
}

static double difference(const coarse *a, const coarse *b)
{
    double time = 0, distance = 0;
    for (int i = 0; i < BINS; i++) {
        time += fabs(a->time[i] / a->all - b->time[i] / b->all);
        distance += fabs(a->distance[i] / a->all - b->distance[i] / b->all);
    }
    return 0.5 * fmax(time, distance);
}

static void add(coarse *to, const coarse *from)
{
    to->all += from->all;
    for (int i = 0; i < BINS; i++) {
        to->time[i] += from->time[i];
        to->distance[i] += from->distance[i];
    }
}

static size_t join(coarse *kinds, size_t *count, const coarse *phase)
{
    size_t nearest = 0;
    double least = INFINITY;
    for (size_t k = 0; k < *count; k++) {
        const double here = difference(&kinds[k], phase);
        if (here < least) {
            least = here;
            nearest = k;
        }
    }
    if (least > DIFFERENT && *count < DJ_JOINT_KINDS) {
        nearest = (*count)++;
        kinds[nearest] = *phase;
    } else {
        add(&kinds[nearest], phase);
    }
    return nearest;
}

int dj_kinds_find(dj_context *context, dj_joint_sharer *s, size_t *kinds)
{
    coarse *all = calloc(s->phase_count + DJ_JOINT_KINDS, sizeof *all);
    if (!all)
        return dj_fail_memory(context, "kinds of phases", 0);
    *kinds = 0;
    gather(s, all + DJ_JOINT_KINDS);
    for (size_t i = 0; i < s->phase_count; i++) {
        const coarse *phase = &all[DJ_JOINT_KINDS + i];
        if (phase->all > 0) // not a warm-up
            s->phases[i].kind = join(all, kinds, phase);
        else
            s->phases[i].kind = i > 0 ? s->phases[i - 1].kind : 0;
    }
    *kinds = *kinds > 0 ? *kinds : 1;
    free(all);
    return DJ_OK;
}
