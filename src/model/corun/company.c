// SPDX-License-Identifier: MIT
#include "model/corun/company.h"
#include "model/corun/correlation.h"
#include "model/corun/phase_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

// Speeds are equal if they differ by less than this share.
static const double SAME_SPEED = 0.002;
// Profiles are those of the same code if at most this share of the accesses differs.
static const double TWINS_DIFFER = 0.01;

static int refuse(dj_context *context, const dj_corun *corun)
{
    if (corun->count > DJ_CORUN_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "at most %d sharers can be predicted, not %zu", DJ_CORUN_MOST,
                       corun->count);
    for (size_t i = 0; i < corun->count; i++) {
        const dj_corun_sharer *s = &corun->sharers[i];
        if (!(s->speed > 0) || !isfinite(s->speed))
            return dj_fail(context, DJ_ERR_USAGE, "the speed of sharer %zu is %g; it must be positive", i + 1,
                           s->speed);
        if (s->profile->accesses == 0)
            return dj_fail(context, DJ_ERR_USAGE, "sharer %zu has no accesses; leave it out", i + 1);
    }
    if (corun->predicted > corun->count)
        return dj_fail(context, DJ_ERR_USAGE, "%zu of only %zu sharers are to be predicted", corun->predicted,
                       corun->count);
    for (size_t i = 0; i < corun->class_count; i++)
        if (corun->count < 64 && corun->classes[i].sharers >> corun->count != 0)
            return dj_fail(context, DJ_ERR_USAGE,
                           "class %zu of shared blocks names sharers %" PRIx64 " of only %zu", i + 1,
                           corun->classes[i].sharers, corun->count);
    return DJ_OK;
}

// Adds a class, or replaces the smallest one if there are too many.
static void add_class(dj_company *c, uint64_t members, double blocks)
{
    size_t at = 0, smallest = 0;
    while (at < c->class_count && c->classes[at].members != members) {
        smallest = c->classes[at].blocks < c->classes[smallest].blocks ? at : smallest;
        at++;
    }
    if (at < c->class_count)
        c->classes[at].blocks += blocks;
    else if (at < DJ_COMPANY_CLASSES)
        c->classes[c->class_count++] = (dj_company_class){members, blocks};
    else if (c->classes[smallest].blocks < blocks)
        c->classes[smallest] = (dj_company_class){members, blocks};
}

static void find_classes(dj_company *c, const dj_corun *corun, const size_t *sharers)
{
    for (size_t i = 0; i < corun->class_count; i++) {
        uint64_t members = 0;
        for (size_t k = 0; k < c->count; k++)
            members |= (corun->classes[i].sharers >> sharers[k] & 1) << k;
        if ((members & (members - 1)) != 0)
            add_class(c, members, (double)corun->classes[i].blocks);
    }
    for (size_t k = 0; k < c->count; k++) {
        c->alone[k] = c->distinct[k]->data;
        for (size_t i = 0; i < c->class_count; i++)
            c->alone[k] -= c->classes[i].members >> k & 1 ? c->classes[i].blocks : 0;
        c->alone[k] = c->alone[k] > 0 ? c->alone[k] : 0; // estimated classes may be too large
    }
}

// Threads that run the same code on equal parts of the data have equal profiles. In proportion to equal
// speeds, each access of one is followed by the corresponding one of the other.
static bool in_step(const dj_corun *corun, size_t a, size_t b)
{
    const dj_joint_sharer *x = corun->sharers[a].profile, *y = corun->sharers[b].profile;
    const double speeds = corun->sharers[a].speed / corun->sharers[b].speed;
    double differ = fabs((double)x->accesses - (double)y->accesses);
    if (corun->order != DJ_CORUN_STEADY || corun->again || fabs(speeds - 1) > SAME_SPEED)
        return false;
    size_t i = 0, k = 0;
    while (i < x->cell_count && k < y->cell_count) {
        const dj_joint_cell *c = &x->cells[i], *d = &y->cells[k];
        const int order = c->kind != d->kind   ? (c->kind < d->kind ? -1 : 1)
                          : c->time != d->time ? (c->time < d->time ? -1 : 1)
                                               : (c->distance > d->distance) - (c->distance < d->distance);
        differ += order == 0 ? fabs((double)c->count - (double)d->count)
                             : (double)(order < 0 ? c->count : d->count);
        i += order <= 0;
        k += order >= 0;
    }
    for (; i < x->cell_count; i++)
        differ += (double)x->cells[i].count;
    for (; k < y->cell_count; k++)
        differ += (double)y->cells[k].count;
    return differ < TWINS_DIFFER * (double)(x->accesses + y->accesses);
}

// What all periods of one sharer have in common.
typedef struct subject {
    const dj_corun *corun;
    const dj_phase_data *const *data; // of each sharer
    size_t sharer;
    bool phases;
    const dj_periods *periods;
    bool twins[DJ_CORUN_MOST];
} subject;

double dj_company_part(const dj_company *c, double from, double end)
{
    const dj_periods *p = c->periods;
    double sum = 0;
    if (p->slice_count == 0)
        return p->list[c->period].accesses / (double)c->profile->accesses;
    for (size_t i = 0; i < p->slice_count; i++) {
        const dj_slice *s = &p->slices[i];
        const double low = s->from > from ? s->from : from, high = s->end < end ? s->end : end;
        sum += s->period == c->period && high > low ? high - low : 0;
    }
    return sum / (end - from);
}

// The reuses of member 0 in phases of a kind, and the part of them in this period.
static void choose_cells(dj_company *c, const subject *of)
{
    const dj_periods *p = of->periods;
    const uint8_t kind = p->list[c->period].kinds[of->sharer];
    double all = 0;
    for (size_t i = 0; i < p->count; i++)
        all += p->list[i].kinds[of->sharer] == kind ? p->list[i].accesses : 0;
    c->share = p->list[c->period].accesses / all;
    c->cells = c->profile->cells;
    c->cell_count = c->profile->cell_count;
    if (!of->phases)
        return;
    for (; c->cell_count > 0 && c->cells->kind < kind; c->cell_count--)
        c->cells++;
    while (c->cell_count > 0 && c->cells[c->cell_count - 1].kind > kind)
        c->cell_count--;
}

static void count_firsts(dj_company *c)
{
    const dj_periods *p = c->periods;
    if (p->slice_count == 0)
        c->firsts = c->distinct[0]->data * p->list[c->period].accesses / (double)c->profile->accesses;
    for (size_t i = 0; i < p->slice_count; i++)
        if (p->slices[i].period == c->period)
            c->firsts += dj_window_data_seen(c->distinct[0], p->slices[i].end) -
                         dj_window_data_seen(c->distinct[0], p->slices[i].from);
}

// Those that run in a period.
static void assemble(dj_company *c, const subject *of, size_t period)
{
    const dj_corun *corun = of->corun;
    const uint8_t *kinds = of->periods->list[period].kinds;
    size_t sharers[DJ_CORUN_MOST] = {0};
    *c = (dj_company){.order = corun->order,
                      .profile = corun->sharers[of->sharer].profile,
                      .periods = of->periods,
                      .period = period};
    for (size_t n = 0; n <= corun->count; n++) {
        const size_t i = n == 0 ? of->sharer : n - 1;
        if (n > 0 && (i == of->sharer || kinds[i] == DJ_PERIOD_ENDED))
            continue;
        sharers[c->count] = i;
        c->distinct[c->count] = of->phases ? &of->data[i]->kinds[kinds[i]] : &of->data[i]->all;
        c->twin[c->count] = n > 0 && of->twins[i];
        c->ratio[c->count++] = corun->sharers[i].speed / corun->sharers[of->sharer].speed;
    }
    choose_cells(c, of);
    count_firsts(c);
    find_classes(c, corun, sharers);
}

static int predict_one(dj_context *context, subject *of, dj_company_model *model, dj_prediction *out)
{
    const dj_corun *corun = of->corun;
    dj_expected expected;
    dj_periods periods = {0};
    uint64_t most = 0;
    double cold = 0;
    for (size_t i = 0; i < corun->count; i++) {
        most += corun->sharers[i].profile->distinct;
        of->twins[i] = in_step(corun, of->sharer, i);
    }
    int err = dj_periods_find(context, corun, of->sharer, of->phases, &periods);
    if (err)
        return err;
    of->periods = &periods;
    err = dj_expected_create(context, most, &expected);
    for (size_t i = 0; !err && i < periods.count; i++) {
        dj_company company;
        assemble(&company, of, i);
        cold += model(&company, &expected);
    }
    if (!err) {
        err = dj_expected_finish(&expected, context, cold > 0 ? cold : 0, out);
        out->correlation = dj_corun_correlation(corun, of->sharer);
        dj_expected_free(&expected);
    }
    dj_periods_free(&periods);
    of->periods = NULL;
    return err;
}

// Sharers with the same profile have the same data.
static int find_data(dj_context *context, const dj_corun *corun, dj_phase_data *own,
                     const dj_phase_data **data)
{
    for (size_t i = 0; i < corun->count; i++) {
        size_t first = 0;
        while (corun->sharers[first].profile != corun->sharers[i].profile)
            first++;
        data[i] = first < i ? data[first] : &own[i];
        int err = first < i ? DJ_OK : dj_phase_data_create(context, corun->sharers[i].profile, &own[i]);
        if (err)
            return err;
    }
    return DJ_OK;
}

int dj_company_predict(dj_context *context, const dj_corun *corun, dj_company_model *model, bool phases,
                       dj_prediction *out)
{
    const dj_phase_data *data[DJ_CORUN_MOST] = {NULL};
    const size_t all = corun->predicted ? corun->predicted : corun->count;
    size_t predicted = 0;
    int err = refuse(context, corun);
    dj_phase_data *own = err ? NULL : calloc(corun->count + 1, sizeof *own);
    if (!err)
        err = own ? find_data(context, corun, own, data)
                  : dj_fail_memory(context, "predictions", corun->count * sizeof *own);
    for (; !err && predicted < all; predicted += !err) {
        subject of = {.corun = corun, .data = data, .sharer = predicted, .phases = phases};
        err = predict_one(context, &of, model, &out[predicted]);
    }
    for (size_t i = 0; err && i < predicted; i++)
        dj_prediction_free(&out[i]);
    for (size_t i = 0; own && i < corun->count; i++)
        dj_phase_data_free(&own[i]);
    free(own);
    return err;
}
