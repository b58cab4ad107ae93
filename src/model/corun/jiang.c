// SPDX-License-Identifier: MIT
// Jiang, Zhang, Tian and Shen, "Is Reuse Distance Applicable to Data Locality Analysis on Chip
// Multiprocessors?", CC 2010, section 3.2, with corrections. A reuse at time distance d has M_j(d - 1) data
// of its own sharer in between and M_i(d_i) of each other one; expectations are not rounded. Another sharer
// breaks it with probability (S / N_j) (1 - Π (1 - n_i / N_i)); all shorter distances are then equally
// likely.
#include "base/fine_bins.h"
#include "model/corun/company.h"
#include "model/corun/models.h"

enum { TIME_BITS = 9 }; // time distances are exact below 1024

static void add_reuses(const dj_company *c, double time, double weight, dj_expected *expected)
{
    double uncovered[DJ_CORUN_MOST] = {0}, together = 0, broken = 0;
    for (size_t i = 0; i < c->count; i++) {
        const double length = i == 0 ? time - 1 : time * c->ratio[i];
        uncovered[i] = 1 - dj_window_data_mean(c->distinct[i], length) / c->distinct[i]->data;
        together += c->alone[i] * (1 - uncovered[i]);
    }
    for (size_t m = 0; m < c->class_count; m++) {
        const dj_company_class *class = &c->classes[m];
        const double others = dj_company_missed(c, class->members, uncovered);
        const bool own = class->members & 1;
        together += class->blocks * (1 - others * (own ? uncovered[0] : 1));
        broken += own ? class->blocks / c->distinct[0]->data * (1 - others) : 0;
    }
    broken = broken < 1 ? broken : 1;
    dj_expected_add(expected, weight * (1 - broken), together);
    dj_expected_add_below(expected, weight * broken, together);
    expected->broken += weight * broken;
}

static double predict_period(const dj_company *c, dj_expected *expected)
{
    const dj_histogram *times = c->profile->time;
    uint64_t time = 0, count = dj_histogram_next(times, &time);
    while (count > 0) {
        const uint64_t bin = dj_fine_bin(time, TIME_BITS);
        double reuses = 0, sum = 0;
        for (; count > 0 && dj_fine_bin(time, TIME_BITS) == bin;
             time++, count = dj_histogram_next(times, &time)) {
            reuses += (double)count;
            sum += (double)count * (double)time;
        }
        add_reuses(c, sum / reuses, c->share * reuses, expected);
    }
    return c->firsts;
}

static int predict(dj_context *context, const dj_corun *corun, dj_prediction *out)
{
    return dj_company_predict(context, corun, predict_period, false, out);
}

const dj_corun_model dj_corun_jiang = {
    .name = "jiang",
    .summary = "from time distances (Jiang and others 2010)",
    .predict = predict,
};
