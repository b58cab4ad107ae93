// SPDX-License-Identifier: MIT
#include "model/corun/periods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/corun/phase_data.h"

// Times of other sharers are equal if they differ by less than this share of the time of the sharer.
static const double SAME_TIME = 0.002;
enum { OFFSETS = 16, COST_MOST = 256 };

typedef struct finder {
    const dj_corun *corun;
    size_t sharer;
    bool phases;
    size_t most; // periods
    dj_periods *out;
} finder;

static double ratio_of(const finder *f, size_t i)
{
    return f->corun->sharers[i].speed / f->corun->sharers[f->sharer].speed;
}

static uint8_t kind_at(const finder *f, size_t i, double position)
{
    return f->phases ? (uint8_t)dj_phase_data_kind(f->corun->sharers[i].profile, position) : 0;
}

static size_t differences(const dj_period *a, const uint8_t *kinds, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a->kinds[i] != kinds[i];
    return sum;
}

// Adds accesses to the period with these kinds. If there are too many periods, it is the most similar one
// with the same kind of the sharer itself.
static size_t add(finder *f, const uint8_t *kinds, double accesses)
{
    dj_periods *p = f->out;
    size_t best = p->count, least = SIZE_MAX;
    for (size_t i = 0; i < p->count; i++) {
        const size_t differ = differences(&p->list[i], kinds, f->corun->count);
        if (p->list[i].kinds[f->sharer] == kinds[f->sharer] && differ < least) {
            least = differ;
            best = i;
        }
    }
    if (best == p->count || (least > 0 && p->count < f->most)) {
        best = p->count++;
        memcpy(p->list[best].kinds, kinds, sizeof p->list[best].kinds);
        p->list[best].accesses = 0;
    }
    p->list[best].accesses += accesses;
    return best;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

// Where the kind changes, in accesses of the sharer.
static size_t list_changes(const finder *f, size_t i, double *out)
{
    const dj_joint_sharer *s = f->corun->sharers[i].profile;
    size_t count = 0;
    for (size_t k = 1; f->phases && k < s->phase_count; k++)
        if (s->phases[k].kind != s->phases[k - 1].kind)
            out[count++] = (double)(k * s->phase_length) / ratio_of(f, i);
    return count;
}

// The times of all changes. Those of others that are close to another one are left out.
static size_t list_times(const finder *f, double *out)
{
    const double last = (double)f->corun->sharers[f->sharer].profile->accesses, same = SAME_TIME * last;
    double others[DJ_JOINT_PHASES + 1];
    size_t count = list_changes(f, f->sharer, out);
    out[count++] = 0;
    out[count++] = last;
    for (size_t i = 0; i < f->corun->count; i++) {
        if (i == f->sharer)
            continue;
        size_t n = list_changes(f, i, others);
        others[n++] = (double)f->corun->sharers[i].profile->accesses / ratio_of(f, i);
        for (size_t k = 0; k < n; k++) {
            bool near = others[k] >= last;
            for (size_t t = 0; !near && t < count; t++)
                near = fabs(out[t] - others[k]) < same;
            if (!near)
                out[count++] = others[k];
        }
    }
    qsort(out, count, sizeof *out, compare);
    return count;
}

static int slice(finder *f, dj_context *context)
{
    const size_t count = f->corun->count;
    double *times = malloc((count * (DJ_JOINT_PHASES + 1) + 2) * sizeof *times);
    size_t n = times ? list_times(f, times) : 0;
    f->out->slices = times ? malloc(n * sizeof *f->out->slices) : NULL;
    for (size_t k = 1; f->out->slices && k < n; k++) {
        uint8_t kinds[DJ_CORUN_MOST] = {0};
        const double middle = 0.5 * (times[k - 1] + times[k]);
        for (size_t i = 0; i < count; i++) {
            const double position = middle * ratio_of(f, i);
            kinds[i] = position < (double)f->corun->sharers[i].profile->accesses ? kind_at(f, i, position)
                                                                                 : DJ_PERIOD_ENDED;
        }
        f->out->slices[f->out->slice_count++] =
            (dj_slice){times[k - 1], times[k], add(f, kinds, times[k] - times[k - 1])};
    }
    free(times);
    return f->out->slices ? DJ_OK : dj_fail_memory(context, "periods", 0);
}

// Sharers that start again meet at any time. Each phase of the sharer meets the others at times that are
// spread evenly, and independently for each (multiples of irrational numbers).
static void mix(finder *f)
{
    const dj_joint_sharer *own = f->corun->sharers[f->sharer].profile;
    const double length = (double)own->phase_length, accesses = (double)own->accesses;
    for (size_t k = 0; k < own->phase_count; k++) {
        const double from = (double)k * length, end = from + length < accesses ? from + length : accesses;
        for (size_t n = 0; n < OFFSETS; n++) {
            uint8_t kinds[DJ_CORUN_MOST] = {0};
            for (size_t i = 0; i < f->corun->count; i++) {
                const double shift = ((double)(k * OFFSETS + n) + 0.5) * sqrt((double)(2 + i));
                const double part = shift - floor(shift);
                const double all = (double)f->corun->sharers[i].profile->accesses;
                kinds[i] = kind_at(f, i, i == f->sharer ? 0.5 * (from + end) : part * all);
            }
            add(f, kinds, (end - from) / OFFSETS);
        }
    }
}

int dj_periods_find(dj_context *context, const dj_corun *corun, size_t sharer, bool phases, dj_periods *out)
{
    const size_t most = COST_MOST / corun->count;
    finder f = {corun, sharer, phases, most < DJ_PERIODS_MOST ? most : DJ_PERIODS_MOST, out};
    *out = (dj_periods){.count = 0};
    if (!corun->again)
        return slice(&f, context);
    mix(&f);
    return DJ_OK;
}

void dj_periods_free(dj_periods *p)
{
    free(p->slices);
    p->slices = NULL;
}
