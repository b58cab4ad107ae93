// SPDX-License-Identifier: MIT
// Ways to run a pipeline over a sample trace, at once or in parts.
#ifndef TESTS_CONTRACT_SCENARIOS_H
#define TESTS_CONTRACT_SCENARIOS_H

#include "contract/late_engine.h"
#include "contract/sample.h"
#include <deja/deja.h>

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "pipeline/parts/summary.h"
#include "support/context.h"
#include "support/engine_choice.h"

typedef struct scenario {
    uint64_t blocks[SAMPLE_LANES];
    size_t block_count;
    bool split;
    enum dj_tag tag;
} scenario;

static const scenario scenarios[] = {
    {{1}, 1, false, DJ_TAG_SITE},          {{16}, 1, false, DJ_TAG_PLACE},
    {{16}, 1, true, DJ_TAG_SITE},          {{8, 16}, 2, true, DJ_TAG_PLACE},
    {{16, 64, 320}, 3, true, DJ_TAG_SITE}, {{5, 20, 35}, 3, false, DJ_TAG_SITE},
    {{8, 16, 32}, 3, true, DJ_TAG_PLACE},
};
enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

enum { BEFORE_MOST = 4 };

static sample trace;
static unsigned observer_threads;                  // for the pipelines created from here on
static const dj_observer_choice *observers_before; // likewise: those that the observer depends on
static size_t before_count;
static const dj_filter_choice *filter_chosen; // likewise: for all lanes; NULL: none

static void check(int err)
{
    if (err)
        fail_msg("%s", dj_context_message(context));
}

// The selected engines, and at the end the one that answers late.
static const dj_engine_ops *engine_get(size_t index)
{
    for (size_t i = 0; i < dj_engine_count(); i++)
        if (engine_is_chosen(dj_engine_get(i)) && index-- == 0)
            return dj_engine_get(i);
    return late_engine();
}

static size_t engine_count(void)
{
    size_t count = 0;
    while (engine_get(count) != late_engine())
        count++;
    return count + 1;
}

static dj_pipeline *make_pipeline(const scenario *s, const dj_engine_ops *engine,
                                  const dj_observer_choice *observer, bool summarize)
{
    dj_observer_choice all[BEFORE_MOST + 1];
    size_t count = before_count;
    assert_in_range(count, 0, BEFORE_MOST);
    if (count > 0)
        memcpy(all, observers_before, count * sizeof *all);
    all[count++] = *observer;
    const dj_lane_group group = {.blocks = s->blocks,
                                 .block_count = s->block_count,
                                 .filters = filter_chosen,
                                 .filter_count = filter_chosen ? 1 : 0};
    dj_pipeline_config config = {.engine = engine,
                                 .blocks = s->blocks,
                                 .block_count = s->block_count,
                                 .groups = &group,
                                 .group_count = filter_chosen ? 1 : 0,
                                 .split = s->split,
                                 .tag = s->tag,
                                 .observers = all,
                                 .observer_count = count,
                                 .observer_threads = observer_threads,
                                 .summarize = summarize};
    dj_pipeline *p;
    check(dj_pipeline_create(context, &config, &p));
    return p;
}

static void run_piece(dj_pipeline *p, uint32_t from, uint32_t to)
{
    dj_source *source;
    check(sample_open(context, &trace, from, to, &source));
    check(dj_pipeline_run(p, context, source));
    dj_source_close(source);
}

static inline dj_profile *finish(dj_pipeline *p)
{
    dj_profile *profile;
    check(dj_pipeline_finish(p, context, &profile));
    assert_int_equal(profile->requests, trace.count);
    dj_pipeline_destroy(p);
    return profile;
}

// Saves a pipeline that has run and loads it again.
static dj_pipeline *through_file(dj_pipeline *p)
{
    char *bytes = NULL;
    size_t size = 0;
    dj_summary *kept = NULL;
    FILE *file = open_memstream(&bytes, &size);
    assert_non_null(file);
    check(dj_summary_create(context, p, (dj_part){0}, &kept));
    check(dj_summary_save(context, kept, file));
    fclose(file);
    dj_summary_destroy(kept);
    file = fmemopen(bytes, size, "rb");
    assert_non_null(file);
    check(dj_summary_load(context, file, "kept", &kept));
    fclose(file);
    free(bytes);
    p = kept->pipeline;
    kept->pipeline = NULL;
    dj_summary_destroy(kept);
    return p;
}

static bool can_be_kept(const dj_observer_choice *observer)
{
    bool kept = observer->ops->save != NULL;
    for (size_t i = 0; i < before_count; i++)
        kept = kept && observers_before[i].ops->save;
    return kept;
}

// Divides the trace at random into up to 12 parts, analyzes them separately and joins adjacent ones in
// random order, some of them through files.
static inline dj_pipeline *cut_and_join(const scenario *s, const dj_engine_ops *engine,
                                        const dj_observer_choice *observer, dj_random *random)
{
    dj_pipeline *parts[12];
    int count = 1 + (int)(dj_random_next(random) % 12);
    uint32_t from = 0;
    for (int i = 0; i < count; i++) {
        uint32_t rest = trace.count - from;
        uint32_t to = i + 1 == count ? trace.count : from + (uint32_t)(dj_random_next(random) % (rest + 1));
        parts[i] = make_pipeline(s, engine, observer, true);
        run_piece(parts[i], from, to);
        if (can_be_kept(observer) && dj_random_next(random) % 2)
            parts[i] = through_file(parts[i]);
        from = to;
    }
    while (count > 1) {
        int at = (int)(dj_random_next(random) % (uint64_t)(count - 1));
        check(dj_pipeline_join(parts[at], context, parts[at + 1]));
        dj_pipeline_destroy(parts[at + 1]);
        if (can_be_kept(observer) && dj_random_next(random) % 2)
            parts[at] = through_file(parts[at]);
        count--;
        for (int i = at + 1; i < count; i++)
            parts[i] = parts[i + 1];
    }
    return parts[0];
}

#endif
