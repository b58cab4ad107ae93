// SPDX-License-Identifier: MIT
// The threads of one trace: in the recorded order each access has the sharer of its thread; in another order
// the threads are merged like separate traces.
#include "unit/access_list.h"

#include <stdio.h>
#include <string.h>

#include "support/context.h"

enum { THREADS_MOST = 100 };

static const dj_source_info memory = {
    .format = "list", .kind = DJ_CLASS_MEMORY, .default_block = 64, .unit_bytes = 1};

static const uint32_t all_columns =
    DJ_COLUMN_SIZE | DJ_COLUMN_DEVICE | DJ_COLUMN_SITE | DJ_COLUMN_PLACE | DJ_COLUMN_KIND;

static access_list make_list(dj_random *random, size_t count, uint32_t threads)
{
    access_list l = {.count = count, .name = "trace", .columns = all_columns, .threads = 1};
    l.items = calloc(count, sizeof *l.items);
    assert_non_null(l.items);
    uint32_t thread = 0;
    for (size_t i = 0; i < count; i++) {
        if (dj_random_below(random, 8) == 0)
            thread = 1000 + (uint32_t)dj_random_below(random, threads);
        l.items[i] = (listed){.address = dj_random_next(random) >> dj_random_below(random, 64),
                              .size = dj_random_below(random, 9),
                              .device = (uint32_t)dj_random_below(random, 3),
                              .site = (uint32_t)dj_random_below(random, 50),
                              .place = (uint32_t)dj_random_next(random),
                              .kind = (uint8_t)dj_random_below(random, 3),
                              .thread = thread};
    }
    return l;
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Numbers the threads by their ids, or in the order of their first accesses; returns how many there are.
static uint32_t number(access_list *l, bool by_id)
{
    uint32_t ids[THREADS_MOST + 1], count = 0;
    for (unsigned round = 0; round < 2; round++) {
        for (size_t i = 0; i < l->count; i++) {
            uint32_t row = 0;
            while (row < count && ids[row] != l->items[i].thread)
                row++;
            if (row == count)
                ids[count++] = l->items[i].thread;
            l->items[i].sharer = row;
        }
        if (by_id)
            qsort(ids, count, sizeof *ids, compare);
    }
    return count;
}

static void assert_same(const listed *a, const listed *b)
{
    assert_int_equal(a->address, b->address);
    assert_int_equal(a->size, b->size);
    assert_int_equal(a->device, b->device);
    assert_int_equal(a->site, b->site);
    assert_int_equal(a->place, b->place);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->sharer, b->sharer);
}

static void recorded_order_is_kept(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 3);
    for (unsigned k = 0; k < 100; k++) {
        access_list l = make_list(&random, 1 + dj_random_below(&random, 3000), 1 + k);
        uint32_t threads = number(&l, false);
        dj_source *merged = NULL;
        size_t count;
        int err;
        assert_int_equal(
            dj_source_interleave_threads(context, open_list(context, &l, &memory), NULL, &merged), DJ_OK);
        assert_int_equal(dj_source_get_info(merged)->columns, all_columns | DJ_COLUMN_SHARER);
        dj_source_sharers(merged, &count);
        assert_int_equal(count, 0);
        access_list got = read_list(context, merged, &err);
        assert_int_equal(err, DJ_OK);
        assert_int_equal(got.count, l.count);
        for (size_t i = 0; i < l.count; i++) {
            assert_same(&got.items[i], &l.items[i]);
            assert_in_range(got.items[i].sharer, 0, threads - 1);
        }
        assert_true(l.closed);
        free(got.items);
        free(l.items);
    }
}

// The accesses of each thread, as separate lists.
static void separate_threads(const access_list *l, access_list *alone, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        alone[t] = (access_list){.name = "alone", .columns = all_columns};
        alone[t].items = calloc(l->count, sizeof(listed));
        assert_non_null(alone[t].items);
    }
    for (size_t i = 0; i < l->count; i++) {
        access_list *to = &alone[l->items[i].sharer];
        to->items[to->count++] = l->items[i];
    }
}

// Batches that differ in their columns: what is missing is 0.
static void columns_may_vary(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 9);
    for (unsigned k = 0; k < 20; k++) {
        static access_list separate[4];
        access_list l = make_list(&random, 2000, 3);
        const dj_interleave_options options = {.order = DJ_INTERLEAVE_RANDOM, .seed = k};
        size_t at[4] = {0};
        dj_source *merged = NULL;
        int err;
        l.rare = k % 2 ? DJ_COLUMN_DEVICE : DJ_COLUMN_KIND;
        assert_int_equal(
            dj_source_interleave_threads(context, open_list(context, &l, &memory), &options, &merged), DJ_OK);
        access_list got = read_list(context, merged, &err);
        assert_int_equal(got.count, l.count);
        separate_threads(&l, separate, number(&l, true));
        for (size_t i = 0; i < got.count; i++)
            assert_same(&got.items[i], &separate[got.items[i].sharer].items[at[got.items[i].sharer]++]);
        for (uint32_t t = 0; t < number(&l, true); t++)
            free(separate[t].items);
        free(got.items);
        free(l.items);
    }
}

static void check_reordered(access_list *l, const dj_interleave_options *options)
{
    static access_list alone[THREADS_MOST + 1];
    dj_source *sources[THREADS_MOST + 1], *merged = NULL, *expected = NULL;
    size_t at[THREADS_MOST + 1] = {0};
    uint32_t threads = number(l, true);
    int err;
    separate_threads(l, alone, threads);
    for (uint32_t t = 0; t < threads; t++)
        sources[t] = open_list(context, &alone[t], &memory);
    assert_int_equal(dj_source_interleave(context, sources, threads, options, &expected), DJ_OK);
    access_list want = read_list(context, expected, &err);
    assert_int_equal(err, DJ_OK);
    assert_int_equal(dj_source_interleave_threads(context, open_list(context, l, &memory), options, &merged),
                     DJ_OK);
    assert_true(l->closed);
    assert_int_equal(dj_source_get_info(merged)->columns, all_columns | DJ_COLUMN_SHARER);
    access_list got = read_list(context, merged, &err);
    assert_int_equal(err, DJ_OK);
    assert_int_equal(got.count, want.count);
    for (size_t i = 0; i < got.count; i++) {
        uint32_t s = got.items[i].sharer;
        assert_int_equal(s, want.items[i].sharer);
        assert_same(&got.items[i], &alone[s].items[at[s]++]);
    }
    for (uint32_t t = 0; t < threads; t++)
        free(alone[t].items);
    free(want.items);
    free(got.items);
}

static void other_orders_merge_the_threads(void **state)
{
    (void)state;
    dj_random random;
    dj_random_seed(&random, 5);
    for (unsigned k = 0; k < 24; k++) {
        bool is_long = k % 8 == 0;
        access_list l = make_list(&random, 1 + dj_random_below(&random, is_long ? 200000 : 4000),
                                  k == 20 ? THREADS_MOST - 1 : 1 + k % 5);
        double speeds[THREADS_MOST + 1];
        uint32_t threads = number(&l, true);
        for (uint32_t t = 0; t < threads; t++)
            speeds[t] = 1 + (double)dj_random_below(&random, 7);
        const dj_interleave_options options = {.order = k % 2 ? DJ_INTERLEAVE_RANDOM : DJ_INTERLEAVE_SPEEDS,
                                               .speeds = k % 3 ? speeds : NULL,
                                               .speed_count = k % 3 ? threads : 0,
                                               .seed = k};
        check_reordered(&l, &options);
        free(l.items);
    }
}

static dj_source *open_csv(const char *text)
{
    dj_source *source = NULL;
    const dj_source_options options = {.format = "csv", .columns = "thread,address,size,op"};
    assert_int_equal(dj_source_open_memory(context, text, strlen(text), "t.csv", &options, &source), DJ_OK);
    return source;
}

static void a_csv_file_has_threads(void **state)
{
    (void)state;
    static const char text[] = "7,100,4,R\n7,200,4,R\n9,300,4,W\n9,400,4,R\n7,500,4,R\n8,600,4,R\n";
    static const struct {
        enum dj_interleaving order;
        uint64_t address[6];
    } cases[] = {{DJ_INTERLEAVE_RECORDED, {100, 200, 300, 400, 500, 600}},
                 {DJ_INTERLEAVE_SPEEDS, {100, 600, 300, 200, 400, 500}}};
    for (unsigned k = 0; k < 2; k++) {
        const dj_interleave_options options = {.order = cases[k].order};
        dj_source *merged = NULL;
        dj_batch *batch;
        size_t count, at = 0;
        assert_int_equal(dj_source_interleave_threads(context, open_csv(text), &options, &merged), DJ_OK);
        while (dj_source_next(merged, context, &batch) == DJ_OK && batch) {
            for (unsigned i = 0; i < batch->count; i++, at++) {
                assert_int_equal(batch->column.address[i], cases[k].address[at]);
                assert_int_equal(batch->column.kind[i],
                                 batch->column.address[i] == 300 ? DJ_KIND_WRITE : DJ_KIND_READ);
            }
            dj_batch_release(batch);
        }
        assert_int_equal(at, 6);
        const dj_sharer *sharers = dj_source_sharers(merged, &count);
        assert_int_equal(count, 3);
        assert_string_equal(sharers[0].name, "7");
        assert_string_equal(sharers[1].name, k ? "8" : "9");
        assert_string_equal(sharers[2].name, k ? "9" : "8");
        assert_int_equal(sharers[0].accesses, 3);
        assert_true(sharers[0].speed == (k ? 1 : 0));
        dj_source_close(merged);
    }
}

// Whether or not its format can record them.
static void a_trace_without_threads_is_one_sharer(void **state)
{
    (void)state;
    static const enum dj_interleaving orders[] = {DJ_INTERLEAVE_RECORDED, DJ_INTERLEAVE_SPEEDS,
                                                  DJ_INTERLEAVE_SCHEDULE};
    listed items[3] = {{.address = 7}, {.address = 8}, {.address = 7}};
    for (size_t i = 0; i < 6; i++) {
        access_list list = {.items = items, .count = 3, .name = "a.trace"};
        dj_source_info info = memory;
        info.provides = i < 3 ? DJ_COLUMN_THREAD : 0;
        const dj_interleave_options options = {.order = orders[i % 3]};
        dj_source *source = open_list(context, &list, &info), *merged = NULL;
        dj_batch *batch;
        size_t count, at = 0;
        assert_int_equal(dj_source_interleave_threads(context, source, &options, &merged), DJ_OK);
        while (dj_source_next(merged, context, &batch) == DJ_OK && batch) {
            for (unsigned k = 0; k < batch->count; k++, at++) {
                assert_int_equal(batch->column.address[k], items[at].address);
                assert_int_equal(batch->column.sharer[k], 0);
            }
            dj_batch_release(batch);
        }
        assert_int_equal(at, 3);
        const dj_sharer *sharers = dj_source_sharers(merged, &count);
        assert_int_equal(count, 1);
        assert_string_equal(sharers[0].name, "a.trace");
        assert_int_equal(sharers[0].thread, DJ_NO_THREAD);
        assert_int_equal(sharers[0].accesses, 3);
        dj_source_close(merged);
    }
}

static void refuse(dj_source *source, const dj_interleave_options *options, const char *reason)
{
    dj_source *merged = NULL;
    int err = dj_source_interleave_threads(context, source, options, &merged);
    if (!err)
        free(read_list(context, merged, &err).items);
    assert_int_not_equal(err, DJ_OK);
    if (!strstr(dj_context_message(context), reason))
        fail_msg("'%s' does not contain '%s'", dj_context_message(context), reason);
}

static void refusals_state_the_reason(void **state)
{
    (void)state;
    static const double speeds[] = {1, 1};
    listed items[3] = {{.thread = 1}, {.thread = 2}, {.thread = 3}};
    access_list with = {.items = items, .count = 3, .name = "some", .threads = 1};
    access_list empty = {.items = items, .name = "empty", .threads = 1};
    const dj_interleave_options merged = {0}, separate = {.separate = true},
                                two = {.speeds = speeds, .speed_count = 2},
                                both = {.order = DJ_INTERLEAVE_RECORDED, .speeds = speeds, .speed_count = 2};
    refuse(open_list(context, &with, &memory), &separate, "share its addresses");
    refuse(open_list(context, &with, &memory), &two, "2 speeds for 3 sharers");
    refuse(open_list(context, &with, &memory), &both, "recorded order has no speeds");
    refuse(open_list(context, &empty, &memory), &merged, "empty has no accesses");
    with.end = DJ_ERR_INPUT;
    refuse(open_list(context, &with, &memory), &merged, "some: bad end");
    assert_true(with.closed && empty.closed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_order_is_kept),
        cmocka_unit_test(other_orders_merge_the_threads),
        cmocka_unit_test(columns_may_vary),
        cmocka_unit_test(a_csv_file_has_threads),
        cmocka_unit_test(a_trace_without_threads_is_one_sharer),
        cmocka_unit_test(refusals_state_the_reason),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
