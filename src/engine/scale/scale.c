// SPDX-License-Identifier: MIT
// Idea:  As in engine fast, a table maps a key to the time of its last access, and a distance is the number
//        of keys minus the number of those last accessed no later. Instead of a bit for each point in time
//        there are nodes of several keys (scale/nodes.h), which provide that number for the end of a node.
//        The older a node, the more keys it has, so the error is relative to the distance. Table, runs and
//        folding are those of engine fast.
// Paper: the scale tree of Ding and Zhong, "Predicting whole-program locality through reuse distance
//        analysis", PLDI 2003. Here the nodes are an array with sums above it, not a tree.
// Cost:  O(log(log(keys · error) / error)) per access, over memory that stays in the cache; 17 to 26 bytes
//        per key for the table, and O(log(keys · error) / error) nodes.
// Bound: a distance d is answered by d' with d · (1 − error) ≤ d' ≤ d, so d' = d below 1 / error. Within a
//        run (d < 16) it is exact for any error. At most 1006632956 keys.
#include "engine/scale/scale.h"

#include "engine/registry.h"

#include <math.h>
#include <stdlib.h>

#define DEFAULT_ERROR 0.001
#define LEAST_ERROR 1e-6

// The last point that a word can hold belongs to block 2^23 − 1.
#define MOST_POINTS (((UINT64_C(1) << 23) - 1) * DJ_FAST_BLOCK_BITS)

static const dj_scale_options default_options = {.error = -1};

static const dj_option option_table[] = {
    {.name = "error",
     .type = DJ_OPTION_SHARE,
     .offset = offsetof(dj_scale_options, error),
     .argument = "E",
     .help =
         "let distances be too short by at most this share, such as 0.1% (the default of engine scale) or "
         "0.001. Selects engine scale, unless --engine names another one; distances below 1/E stay exact"},
    {0},
};

// Billionths, rounded down except for the rounding of a decimal fraction to binary.
static uint64_t error_of(const void *values)
{
    const dj_scale_options *options = values ? values : &default_options;
    double error = options->error < 0 ? DEFAULT_ERROR : options->error;
    return error < 1 ? (uint64_t)floor(error * (double)DJ_SCALE_WHOLE + 1e-6) : DJ_SCALE_WHOLE;
}

static double scale_error(const void *options)
{
    return (double)error_of(options) / (double)DJ_SCALE_WHOLE;
}

static int check_error(dj_context *context, const void *options)
{
    uint64_t error = error_of(options);
    if (error == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--error 0: engine scale cannot be exact; leave --error out, and every distance is");
    if (2 * error >= DJ_SCALE_WHOLE || error < (uint64_t)(LEAST_ERROR * (double)DJ_SCALE_WHOLE))
        return dj_fail(context, DJ_ERR_USAGE, "--error %.10g%%: must be at least %g%% and below 50%%",
                       100 * scale_error(options), 100 * LEAST_ERROR);
    return DJ_OK;
}

static void scale_destroy(void *state)
{
    dj_scale *s = state;
    if (!s)
        return;
    dj_scale_nodes_destroy(&s->nodes);
    dj_engine_fast.destroy(s->hashed);
    free(s);
}

static int create_parts(dj_scale *s, dj_context *context, const dj_engine_params *params)
{
    void *fast = NULL;
    const dj_engine_params inner = {.use = params->use, .expected_keys = params->expected_keys};
    int err = dj_engine_fast.create(context, &inner, &fast);
    if (err != DJ_OK)
        return err;
    s->hashed = fast;
    dj_fast *f = &s->hashed->fast;
    dj_footprint_add(&f->footprint, sizeof *s);
    dj_fast_timeline_destroy(&f->timeline);
    f->timeline = (dj_fast_timeline){.now = dj_fast_timeline_point(0), .footprint = &f->footprint};
    return dj_scale_nodes_create(&s->nodes, context, &f->footprint, error_of(params->options));
}

static int scale_create(dj_context *context, const dj_engine_params *params, void **state)
{
    int err = dj_engine_check(context, &dj_engine_scale, params);
    if (err == DJ_OK)
        err = check_error(context, params->options);
    if (err != DJ_OK)
        return err;
    dj_scale *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "engine scale", sizeof *s);
    s->most_points = MOST_POINTS;
    err = create_parts(s, context, params);
    if (err != DJ_OK)
        scale_destroy(s);
    else
        *state = s;
    return err;
}

// Replaces each time in the table by the number of its node: times within a node need not be distinguished.
static void renumber(dj_scale *s, uint64_t later)
{
    const dj_fast_slots *slots = &s->hashed->fast.slots;
    dj_scale_nodes_merge(&s->nodes, later);
    for (uint64_t line = 0; line < slots->lines; line++) {
        uint32_t *time = slots->words + line * DJ_FAST_LINE_WORDS + slots->first_time;
        uint32_t old[DJ_SCALE_GROUP] = {0}, node[DJ_SCALE_GROUP];
        for (uint32_t way = 0; way < slots->ways; way++)
            old[way] = time[way];
        dj_scale_nodes_find(&s->nodes, old, node);
        for (uint32_t way = 0; way < slots->ways; way++)
            time[way] = old[way] == 0 ? 0 : dj_fast_timeline_point(node[way]);
    }
    for (uint32_t at = 0; at < s->nodes.count; at++)
        s->nodes.first[at] = dj_fast_timeline_point(at);
    s->hashed->fast.timeline.now = dj_fast_timeline_point(s->nodes.count);
}

// Makes space for the run endings of the chunk and adds a node for each.
static int append_endings(dj_scale *s, dj_context *context)
{
    dj_fast *f = &s->hashed->fast;
    uint32_t endings = f->chunk.endings;
    uint64_t in_window = f->keys - s->nodes.keys;
    int err = dj_scale_nodes_reserve(&s->nodes, context, endings, in_window);
    if (err != DJ_OK)
        return err;
    if (dj_fast_timeline_number(f->timeline.now) + endings > s->most_points)
        renumber(s, in_window);
    f->path->exchange_all(f, s->point);
    uint32_t point = f->timeline.now;
    for (uint32_t i = 0; i < endings; i++, point = dj_fast_timeline_next(point))
        dj_scale_nodes_append(&s->nodes, point);
    f->timeline.now = point;
    return DJ_OK;
}

static void answer_beginnings(dj_scale *s, uint64_t *distance)
{
    dj_fast *f = &s->hashed->fast;
    const dj_fast_chunk *c = &f->chunk;
    distance -= DJ_FAST_WINDOW;
    for (uint32_t from = 0; from < c->beginnings; from += DJ_SCALE_GROUP) {
        const uint32_t *point = s->point + from;
        uint32_t node[DJ_SCALE_GROUP];
        dj_scale_nodes_find(&s->nodes, point, node);
        for (uint32_t i = 0; i < DJ_SCALE_GROUP && from + i < c->beginnings; i++) {
            bool cold = point[i] == 0;
            distance[c->beginning[from + i]] =
                cold ? DJ_COLD : f->keys - dj_scale_nodes_take(&s->nodes, node[i]);
            f->keys += cold;
        }
    }
}

static int push_chunk(dj_scale *s, dj_context *context, const dj_work *part)
{
    dj_fast *f = &s->hashed->fast;
    f->chunk.count = (uint32_t)part->count;
    f->path->survey(f, part->key, part->distance);
    int err = f->store->reserve(f, context);
    if (err == DJ_OK)
        err = append_endings(s, context);
    if (err != DJ_OK)
        return err;
    answer_beginnings(s, part->distance);
    if (f->use & (DJ_CAN_TAGS | DJ_CAN_TIMES))
        dj_fast_exchange(f, part);
    dj_fast_move_window(f);
    return DJ_OK;
}

static int scale_push(void *state, dj_context *context, dj_work *work)
{
    dj_scale *s = state;
    dj_fast *f = &s->hashed->fast;
    for (size_t from = 0; from < work->count; from += DJ_FAST_CHUNK) {
        const dj_work whole = dj_fast_part_of(f, work, from);
        dj_work part = whole;
        bool folded = dj_fast_fold_away(f, &part);
        int err = push_chunk(s, context, &part);
        if (err != DJ_OK)
            return err;
        if (folded)
            dj_fast_unfold(f, &whole);
    }
    dj_work_queue_put(&s->answered, work);
    return DJ_OK;
}

static void scale_stats(const void *state, dj_engine_stats *out)
{
    dj_fast_stats(((const dj_scale *)state)->hashed, out);
}

const dj_engine_ops dj_engine_scale = {
    .name = "scale",
    .summary = "an estimate with a guaranteed relative error, from nodes of several keys",
    .cost = "O(log(log keys / E)) per access; 17 to 26 bytes per key, and O(log keys / E) nodes",
    .can = DJ_CAN_PER_ACCESS | DJ_CAN_TAGS | DJ_CAN_TIMES,
    .folds = true,
    .by_option = true,
    .options = option_table,
    .options_bytes = sizeof(dj_scale_options),
    .default_options = &default_options,
    .distance_error = scale_error,
    .create = scale_create,
    .destroy = scale_destroy,
    .push = scale_push,
    .pull = dj_work_pull_at_once,
    .drain = dj_work_drain_at_once,
    .stats = scale_stats,
};
