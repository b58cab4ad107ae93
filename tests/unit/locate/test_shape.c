// SPDX-License-Identifier: MIT
// Which loops change on the way from one piece of code to another, by hand.
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "locate/shape.h"
#include "support/context.h"

// A perfect nest, as compilers rotate it: block 0 before it, 1 the header of the outer loop, 2 that of the
// inner one, which jumps back to itself, 3 jumps back to 1, 4 after it. In block 2 a branch leads over 3 to
// 5, which is in the outer loop and jumps back. Each has 16 bytes. Only blocks 2 and 5 access memory.
enum { ACCESSES = 1 };
#define LOOP(loop, accesses) ((loop) | (uint64_t)(accesses) << 32)
static const uint64_t nest[] = {
    0,  7,  2, // entry, blocks, loops
    0,  16, LOOP(0, 0),
    1,  1, // 0
    16, 32, LOOP(1, 0),
    1,  2, // 1
    32, 48, LOOP(2, ACCESSES),
    3,  2,  3,
    5, // 2
    48, 64, LOOP(1, 0),
    2,  1,  4, // 3
    64, 80, LOOP(0, 0),
    0, // 4
    80, 96, LOOP(1, ACCESSES),
    2,  1,  4, // 5
    0,  0,  LOOP(0, 0),
    0, // unknown places
    0,  1,  1,
    16, // the outer loop
    1,  2,  2,
    32, // the inner loop
};

static dj_shape *shape;

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(dj_shape_create(context, 3, nest, sizeof nest / sizeof *nest, &shape), DJ_OK);
    assert_non_null(shape);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    dj_shape_destroy(shape);
    return 0;
}

static void expect(uint64_t hi, uint64_t next, uint64_t to, uint32_t change, uint32_t unsure)
{
    dj_shape_move move;
    assert_int_equal(dj_shape_move_to(shape, context, hi, next, to, &move), DJ_OK);
    assert_int_equal(move.change, change);
    assert_int_equal(move.unsure, unsure);
}

// 2 × depth + 1: the loop at that depth begins an iteration; 2 × depth: loops from there on are others.
static void moves(void **state)
{
    (void)state;
    expect(48, 32, 32, 2 * 1 + 1, DJ_MOVE_NONE);           // the inner loop again
    expect(64, 16, 32, 2 * 0 + 1, DJ_MOVE_NONE);           // the outer loop again, through its header
    expect(16, DJ_ROUTE_FORWARD, 32, 2 * 0, DJ_MOVE_NONE); // both are entered
    expect(64, 64, 64, 2 * 0, DJ_MOVE_NONE);               // both are left
    expect(48, DJ_ROUTE_FORWARD, 80, 2 * 1, DJ_MOVE_NONE); // only the inner one is left
    expect(96, 16, 32, 2 * 0 + 1, DJ_MOVE_NONE);
    expect(36, 36, 40, DJ_MOVE_NONE, DJ_MOVE_NONE); // on in the same block, after a call
    // There is no way from the end to the inner loop, so what happened to loops is unknown; but none was
    // active.
    expect(80, DJ_ROUTE_FORWARD, 32, 2 * 0, DJ_MOVE_NONE);
    // Into the middle of a block of the outer loop.
    expect(48, 20, 24, 2 * 1, DJ_MOVE_NONE);
}

static void arrivals(void **state)
{
    (void)state;
    assert_int_equal(dj_shape_arrive(shape, 0, 1), 2 * 0);     // enters the outer loop
    assert_int_equal(dj_shape_arrive(shape, 1, 1), 2 * 0 + 1); // iterates it
    assert_int_equal(dj_shape_arrive(shape, 2, 1), 2 * 0 + 1); // from the inner one
    assert_int_equal(dj_shape_arrive(shape, 1, 2), 2 * 1);
    assert_int_equal(dj_shape_arrive(shape, 2, 2), 2 * 1 + 1);
    assert_int_equal(dj_shape_arrive(shape, 1, 3), DJ_MOVE_NONE);
    assert_int_equal(dj_shape_block_at(shape, 47), 2);
    assert_int_equal(dj_shape_block_at(shape, 96), UINT32_MAX);
}

static void nonsense(void **state)
{
    (void)state;
    uint64_t words[sizeof nest / sizeof *nest];
    dj_shape *none;
    for (size_t i = 0; i < sizeof nest / sizeof *nest; i++) {
        memcpy(words, nest, sizeof nest);
        words[i] = UINT64_MAX;
        assert_int_equal(dj_shape_create(context, 0, words, sizeof nest / sizeof *nest, &none), DJ_OK);
        dj_shape_destroy(none);
        assert_int_equal(dj_shape_create(context, 0, nest, i, &none), DJ_OK);
        assert_null(none);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(moves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(arrivals, set_up, tear_down),
        cmocka_unit_test(nonsense),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
