// SPDX-License-Identifier: MIT
// The locator against a made-up program that knows its own places.
#include "unit/made_up_program.h"

#include <deja/filter.h>

#include "base/sample.h"
#include "filter/sample_options.h"

static void path_of(const dj_located *all, uint32_t node, char *path)
{
    char turned[256];
    size_t n = 0;
    for (; node != DJ_NOWHERE; node = all->cct[node].parent)
        if (all->cct[node].function)
            turned[n++] = (char)('a' + all->cct[node].function);
    for (size_t i = 0; i < n; i++)
        path[i] = turned[n - 1 - i];
    path[n] = 0;
}

static void object_of(const dj_located *all, uint32_t object, char *text, size_t room)
{
    const dj_object_id *o = &all->objects[object];
    switch (o->kind) {
    case DJ_OBJECT_GLOBAL:
        snprintf(text, room, "global %u", o->variable);
        return;
    case DJ_OBJECT_LOCAL:
        snprintf(text, room, "local of %u", o->variable - 1000000);
        return;
    case DJ_OBJECT_FRAME:
        snprintf(text, room, "stack of %u", o->function);
        return;
    case DJ_OBJECT_HEAP:
        snprintf(text, room, "heap %u", o->site);
        return;
    case DJ_OBJECT_MODULE:
        snprintf(text, room, "module");
        return;
    default:
        snprintf(text, room, "unknown");
    }
}

static void check_access(const dj_located *all, const expectation *e, uint64_t address, uint32_t place,
                         uint64_t seed, size_t number)
{
    char path[256], object[300];
    const dj_place *got = dj_place_get(&all->places, place);
    path_of(all, got->cct_node, path);
    object_of(all, got->object, object, sizeof object);
    if (address != e->address || strcmp(path, e->path) != 0 || strcmp(object, e->object) != 0 ||
        all->threads[got->thread].id != 10 + e->thread)
        fail_msg("seed %llu, access %zu at %llx: %s, %s, thread %llu; expected %s, %s, thread %u",
                 (unsigned long long)seed, number, (unsigned long long)address, path, object,
                 (unsigned long long)all->threads[got->thread].id, e->path, e->object, 10 + e->thread);
}

static void check_program(program *p, uint64_t seed, bool fresh_heap)
{
    dj_source *inner = open_program(p), *outer;
    dj_locator *locator;
    const dj_locator_options options = {.lookup = fake, .offsets = true, .fresh_heap = fresh_heap};
    assert_int_equal(dj_locator_create(context, &options, &locator), DJ_OK);
    assert_int_equal(dj_locator_source(context, locator, inner, &outer), DJ_OK);
    assert_true(dj_source_get_info(outer)->columns & DJ_COLUMN_OFFSET);
    const dj_located *all = dj_locator_get(locator);
    size_t seen = 0;
    dj_batch *batch;
    while (assert_int_equal(dj_source_next(outer, context, &batch), DJ_OK), batch) {
        for (uint32_t i = 0; i < batch->count; i++, seen++) {
            const expectation *want = &p->expected[seen];
            check_access(all, want, fresh_heap ? want->address : batch->column.address[i],
                         batch->column.place[i], seed, seen);
            if (batch->column.offset[i] != want->offset)
                fail_msg("seed %llu, access %zu to %s: offset %lld, expected %lld", (unsigned long long)seed,
                         seen, want->object, (long long)batch->column.offset[i], (long long)want->offset);
        }
        dj_batch_release(batch);
    }
    assert_int_equal(seen, p->expected_count);
    dj_source_close(outer);
    dj_source_close(inner);
    dj_locator_destroy(locator);
    drop_program(p);
}

// Accesses to sampled blocks have the same places as without a sample, and all accesses are counted by site.
static void check_sampled_program(program *p, uint64_t seed, const char *rate, unsigned log2)
{
    enum { BLOCK = 64, SITES = 1 << 12 };
    static uint64_t counts[SITES];
    const dj_sample_options values = {rate, seed, NULL};
    const dj_filter_choice filter = {dj_filter_find("sample"), &values};
    const dj_locator_options options = {
        .lookup = fake, .sampled = {.filters = &filter, .filter_count = 1, .largest_block = BLOCK}};
    dj_source *inner = open_program(p), *outer;
    dj_locator *locator;
    dj_batch *batch;
    size_t seen = 0, placed = 0;
    memset(counts, 0, sizeof counts);
    assert_int_equal(dj_locator_create(context, &options, &locator), DJ_OK);
    assert_int_equal(dj_locator_source(context, locator, inner, &outer), DJ_OK);
    while (assert_int_equal(dj_source_next(outer, context, &batch), DJ_OK), batch) {
        for (uint32_t i = 0; i < batch->count; i++, seen++) {
            const dj_columns *column = &batch->column;
            assert_true(column->site[i] < SITES);
            counts[column->site[i]]++;
            if (!dj_sample_has(dj_sample_hash(column->address[i] / BLOCK, seed), log2))
                continue;
            check_access(dj_locator_get(locator), &p->expected[seen], column->address[i], column->place[i],
                         seed, seen);
            placed++;
        }
        dj_batch_release(batch);
    }
    for (uint32_t site = 0; site < SITES; site++) {
        dj_site_count count;
        assert_true(dj_locator_count(locator, site, &count));
        assert_int_equal(count.accesses, counts[site]);
    }
    assert_int_equal(seen, p->expected_count);
    assert_true(placed > seen >> (log2 + 3) && placed < seen);
    dj_source_close(outer);
    dj_source_close(inner);
    dj_locator_destroy(locator);
    drop_program(p);
}

static void sampled_accesses_are_placed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        program *p = calloc(1, sizeof *p);
        assert_non_null(p);
        run_program(p, seed);
        check_sampled_program(p, seed, seed % 2 ? "50%" : "12.5%", seed % 2 ? 1 : 3);
    }
}

static void every_access_is_placed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        program *p = calloc(1, sizeof *p);
        assert_non_null(p);
        run_program(p, seed);
        check_program(p, seed, seed % 2);
    }
}

// As in a recompiled program: function c calls d before it has accessed anything, and d allocates likewise;
// a function f of a library whose calls are not reported touches memory in between. Named data is one
// object.
static void functions_that_access_nothing(void **state)
{
    (void)state;
    enum { C = 2, D = 3, F = 5 };
    program *p = calloc(1, sizeof *p);
    assert_non_null(p);
    emit(p, DJ_EVENT_MODULE, 0, LOAD, MODULE_BYTES, "program");
    for (uint32_t site = SITES_EACH; site < (FUNCTIONS + 1) * SITES_EACH; site++)
        emit(p, DJ_EVENT_SITE, site, 0, site / SITES_EACH * 100 + site % SITES_EACH, "");
    change_thread(p, 0);
    uint64_t sp = STACK(0) + STACK_BYTES - 256;
    emit(p, DJ_EVENT_CALL, F * SITES_EACH, 0, sp, "");
    emit(p, DJ_EVENT_CALL, C * SITES_EACH, 0, sp - 64, "");
    emit(p, DJ_EVENT_CALL, D * SITES_EACH, 0, sp - 128, "");
    emit(p, DJ_EVENT_RETURN, 0, 0, sp - 120, "");
    emit(p, DJ_EVENT_ALLOC, 1, HEAP, 64, "");
    touch_at(p, D, "cd", HEAP, "heap 18", 0);
    touch_at(p, F, "cdf", HEAP, "heap 18", 0);
    touch_at(p, D, "cd", HEAP + 8, "heap 18", 8);
    emit(p, DJ_EVENT_ALLOC, 2, HEAP + 1024, 64, "twins");
    emit(p, DJ_EVENT_ALLOC, 3, LOAD + 1024, 64, "twins");
    touch_at(p, D, "cd", HEAP + 1024, "heap 4294967295", 0);
    touch_at(p, D, "cd", LOAD + 1024, "heap 4294967295", 0);
    emit(p, DJ_EVENT_RETURN, 0, 0, sp - 56, "");
    touch(p, C, "c", LOAD, "module");
    check_program(p, 0, false);
}

// With a fresh heap, two accesses have the same address exactly if both touch the same byte and it is not
// reallocated in between.
static void reallocated_memory_is_fresh(void **state)
{
    (void)state;
    program *p = calloc(1, sizeof *p);
    assert_non_null(p);
    emit(p, DJ_EVENT_MODULE, 0, LOAD, MODULE_BYTES, "program");
    emit(p, DJ_EVENT_SITE, SITES_EACH, 0, 100, "");
    change_thread(p, 0);
    top(p)->function = 1;
    static const struct {
        uint64_t alloc, touch;
    } steps[] = {
        {HEAP, HEAP + 8}, {0, HEAP + 8}, {HEAP, HEAP + 8}, {0, LOAD + 4}, {HEAP + 4096, HEAP + 4096 + 8},
        {0, HEAP + 8}};
    static const int same_as[] = {0, 0, 2, 3, 4, 2};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        if (steps[i].alloc) {
            emit(p, DJ_EVENT_FREE, 0, steps[i].alloc, 0, "");
            emit(p, DJ_EVENT_ALLOC, i, steps[i].alloc, 64, "");
        }
        touch(p, 1, "", steps[i].touch, "");
        p->items[p->item_count - 1].site = SITES_EACH;
    }
    dj_source *inner = open_program(p), *outer;
    dj_locator *locator;
    const dj_locator_options options = {.lookup = fake, .fresh_heap = true};
    assert_int_equal(dj_locator_create(context, &options, &locator), DJ_OK);
    assert_int_equal(dj_locator_source(context, locator, inner, &outer), DJ_OK);
    uint64_t address[6];
    size_t seen = 0;
    dj_batch *batch;
    while (assert_int_equal(dj_source_next(outer, context, &batch), DJ_OK), batch) {
        for (uint32_t i = 0; i < batch->count; i++)
            address[seen++] = batch->column.address[i];
        dj_batch_release(batch);
    }
    assert_int_equal(seen, 6);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 6; j++)
            assert_int_equal(address[i] == address[j], same_as[i] == same_as[j]);
    assert_int_equal(address[3], LOAD + 4); // only the heap is remapped
    assert_int_equal(address[0] % 4096, (HEAP + 8) % 4096);
    dj_source_close(outer);
    dj_source_close(inner);
    dj_locator_destroy(locator);
    drop_program(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_access_is_placed),
        cmocka_unit_test(sampled_accesses_are_placed),
        cmocka_unit_test(functions_that_access_nothing),
        cmocka_unit_test(reallocated_memory_is_fresh),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
