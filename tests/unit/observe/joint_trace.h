// SPDX-License-Identifier: MIT
// Random traces of several threads, and their profile with section `joint`.
#ifndef TESTS_UNIT_OBSERVE_JOINT_TRACE_H
#define TESTS_UNIT_OBSERVE_JOINT_TRACE_H

#include <deja/deja.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fine_bins.h"
#include "base/random.h"
#include "support/context.h"

enum { MOST = 3000, THREADS = 3, KEYS = 90, LONG = 40000 };

static struct {
    uint64_t keys[LONG];
    size_t positions[LONG]; // among the accesses of all threads
    size_t count;
} threads[THREADS];

static char *trace_text;
static size_t trace_bytes;

// Thread 2 has few accesses; all have some keys in common.
static inline void make_trace(uint64_t seed, size_t count)
{
    dj_random random;
    dj_random_seed(&random, seed);
    memset(threads, 0, sizeof threads);
    free(trace_text);
    FILE *file = open_memstream(&trace_text, &trace_bytes);
    for (size_t i = 0; i < count; i++) {
        uint64_t thread = dj_random_below(&random, 20);
        thread = i < THREADS ? i : thread < 10 ? 0 : thread < 19 ? 1 : 2;
        uint64_t key = dj_random_below(&random, 1 + dj_random_below(&random, KEYS)) + 30 * thread;
        threads[thread].positions[threads[thread].count] = i;
        threads[thread].keys[threads[thread].count++] = key;
        fprintf(file, "%llu,%llu\n", (unsigned long long)key, (unsigned long long)thread);
    }
    fclose(file);
}

static inline dj_profile *measured(bool partitioned, uint64_t lanes)
{
    static const uint64_t block = 1;
    const dj_joint_options options = {.lanes = lanes};
    const dj_observer_choice observers[] = {{dj_observer_find("joint"), &options},
                                            {dj_observer_find("histogram"), NULL}};
    const dj_lane_group groups[] = {
        {.blocks = &block, .block_count = 1},
        {.blocks = &block, .block_count = 1, .partition = DJ_PARTITION_THREAD},
    };
    const dj_pipeline_config config = {
        .groups = groups, .group_count = partitioned ? 2 : 1, .observers = observers, .observer_count = 2};
    const dj_source_options format = {.format = "csv", .columns = "address,thread"};
    dj_pipeline *pipeline = NULL;
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    assert_int_equal(dj_source_open_memory(context, trace_text, trace_bytes, "trace", &format, &source),
                     DJ_OK);
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    dj_source_close(source);
    dj_pipeline_destroy(pipeline);
    return profile;
}

static inline dj_profile *saved_and_loaded(const dj_profile *profile, bool columns)
{
    char *data = NULL;
    size_t bytes = 0;
    dj_profile *again = NULL;
    FILE *file = open_memstream(&data, &bytes);
    assert_int_equal(columns ? dj_profile_save_columns(context, profile, file)
                             : dj_profile_save(context, profile, DJ_BINS_LOG2, 0, file),
                     DJ_OK);
    fclose(file);
    file = fmemopen(data, bytes, "r");
    if (dj_profile_load(context, file, "joint", &again))
        fail_msg("%s", dj_context_message(context));
    fclose(file);
    free(data);
    return again;
}

static inline int clean_up(void **state)
{
    free(trace_text);
    return drop_context(state);
}

#endif
