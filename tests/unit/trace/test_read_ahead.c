// SPDX-License-Identifier: MIT
// A read-ahead source returns what the inner source returns, for any ending and whenever it is closed.
#include "trace/source/read_ahead.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"

enum { EACH = 100 };

typedef struct counter {
    uint64_t batches, given;
    int end;    // what follows the batches
    bool waits; // for a request to stop, instead of ending
    atomic_bool waiting;
} counter;

static int next(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    counter *c = state;
    if (c->given == c->batches) {
        atomic_store(&c->waiting, true);
        while (c->waits && !dj_context_stopped(ctx))
            usleep(1000);
        if (c->waits)
            return dj_fail(ctx, DJ_ERR_STOPPED, "stopped");
        return c->end ? dj_fail(ctx, (enum dj_err)c->end, "bad end") : DJ_OK;
    }
    int err = dj_pool_take(ctx, pool, out);
    if (err)
        return err;
    dj_batch_set_columns(*out, 0);
    (*out)->count = EACH;
    for (uint32_t i = 0; i < EACH; i++)
        dj_batch_writable(*out).address[i] = c->given * EACH + i;
    c->given++;
    return DJ_OK;
}

static void progress(const void *state, dj_progress *out)
{
    out->bytes_read = ((const counter *)state)->given;
}

static void open_counter(counter *c, dj_source **inner, dj_source **outer)
{
    static const dj_source_ops ops = {.next = next, .progress = progress};
    static const dj_source_info info = {
        .format = "counter", .kind = DJ_CLASS_MEMORY, .default_block = 64, .unit_bytes = 1};
    assert_int_equal(dj_source_create(context, &ops, c, &info, inner), DJ_OK);
    assert_int_equal(dj_read_ahead_source(context, *inner, outer), DJ_OK);
    assert_string_equal(dj_source_get_info(*outer)->format, "counter");
}

static void read_all(uint64_t batches, int end)
{
    counter c = {.batches = batches, .end = end};
    dj_source *inner, *outer;
    dj_batch *batch;
    uint64_t seen = 0;
    int err;
    open_counter(&c, &inner, &outer);
    while ((err = dj_source_next(outer, context, &batch)) == DJ_OK && batch) {
        dj_progress at;
        dj_source_progress(outer, &at);
        assert_int_equal(at.bytes_read, seen / EACH + 1);
        assert_int_equal(batch->first, seen);
        for (uint32_t i = 0; i < batch->count; i++)
            assert_int_equal(batch->column.address[i], seen++);
        dj_batch_release(batch);
    }
    assert_int_equal(seen, batches * EACH);
    assert_int_equal(err, end);
    if (end)
        assert_string_equal(dj_context_message(context), "bad end");
    dj_source_close(outer);
    dj_source_close(inner);
}

static void batches_arrive_in_order_before_the_end(void **state)
{
    (void)state;
    for (uint64_t batches = 0; batches < 40; batches++) {
        read_all(batches, DJ_OK);
        read_all(batches, DJ_ERR_INPUT);
    }
}

static void it_can_be_closed_at_any_time(void **state)
{
    (void)state;
    for (uint64_t taken = 0; taken < 12; taken++) {
        counter c = {.batches = taken % 3 ? 1000 : taken, .waits = true};
        dj_source *inner, *outer;
        open_counter(&c, &inner, &outer);
        for (uint64_t i = 0; i < taken; i++) {
            dj_batch *batch;
            assert_int_equal(dj_source_next(outer, context, &batch), DJ_OK);
            dj_batch_release(batch);
        }
        dj_source_close(outer);
        dj_source_close(inner);
    }
}

static void a_stop_request_reaches_a_waiting_source(void **state)
{
    (void)state;
    counter c = {.waits = true};
    dj_context *mine;
    dj_source *inner, *outer;
    dj_batch *batch;
    assert_int_equal(dj_context_create(&mine), DJ_OK);
    open_counter(&c, &inner, &outer);
    while (!atomic_load(&c.waiting))
        usleep(1000);
    dj_context_stop(mine);
    assert_int_equal(dj_source_next(outer, mine, &batch), DJ_ERR_STOPPED);
    assert_null(batch);
    assert_string_equal(dj_context_message(mine), "stopped");
    dj_source_close(outer);
    dj_source_close(inner);
    dj_context_destroy(mine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_arrive_in_order_before_the_end),
        cmocka_unit_test(it_can_be_closed_at_any_time),
        cmocka_unit_test(a_stop_request_reaches_a_waiting_source),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
