// SPDX-License-Identifier: MIT
// Engine fast on consecutive accesses to one key.
#include <stdint.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/fast_paths.h"
#include "support/sanitized.h"

// Tags and times of the previous access to the key; n keys in turn, each r times.
static void check_repetitions(const dj_fast_path *path, uint64_t n, uint64_t r, size_t piece)
{
    enum { COUNT = 5003 };
    static uint64_t key[COUNT], time[COUNT], distance[COUNT], prev_time[COUNT];
    static uint32_t tag[COUNT], prev_tag[COUNT];
    const dj_engine_ops *engine = dj_engine_find("fast");
    dj_fast *f = make(path, DJ_CAN_TAGS | DJ_CAN_TIMES);
    if (!f)
        return;
    for (uint64_t i = 0; i < COUNT; i++) {
        key[i] = i / r % n;
        time[i] = 3 * i;
        tag[i] = (uint32_t)(7 * i + 1);
    }
    for (size_t at = 0; at < COUNT; at += piece) {
        dj_work *back, work = {.count = COUNT - at < piece ? COUNT - at : piece, .key = key + at};
        work.tag = tag + at;
        work.time = time + at;
        work.distance = distance + at;
        work.prev_tag = prev_tag + at;
        work.prev_time = prev_time + at;
        assert_int_equal(engine->push(f, context, &work), DJ_OK);
        assert_int_equal(engine->pull(f, context, &back), DJ_OK);
    }
    for (uint64_t i = 0; i < COUNT; i++) {
        bool repeats = i % r != 0, cold = !repeats && i / r < n;
        uint64_t previous = repeats ? i - 1 : i - (n - 1) * r - 1;
        assert_int_equal(distance[i], cold ? DJ_COLD : repeats ? 0 : n - 1);
        assert_int_equal(prev_tag[i], cold ? 0 : tag[previous]);
        assert_int_equal(prev_time[i], cold ? DJ_COLD : time[previous]);
    }
    destroy(f);
}

static void test_repetitions(void **state)
{
    (void)state;
    static const size_t pieces[] = {1, 63, 2049, 16384};
    static const uint64_t repeats[] = {1, 2, 3, 8, 9, 65};
    size_t number = 0;
    for (size_t p = 0; p < PATHS; p++)
        for (size_t i = 0; i < sizeof repeats / sizeof repeats[0]; i++)
            for (size_t q = 0; q < sizeof pieces / sizeof pieces[0]; q++)
                for (uint64_t n = 1; n <= 21; n += n < 3 ? 1 : 9)
                    if (number++ % SANITIZED_STEP == 0)
                        check_repetitions(paths[p], n, repeats[i], pieces[q]);
}

// Repetitions are removed only if there are many, and a change is detected soon.
static void test_folds_when_it_pays(void **state)
{
    (void)state;
    enum { COUNT = 100 * DJ_FAST_CHUNK };
    static uint64_t keys[COUNT];
    for (size_t p = 0; p < PATHS; p++) {
        dj_fast *f = make(paths[p], 0);
        if (!f)
            continue;
        for (uint64_t i = 0; i < COUNT; i++)
            keys[i] = i / 2 % 5000;
        check_against_tree(f, keys, COUNT, DJ_BATCH_CAPACITY);
        assert_int_equal(f->unfolded, 0);
        assert_int_equal(f->chunk.count, DJ_FAST_CHUNK / 2);
        destroy(f);
        f = make(paths[p], 0);
        for (uint64_t i = 0; i < COUNT; i++)
            keys[i] = i < COUNT / 2 ? i % 5000 : i / 3 % 5000;
        check_against_tree(f, keys, COUNT / 2, DJ_BATCH_CAPACITY);
        assert_in_range(f->unfolded, 1, UINT32_MAX);
        assert_int_equal(f->chunk.count, DJ_FAST_CHUNK);
        destroy(f);
        f = make(paths[p], 0);
        check_against_tree(f, keys, COUNT, DJ_BATCH_CAPACITY);
        assert_int_equal(f->unfolded, 0);
        assert_in_range(f->chunk.count, DJ_FAST_CHUNK / 3, DJ_FAST_CHUNK / 3 + 1);
        destroy(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repetitions),
        cmocka_unit_test(test_folds_when_it_pays),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
