// SPDX-License-Identifier: MIT
#include "observe/joint/dyadic.h"

static void count(struct dj_dyadic_count *to, double distinct)
{
    const double gap = distinct - to->mean;
    to->windows++;
    to->mean += gap / (double)to->windows;
    to->squares += gap * (distinct - to->mean);
}

void dj_dyadic_add(dj_dyadic *d, uint64_t position, uint64_t age, dj_dyadic_counts *to)
{
    if (age > 0) {
        unsigned highest = 63u - (unsigned)__builtin_clzll(position ^ (position - age));
        if (highest < DJ_DYADIC_LEVELS)
            d->level[highest].repeated++;
    }
    uint64_t distinct = 1;
    for (unsigned k = 0; k + 1 < DJ_DYADIC_LEVELS; k++) {
        if ((position >> k & 1) == 0) {
            d->level[k].left = distinct;
            return;
        }
        distinct += d->level[k].left - d->level[k].repeated;
        d->level[k].repeated = 0;
        count(&to->level[k + 1], (double)distinct);
    }
}

// Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979.
void dj_dyadic_merge(dj_dyadic_counts *to, const dj_dyadic_counts *from, unsigned highest)
{
    for (unsigned k = 1; k < DJ_DYADIC_LEVELS && k <= highest; k++) {
        struct dj_dyadic_count *a = &to->level[k];
        const struct dj_dyadic_count *b = &from->level[k];
        const double n = (double)a->windows, m = (double)b->windows, gap = b->mean - a->mean;
        if (m == 0)
            continue;
        a->windows += b->windows;
        a->mean += gap * m / (n + m);
        a->squares += b->squares + gap * gap * n * m / (n + m);
    }
}

void dj_dyadic_windows(const dj_dyadic_counts *counts, uint64_t kind, dj_joint_window *out, size_t *number)
{
    for (unsigned k = 1; k < DJ_DYADIC_LEVELS && counts->level[k].windows > 0; k++)
        out[(*number)++] =
            (dj_joint_window){.kind = kind,
                              .length = UINT64_C(1) << k,
                              .windows = counts->level[k].windows,
                              .mean = counts->level[k].mean,
                              .variance = counts->level[k].squares / (double)counts->level[k].windows};
}
