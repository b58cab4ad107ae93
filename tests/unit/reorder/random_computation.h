// SPDX-License-Identifier: MIT
// Random computations, and what restricts their order by the definition: two instances of which one writes
// what the other uses stay in order. Include it after cmocka.h.
#ifndef DEJA_TESTS_RANDOM_COMPUTATION_H
#define DEJA_TESTS_RANDOM_COMPUTATION_H

#include <string.h>

#include "base/random.h"
#include "reorder/orders.h"
#include "support/context.h"

enum { INSTANCES = 60, USES = 5, AFTERS = 2, ELEMENTS = 12 };

typedef struct made_instance {
    uint32_t elements[USES], afters[AFTERS];
    unsigned uses[USES];
    uint32_t use_count, after_count;
} made_instance;

typedef struct made {
    made_instance list[INSTANCES];
    uint32_t count;
} made;

static inline void make(dj_random *dice, made *m)
{
    const uint32_t elements = 1 + (uint32_t)dj_random_below(dice, ELEMENTS);
    *m = (made){.count = 1 + (uint32_t)dj_random_below(dice, INSTANCES)};
    for (uint32_t i = 0; i < m->count; i++) {
        made_instance *one = &m->list[i];
        one->use_count = (uint32_t)dj_random_below(dice, USES + 1);
        for (uint32_t k = 0; k < one->use_count; k++) {
            one->elements[k] = (uint32_t)dj_random_below(dice, elements);
            one->uses[k] = 1 + (unsigned)dj_random_below(dice, 3);
        }
        one->after_count =
            i && dj_random_below(dice, 4) == 0 ? 1 + (uint32_t)dj_random_below(dice, AFTERS) : 0;
        for (uint32_t k = 0; k < one->after_count; k++)
            one->afters[k] = (uint32_t)dj_random_below(dice, i);
    }
}

static inline void build(const made *m, dj_dataflow *d)
{
    assert_int_equal(dj_dataflow_create(d, context), DJ_OK);
    for (uint32_t e = 0; e < ELEMENTS; e++) {
        uint32_t number;
        assert_int_equal(dj_dataflow_add_element(d, context, 100 + e, &number), DJ_OK);
        assert_int_equal(number, e);
    }
    for (uint32_t i = 0; i < m->count; i++) {
        const made_instance *one = &m->list[i];
        assert_int_equal(dj_dataflow_begin(d, context), DJ_OK);
        for (uint32_t k = 0; k < one->after_count; k++)
            assert_int_equal(dj_dataflow_follow(d, context, one->afters[k]), DJ_OK);
        for (uint32_t k = 0; k < one->use_count; k++)
            assert_int_equal(
                dj_dataflow_use(d, context, one->elements[k], one->uses[k] | DJ_USE_COUNTS, 10 * i + k),
                DJ_OK);
    }
    dj_dataflow_end(d);
}

// What an instance does with an element: bits of enum dj_use, 0 if it does not use it.
static inline unsigned uses_of(const made_instance *one, uint32_t element)
{
    unsigned bits = 0;
    for (uint32_t k = 0; k < one->use_count; k++)
        bits |= one->elements[k] == element ? one->uses[k] : 0;
    return bits;
}

// Whether instance j must follow instance i, which is earlier, for data or for another reason.
static inline bool must_follow(const made *m, uint32_t i, uint32_t j)
{
    for (uint32_t e = 0; e < ELEMENTS; e++) {
        const unsigned a = uses_of(&m->list[i], e), b = uses_of(&m->list[j], e);
        if (a && b && ((a | b) & DJ_USE_WRITES))
            return true;
    }
    for (uint32_t k = 0; k < m->list[j].after_count; k++)
        if (m->list[j].afters[k] == i)
            return true;
    return false;
}

static inline void assert_legal(const made *m, const uint32_t *order)
{
    uint32_t position[INSTANCES];
    memset(position, 0xff, sizeof position);
    for (uint32_t p = 0; p < m->count; p++) {
        assert_true(order[p] < m->count);
        assert_int_equal(position[order[p]], UINT32_MAX);
        position[order[p]] = p;
    }
    for (uint32_t j = 0; j < m->count; j++)
        for (uint32_t i = 0; i < j; i++)
            if (must_follow(m, i, j))
                assert_true(position[i] < position[j]);
}

#endif
