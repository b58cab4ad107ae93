// SPDX-License-Identifier: MIT
// Each member's data in the interval are a random subset of all its data. With q_i = n_i / N_i, a datum of
// class m is accessed by nobody with probability z_m = Π (1 - q_i) over its members. So S_m z_m of a class
// are missed, and their number has the variance Σ S z (1 - z) + Σ_m S_m z_m² Σ_i e_i - Σ_i e_i (Σ_m S_m
// z_m)², where e_i = q_i / ((N_i - 1) (1 - q_i)) makes up for sampling without replacement: it is 0 if
// nothing is shared. The variance of n_i adds that of the mean.
#include "model/corun/overlap.h"

static const double NEVER = 1e-12; // keeps 1 - q positive

static void add_class(dj_overlap *o, const dj_company *c, uint64_t members, double blocks,
                      const double *uncovered)
{
    double missed = 1, spares = 0;
    const bool own = members & 1;
    for (size_t i = 1; i < c->count; i++)
        if (members >> i & 1) {
            missed *= uncovered[i];
            spares += o->other[i].spare;
        }
    if (own) {
        // The datum of the interval is any of them.
        blocks *= 1 - 1 / c->distinct[0]->data;
        o->own += blocks;
        o->left += blocks * missed;
        o->left_squares += blocks * missed * missed;
        o->own_variance += blocks * missed * missed * spares;
    } else {
        o->others += blocks * (1 - missed);
        o->others_variance += blocks * missed * (1 - missed + missed * spares);
    }
    for (size_t i = 1; i < c->count; i++)
        if (members >> i & 1)
            *(own ? &o->other[i].with : &o->other[i].without) += blocks * missed;
}

// Data of member i that can be in the interval: without the datum at its ends, if that is one of them.
static double size_of(const dj_company *c, size_t i)
{
    double ends = 0;
    for (size_t m = 0; m < c->class_count; m++)
        if (c->classes[m].members & 1 && c->classes[m].members >> i & 1)
            ends += c->classes[m].blocks / c->distinct[0]->data;
    const double size = c->distinct[i]->data - ends;
    return size > 1 ? size : 1;
}

void dj_overlap_set(dj_overlap *o, const dj_company *c, const double *number, const double *variance)
{
    double uncovered[DJ_CORUN_MOST] = {1};
    *o = (dj_overlap){.count = c->count, .size = c->distinct[0]->data - 1};
    for (size_t i = 1; i < c->count; i++) {
        const double size = size_of(c, i), part = number[i] / size;
        uncovered[i] = part < 1 - NEVER ? 1 - part : NEVER;
        o->other[i].spare = size > 1 ? (1 - uncovered[i]) / ((size - 1) * uncovered[i]) : 0;
        o->other[i].slope_variance = variance[i] / (size * uncovered[i] * size * uncovered[i]);
        o->most += c->distinct[i]->data;
    }
    for (size_t m = 0; m < c->class_count; m++)
        add_class(o, c, c->classes[m].members, c->classes[m].blocks, uncovered);
    for (size_t i = 0; i < c->count; i++)
        add_class(o, c, UINT64_C(1) << i, c->alone[i], uncovered);
}

dj_overlap_law dj_overlap_of(const dj_overlap *o, double number, double variance)
{
    const double missed = o->size > 0 && number < o->size ? 1 - number / o->size : 0;
    const double left = missed * o->left;
    double sum = o->others_variance + left - missed * missed * (o->left_squares - o->own_variance);
    if (o->size > 1)
        sum += missed * (1 - missed) / (o->size - 1) * (o->left_squares - o->left * o->left);
    for (size_t i = 1; i < o->count; i++) {
        const double all = o->other[i].without + missed * o->other[i].with;
        sum += all * all * (o->other[i].slope_variance - o->other[i].spare);
    }
    if (o->size > 0)
        sum += variance * o->left / o->size * (o->left / o->size);
    return (dj_overlap_law){o->others + o->own - left, sum > 0 ? sum : 0};
}
