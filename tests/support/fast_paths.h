// SPDX-License-Identifier: MIT
// Engine fast with each instruction set that this machine has. Include after cmocka.h.
#ifndef DEJA_TESTS_FAST_PATHS_H
#define DEJA_TESTS_FAST_PATHS_H

#include "engine/fast/fast.h"
#include "support/context.h"

#include <deja/deja.h>
#include <stdlib.h>
#include <string.h>

static const dj_fast_path *const paths[] = {
    &dj_fast_portable,
#if defined(__x86_64__)
    &dj_fast_avx2,
    &dj_fast_avx512,
#endif
};
enum { PATHS = sizeof paths / sizeof paths[0] };

// The options of the engine are a choice, in the order auto, avx512, avx2, portable, and the points per
// key.
static inline dj_fast *make(const dj_fast_path *path, uint32_t use)
{
    static const char *const names[] = {"auto", "avx512", "avx2", "portable"};
    struct {
        int simd;
        uint64_t points;
    } options = {0, 8};
    while (strcmp(names[options.simd], path->name) != 0)
        options.simd++;
    const dj_engine_ops *engine = dj_engine_find("fast");
    assert_int_equal(engine->options_bytes, sizeof options);
    dj_engine_params params = {.use = use, .options = &options};
    void *state = NULL;
    int err = engine->create(context, &params, &state);
    if (err == DJ_ERR_UNSUPPORTED)
        return NULL; // not on this machine
    assert_int_equal(err, DJ_OK);
    assert_ptr_equal(((dj_fast *)state)->path, path);
    return state;
}

static inline void destroy(dj_fast *f)
{
    dj_engine_find("fast")->destroy(f);
}

// Pushes works of `piece` accesses.
static inline int push(dj_fast *f, const uint64_t *keys, size_t count, size_t piece, uint64_t *distances)
{
    const dj_engine_ops *engine = dj_engine_find("fast");
    for (size_t at = 0; at < count; at += piece) {
        dj_work work = {
            .count = count - at < piece ? count - at : piece, .key = keys + at, .distance = distances + at};
        dj_work *back = NULL;
        int err = engine->push(f, context, &work);
        if (err != DJ_OK)
            return err;
        assert_int_equal(engine->pull(f, context, &back), DJ_OK);
        assert_ptr_equal(back, &work);
    }
    return DJ_OK;
}

static inline void check_against_tree(dj_fast *f, const uint64_t *keys, size_t count, size_t piece)
{
    uint64_t *expected = malloc(count * sizeof *expected), *got = malloc(count * sizeof *got);
    assert_true(expected && got);
    assert_int_equal(dj_distances(context, dj_engine_find("tree"), keys, count, expected), DJ_OK);
    assert_int_equal(push(f, keys, count, piece, got), DJ_OK);
    for (size_t i = 0; i < count; i++)
        if (got[i] != expected[i])
            fail_msg("%s: access %zu: expected %llu, got %llu", f->path->name, i,
                     (unsigned long long)expected[i], (unsigned long long)got[i]);
    free(expected);
    free(got);
}

#endif
