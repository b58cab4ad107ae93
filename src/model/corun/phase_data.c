// SPDX-License-Identifier: MIT
// An access is the first to its datum in a window if the previous one was before the window: its u-th access
// is, with the probability that a time distance is at least u. In phases of kind k, the sum of these
// probabilities for u = 1 … x is G_k(x), the mean of min(time distance, x); that of a first access is
// infinite. A window from s on has the sum of G_k(end - s) - G_k(begin - s) over the phases in it. Windows
// that end at some positions in phases of the kind stand for all.
#include "model/corun/phase_data.h"

#include <stdlib.h>

#include "base/fine_bins.h"

enum { POSITIONS = 16, WINDOWS_LEAST = 4 };

typedef struct builder {
    const dj_joint_sharer *sharer;
    size_t bin_count;
    double *firsts[DJ_JOINT_KINDS]; // G at the lowest value of each bin of time distances
    double positions[POSITIONS];    // at which windows end
    size_t position_count;
} builder;

static double bin_low(size_t bin)
{
    return (double)dj_fine_bin_low(bin, DJ_JOINT_TIME_BITS);
}

static void add_up(builder *b, const dj_window_data *all, size_t kind)
{
    const dj_joint_sharer *s = b->sharer;
    double *out = b->firsts[kind], above = 0;
    for (size_t i = 0; i < s->phase_count; i++)
        above += s->phases[i].kind == kind ? (double)s->phases[i].cold : 0;
    for (size_t i = 0; i < s->cell_count; i++)
        if (s->cells[i].kind == kind) {
            above += (double)s->cells[i].count;
            out[dj_fine_bin(s->cells[i].time, DJ_JOINT_TIME_BITS)] += (double)s->cells[i].count;
        }
    const double accesses = above > 0 ? above : 1;
    double sum = 0;
    for (size_t bin = 0; bin < b->bin_count; bin++) {
        const double here = out[bin], low = bin_low(bin), mean = here > 0 ? all->bin_time[bin] : low;
        out[bin] = sum / accesses;
        above -= here;
        sum += here * (mean > low ? mean - low : 0) + above * (bin_low(bin + 1) - low);
    }
}

static double firsts_in(const builder *b, size_t kind, double length)
{
    const size_t bin = (size_t)dj_fine_bin((uint64_t)length, DJ_JOINT_TIME_BITS);
    if (bin + 1 >= b->bin_count)
        return b->firsts[kind][b->bin_count - 1];
    const double low = bin_low(bin), next = bin_low(bin + 1), from = b->firsts[kind][bin];
    return from + (length - low) / (next - low) * (b->firsts[kind][bin + 1] - from);
}

static double distinct_in(const builder *b, double from, double end)
{
    const dj_joint_sharer *s = b->sharer;
    const double length = (double)s->phase_length;
    double sum = 0;
    for (size_t i = (size_t)(from / length); i < s->phase_count && (double)i * length < end; i++) {
        const double begin = (double)i * length, stop = begin + length < end ? begin + length : end;
        const size_t kind = (size_t)s->phases[i].kind;
        sum += firsts_in(b, kind, stop - from) - (begin > from ? firsts_in(b, kind, begin - from) : 0);
    }
    return sum < (double)s->distinct ? sum : (double)s->distinct;
}

// Two in each of some of the phases of the kind; the last one is the latest.
static void choose_positions(builder *b, size_t kind)
{
    const dj_joint_sharer *s = b->sharer;
    size_t phases = 0, seen = 0, taken = 0;
    for (size_t i = 0; i < s->phase_count; i++)
        phases += s->phases[i].kind == kind;
    const size_t most = phases < POSITIONS / 2 ? phases : POSITIONS / 2;
    b->position_count = 0;
    for (size_t i = 0; i < s->phase_count; i++) {
        if (s->phases[i].kind != kind || ++seen * most / phases == taken)
            continue;
        taken++;
        const double begin = (double)(i * s->phase_length), end = begin + (double)s->phase_length;
        const double length = (end < (double)s->accesses ? end : (double)s->accesses) - begin;
        b->positions[b->position_count++] = begin + 0.25 * length;
        b->positions[b->position_count++] = begin + 0.75 * length;
    }
}

// The mean over windows that fit into the trace; if none does, the longest one.
static void average(const builder *b, double length, double *mean, double *variance)
{
    double sum = 0, squares = 0, windows = 0;
    for (size_t i = 0; i < b->position_count; i++) {
        const double end = b->positions[i];
        if (end < length && i + 1 < b->position_count)
            continue;
        if (end < length && windows > 0)
            continue;
        const double distinct = distinct_in(b, end < length ? 0 : end - length, end);
        sum += distinct;
        squares += distinct * distinct;
        windows++;
    }
    *mean = windows > 0 ? sum / windows : 0;
    *variance = windows > 0 ? squares / windows - *mean * *mean : 0;
    *variance = *variance > 0 ? *variance : 0;
}

static int make_kind(dj_context *context, builder *b, const dj_window_data *all, size_t kind,
                     dj_window_data *out)
{
    const dj_joint_sharer *s = b->sharer;
    *out = *all;
    out->phase_bins = (size_t)dj_fine_bin(s->accesses, DJ_WINDOW_BITS) + 2;
    out->phase_mean = malloc(2 * out->phase_bins * sizeof *out->phase_mean);
    if (!out->phase_mean)
        return dj_fail_memory(context, "kinds of phases", 2 * out->phase_bins * sizeof *out->phase_mean);
    out->phase_variance = out->phase_mean + out->phase_bins;
    choose_positions(b, kind);
    for (size_t bin = 0; bin < out->phase_bins; bin++)
        average(b, (double)dj_fine_bin_low(bin, DJ_WINDOW_BITS), &out->phase_mean[bin],
                &out->phase_variance[bin]);
    size_t first = 0;
    while (first < s->kind_window_count && s->kind_windows[first].kind != kind)
        first++;
    out->windows = s->kind_windows + first;
    out->window_count = 0;
    while (first + out->window_count < s->kind_window_count && out->windows[out->window_count].kind == kind &&
           out->windows[out->window_count].windows >= WINDOWS_LEAST)
        out->window_count++;
    return DJ_OK;
}

static int make_kinds(dj_context *context, const dj_joint_sharer *s, dj_phase_data *out, size_t kinds)
{
    builder b = {.sharer = s, .bin_count = (size_t)dj_fine_bin(s->accesses, DJ_JOINT_TIME_BITS) + 2};
    int err = DJ_OK;
    for (size_t k = 0; !err && k < kinds; k++) {
        b.firsts[k] = calloc(b.bin_count, sizeof *b.firsts[k]);
        err = b.firsts[k] ? DJ_OK : dj_fail_memory(context, "kinds of phases", b.bin_count * sizeof(double));
        if (!err)
            add_up(&b, &out->all, k);
    }
    for (; !err && out->kind_count < kinds; out->kind_count++)
        err = make_kind(context, &b, &out->all, out->kind_count, &out->kinds[out->kind_count]);
    for (size_t k = 0; k < kinds; k++)
        free(b.firsts[k]);
    return err;
}

int dj_phase_data_create(dj_context *context, const dj_joint_sharer *s, dj_phase_data *out)
{
    size_t kinds = 1;
    *out = (dj_phase_data){.kind_count = 0};
    int err = dj_window_data_create(context, s, &out->all);
    if (err)
        return err;
    for (size_t i = 0; i < s->phase_count; i++)
        kinds = s->phases[i].kind >= kinds ? (size_t)s->phases[i].kind + 1 : kinds;
    if (kinds == 1)
        out->kinds[out->kind_count++] = out->all;
    else
        err = make_kinds(context, s, out, kinds);
    if (err)
        dj_phase_data_free(out);
    return err;
}

void dj_phase_data_free(dj_phase_data *d)
{
    for (size_t k = 0; k < d->kind_count; k++)
        free(d->kinds[k].phase_mean);
    dj_window_data_free(&d->all);
    d->kind_count = 0;
}

size_t dj_phase_data_kind(const dj_joint_sharer *s, double position)
{
    size_t at = position > 0 ? (size_t)(position / (double)s->phase_length) : 0;
    return at < s->phase_count ? (size_t)s->phases[at].kind : (size_t)s->phases[s->phase_count - 1].kind;
}
