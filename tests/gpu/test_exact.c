// SPDX-License-Identifier: MIT
// The chunks of a trace on the emulated device, against a list that is searched:
// distances, previous tags and times, totals and the order of the keys.
#include "base/random.h"
#include "gpu/device.h"
#include "gpu/emulate/emulate.h"
#include "support/context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka needs the four above it
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

enum { MOST = 30000 };

static uint64_t key[MOST], stamp[MOST], distance[MOST];
static uint32_t tag[MOST];

typedef struct answers {
    uint32_t distance[MOST], prev_tag[MOST];
    uint64_t prev_time[MOST];
} answers;

static answers got;

enum shape { UNIFORM, LOOP, SKEWED, COLD, ONE_KEY, BACK_AND_FORTH, SHAPES };

static uint64_t choose(enum shape shape, dj_random *random, uint64_t i, uint64_t keys)
{
    uint64_t r = dj_random_next(random), turn = i % (2 * keys);
    switch (shape) {
    case UNIFORM:
        return r % keys;
    case LOOP:
        return i % keys;
    case SKEWED:
        return r % ((r >> 32) % keys + 1);
    case COLD:
        return i;
    case BACK_AND_FORTH:
        return turn < keys ? turn : 2 * keys - 1 - turn;
    default:
        return 0;
    }
}

// Keys are multiples of `spread`, so that few or all of their bits differ.
static void make_trace(enum shape shape, uint32_t count, uint64_t keys, uint64_t spread)
{
    dj_random random;
    dj_random_seed(&random, count + keys);
    for (uint32_t i = 0; i < count; i++) {
        key[i] = choose(shape, &random, i, keys) * spread + 77;
        tag[i] = 3 * i + 1;
        stamp[i] = 5 * (uint64_t)i + 2;
    }
    assert_int_equal(dj_distances(context, dj_engine_find("tree"), key, count, distance), DJ_OK);
}

static dj_gpu *open_device(uint64_t chunk, uint64_t carried, uint32_t use)
{
    dj_gpu_config config = {.chunk = chunk, .carried = carried, .use = use, .timed = true};
    dj_gpu *gpu = NULL;
    assert_int_equal(dj_gpu_open(context, &config, &gpu), DJ_OK);
    return gpu;
}

// Puts the accesses of a chunk in uneven parts.
static void put(dj_gpu *gpu, uint32_t from, uint32_t count)
{
    for (uint32_t done = 0, some; done < count; done += some) {
        some = (count - done + 2) / 3;
        dj_gpu_columns columns = {key + from + done, tag + from + done, stamp + from + done};
        uint64_t ticket;
        assert_int_equal(dj_gpu_put(gpu, context, &columns, some, &ticket), DJ_OK);
        assert_int_equal(dj_gpu_wait_put(gpu, context, ticket), DJ_OK);
    }
}

// The previous access to a key, `at` if there is none.
static uint32_t find_previous(uint32_t at)
{
    for (uint32_t i = at; i > 0; i--)
        if (key[i - 1] == key[at])
            return i - 1;
    return at;
}

static void check_answer(uint32_t i, bool search)
{
    bool cold = distance[i] == DJ_COLD;
    assert_int_equal(got.distance[i], cold ? DJ_GPU_COLD : distance[i]);
    if (cold) {
        assert_int_equal(got.prev_tag[i], 0);
        assert_int_equal(got.prev_time[i], DJ_COLD);
    } else if (search) {
        uint32_t previous = find_previous(i);
        assert_int_equal(got.prev_tag[i], tag[previous]);
        assert_int_equal(got.prev_time[i], stamp[previous]);
    }
}

static void check_order(dj_gpu *gpu, uint32_t count, uint64_t keys)
{
    dj_order order;
    assert_int_equal(dj_gpu_order(gpu, context, &order), DJ_OK);
    assert_int_equal(order.count, keys);
    uint64_t place = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool again = false;
        for (uint32_t later = i + 1; later < count && !again; later++)
            again = key[later] == key[i];
        if (again)
            continue;
        assert_int_equal(order.key[place], key[i]);
        assert_int_equal(order.tag[place], tag[i]);
        assert_int_equal(order.time[place++], stamp[i]);
    }
    assert_int_equal(place, keys);
    dj_order_free(&order);
}

static void check_each(uint32_t count, uint32_t chunk)
{
    dj_gpu *gpu = open_device(chunk, count, DJ_CAN_TAGS | DJ_CAN_TIMES);
    memset(&got, 0x55, sizeof got);
    for (uint32_t from = 0; from < count; from += chunk) {
        uint32_t some = count - from < chunk ? count - from : chunk;
        dj_gpu_answers to = {got.distance + from, got.prev_tag + from, got.prev_time + from};
        put(gpu, from, some);
        assert_int_equal(dj_gpu_analyze(gpu, context, &to), DJ_OK);
    }
    uint64_t keys;
    assert_int_equal(dj_gpu_finish(gpu, context, &keys), DJ_OK);
    for (uint32_t i = 0; i < count; i++)
        check_answer(i, i % 7 == 0 || count < 1000);
    if (count < 10000)
        check_order(gpu, count, keys);
    dj_gpu_close(gpu);
}

static void check_totals(uint32_t count, uint32_t chunk)
{
    dj_gpu *gpu = open_device(chunk, count, DJ_CAN_TOTALS);
    for (uint32_t from = 0; from < count; from += chunk) {
        put(gpu, from, count - from < chunk ? count - from : chunk);
        assert_int_equal(dj_gpu_analyze(gpu, context, NULL), DJ_OK);
    }
    uint64_t keys, cold = 0, cold_expected;
    dj_histogram *counted, *expected;
    assert_int_equal(dj_gpu_finish(gpu, context, &keys), DJ_OK);
    assert_int_equal(dj_histogram_create(context, &counted), DJ_OK);
    assert_int_equal(dj_histogram_create(context, &expected), DJ_OK);
    assert_int_equal(dj_gpu_totals(gpu, context, counted, &cold), DJ_OK);
    assert_int_equal(dj_histogram_add_all(expected, context, distance, count, &cold_expected), DJ_OK);
    assert_int_equal(cold, cold_expected);
    assert_int_equal(keys, cold_expected);
    for (uint64_t value = 0, other = 0, n = 1; n != 0; value++, other++) {
        n = dj_histogram_next(expected, &value);
        assert_int_equal(dj_histogram_next(counted, &other), n);
        if (n)
            assert_int_equal(value, other);
    }
    dj_histogram_destroy(counted);
    dj_histogram_destroy(expected);
    dj_gpu_close(gpu);
}

static void check_all(uint32_t count, uint64_t keys, uint64_t spread)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        make_trace((enum shape)shape, count, keys, spread);
        for (uint32_t parts = 1; parts <= 3; parts++) {
            check_each(count, count / parts + 1);
            check_totals(count, count / parts + 1);
        }
    }
}

static void test_around_borders(void **state)
{
    static const uint32_t counts[] = {1, 2, 31, 32, 33, 127, 129, 1000, 4095, 4096, 4097, 8192, 8193, 12289};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        check_all(counts[i], counts[i] / 5 + 1, 1);
}

static void test_long_keys(void **state)
{
    (void)state;
    check_all(5000, 300, UINT64_C(0x9e3779b97f4a7c15));
    check_all(5000, 1200, UINT64_C(1) << 40);
}

// A range of the first division has several tiles, which tell each other.
static void test_several_tiles(void **state)
{
    (void)state;
    make_trace(SKEWED, MOST, 9000, 64);
    check_each(MOST, MOST);
    check_totals(MOST, MOST);
    check_totals(MOST, 1777);
}

static void test_streams_in_any_order(void **state)
{
    (void)state;
    for (int how = 1; how < 4; how++) {
        dj_emulated_late(how & 1);
        dj_emulated_backwards(how & 2);
        check_all(4500, 700, 3);
    }
    dj_emulated_late(false);
    dj_emulated_backwards(false);
}

static void test_more_keys_than_room(void **state)
{
    enum { COUNT = 600, CHUNK = 200, CARRIED = 150 };
    (void)state;
    make_trace(COLD, COUNT, 1, 1);
    dj_gpu *gpu = open_device(CHUNK, CARRIED, DJ_CAN_TOTALS);
    uint64_t keys;
    put(gpu, 0, CHUNK);
    assert_int_equal(dj_gpu_analyze(gpu, context, NULL), DJ_OK);
    put(gpu, CHUNK, CHUNK);
    assert_int_equal(dj_gpu_analyze(gpu, context, NULL), DJ_ERR_UNSUPPORTED);
    assert_int_equal(dj_gpu_finish(gpu, context, &keys), DJ_OK);
    assert_int_equal(keys, CHUNK);
    dj_order order, back;
    assert_int_equal(dj_gpu_order(gpu, context, &order), DJ_OK);
    assert_int_equal(dj_gpu_take_back(gpu, context, &back), DJ_OK);
    assert_memory_equal(order.key, key, CHUNK * sizeof *key);
    assert_int_equal(back.count, CHUNK);
    assert_memory_equal(back.key, key + CHUNK, CHUNK * sizeof *key);
    dj_gpu_close(gpu);

    gpu = open_device(CHUNK, COUNT, DJ_CAN_TOTALS);
    assert_int_equal(dj_gpu_begin(gpu, context, &order), DJ_OK);
    put(gpu, 100, CHUNK); // half of them were seen, 100 back each
    assert_int_equal(dj_gpu_analyze(gpu, context, NULL), DJ_OK);
    assert_int_equal(dj_gpu_finish(gpu, context, &keys), DJ_OK);
    assert_int_equal(keys, CHUNK + 100);
    dj_histogram *counted;
    uint64_t cold = 0, value = 0;
    assert_int_equal(dj_histogram_create(context, &counted), DJ_OK);
    assert_int_equal(dj_gpu_totals(gpu, context, counted, &cold), DJ_OK);
    assert_int_equal(cold, 100);
    assert_int_equal(dj_histogram_next(counted, &value), 100);
    assert_int_equal(value, 99);
    dj_histogram_destroy(counted);
    dj_gpu_close(gpu);
    dj_order_free(&order);
    dj_order_free(&back);
}

// Whatever fails, the next call says so, and nothing is left behind.
static void test_every_failure(void **state)
{
    (void)state;
    unsigned held = dj_emulated_held();
    int err = DJ_ERR_DEVICE;
    make_trace(UNIFORM, 100, 20, 1);
    for (uint64_t after = 0; err; after++) {
        dj_gpu_config config = {.chunk = 100, .carried = 100, .use = DJ_CAN_TOTALS};
        dj_gpu_columns columns = {.key = key};
        dj_gpu *gpu = NULL;
        uint64_t ticket, keys;
        dj_emulated_fail(after + 1, 700); // an illegal address
        err = dj_gpu_open(context, &config, &gpu);
        if (!err)
            err = dj_gpu_put(gpu, context, &columns, 100, &ticket);
        if (!err)
            err = dj_gpu_analyze(gpu, context, NULL);
        if (!err)
            err = dj_gpu_finish(gpu, context, &keys);
        if (err)
            assert_int_equal(err, DJ_ERR_DEVICE);
        dj_emulated_fail(0, 0);
        dj_gpu_close(gpu);
        assert_int_equal(dj_emulated_held(), held);
        assert_true(after < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_around_borders),      cmocka_unit_test(test_long_keys),
        cmocka_unit_test(test_several_tiles),       cmocka_unit_test(test_streams_in_any_order),
        cmocka_unit_test(test_more_keys_than_room), cmocka_unit_test(test_every_failure),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
