// SPDX-License-Identifier: MIT
// Model `jiang` against its formulas, written out: n_j = M_j(d - 1) and n_i = M_i(d r_i), each the mean over
// all windows; the union Σ n_i (1 - S / N_i) + S (1 - Π (1 - n_i / N_i)) for each set of sharers that share S
// data; a reuse is broken with probability (S / N_j) (1 - Π (1 - n_i / N_i)), and is then at any distance up
// to d'.
#include "unit/model/corun_trace.h"

enum { SHARERS = 3, ACCESSES = 300, OWN = 12, MOST = 200 };

static corun_trace traces[SHARERS];
static const dj_sharing_class classes[] = {{3, 4}, {6, 3}, {7, 2}};
static const double speeds[SHARERS] = {1, 1.5, 0.7};

// Sharer i has 12 data of its own and those of its classes.
static void make_traces(dj_random *random)
{
    for (size_t i = 0; i < SHARERS; i++) {
        uint64_t data[64];
        size_t n = 0;
        for (uint64_t k = 0; k < OWN; k++)
            data[n++] = 1000 * (i + 1) + k;
        for (size_t m = 0; m < 3; m++)
            for (uint64_t k = 0; k < classes[m].blocks; k++)
                if (classes[m].sharers >> i & 1)
                    data[n++] = 100 * m + k;
        traces[i] = (corun_trace){.keys = malloc(ACCESSES * sizeof(uint64_t)), .count = ACCESSES};
        for (size_t k = 0; k < ACCESSES; k++) // all at least once
            traces[i].keys[k] = data[k < n ? k : dj_random_below(random, 1 + dj_random_below(random, n))];
        corun_profile(&traces[i]);
    }
}

static double distinct_in(const uint64_t *keys, size_t length)
{
    double sum = 0;
    for (size_t from = 0; from + length <= ACCESSES; from++)
        for (size_t i = 0; i < length; i++) {
            size_t k = 0;
            while (k < i && keys[from + k] != keys[from + i])
                k++;
            sum += k == i;
        }
    return sum / (double)(ACCESSES - length + 1);
}

// Between integers it is interpolated. Windows longer than the trace have all data.
static double mean_at(const double *means, double length)
{
    const double below = floor(length), part = length - below;
    const size_t at = below < ACCESSES ? (size_t)below : ACCESSES;
    return part > 0 && at < ACCESSES ? means[at] + part * (means[at + 1] - means[at]) : means[at];
}

static void add_reuse(double means[SHARERS][ACCESSES + 1], size_t own, double time, double *histogram)
{
    double missed[SHARERS], number[SHARERS], together = 0, broken = 0;
    for (size_t i = 0; i < SHARERS; i++) {
        const double length = i == own ? time - 1 : time * speeds[i] / speeds[own];
        number[i] = mean_at(means[i], length);
        missed[i] = 1 - number[i] / (double)traces[i].joint->distinct;
        together += number[i];
    }
    for (size_t m = 0; m < 3; m++) {
        double nobody = 1, others = 1;
        for (size_t i = 0; i < SHARERS; i++)
            if (classes[m].sharers >> i & 1) {
                nobody *= missed[i];
                others *= i == own ? 1 : missed[i];
                together -= (double)classes[m].blocks * (1 - missed[i]);
            }
        together += (double)classes[m].blocks * (1 - nobody);
        if (classes[m].sharers >> own & 1)
            broken += (double)classes[m].blocks / (double)traces[own].joint->distinct * (1 - others);
    }
    const size_t below = (size_t)together;
    for (size_t up = 0; up < 2; up++) {
        const double weight = up ? together - (double)below : 1 - (together - (double)below);
        histogram[below + up] += weight * (1 - broken);
        for (size_t d = 0; d <= below + up; d++)
            histogram[d] += weight * broken / (double)(below + up + 1);
    }
}

static void test_formulas(void **state)
{
    (void)state;
    static double means[SHARERS][ACCESSES + 1];
    dj_random random;
    dj_random_seed(&random, 1);
    dj_corun_sharer sharers[SHARERS];
    dj_prediction out[SHARERS];
    make_traces(&random);
    for (size_t i = 0; i < SHARERS; i++) {
        sharers[i] = (dj_corun_sharer){traces[i].joint, speeds[i]};
        for (size_t length = 0; length <= ACCESSES; length++)
            means[i][length] = distinct_in(traces[i].keys, length);
    }
    const dj_corun corun = {
        .sharers = sharers, .count = SHARERS, .classes = classes, .class_count = 3, .again = true};
    assert_int_equal(dj_corun_model_find("jiang")->predict(context, &corun, out), DJ_OK);
    for (size_t i = 0; i < SHARERS; i++) {
        double histogram[MOST] = {0};
        for (size_t k = 0; k < ACCESSES; k++) {
            size_t before = k;
            while (before-- > 0 && traces[i].keys[before] != traces[i].keys[k])
                ;
            if (before != SIZE_MAX)
                add_reuse(means, i, (double)(k - before), histogram);
        }
        for (size_t b = 0; b < out[i].bin_count; b++) {
            assert_int_equal(out[i].bins[b].lo, out[i].bins[b].hi);
            assert_true(fabs(out[i].bins[b].count - histogram[out[i].bins[b].lo]) < 1e-6);
            histogram[out[i].bins[b].lo] = 0;
        }
        for (size_t d = 0; d < MOST; d++)
            assert_true(histogram[d] < 1e-6);
        dj_prediction_free(&out[i]);
    }
    for (size_t i = 0; i < SHARERS; i++)
        corun_free(&traces[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formulas)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
