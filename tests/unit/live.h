// SPDX-License-Identifier: MIT
// A decoder under test, the batch that it fills, and assertions about the batch.
#ifndef DEJA_TESTS_UNIT_LIVE_H
#define DEJA_TESTS_UNIT_LIVE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "live/decode/decode.h"
#include "support/context.h"
#include "support/ring.h"

enum { R = DJ_KIND_READ, W = DJ_KIND_WRITE, S = DJ_ACCESS_STRING };

static dj_decoder decoder;
static dj_pool *pool;
static dj_batch *batch;

static inline int set_up(void **state)
{
    (void)state;
    assert_int_equal(dj_pool_create(context, &pool), DJ_OK);
    assert_int_equal(dj_pool_take(context, pool, &batch), DJ_OK);
    dj_decoder_prepare(batch);
    return dj_decoder_create(&decoder, context);
}

static inline int tear_down(void **state)
{
    (void)state;
    dj_decoder_destroy(&decoder);
    dj_batch_release(batch);
    dj_pool_destroy(pool);
    return 0;
}

static inline int feed(words *w)
{
    size_t at = 0;
    bool full = false;
    int err = dj_decoder_feed(&decoder, context, w->at, w->count, &at, batch, &full);
    assert_false(full);
    if (!err)
        assert_int_equal(at, w->count);
    w->count = 0;
    return err;
}

static inline void feed_well(words *w)
{
    int err = feed(w);
    if (err)
        print_message("%s\n", dj_context_message(context));
    assert_int_equal(err, DJ_OK);
}

static inline void feed_badly(words *w, const char *message)
{
    assert_int_equal(feed(w), DJ_ERR_INPUT);
    assert_string_equal(dj_context_message(context), message);
}

static inline void expect_access(uint32_t i, uint64_t address, uint64_t size, uint32_t site, uint8_t kind)
{
    assert_true(i < batch->count);
    assert_int_equal(batch->column.address[i], address);
    assert_int_equal(batch->column.size[i], size);
    assert_int_equal(batch->column.site[i], site);
    assert_int_equal(batch->column.kind[i], kind);
}

static uint32_t next_event; // checked next by expect_event

static inline void expect_event(uint32_t index, uint32_t type, uint64_t a, uint64_t b, uint64_t c,
                                const char *text)
{
    assert_true(next_event < batch->event_count);
    const dj_event *e = &batch->events[next_event++];
    assert_int_equal(e->type, type);
    assert_int_equal(e->index, index);
    assert_int_equal(e->a, a);
    assert_int_equal(e->b, b);
    assert_int_equal(e->c, c);
    assert_string_equal(e->text, text);
}

static inline void expect_no_more_events(void)
{
    assert_int_equal(next_event, batch->event_count);
}

static inline void skip_events(void)
{
    next_event = batch->event_count;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
