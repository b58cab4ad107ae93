// SPDX-License-Identifier: MIT
// What one end writes into the ring, the other end reads, whatever the lengths of batches, events and texts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotations/relay.h"
#include "base/random.h"
#include "live/stream.h"
#include "support/context.h"

// More than fit into the ring at once.
enum { BATCHES = 60, TEXT_MOST = 3000, SITES = 1000, EVENTS = 50 };

static char folder[64];

typedef struct position {
    uint64_t accesses, events;
    uint64_t checksum; // of everything, in order
} position;

static void mix(position *p, uint64_t number)
{
    p->checksum = (p->checksum ^ number) * UINT64_C(0x9e3779b97f4a7c15);
}

static void mix_event(position *p, const dj_event *event, uint64_t accesses)
{
    mix(p, accesses);
    mix(p, event->type);
    mix(p, event->a);
    mix(p, event->b);
    mix(p, event->c);
    for (const char *c = event->text; *c; c++)
        mix(p, (uint64_t)*c);
    p->events++;
}

// Independent of where batches end.
static void follow(position *p, const dj_batch *batch)
{
    uint32_t e = 0;
    for (uint32_t i = 0; i <= batch->count; i++) {
        for (; e < batch->event_count && batch->events[e].index <= i; e++)
            mix_event(p, &batch->events[e], p->accesses);
        if (i == batch->count)
            break;
        mix(p, batch->column.address[i]);
        mix(p, batch->column.site[i]);
        mix(p, batch->column.kind[i]);
        p->accesses++;
    }
}

static void fill(dj_batch *batch, dj_random *random, bool whole)
{
    static char text[TEXT_MOST + 1];
    const dj_batch_buffers to = dj_batch_writable(batch);
    uint32_t count = whole ? DJ_BATCH_CAPACITY : (uint32_t)dj_random_below(random, DJ_BATCH_CAPACITY);
    uint64_t events = dj_random_below(random, EVENTS);
    for (uint64_t i = 0, at = 0; i < events; i++) {
        size_t length = dj_random_below(random, TEXT_MOST);
        memset(text, 'a' + (int)(i % 26), length);
        text[length] = '\0';
        at += dj_random_below(random, count / EVENTS + 1);
        const dj_event event = {
            (uint32_t)at, DJ_EVENT_ALLOC + (uint32_t)(i % 5), dj_random_next(random), i, UINT64_MAX, text};
        assert_int_equal(dj_batch_add_event(context, batch, &event), DJ_OK);
    }
    for (uint32_t i = 0; i < count; i++) {
        to.address[i] = dj_random_next(random);
        to.site[i] = (uint32_t)dj_random_below(random, SITES);
        to.kind[i] = (uint8_t)dj_random_below(random, DJ_KIND_OTHER + 1);
    }
    batch->count = count;
    dj_batch_set_columns(batch, DJ_COLUMN_SITE | DJ_COLUMN_KIND);
}

static dj_relay *open_relay(unsigned image)
{
    const dj_relay_config config = {
        .folder = folder, .reader = getpid(), .image = image, .command = "program\1with\1two arguments"};
    dj_relay *relay = NULL;
    assert_int_equal(dj_relay_open(context, &config, &relay), DJ_OK);
    return relay;
}

static dj_stream *open_stream(unsigned image)
{
    const dj_stream_options options = {.format = "annotations"};
    dj_stream *stream = NULL;
    char path[128];
    snprintf(path, sizeof path, "%s/ring.%d.%u", folder, (int)getpid(), image);
    assert_int_equal(dj_stream_open(context, path, &options, &stream), DJ_OK);
    return stream;
}

static void *read_all(void *user)
{
    dj_context *own = NULL;
    dj_source *source = NULL;
    position *p = calloc(1, sizeof *p);
    assert_non_null(p);
    assert_int_equal(dj_context_create(&own), DJ_OK);
    assert_int_equal(dj_stream_source(user, own, &source), DJ_OK);
    const dj_source_info *info = dj_source_get_info(source);
    assert_int_equal(info->kind, DJ_CLASS_KEYS);
    assert_int_equal(info->default_block, 1);
    assert_int_equal(info->columns, DJ_COLUMN_SITE | DJ_COLUMN_KIND);
    dj_batch *batch;
    while (dj_source_next(source, own, &batch) == DJ_OK && batch) {
        assert_int_equal(dj_batch_columns(batch), DJ_COLUMN_SITE | DJ_COLUMN_KIND);
        follow(p, batch);
        dj_batch_release(batch);
    }
    dj_source_close(source);
    dj_context_destroy(own);
    return p;
}

static void everything_arrives_in_order(void **state)
{
    (void)state;
    dj_relay *relay = open_relay(0);
    dj_stream *stream = open_stream(0);
    dj_pool *pool;
    dj_random random;
    position sent = {0}, *got = NULL;
    pthread_t reader;
    dj_random_seed(&random, 11);
    assert_int_equal(dj_pool_create(context, &pool), DJ_OK);
    assert_int_equal(pthread_create(&reader, NULL, read_all, stream), 0);
    for (int i = 0; i < BATCHES; i++) {
        dj_batch *batch;
        assert_int_equal(dj_pool_take(context, pool, &batch), DJ_OK);
        fill(batch, &random, i % 2 == 0);
        follow(&sent, batch);
        assert_int_equal(dj_relay_write(relay, context, batch), DJ_OK);
        dj_batch_release(batch);
    }
    dj_relay_close(relay, "something is missing");
    pthread_join(reader, (void **)&got);
    assert_int_equal(got->accesses, sent.accesses);
    assert_int_equal(got->events, sent.events);
    assert_int_equal(got->checksum, sent.checksum);
    dj_stream_info info = dj_stream_get_info(stream);
    assert_string_equal(info.command, "program with 'two arguments'");
    assert_string_equal(info.message, "something is missing");
    assert_int_equal(info.status, DJ_END_UNKNOWN);
    assert_false(info.killed || info.broken);
    free(got);
    dj_stream_close(stream);
    dj_pool_destroy(pool);
}

static void nobody_reads_after_a_detach(void **state)
{
    (void)state;
    dj_relay *relay = open_relay(1);
    dj_stream *stream = open_stream(1);
    dj_pool *pool;
    dj_batch *batch;
    dj_random random;
    dj_random_seed(&random, 1);
    dj_stream_detach(stream);
    assert_int_equal(dj_pool_create(context, &pool), DJ_OK);
    assert_int_equal(dj_pool_take(context, pool, &batch), DJ_OK);
    fill(batch, &random, true);
    assert_int_equal(dj_relay_write(relay, context, batch), DJ_ERR_STOPPED);
    dj_relay_close(relay, NULL);
    dj_batch_release(batch);
    dj_pool_destroy(pool);
    dj_stream_close(stream);
}

static void a_folder_that_is_missing_is_named(void **state)
{
    (void)state;
    const dj_relay_config config = {.folder = "/nowhere", .reader = getpid(), .command = ""};
    dj_relay *relay = NULL;
    assert_int_equal(dj_relay_open(context, &config, &relay), DJ_ERR_IO);
    assert_non_null(strstr(dj_context_message(context), "/nowhere"));
    assert_null(relay);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/deja-relay-XXXXXX");
    return mkdtemp(folder) ? make_context(state) : -1;
}

static int remove_folder(void **state)
{
    rmdir(folder);
    return drop_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_arrives_in_order),
        cmocka_unit_test(nobody_reads_after_a_detach),
        cmocka_unit_test(a_folder_that_is_missing_is_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
