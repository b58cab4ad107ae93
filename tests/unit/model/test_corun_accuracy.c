// SPDX-License-Identifier: MIT
// Predicted distances against those of traces in a shared cache: cells of Table 4 of Jiang and others 2010,
// random orders, different speeds and lengths. `test_corun_accuracy all` prints the complete table.
#include <stdio.h>

#include "unit/model/corun_trace.h"

enum { ACCESSES = 200000, DATA = 200 };

typedef struct accuracy {
    double joint, jiang;
    double blind; // joint, without phases
} accuracy;

static corun_trace traces[CORUN_SHARERS];

// The mean over all sharers.
static double predicted(const char *model, const dj_corun *corun)
{
    dj_prediction out[CORUN_SHARERS];
    double sum = 0;
    if (dj_corun_model_find(model)->predict(context, corun, out))
        fail_msg("%s", dj_context_message(context));
    for (size_t i = 0; i < corun->count; i++) {
        const double accesses = (double)traces[i].count;
        sum += dj_prediction_accuracy(&out[i], traces[i].shared, 0) / (double)corun->count;
        assert_true(fabs(out[i].cold + out[i].reuses - accesses) < 1e-6 * accesses);
        dj_prediction_free(&out[i]);
    }
    return sum;
}

static int compare_cells(const void *left, const void *right)
{
    const dj_joint_cell *a = left, *b = right;
    return a->time != b->time ? (a->time < b->time ? -1 : 1)
                              : (a->distance > b->distance) - (a->distance < b->distance);
}

// As if all phases were alike.
static void forget_phases(dj_joint_sharer *s)
{
    size_t kept = 0;
    s->kind_window_count = 0;
    for (size_t i = 0; i < s->phase_count; i++)
        s->phases[i].kind = 0;
    for (size_t i = 0; i < s->cell_count; i++)
        s->cells[i].kind = 0;
    qsort(s->cells, s->cell_count, sizeof *s->cells, compare_cells);
    for (size_t i = 0; i < s->cell_count; i++)
        if (kept > 0 && compare_cells(&s->cells[kept - 1], &s->cells[i]) == 0)
            s->cells[kept - 1].count += s->cells[i].count;
        else
            s->cells[kept++] = s->cells[i];
    s->cell_count = kept;
}

static accuracy judge_classes(const double *speeds, size_t count, const dj_sharing_class *classes,
                              size_t class_count, bool random)
{
    dj_corun_sharer sharers[CORUN_SHARERS];
    dj_random order;
    dj_random_seed(&order, 5);
    for (size_t i = 0; i < count; i++) {
        corun_profile(&traces[i]);
        sharers[i] = (dj_corun_sharer){traces[i].joint, speeds[i]};
    }
    corun_measure(traces, speeds, count, random ? &order : NULL);
    const dj_corun corun = {.sharers = sharers,
                            .count = count,
                            .classes = classes,
                            .class_count = class_count,
                            .order = random ? DJ_CORUN_RANDOM : DJ_CORUN_STEADY};
    accuracy got = {.joint = predicted("joint", &corun), .jiang = predicted("jiang", &corun)};
    for (size_t i = 0; i < count; i++)
        forget_phases(&dj_lane_joint(&traces[i].profile->lanes[0])->rows[0]);
    got.blind = predicted("joint", &corun);
    for (size_t i = 0; i < count; i++)
        corun_free(&traces[i]);
    memset(traces, 0, sizeof traces);
    return got;
}

static accuracy judge(const double *speeds, size_t count, const dj_sharing_class *class, bool random)
{
    return judge_classes(speeds, count, class, class->blocks > 0, random);
}

// A cell of Table 4: a distribution for each sharer, of which the second half has `data` data.
static accuracy cell(const char *distributions, size_t data, size_t shared, bool random)
{
    const size_t count = strlen(distributions);
    double speeds[CORUN_SHARERS];
    for (size_t i = 0; i < count; i++) {
        speeds[i] = 1;
        corun_generate(&traces[i], 100 * data + shared + i, distributions[i], ACCESSES,
                       i < count / 2 ? DATA : data, shared, i);
    }
    const dj_sharing_class class = {(UINT64_C(1) << count) - 1, shared};
    return judge(speeds, count, &class, random);
}

static void test_table(void **state)
{
    (void)state;
    static const char *const rows[] = {"rr", "en", "renn"};
    double jiang = 0;
    for (size_t i = 0; i < 3; i++)
        for (size_t shared = 0; shared <= 40; shared += 40) {
            const accuracy got = cell(rows[i], 100, shared, false);
            assert_true(got.joint > 0.96); // the goal is 0.93 for each and 0.97 in the mean
            assert_true(got.jiang < got.joint);
            jiang += got.jiang / 6;
        }
    assert_true(jiang > 0.85 && jiang < 0.93);
}

static void test_random_order(void **state)
{
    (void)state;
    assert_true(cell("re", 100, 0, true).joint > 0.96);
    assert_true(cell("rn", 200, 40, true).joint > 0.95);
}

static void test_speeds(void **state)
{
    (void)state;
    static const double speeds[] = {1, 2.5, 0.7};
    static const size_t accesses[] = {100000, 250000, 70000};
    for (size_t i = 0; i < 3; i++)
        corun_generate(&traces[i], i, "ren"[i], accesses[i], DATA, 20, i);
    assert_true(judge(speeds, 3, &(dj_sharing_class){7, 20}, false).joint > 0.95);
}

// Sharers in a ring: each shares 25 data with the next one, 25 with the previous one, and 10 with all.
static void test_classes(void **state)
{
    (void)state;
    static const double speeds[] = {1, 1, 1, 1};
    for (size_t count = 3; count <= 4; count++) {
        dj_sharing_class classes[5] = {[4] = {(UINT64_C(1) << count) - 1, 10}};
        for (size_t i = 0; i < count; i++) {
            const size_t next = (i + 1) % count, previous = (i + count - 1) % count;
            classes[i] = (dj_sharing_class){UINT64_C(1) << i | UINT64_C(1) << next, 25};
            corun_generate(&traces[i], 70 + i, "rnen"[i], ACCESSES, 150, 10, i);
            for (size_t k = 0; k < ACCESSES; k++) {
                const uint64_t key = traces[i].keys[k], number = key % CORUN_DATA;
                if (key >= CORUN_DATA && number < 60)
                    traces[i].keys[k] = 100000 * (1 + (number < 35 ? i : previous)) + (number - 10) % 25;
            }
        }
        const dj_sharing_class none = {3, 0};
        corun_trace copy[CORUN_SHARERS];
        memcpy(copy, traces, sizeof copy);
        for (size_t i = 0; i < count; i++) {
            copy[i].keys = malloc(ACCESSES * sizeof *copy[i].keys);
            memcpy(copy[i].keys, traces[i].keys, ACCESSES * sizeof *copy[i].keys);
        }
        classes[count] = classes[4];
        const accuracy got = judge_classes(speeds, count, classes, count + 1, false);
        memcpy(traces, copy, sizeof copy);
        const accuracy blind = judge(speeds, count, &none, false);
        print_message("%zu sharers in a ring: %.3f, without classes %.3f\n", count, got.joint, blind.joint);
        assert_true(got.joint > 0.95 && got.joint > blind.joint + 0.1);
    }
}

// The second sharer ends halfway.
static void test_lengths(void **state)
{
    (void)state;
    static const double speeds[] = {1, 1};
    corun_generate(&traces[0], 1, 'r', 160000, DATA, 0, 0);
    corun_generate(&traces[1], 2, 'e', 80000, DATA, 0, 1);
    assert_true(judge(speeds, 2, &(dj_sharing_class){3, 0}, false).joint > 0.96);
}

// Threads that do the same with data of their own: a sweep over an array, in which each datum is used with
// its neighbours.
static void test_twins(void **state)
{
    (void)state;
    static const double speeds[] = {1, 1};
    for (size_t i = 0; i < 2; i++) {
        corun_trace *t = &traces[i];
        *t = (corun_trace){.keys = malloc(90000 * sizeof *t->keys)};
        for (size_t sweep = 0; sweep < 100; sweep++)
            for (size_t k = 0; k < 300; k++)
                for (size_t near = 0; near < 3; near++)
                    t->keys[t->count++] = 10000 * i + (k + near) % 300;
    }
    assert_true(judge(speeds, 2, &(dj_sharing_class){3, 0}, false).joint > 0.98);
}

// Phases of `period` accesses, in turn with many data and with few; `shift` moves them.
static void alternate(corun_trace *t, uint64_t number, size_t count, size_t period, size_t shift, size_t many,
                      size_t few)
{
    dj_random random;
    dj_random_seed(&random, number);
    *t = (corun_trace){.keys = malloc(count * sizeof *t->keys), .count = count};
    for (size_t i = 0; i < count; i++) {
        const bool small = (i + shift) / period % 2 == 1;
        t->keys[i] = CORUN_DATA * (number + 1) + dj_random_below(&random, small ? few : many);
    }
}

static void test_phases(void **state)
{
    (void)state;
    static const double speeds[] = {1, 1, 1.5};
    static const struct {
        size_t period[2], shift[2];
    } cases[] = {{{32768, 32768}, {0, 0}},     // the phases of both coincide
                 {{32768, 32768}, {0, 32768}}, // many data meet few
                 {{32768, 65536}, {0, 20000}},
                 {{50000, 30000}, {0, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t k = 0; k < 2; k++)
            alternate(&traces[k], k, 262144, cases[i].period[k], cases[i].shift[k], 800, 50);
        const accuracy got = judge(speeds, 2, &(dj_sharing_class){3, 0}, false);
        print_message("phases: %.3f, without %.3f, jiang %.3f\n", got.joint, got.blind, got.jiang);
        assert_true(got.joint > 0.93);
        assert_true(got.joint > got.blind + 0.03);
    }
    for (size_t k = 0; k < 3; k++) // three sharers, of which the last ends earlier
        alternate(&traces[k], k, 262144, 32768, k * 32768, 500, 30);
    const accuracy got = judge(speeds, 3, &(dj_sharing_class){7, 0}, false);
    print_message("phases of three: %.3f, without %.3f\n", got.joint, got.blind);
    assert_true(got.joint > 0.93 && got.joint > got.blind + 0.03);
}

static void print_table(void)
{
    static const char *const rows[] = {"rr", "ee", "nn", "re", "rn", "en", "rren", "reen", "renn"};
    accuracy mean = {0, 0, 0};
    double worst = 1;
    for (size_t i = 0; i < 9; i++) {
        printf("%-5s", rows[i]);
        for (size_t shared = 0; shared <= 40; shared += 20)
            for (size_t data = 100; data <= 200; data += 100) {
                const accuracy got = cell(rows[i], data, shared, false);
                printf(" %5.1f/%5.1f", 100 * got.joint, 100 * got.jiang);
                fflush(stdout);
                mean.joint += got.joint / 54;
                mean.jiang += got.jiang / 54;
                worst = got.joint < worst ? got.joint : worst;
            }
        printf("\n");
    }
    printf("joint %.2f, worst %.2f; jiang %.2f\n", 100 * mean.joint, 100 * worst, 100 * mean.jiang);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),   cmocka_unit_test(test_random_order), cmocka_unit_test(test_speeds),
        cmocka_unit_test(test_lengths), cmocka_unit_test(test_twins),        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_classes),
    };
    if (argc == 2 && strcmp(argv[1], "all") == 0) {
        make_context(NULL);
        print_table();
        return drop_context(NULL);
    }
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
