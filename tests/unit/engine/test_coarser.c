// SPDX-License-Identifier: MIT
// Engine shadow with coarser keys in addition to its own, compared with engine tree on those keys and
// with a table of the last access to each: all instruction sets, works of all sizes, through growth,
// compaction and folding.
#include "support/streams.h"

#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "base/machine.h"
#include "engine/shadow/shadow.h"
#include "support/fast_paths.h"
#include "support/sanitized.h"

enum { COUNT = 30000, MOST_KEYS = 40000, LANES = DJ_FAST_COARSER + 1 };

static uint64_t keys[COUNT], keys_of[LANES][COUNT];
static uint64_t distance[LANES][COUNT], wanted[LANES][COUNT];
static uint32_t tag[LANES][COUNT], prev_tag[LANES][COUNT];

static bool machine_has(const dj_fast_path *path)
{
    const char *widest = dj_machine_simd();
    if (strcmp(path->name, "avx512") == 0)
        return strcmp(widest, "avx512") == 0;
    return strcmp(path->name, "portable") == 0 || strcmp(widest, "portable") != 0;
}

static void *make_shadow(const dj_fast_path *path, uint32_t coarser, uint32_t use)
{
    void *state = NULL;
    const dj_engine_params params = {.use = use, .coarser = coarser};
    assert_int_equal(dj_engine_find("shadow")->create(context, &params, &state), DJ_OK);
    dj_fast *f = state;
    f->path = path;
    for (uint32_t i = 0; i < coarser; i++)
        f->coarser[i]->fast.path = path;
    return state;
}

static void push_all(void *state, uint32_t coarser, size_t piece, uint32_t use)
{
    const dj_engine_ops *engine = dj_engine_find("shadow");
    for (size_t at = 0; at < COUNT; at += piece) {
        dj_work work[LANES] = {0}, *back = NULL;
        for (uint32_t k = 0; k <= coarser; k++)
            work[k] = (dj_work){.count = COUNT - at < piece ? COUNT - at : piece,
                                .key = keys_of[k] + at,
                                .distance = distance[k] + at,
                                .coarser = k < coarser ? &work[k + 1] : NULL};
        for (uint32_t k = use & DJ_CAN_TAGS ? 0 : 1; k <= coarser; k++) {
            work[k].tag = k == 0 ? tag[k] + at : NULL;
            work[k].prev_tag = prev_tag[k] + at;
        }
        assert_int_equal(engine->push(state, context, &work[0]), DJ_OK);
        assert_int_equal(engine->pull(state, context, &back), DJ_OK);
        assert_ptr_equal(back, &work[0]);
    }
}

static void make_keys_of_lanes(void)
{
    for (uint32_t k = 0; k < LANES; k++)
        for (size_t i = 0; i < COUNT; i++)
            keys_of[k][i] = keys[i] >> k | UINT64_C(0xabc) << 52; // as with devices
}

static void find_wanted(void)
{
    static uint64_t coarse[COUNT];
    for (uint32_t k = 0; k < LANES; k++) {
        for (size_t i = 0; i < COUNT; i++)
            coarse[i] = keys[i] >> k;
        assert_int_equal(dj_distances(context, dj_engine_find("tree"), coarse, COUNT, wanted[k]), DJ_OK);
    }
}

static void check_lane(uint32_t k, bool tags, const char *label)
{
    static uint64_t last[MOST_KEYS];
    memset(last, 0, sizeof last);
    for (size_t i = 0; i < COUNT; i++) {
        if (distance[k][i] != wanted[k][i])
            fail_msg("%s, lane %u, access %zu: %lld, not %lld", label, k, i, (long long)distance[k][i],
                     (long long)wanted[k][i]);
        uint64_t before = last[keys[i] >> k]; // 1 + index of the access
        last[keys[i] >> k] = i + 1;
        if (tags && prev_tag[k][i] != (before ? tag[k][before - 1] : 0))
            fail_msg("%s, lane %u, access %zu: tag %u, not %u", label, k, i, prev_tag[k][i],
                     before ? tag[k][before - 1] : 0);
    }
}

static void check_order(const stream_order *order, uint64_t range, uint64_t seed)
{
    static const size_t pieces[] = {1, 5, 63, 2048, 2049, 16384};
    uint64_t rng = seed;
    order->fill(keys, COUNT, range, &rng);
    for (size_t i = 0; i < COUNT; i++)
        keys[i] %= MOST_KEYS;
    make_keys_of_lanes();
    for (size_t i = 0; i < COUNT; i++) {
        tag[0][i] = (uint32_t)(i * 7 + 3);
        for (uint32_t k = 1; k < LANES; k++)
            tag[k][i] = (uint32_t)keys_of[k - 1][i];
    }
    find_wanted();
    for (size_t p = 0; p < PATHS; p++) {
        if (!machine_has(paths[p]))
            continue;
        uint32_t coarser = 1 + (uint32_t)random_below(&rng, DJ_FAST_COARSER);
        uint32_t use = random_below(&rng, 2) ? DJ_CAN_TAGS : 0;
        memset(distance, 0xa5, sizeof distance);
        memset(prev_tag, 0xa5, sizeof prev_tag);
        void *state = make_shadow(paths[p], coarser, use);
        push_all(state, coarser, pieces[random_below(&rng, 6)], use);
        for (uint32_t k = 0; k <= coarser; k++)
            check_lane(k, k > 0 || use, order->name);
        dj_fast_destroy(state);
    }
}

static void test_all_orders(void **state)
{
    (void)state;
    static const uint64_t ranges[] = {3, 17, 40, 700, 5000, MOST_KEYS};
    const size_t orders = sizeof stream_orders / sizeof stream_orders[0],
                 all = sizeof ranges / sizeof ranges[0];
    for (size_t i = 0; i < orders * all; i += SANITIZED_STEP)
        check_order(&stream_orders[i / all], ranges[i % all], i / all * 100 + i % all + 1);
}

// Repeated sweeps in steps of one key: at twice the size every other access has distance 0, and the
// others half the number of keys minus one; and so on.
static void test_sweeps(void **state)
{
    (void)state;
    enum { KEYS = 4096 };
    for (size_t i = 0; i < COUNT; i++)
        keys[i] = i % KEYS;
    make_keys_of_lanes();
    void *shadow = make_shadow(dj_fast_widest_path(), DJ_FAST_COARSER, 0);
    push_all(shadow, DJ_FAST_COARSER, DJ_BATCH_CAPACITY, 0);
    for (uint32_t k = 0; k < LANES; k++)
        for (size_t i = 0; i < COUNT; i++) {
            bool first = i % (1u << k) == 0;
            assert_int_equal(distance[k][i], !first ? 0 : i < KEYS ? DJ_COLD : (UINT64_C(4096) >> k) - 1);
        }
    dj_engine_stats stats;
    dj_fast_stats(shadow, &stats);
    assert_int_equal(stats.keys, KEYS + KEYS / 2 + KEYS / 4 + KEYS / 8 + KEYS / 16);
    dj_fast_destroy(shadow);
}

static void test_refused(void **state)
{
    (void)state;
    void *made = NULL;
    const dj_engine_params one = {.coarser = 1}, many = {.coarser = DJ_FAST_COARSER + 1};
    assert_int_equal(dj_engine_find("fast")->create(context, &one, &made), DJ_ERR_UNSUPPORTED);
    assert_int_equal(dj_engine_find("shadow")->create(context, &many, &made), DJ_ERR_UNSUPPORTED);
    assert_null(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_orders),
        cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
