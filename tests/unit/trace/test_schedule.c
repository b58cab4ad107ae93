// SPDX-License-Identifier: MIT
// Schedules of the threads of a trace, compared with a simulation that knows for every access how many
// accesses of each other thread must precede it.
#include "unit/scheduled_trace.h"

#include <string.h>

// Accesses of each thread.
typedef struct clock {
    uint64_t made[THREADS_MOST];
} clock;

static void join(clock *to, const clock *from)
{
    for (uint32_t i = 0; i < THREADS_MOST; i++)
        to->made[i] = from->made[i] > to->made[i] ? from->made[i] : to->made[i];
}

static bool is_within(const clock *a, const clock *b)
{
    for (uint32_t i = 0; i < THREADS_MOST; i++)
        if (a->made[i] > b->made[i])
            return false;
    return true;
}

// What must precede each access: everything that precedes any of its reasons, and those.
static clock *find_needs(const trace *t)
{
    static clock released[3][128], written[2][4096];
    clock now[THREADS_MOST] = {0}, *needs = calloc(t->count + 1, sizeof *needs);
    uint32_t writer[2][4096];
    assert_non_null(needs);
    memset(released, 0, sizeof released);
    memset(writer, 0xff, sizeof writer);
    for (size_t i = 0; i < t->count; i++) {
        const item *x = &t->items[i];
        clock *own = &now[x->thread];
        int space = x->event != DJ_EVENT_SYNC ? 2 : x->a & DJ_SYNC_THREAD ? 1 : 0;
        if (!x->access) {
            if (x->event == DJ_EVENT_ALLOC || (x->event == DJ_EVENT_SYNC && x->a & DJ_SYNC_ACQUIRE))
                join(own, &released[space][x->b]);
            if (x->event == DJ_EVENT_FREE || (x->event == DJ_EVENT_SYNC && x->a & DJ_SYNC_RELEASE))
                join(&released[space][x->b], own);
            continue;
        }
        uint64_t unit = t->keys ? 1 : 4, size = t->keys || x->size == 0 ? 1 : x->size;
        uint64_t first = x->address / unit, last = (x->address + size - 1) / unit;
        uint8_t kind = t->kinds ? x->kind : DJ_KIND_READ;
        for (uint64_t w = first; kind != DJ_KIND_WRITE && w <= last; w++)
            if (writer[x->device][w] != UINT32_MAX && writer[x->device][w] != x->thread)
                join(own, &written[x->device][w]);
        needs[i] = *own;
        own->made[x->thread]++;
        for (uint64_t w = first; (kind == DJ_KIND_WRITE || kind == DJ_KIND_MODIFY) && w <= last; w++) {
            written[x->device][w] = *own;
            writer[x->device][w] = x->thread;
        }
    }
    return needs;
}

static uint64_t divide(uint64_t a, uint64_t b)
{
    return b ? divide(b, a % b) : a;
}

typedef struct naive {
    const trace *trace;
    const clock *needs;
    uint32_t threads[THREADS_MOST], count; // in the order of their numbers
    size_t *own[THREADS_MOST];             // their accesses
    uint64_t length[THREADS_MOST];
    clock done;
} naive;

static bool can_run(const naive *n, uint32_t thread)
{
    uint64_t at = n->done.made[thread];
    return at < n->length[thread] && is_within(&n->needs[n->own[thread][at]], &n->done);
}

// By definition. Returns how many accesses there are.
static size_t simulate(naive *n, const uint64_t *speeds, uint64_t quantum, uint64_t seed, size_t *out)
{
    size_t count = 0;
    uint64_t divisor = 0;
    dj_random random;
    dj_random_seed(&random, seed);
    memset(&n->done, 0, sizeof n->done);
    for (uint32_t i = 0; i < n->count; i++)
        divisor = divide(speeds[i], divisor);
    for (;;) {
        uint64_t sum = 0, target;
        for (uint32_t i = 0; i < n->count; i++)
            sum += can_run(n, n->threads[i]) ? speeds[i] / divisor : 0;
        if (sum == 0)
            return count;
        target = dj_random_below(&random, sum);
        uint32_t drawn = 0;
        for (sum = 0;; drawn++) {
            sum += can_run(n, n->threads[drawn]) ? speeds[drawn] / divisor : 0;
            if (sum > target)
                break;
        }
        uint32_t thread = n->threads[drawn];
        for (uint64_t k = 0; k < quantum && can_run(n, thread); k++)
            out[count++] = n->own[thread][n->done.made[thread]++];
    }
}

static void prepare(naive *n, const trace *t, const clock *needs)
{
    *n = (naive){.trace = t, .needs = needs};
    for (size_t i = 0; i < t->count; i++) {
        uint32_t thread = t->items[i].thread;
        if (!t->items[i].access)
            continue;
        if (n->length[thread] == 0) {
            uint32_t at = n->count++;
            for (; at > 0 && n->threads[at - 1] > thread; at--)
                n->threads[at] = n->threads[at - 1];
            n->threads[at] = thread;
            n->own[thread] = calloc(t->count, sizeof(size_t));
            assert_non_null(n->own[thread]);
        }
        n->own[thread][n->length[thread]++] = i;
    }
}

static size_t read_order(dj_source *source, const naive *n, size_t *order)
{
    dj_batch *batch;
    size_t count = 0;
    int err;
    while ((err = dj_source_next(source, context, &batch)) == DJ_OK && batch) {
        for (uint32_t i = 0; i < batch->count; i++) {
            const item *x = &n->trace->items[batch->column.site[i]];
            assert_int_equal(n->threads[batch->column.sharer[i]], x->thread);
            assert_int_equal(batch->column.address[i], x->address);
            order[count++] = batch->column.site[i];
        }
        dj_batch_release(batch);
    }
    assert_int_equal(err, DJ_OK);
    dj_source_close(source);
    return count;
}

// A valid order: each thread's is kept, and every access comes after what it needs.
static void check_valid(const naive *n, const size_t *order, size_t count)
{
    clock done = {0};
    for (size_t i = 0; i < count; i++) {
        uint32_t thread = n->trace->items[order[i]].thread;
        assert_int_equal(order[i], n->own[thread][done.made[thread]]);
        assert_true(is_within(&n->needs[order[i]], &done));
        done.made[thread]++;
    }
    for (uint32_t i = 0; i < n->count; i++)
        assert_int_equal(done.made[n->threads[i]], n->length[n->threads[i]]);
}

// Stored threads can be merged as they were recorded.
static void check_recorded(trace *t, const naive *n, uint64_t seed, size_t *found)
{
    const dj_interleave_options options = {.order = DJ_INTERLEAVE_RECORDED};
    dj_source *source = open_trace(t, seed), *merged = NULL;
    dj_stored_threads *stored = NULL;
    size_t sharers, count, at = 0;
    assert_int_equal(dj_stored_threads_read(context, source, DJ_INTERLEAVE_RECORDED, NULL, &stored), DJ_OK);
    dj_source_close(source);
    assert_int_equal(dj_stored_threads_open(context, stored, &options, &merged), DJ_OK);
    const dj_sharer *list = dj_source_sharers(merged, &sharers);
    assert_int_equal(sharers, n->count);
    for (size_t i = 0; i < sharers; i++) {
        assert_int_equal(list[i].thread, 100 + n->threads[i]);
        assert_true(list[i].speed == 0);
    }
    count = read_order(merged, n, found);
    for (size_t i = 0; i < t->count; i++)
        if (t->items[i].access)
            assert_int_equal(found[at++], i);
    assert_int_equal(count, at);
    dj_stored_threads_release(stored);
}

static void check(trace *t, dj_random *r)
{
    static size_t expected[ITEMS_MOST], found[ITEMS_MOST];
    clock *needs = find_needs(t);
    naive n;
    dj_stored_threads *stored = NULL;
    prepare(&n, t, needs);
    dj_source *source = open_trace(t, dj_random_next(r));
    assert_int_equal(dj_stored_threads_read(context, source, DJ_INTERLEAVE_SCHEDULE, NULL, &stored), DJ_OK);
    dj_source_close(source);
    for (unsigned k = 0; k < 3; k++) {
        uint64_t speeds[THREADS_MOST];
        double real[THREADS_MOST];
        for (uint32_t i = 0; i < n.count; i++)
            real[i] = (double)(speeds[i] = k ? 1 + dj_random_below(r, 6) : 1);
        dj_interleave_options options = {.order = DJ_INTERLEAVE_SCHEDULE,
                                         .seed = dj_random_next(r),
                                         .quantum = 1 + dj_random_below(r, k ? 8 : 200),
                                         .speeds = k ? real : NULL,
                                         .speed_count = k ? n.count : 0};
        dj_source *merged = NULL;
        size_t count = simulate(&n, speeds, options.quantum, options.seed, expected);
        assert_int_equal(dj_stored_threads_open(context, stored, &options, &merged), DJ_OK);
        assert_int_equal(read_order(merged, &n, found), count);
        assert_memory_equal(found, expected, count * sizeof *found);
        check_valid(&n, found, count);
        // The same from the trace, in other batches.
        assert_int_equal(dj_source_interleave_threads(context, open_trace(t, k + 99), &options, &merged),
                         DJ_OK);
        assert_int_equal(read_order(merged, &n, found), count);
        assert_memory_equal(found, expected, count * sizeof *found);
    }
    dj_stored_threads_release(stored);
    check_recorded(t, &n, dj_random_next(r), found);
    for (uint32_t i = 0; i < THREADS_MOST; i++)
        free(n.own[i]);
    free(needs);
}

static void schedules_are_those_of_the_definition(void **state)
{
    (void)state;
    dj_random r;
    dj_random_seed(&r, 17);
    trace t = {.items = calloc(ITEMS_MOST, sizeof(item))};
    assert_non_null(t.items);
    for (unsigned k = 0; k < 600; k++) {
        size_t length = k % 50 == 49 ? 12000 : 1 + dj_random_below(&r, 400);
        uint64_t words = 1 + dj_random_below(&r, WORDS);
        t.count = 0;
        t.threads = 2 + (uint32_t)dj_random_below(&r, THREADS_MOST - 1);
        t.kinds = k % 7 != 0;
        t.keys = k % 11 == 0;
        add_access(&t, &r, 0, words);
        if (k % 4 < 2)
            make_random(&t, &r, length, words, k % 4 ? 60 : 10);
        else if (k % 4 == 2)
            make_locks(&t, &r, length, words);
        else
            make_barriers(&t, &r, length, words);
        check(&t, &r);
    }
    free(t.items);
}

// Two threads, each with its own data and without synchronization: every turn is a full one, and chosen until
// one of them has ended.
static void turns_have_the_quantum(void **state)
{
    (void)state;
    trace t = {.items = calloc(ITEMS_MOST, sizeof(item)), .threads = 2, .kinds = true};
    assert_non_null(t.items);
    for (uint32_t i = 0; i < 2000; i++)
        add(&t, (item){.access = true, .thread = i % 2, .address = 4096 * (i % 2), .size = 4, .kind = 1});
    const dj_interleave_options options = {.order = DJ_INTERLEAVE_SCHEDULE, .seed = 3};
    dj_source *merged = NULL;
    dj_batch *batch;
    uint32_t run = 0, last = UINT32_MAX, at = 0, made[2] = {0}, chosen = 0;
    size_t sharers;
    assert_int_equal(dj_source_interleave_threads(context, open_trace(&t, 1), &options, &merged), DJ_OK);
    while (dj_source_next(merged, context, &batch) == DJ_OK && batch) {
        for (uint32_t i = 0; i < batch->count; i++, at++) {
            if (batch->column.sharer[i] != last && at < 1000)
                assert_int_equal(run % DJ_QUANTUM_DEFAULT, 0);
            run = batch->column.sharer[i] == last ? run + 1 : 1;
            last = batch->column.sharer[i];
            if (++made[last] == 1000 && chosen == 0)
                chosen = at + 1;
        }
        dj_batch_release(batch);
    }
    assert_int_equal(at, 2000);
    const dj_sharer *list = dj_source_sharers(merged, &sharers);
    assert_int_equal(list[0].chosen + list[1].chosen, chosen);
    dj_source_close(merged);
    free(t.items);
}

static void what_cannot_be_scheduled(void **state)
{
    (void)state;
    trace t = {.items = calloc(ITEMS_MOST, sizeof(item)), .threads = 2};
    assert_non_null(t.items);
    for (uint32_t i = 0; i < 5000; i++)
        add(&t, (item){.access = true, .thread = i, .address = i});
    const dj_interleave_options options = {.order = DJ_INTERLEAVE_SCHEDULE};
    const dj_interleave_options recorded = {.order = DJ_INTERLEAVE_RECORDED};
    dj_source *merged = NULL, *source = open_trace(&t, 1);
    dj_stored_threads *stored = NULL;
    assert_int_equal(dj_source_interleave_threads(context, source, &options, &merged), DJ_ERR_UNSUPPORTED);
    assert_non_null(strstr(dj_context_message(context), "more than 4096 threads"));
    source = open_trace(&t, 1);
    assert_int_equal(dj_source_interleave(context, &source, 1, &options, &merged), DJ_ERR_USAGE);
    t.count = 10;
    source = open_trace(&t, 1);
    assert_int_equal(dj_stored_threads_read(context, source, DJ_INTERLEAVE_SPEEDS, NULL, &stored), DJ_OK);
    dj_source_close(source);
    assert_int_equal(dj_stored_threads_waits(stored), 0);
    assert_int_equal(dj_stored_threads_open(context, stored, &options, &merged), DJ_ERR_USAGE);
    assert_int_equal(dj_stored_threads_open(context, stored, &recorded, &merged), DJ_ERR_USAGE);
    dj_stored_threads_release(stored);
    free(t.items);
}

// What earlier waits imply is not stored again: a thread that joined the writer of an array waits once, and
// so does one that it creates later.
static void implied_waits_are_left_out(void **state)
{
    (void)state;
    enum { LENGTH = 3000 };
    trace t = {.items = calloc(ITEMS_MOST, sizeof(item)), .threads = 3, .kinds = true};
    assert_non_null(t.items);
    for (uint64_t i = 0; i < LENGTH; i++)
        add(&t, (item){.access = true, .thread = 1, .address = 4 * i, .size = 4, .kind = DJ_KIND_WRITE});
    add_sync(&t, 1, DJ_SYNC_RELEASE | DJ_SYNC_THREAD, 1);
    add_sync(&t, 0, DJ_SYNC_ACQUIRE | DJ_SYNC_THREAD, 1);
    add(&t, (item){.access = true, .thread = 0, .address = 1 << 16, .size = 4, .kind = DJ_KIND_READ});
    add_sync(&t, 0, DJ_SYNC_RELEASE | DJ_SYNC_THREAD, 2);
    add_sync(&t, 2, DJ_SYNC_ACQUIRE | DJ_SYNC_THREAD, 2);
    for (uint64_t i = 0; i < LENGTH; i++)
        add(&t, (item){.access = true, .thread = 2, .address = 4 * i, .size = 4, .kind = DJ_KIND_READ});
    dj_source *source = open_trace(&t, 1);
    dj_stored_threads *stored = NULL;
    assert_int_equal(dj_stored_threads_read(context, source, DJ_INTERLEAVE_SCHEDULE, NULL, &stored), DJ_OK);
    assert_int_equal(dj_stored_threads_waits(stored), 2);
    dj_source_close(source);
    dj_stored_threads_release(stored);
    free(t.items);
}

// A thread writes a word when it ends, and its creator reads it before it creates the next one. Only if the
// word belongs to the C library may the next one run before the first has ended.
static void words_of_the_library_order_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        bool library;
    } cases[] = {{"/lib/x86_64-linux-gnu/libc.so.6", true},
                 {"/lib64/ld-linux-x86-64.so.2", true},
                 {"/lib/libc-2.31.so", true},
                 {"/lib/ld-2.31.so", true},
                 {"/lib/libpthread.so.0", true},
                 {"/lib/libpthread-2.31.so", true},
                 {"/lib/ld-musl-x86_64.so.1", true},
                 {"libc.so.6", true},
                 {"/home/me/libc.so.6/program", false},
                 {"/usr/lib/libc-client.so.2007e", false},
                 {"/usr/lib/libcap.so.2", false},
                 {"/usr/lib/ld-tool.so", false},
                 {"/usr/bin/ld-2.31", false},
                 {"", false}};
    trace t = {.items = calloc(ITEMS_MOST, sizeof(item)), .threads = 3, .kinds = true};
    assert_non_null(t.items);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const uint64_t counter = 0x2000 - 4;
        dj_stored_threads *stored = NULL;
        t.count = 0;
        add(&t, (item){.event = DJ_EVENT_MODULE, .a = 1, .b = 0x1000, .c = 0x1000, .text = cases[k].path});
        for (uint32_t i = 1; i < 3; i++) {
            add(&t, (item){.access = true, .address = counter, .size = 4, .kind = DJ_KIND_READ});
            add_sync(&t, 0, DJ_SYNC_RELEASE | DJ_SYNC_THREAD, i);
            add_sync(&t, i, DJ_SYNC_ACQUIRE | DJ_SYNC_THREAD, i);
            add(&t, (item){.access = true, .thread = i, .address = 64, .size = 4, .kind = DJ_KIND_WRITE});
            add(&t, (item){.access = true, .thread = i, .address = counter, .size = 4, .kind = 2});
        }
        // The next word is not in the module.
        add(&t, (item){.access = true, .thread = 1, .address = 0x2000, .size = 4, .kind = DJ_KIND_WRITE});
        add(&t, (item){.access = true, .thread = 2, .address = 0x2000, .size = 4, .kind = DJ_KIND_READ});
        dj_source *source = open_trace(&t, k);
        assert_int_equal(dj_stored_threads_read(context, source, DJ_INTERLEAVE_SCHEDULE, NULL, &stored),
                         DJ_OK);
        dj_source_close(source);
        // Both wait for their creator, and the second for the word after the module; otherwise the creator
        // waits, too.
        assert_int_equal(dj_stored_threads_waits(stored), cases[k].library ? 3 : 4);
        dj_stored_threads_release(stored);
    }
    free(t.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedules_are_those_of_the_definition),
        cmocka_unit_test(turns_have_the_quantum),
        cmocka_unit_test(what_cannot_be_scheduled),
        cmocka_unit_test(implied_waits_are_left_out),
        cmocka_unit_test(words_of_the_library_order_nothing),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
