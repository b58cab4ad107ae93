// SPDX-License-Identifier: MIT
// Orders of random computations against the definition, by searching lists.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/sanitized.h"
#include "unit/reorder/random_computation.h"

enum { ROUNDS = 5000 / SANITIZED_SHARE };

// --- reuse-driven execution, as the paper states it ------------------------------

typedef struct naive {
    const made *m;
    bool done[INSTANCES], queued[INSTANCES];
    uint32_t order[INSTANCES], queue[INSTANCES];
    uint32_t executed, first, last;
} naive;

static void naive_force(naive *n, uint32_t i);

static void naive_force_users(naive *n, uint32_t i, uint32_t use)
{
    const uint32_t element = n->m->list[i].elements[use];
    uint32_t from = 0;
    for (uint32_t j = i; j-- > 0;)
        if (uses_of(&n->m->list[j], element) & DJ_USE_WRITES) {
            naive_force(n, j);
            from = j + 1;
            break;
        }
    for (uint32_t j = from; j < i && (uses_of(&n->m->list[i], element) & DJ_USE_WRITES); j++)
        if (uses_of(&n->m->list[j], element))
            naive_force(n, j);
}

static void naive_execute(naive *n, uint32_t i)
{
    const made_instance *one = &n->m->list[i];
    n->done[i] = true;
    n->order[n->executed++] = i;
    for (uint32_t k = 0; k < one->use_count; k++)
        for (uint32_t j = i + 1; j < n->m->count; j++)
            if (uses_of(&n->m->list[j], one->elements[k])) {
                if (!n->done[j] && !n->queued[j])
                    n->queue[n->last++] = j;
                n->queued[j] = true;
                break;
            }
}

static void naive_force(naive *n, uint32_t i)
{
    if (n->done[i])
        return;
    for (uint32_t k = 0; k < n->m->list[i].after_count; k++)
        naive_force(n, n->m->list[i].afters[k]);
    for (uint32_t k = 0; k < n->m->list[i].use_count; k++)
        naive_force_users(n, i, k);
    naive_execute(n, i);
}

static uint32_t naive_step(const made *m, uint32_t *steps, uint32_t i)
{
    steps[i] = 0;
    for (uint32_t j = 0; j < i; j++)
        if (must_follow(m, j, i) && steps[j] >= steps[i])
            steps[i] = steps[j] + 1;
    return steps[i];
}

static void naive_order(naive *n)
{
    uint32_t steps[INSTANCES], last = 0;
    for (uint32_t i = 0; i < n->m->count; i++)
        last = naive_step(n->m, steps, i) > last ? steps[i] : last;
    for (uint32_t s = 0; s <= last; s++)
        for (uint32_t i = 0; i < n->m->count; i++) {
            if (steps[i] == s)
                naive_force(n, i);
            while (n->first < n->last)
                naive_force(n, n->queue[n->first++]);
        }
}

static void reuse_driven_equals_the_definition(void **state)
{
    (void)state;
    dj_random dice;
    dj_random_seed(&dice, 1);
    for (int round = 0; round < ROUNDS; round++) {
        made m;
        dj_dataflow d;
        uint32_t order[INSTANCES];
        make(&dice, &m);
        build(&m, &d);
        naive n = {.m = &m};
        naive_order(&n);
        assert_int_equal(dj_order_by_reuse(context, &d, order), DJ_OK);
        assert_legal(&m, order);
        assert_memory_equal(order, n.order, m.count * sizeof *order);
        dj_dataflow_destroy(&d);
    }
}

// --- values ---------------------------------------------------------------------

// Whether one of two neighbours reads what the other writes, or must follow it for another reason. A value
// that is overwritten and never read does not matter.
static bool passes_value(const made *m, uint32_t i)
{
    for (uint32_t e = 0; e < ELEMENTS; e++) {
        const unsigned a = uses_of(&m->list[i], e), b = uses_of(&m->list[i + 1], e);
        if (((a & DJ_USE_WRITES) && (b & DJ_USE_READS)) || ((a & DJ_USE_READS) && (b & DJ_USE_WRITES)))
            return true;
    }
    for (uint32_t k = 0; k < m->list[i + 1].after_count; k++)
        if (m->list[i + 1].afters[k] == i)
            return true;
    return false;
}

// Two neighbours change places: the value changes if one depends on the other, and only then.
static void values_depend_on_the_order_of_dependences_alone(void **state)
{
    (void)state;
    dj_random dice;
    uint32_t changed = 0, same = 0;
    dj_random_seed(&dice, 2);
    for (int round = 0; round < ROUNDS; round++) {
        made m;
        dj_dataflow d;
        uint32_t order[INSTANCES];
        uint64_t written, other;
        make(&dice, &m);
        if (m.count < 2)
            continue;
        build(&m, &d);
        for (uint32_t i = 0; i < m.count; i++)
            order[i] = i;
        assert_int_equal(dj_order_value(context, &d, order, &written), DJ_OK);
        const uint32_t at = (uint32_t)dj_random_below(&dice, m.count - 1);
        order[at] = at + 1;
        order[at + 1] = at;
        assert_int_equal(dj_order_value(context, &d, order, &other), DJ_OK);
        if (passes_value(&m, at))
            assert_int_not_equal(other, written);
        if (!must_follow(&m, at, at + 1))
            assert_int_equal(other, written);
        changed += other != written;
        same += other == written;
        dj_dataflow_destroy(&d);
    }
    assert_true(changed > ROUNDS / 100 && same > ROUNDS / 100);
}

// --- fusion ---------------------------------------------------------------------

// Random loops: each iteration has consecutive instances, some are in an inner loop.
static void make_nests(dj_random *dice, dj_dataflow *d, dj_nests *nests)
{
    static dj_iteration list[3 * INSTANCES];
    uint32_t runs = 0;
    *nests = (dj_nests){.list = list};
    for (uint32_t i = 0; i < d->count;) {
        const uint32_t iterations = (uint32_t)dj_random_below(dice, 5), run = runs++;
        if (iterations == 0)
            i++;
        for (uint32_t k = 0; k < iterations && i < d->count; k++) {
            const uint32_t outer = (uint32_t)nests->count, inner_run = runs++;
            list[nests->count++] = (dj_iteration){DJ_NOWHERE, run, 0};
            for (uint32_t s = 0; s < 1 + dj_random_below(dice, 3) && i < d->count; s++) {
                const bool deeper = dj_random_below(dice, 2);
                if (deeper)
                    list[nests->count++] = (dj_iteration){outer, inner_run, 1};
                d->nest[i++] = deeper ? (uint32_t)nests->count - 1 : outer;
            }
        }
    }
}

static void fusion_respects_dependences(void **state)
{
    (void)state;
    dj_random dice;
    uint32_t moved = 0;
    dj_random_seed(&dice, 3);
    for (int round = 0; round < ROUNDS; round++) {
        made m;
        dj_dataflow d;
        dj_nests nests;
        uint32_t order[INSTANCES], written_order[INSTANCES];
        uint64_t written, other;
        make(&dice, &m);
        build(&m, &d);
        make_nests(&dice, &d, &nests);
        for (uint32_t i = 0; i < m.count; i++)
            order[i] = written_order[i] = i;
        assert_int_equal(dj_order_value(context, &d, order, &written), DJ_OK);
        assert_int_equal(dj_order_fused(context, &d, &nests, order), DJ_OK);
        assert_int_equal(dj_order_value(context, &d, order, &other), DJ_OK);
        assert_legal(&m, order);
        assert_int_equal(written, other);
        moved += memcmp(order, written_order, m.count * sizeof *order) != 0;
        dj_dataflow_destroy(&d);
    }
    assert_true(moved > ROUNDS / 20);
}

// Loop 0 writes a[i]; each later loop k reads what loop k − 1 wrote in iteration i + shift, and writes its
// own.
static void make_chain(dj_dataflow *d, dj_nests *nests, uint32_t loops, uint32_t length, int shift,
                       bool reversed)
{
    static dj_iteration list[4096];
    *nests = (dj_nests){.list = list};
    assert_int_equal(dj_dataflow_create(d, context), DJ_OK);
    for (uint32_t e = 0; e < loops * length; e++) {
        uint32_t number;
        assert_int_equal(dj_dataflow_add_element(d, context, e, &number), DJ_OK);
    }
    for (uint32_t k = 0; k < loops; k++)
        for (uint32_t i = 0; i < length; i++) {
            const int64_t from = reversed ? (int64_t)length - 1 - i : (int64_t)i + shift;
            assert_int_equal(dj_dataflow_begin(d, context), DJ_OK);
            if (k && from >= 0 && from < length)
                assert_int_equal(
                    dj_dataflow_use(d, context, (k - 1) * length + (uint32_t)from, DJ_USE_READS, 0), DJ_OK);
            assert_int_equal(dj_dataflow_use(d, context, k * length + i, DJ_USE_WRITES, 0), DJ_OK);
            d->nest[d->count - 1] = (uint32_t)nests->count;
            list[nests->count++] = (dj_iteration){DJ_NOWHERE, k, 0};
        }
    dj_dataflow_end(d);
}

// Fused loops use each value soon, however far ahead or behind they read, and keep their own order.
static void values_of_fused_loops_are_used_soon(void **state)
{
    (void)state;
    enum { LOOPS = 4, LENGTH = 200 };
    for (int shift = -3; shift <= 5; shift++) {
        dj_dataflow d;
        dj_nests nests;
        uint32_t order[LOOPS * LENGTH], position[LOOPS * LENGTH];
        const uint32_t soon = LOOPS * ((uint32_t)abs(shift) + 2);
        make_chain(&d, &nests, LOOPS, LENGTH, shift, false);
        assert_int_equal(dj_order_fused(context, &d, &nests, order), DJ_OK);
        for (uint32_t p = 0; p < LOOPS * LENGTH; p++)
            position[order[p]] = p;
        for (uint32_t k = 0; k < LOOPS; k++)
            for (uint32_t i = 0; i < LENGTH; i++) {
                const int64_t from = (int64_t)i + shift;
                const uint32_t at = position[k * LENGTH + i];
                if (i > 0)
                    assert_true(at > position[k * LENGTH + i - 1]);
                if (k == 0 || from < 0 || from >= LENGTH)
                    continue;
                const uint32_t written = position[(k - 1) * LENGTH + (uint32_t)from];
                assert_true(at > written && at - written <= soon);
            }
        dj_dataflow_destroy(&d);
    }
}

static void loops_that_read_backwards_are_not_fused(void **state)
{
    (void)state;
    enum { LOOPS = 3, LENGTH = 40 };
    dj_dataflow d;
    dj_nests nests;
    uint32_t order[LOOPS * LENGTH];
    make_chain(&d, &nests, LOOPS, LENGTH, 0, true);
    assert_int_equal(dj_order_fused(context, &d, &nests, order), DJ_OK);
    for (uint32_t i = 0; i < LOOPS * LENGTH; i++)
        assert_int_equal(order[i], i);
    // The order of reuse follows each value through all loops.
    assert_int_equal(dj_order_by_reuse(context, &d, order), DJ_OK);
    for (uint32_t i = 0; i < LENGTH; i++) {
        assert_int_equal(order[LOOPS * i], i);
        assert_int_equal(order[LOOPS * i + 1], LENGTH + LENGTH - 1 - i);
        assert_int_equal(order[LOOPS * i + 2], 2 * LENGTH + i);
    }
    dj_dataflow_destroy(&d);
}

static void places_are_those_of_the_uses(void **state)
{
    (void)state;
    dj_random dice;
    dj_random_seed(&dice, 4);
    for (int round = 0; round < 100; round++) {
        made m;
        dj_dataflow d;
        uint32_t places[USES];
        make(&dice, &m);
        build(&m, &d);
        for (uint32_t i = 0; i < m.count; i++) {
            assert_int_equal(d.first_use[i + 1] - d.first_use[i], m.list[i].use_count);
            dj_dataflow_places(&d, i, places);
            for (uint32_t k = 0; k < m.list[i].use_count; k++)
                assert_int_equal(places[k], 10 * i + k);
        }
        dj_dataflow_destroy(&d);
    }
}

// Looking for an element among all uses of an instance would take minutes.
static void instances_may_use_very_many_elements(void **state)
{
    (void)state;
    enum { MANY = 300000 };
    dj_dataflow d;
    assert_int_equal(dj_dataflow_create(&d, context), DJ_OK);
    for (uint32_t e = 0; e < MANY; e++) {
        uint32_t number;
        assert_int_equal(dj_dataflow_add_element(&d, context, e, &number), DJ_OK);
    }
    assert_int_equal(dj_dataflow_begin(&d, context), DJ_OK);
    for (uint32_t e = 0; e < MANY; e++)
        assert_int_equal(dj_dataflow_use(&d, context, e, DJ_USE_WRITES, 0), DJ_OK);
    for (uint32_t e = 0; e < MANY; e++) {
        assert_int_equal(dj_dataflow_begin(&d, context), DJ_OK);
        assert_int_equal(dj_dataflow_use(&d, context, MANY - 1 - e, DJ_USE_WRITES, 0), DJ_OK);
    }
    assert_int_equal(dj_dataflow_begin(&d, context), DJ_OK);
    for (uint32_t e = 0; e < MANY; e++)
        assert_int_equal(dj_dataflow_follow(&d, context, e), DJ_OK);
    dj_dataflow_end(&d);
    uint32_t *order = malloc(d.count * sizeof *order);
    assert_non_null(order);
    assert_int_equal(dj_order_by_reuse(context, &d, order), DJ_OK);
    // The next use of each element of the first instance, in the order of its uses; nothing waits for more.
    assert_int_equal(order[0], 0);
    for (uint32_t e = 0; e < MANY; e++)
        assert_int_equal(order[1 + e], MANY - e);
    assert_int_equal(order[MANY + 1], MANY + 1);
    free(order);
    dj_dataflow_destroy(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reuse_driven_equals_the_definition),
        cmocka_unit_test(values_depend_on_the_order_of_dependences_alone),
        cmocka_unit_test(fusion_respects_dependences),
        cmocka_unit_test(values_of_fused_loops_are_used_soon),
        cmocka_unit_test(loops_that_read_backwards_are_not_fused),
        cmocka_unit_test(places_are_those_of_the_uses),
        cmocka_unit_test(instances_may_use_very_many_elements),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
