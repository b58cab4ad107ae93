// SPDX-License-Identifier: MIT
// Addresses of reallocated memory against a copy of every byte that knows its number of lives.
#include "base/random.h"
#include "locate/heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
// cmocka needs the four above it
#include <cmocka.h>

#define HEAP UINT64_C(0x4fff8000) // blocks also cross a boundary of 2^28 bytes
enum { GRAINS = 4096, GRAIN = 16, STEPS = 60000, LONGEST = 300 };

static uint64_t address_of(size_t grain)
{
    return HEAP + GRAIN * grain;
}

static uint64_t fresh_of(const dj_heap *heap, size_t grain)
{
    const dj_heap_block *b = dj_heap_find(heap, address_of(grain));
    assert_non_null(b);
    return address_of(grain) + (b->fresh - b->lo);
}

static dj_heap *create(dj_context *context)
{
    dj_heap *heap;
    assert_int_equal(dj_heap_create(context, true, &heap), DJ_OK);
    return heap;
}

// Blocks that were never freed keep their addresses, and their neighbours in a line.
static void nothing_is_freed(void **state)
{
    (void)state;
    dj_context *context;
    assert_int_equal(dj_context_create(&context), DJ_OK);
    dj_heap *heap = create(context);
    assert_int_equal(dj_heap_add(heap, context, HEAP, GRAIN * GRAINS, 1), DJ_OK); // a mapping
    for (size_t grain = 0; grain < GRAINS; grain += 2) // in which an allocator works
        assert_int_equal(dj_heap_add(heap, context, address_of(grain), GRAIN + 8, 2), DJ_OK);
    for (size_t grain = 0; grain < GRAINS; grain++)
        assert_int_equal(fresh_of(heap, grain), address_of(grain));
    dj_heap_destroy(heap);
    dj_context_destroy(context);
}

// What is freed and allocated again in the same way is new, and has its old neighbours.
static void rounds_are_copies(void **state)
{
    (void)state;
    dj_context *context;
    assert_int_equal(dj_context_create(&context), DJ_OK);
    dj_heap *heap = create(context);
    uint64_t before = 0;
    for (int round = 0; round < 3000; round++) { // more than one series
        for (size_t grain = 0; grain < 64; grain += 2)
            assert_int_equal(dj_heap_add(heap, context, address_of(grain), GRAIN + 8, 1), DJ_OK);
        const uint64_t first = fresh_of(heap, 0);
        assert_true(round == 0 ? first == HEAP : first != before && first % 4096 == HEAP % 4096);
        for (size_t grain = 0; grain < 64; grain++)
            assert_int_equal(fresh_of(heap, grain), first + GRAIN * grain);
        before = first;
        for (size_t grain = 0; grain < 64; grain += 2)
            assert_int_equal(dj_heap_remove(heap, context, address_of(grain)), DJ_OK);
    }
    dj_heap_destroy(heap);
    dj_context_destroy(context);
}

// Random blocks, from 1 grain to more than a page: no byte ever gets an address that it, or another one, had
// before it was freed.
static void no_address_comes_back(void **state)
{
    (void)state;
    dj_context *context;
    assert_int_equal(dj_context_create(&context), DJ_OK);
    dj_heap *heap = create(context);
    dj_random random;
    dj_random_seed(&random, 5);
    static size_t length[GRAINS];  // of the block that starts there
    static bool used[GRAINS];      // by a block
    static uint64_t *past[GRAINS]; // all addresses of a grain
    static size_t past_count[GRAINS];
    for (int step = 0; step < STEPS; step++) {
        const size_t grain = dj_random_below(&random, GRAINS);
        if (length[grain]) {
            assert_int_equal(dj_heap_remove(heap, context, address_of(grain)), DJ_OK);
            for (size_t i = grain; i < grain + length[grain]; i++)
                used[i] = false;
            length[grain] = 0;
            continue;
        }
        size_t wanted = 1 + dj_random_below(&random, step % 50 ? 8 : LONGEST), free = 0;
        while (free < wanted && grain + free < GRAINS && !used[grain + free])
            free++;
        if (!free)
            continue;
        assert_int_equal(dj_heap_add(heap, context, address_of(grain), GRAIN * free, 1), DJ_OK);
        length[grain] = free;
        for (size_t i = grain; i < grain + free; i++) {
            used[i] = true;
            const uint64_t fresh = fresh_of(heap, i);
            assert_int_equal(fresh % 4096, address_of(i) % 4096);
            for (size_t k = 0; k < past_count[i]; k++)
                assert_int_not_equal(past[i][k], fresh);
            past[i] = realloc(past[i], (past_count[i] + 1) * sizeof *past[i]);
            assert_non_null(past[i]);
            past[i][past_count[i]++] = fresh;
        }
    }
    for (size_t i = 0; i < GRAINS; i++)
        free(past[i]);
    dj_heap_destroy(heap);
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_freed),
        cmocka_unit_test(rounds_are_copies),
        cmocka_unit_test(no_address_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
