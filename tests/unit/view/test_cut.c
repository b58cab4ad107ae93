// SPDX-License-Identifier: MIT
// Which rows a page keeps, against a sort of all of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"
#include "view/cut.h"

static int descending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

// The kept rows are worst ones, as many as are needed, and never more than `most`.
static void check(const uint64_t *weights, size_t count, size_t most)
{
    enum { LEAST = 40, SHARE = 1000 };
    dj_view_cut cut;
    assert_int_equal(dj_view_cut_create(context, count, most, &cut), DJ_OK);
    if (count > 0)
        memcpy(cut.weights, weights, count * sizeof *weights);
    dj_view_cut_keep(&cut);
    uint64_t *sorted = calloc(count + 1, sizeof *sorted), total = 0, left = 0, lightest = UINT64_MAX,
             heaviest = 0;
    size_t nonzero = 0, kept = 0, needed = 0;
    assert_non_null(sorted);
    for (size_t i = 0; i < count; i++) {
        sorted[i] = weights[i];
        total += weights[i];
        nonzero += weights[i] > 0;
    }
    qsort(sorted, count, sizeof *sorted, descending);
    left = total;
    while (needed < nonzero && needed < most && (needed < LEAST || left * SHARE > total))
        left -= sorted[needed++];
    for (size_t i = 0; i < count; i++) {
        kept += cut.kept[i];
        if (cut.kept[i])
            lightest = weights[i] < lightest ? weights[i] : lightest;
        else
            heaviest = weights[i] > heaviest ? weights[i] : heaviest;
    }
    assert_int_equal(kept, needed);
    assert_int_equal(kept, dj_view_cut_size(&cut));
    assert_true(kept == 0 || lightest >= heaviest);
    assert_true(kept == 0 || lightest > 0);
    free(sorted);
    dj_view_cut_free(&cut);
}

static void test_worst_are_kept(void **state)
{
    (void)state;
    enum { MOST = 600 };
    uint64_t weights[MOST];
    dj_random random;
    dj_random_seed(&random, 1);
    for (unsigned round = 0; round < 2000; round++) {
        const size_t count = dj_random_below(&random, MOST);
        const uint64_t range = UINT64_C(1) << dj_random_below(&random, 20);
        for (size_t i = 0; i < count; i++) {
            weights[i] = dj_random_below(&random, range);
            if (dj_random_below(&random, 4) == 0) // as skewed as programs are
                weights[i] *= range;
        }
        check(weights, count, dj_random_below(&random, 200));
    }
}

// Rows that one measure keeps stay when another one is looked at.
static void test_measures_add_up(void **state)
{
    (void)state;
    dj_view_cut cut;
    assert_int_equal(dj_view_cut_create(context, 3, 1, &cut), DJ_OK);
    for (unsigned by = 0; by < 2; by++) {
        memset(cut.weights, 0, 3 * sizeof *cut.weights);
        cut.weights[2 * by] = 7;
        dj_view_cut_keep(&cut);
    }
    assert_true(cut.kept[0]);
    assert_false(cut.kept[1]);
    assert_true(cut.kept[2]);
    dj_view_cut_free(&cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_worst_are_kept),
                                       cmocka_unit_test(test_measures_add_up)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
