// SPDX-License-Identifier: MIT
#include "base/arena.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void values_are_disjoint_zeroed_and_aligned(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    dj_arena arena = {0};
    unsigned char *value[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        size_t bytes = i % 100 == 99 ? 40000 + i : i % 257;
        value[i] = dj_arena_alloc(&arena, bytes, 1);
        assert_non_null(value[i]);
        assert_int_equal((uintptr_t)value[i] % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < bytes; k++)
            assert_int_equal(value[i][k], 0);
        memset(value[i], (int)(i % 251) + 1, bytes);
    }
    for (size_t i = 0; i < COUNT; i++) {
        size_t bytes = i % 100 == 99 ? 40000 + i : i % 257;
        for (size_t k = 0; k < bytes; k++)
            assert_int_equal(value[i][k], i % 251 + 1);
    }
    dj_arena_free(&arena);
    assert_null(arena.chunks);
}

static void texts_are_copied(void **state)
{
    (void)state;
    dj_arena arena = {0};
    char text[] = "particle";
    char *whole = dj_arena_copy(&arena, text, strlen(text)), *part = dj_arena_copy(&arena, text, 4);
    text[0] = 'P';
    assert_string_equal(whole, "particle");
    assert_string_equal(part, "part");
    assert_null(dj_arena_alloc(&arena, SIZE_MAX / 4, 16));
    assert_null(dj_arena_alloc(&arena, SIZE_MAX, 1));
    dj_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_disjoint_zeroed_and_aligned),
        cmocka_unit_test(texts_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
