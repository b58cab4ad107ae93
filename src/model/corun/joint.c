// SPDX-License-Identifier: MIT
// The default model. A reuse keeps its own distance; each other sharer adds the distinct data of a window
// whose length follows from the time distance, with their mean and variance. Shared data count once
// (overlap.c). Another sharer that accesses the datum in between breaks the reuse: it last did so at most x
// accesses ago with probability 1 - Π (1 - M_i(x) / N_i), over the sharers of the datum (ages.c).
#include <math.h>

#include "base/fine_bins.h"
#include "model/corun/ages.h"
#include "model/corun/interval.h"
#include "model/corun/models.h"
#include "model/corun/overlap.h"

// The middle of a bin of reuse distances.
static double distance_of(const dj_joint_cell *cell)
{
    const uint64_t bin = dj_fine_bin(cell->distance, DJ_JOINT_DISTANCE_BITS);
    return 0.5 * ((double)cell->distance + (double)(dj_fine_bin_low(bin + 1, DJ_JOINT_DISTANCE_BITS) - 1));
}

// A twin accesses its counterparts of the datum and of those in between.
static void set_twins(dj_overlap *overlap, const dj_company *c, const dj_interval_data *data, double distance)
{
    dj_interval_data changed = *data;
    for (size_t i = 1; i < c->count; i++)
        if (c->twin[i]) {
            changed.number[i] = distance + 1;
            changed.variance[i] = 0;
        }
    dj_overlap_set(overlap, c, changed.number, changed.variance);
}

// Reuses with one time distance, in case the others access these data.
static void add_cells(const dj_company *c, const dj_joint_cell *cells, size_t count, double weight,
                      const dj_interval_data *data, dj_expected *expected)
{
    dj_overlap overlap;
    bool twins = false;
    for (size_t i = 1; i < c->count; i++)
        twins = twins || c->twin[i];
    dj_overlap_set(&overlap, c, data->number, data->variance);
    for (size_t i = 0; i < count; i++) {
        const double distance = distance_of(&cells[i]);
        if (twins)
            set_twins(&overlap, c, data, distance);
        const dj_overlap_law law = dj_overlap_of(&overlap, distance, 0);
        dj_expected_add_normal(expected, weight * (double)cells[i].count, law.mean, law.variance, distance,
                               distance + overlap.most);
    }
}

// A sharer of the datum that does not access it in the interval tends to access less.
static void leave_out(const dj_company *c, const dj_ages *ages, double broken, dj_interval_data *data)
{
    for (size_t i = 1; i < c->count; i++) {
        const double left = c->distinct[i]->data - data->number[i];
        const double shared = ages->shared[i] / (1 - broken);
        data->number[i] -= (shared < 1 ? shared : 1) * data->variance[i] / (left > 1 ? left : 1);
        data->number[i] = data->number[i] > 0 ? data->number[i] : 0;
    }
}

static void add_time(const dj_company *c, const dj_joint_cell *cells, size_t count, double time, double share,
                     dj_ages *ages, dj_expected *expected)
{
    dj_interval_cases cases;
    dj_interval_data data;
    double reuses = 0;
    for (size_t i = 0; i < count; i++)
        reuses += (double)cells[i].count;
    const double broken = dj_ages_chance(ages, time), weight = share * (1 - broken);
    dj_ages_add(ages, time, share * reuses * broken);
    expected->broken += share * reuses * broken;
    dj_interval_list_cases(c, time, &cases);
    for (size_t k = 0; k < cases.count; k++) {
        dj_interval_measure_case(c, cases.cases[k].accesses, &data);
        leave_out(c, ages, broken, &data);
        add_cells(c, cells, count, weight * cases.cases[k].chance, &data, expected);
    }
    if (cases.count == 0) {
        dj_interval_measure(c, time, &data);
        leave_out(c, ages, broken, &data);
        add_cells(c, cells, count, weight, &data, expected);
    }
}

static double predict_period(const dj_company *c, dj_expected *expected)
{
    dj_ages ages;
    dj_ages_set(&ages, c);
    for (size_t i = 0, end; i < c->cell_count; i = end) {
        for (end = i; end < c->cell_count && c->cells[end].time == c->cells[i].time; end++)
            ;
        const uint64_t low = c->cells[i].time;
        const double mean = c->distinct[0]->bin_time[dj_fine_bin(low, DJ_JOINT_TIME_BITS)];
        const double time = mean > (double)low ? mean : (double)low;
        add_time(c, &c->cells[i], end - i, time, c->share, &ages, expected);
    }
    const double found = dj_ages_add_found(&ages);
    dj_ages_spread(&ages, expected);
    return c->firsts - found;
}

static int predict(dj_context *context, const dj_corun *corun, dj_prediction *out)
{
    return dj_company_predict(context, corun, predict_period, true, out);
}

const dj_corun_model dj_corun_joint = {
    .name = "joint",
    .summary = "from time distances and reuse distances together",
    .predict = predict,
};
