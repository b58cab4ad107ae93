// SPDX-License-Identifier: MIT
// Shared by tests of sections: keys through a pipeline, at once or in two parts, and a profile through
// a file.
#ifndef TESTS_CONTRACT_KEYS_H
#define TESTS_CONTRACT_KEYS_H

#include <deja/deja.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/context.h"

enum { KEYS_MOST = 300 };
static uint64_t keys[KEYS_MOST];
static size_t key_count;

static int run_piece(const dj_pipeline_config *config, size_t from, size_t end, dj_pipeline **out)
{
    const dj_source_options options = {.format = "u64le"};
    dj_source *source = NULL;
    int err = dj_pipeline_create(context, config, out);
    if (!err && from < end)
        err = dj_source_open_memory(context, keys + from, (end - from) * sizeof *keys, "keys", &options,
                                    &source);
    if (!err && source)
        err = dj_pipeline_run(*out, context, source);
    if (source)
        dj_source_close(source);
    return err;
}

// Runs up to three observers, terminated by NULL, over all keys, or over those before and from `cut`
// on, which are joined. There is a lane of single keys and one of pairs.
static int measure(const dj_observer_ops *const *ops, size_t cut, dj_profile **out)
{
    static const uint64_t blocks[] = {1, 2};
    dj_observer_choice observers[3] = {{0}};
    dj_pipeline_config config = {
        .blocks = blocks, .block_count = 2, .observers = observers, .summarize = cut < key_count};
    for (; config.observer_count < 3 && ops[config.observer_count]; config.observer_count++)
        observers[config.observer_count].ops = ops[config.observer_count];
    config.observer_threads = config.summarize ? 0 : key_count % 4;
    dj_pipeline *pipeline = NULL, *later = NULL;
    int err = run_piece(&config, 0, cut, &pipeline);
    if (!err && config.summarize)
        err = run_piece(&config, cut, key_count, &later);
    if (!err && later)
        err = dj_pipeline_join(pipeline, context, later);
    if (!err)
        err = dj_pipeline_finish(pipeline, context, out);
    dj_pipeline_destroy(later);
    dj_pipeline_destroy(pipeline);
    return err;
}

__attribute__((noinline)) static char *save(const dj_profile *profile, bool columns, size_t *bytes)
{
    char *data = NULL;
    FILE *out = open_memstream(&data, bytes);
    assert_int_equal(columns ? dj_profile_save_columns(context, profile, out)
                             : dj_profile_save(context, profile, DJ_BINS_LOG2, 0, out),
                     DJ_OK);
    fclose(out);
    return data;
}

static int load(const char *data, size_t bytes, dj_profile **out)
{
    FILE *in = fmemopen((char *)(uintptr_t)data, bytes, "r");
    int err = dj_profile_load(context, in, "toy", out);
    fclose(in);
    return err;
}

#endif
