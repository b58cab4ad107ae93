// SPDX-License-Identifier: MIT
// Stacks of threads against an array that knows the owner of every byte.
#include "base/random.h"
#include "locate/stacks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
// cmocka needs the four above it
#include <cmocka.h>

enum { BYTES = 200, STEPS = 20000, NOBODY = 0 };

static void forget(uint32_t *owner, uint32_t thread)
{
    for (int i = 0; i < BYTES; i++)
        owner[i] = owner[i] == thread ? NOBODY : owner[i];
}

static void newest_stack_has_the_address(void **state)
{
    (void)state;
    dj_context *context;
    assert_int_equal(dj_context_create(&context), DJ_OK);
    dj_stacks stacks = {0};
    uint32_t owner[BYTES] = {NOBODY};
    dj_random random;
    dj_random_seed(&random, 7);
    for (uint32_t step = 1; step <= STEPS; step++) {
        uint64_t lo = dj_random_below(&random, BYTES), hi = lo + 1 + dj_random_below(&random, BYTES - lo);
        hi = hi > lo + 30 ? lo + 30 : hi;
        bool add = dj_random_below(&random, 3) > 0;
        for (uint64_t i = lo; i < hi; i++)
            if (owner[i] != NOBODY)
                forget(owner, owner[i]);
        for (uint64_t i = lo; add && i < hi; i++)
            owner[i] = step;
        if (add)
            assert_int_equal(dj_stacks_add(&stacks, context, lo, hi, step), DJ_OK);
        else
            dj_stacks_remove(&stacks, lo, hi);
        for (uint64_t i = 0; i < BYTES; i++) {
            const dj_stack_range *found = dj_stacks_find(&stacks, i);
            assert_int_equal(found ? found->thread : NOBODY, owner[i]);
        }
    }
    free(stacks.list);
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(newest_stack_has_the_address)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
