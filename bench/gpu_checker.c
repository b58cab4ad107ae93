// SPDX-License-Identifier: MIT
#include "bench/gpu_checker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

static int pin(dj_context *context, size_t count, size_t bytes, void *out)
{
    return dj_gpu_pin(context, count * bytes, (void **)out);
}

int checker_make(checker *c, dj_context *context)
{
    int err = pin(context, c->capacity, sizeof *c->key, &c->key);
    if (err == DJ_OK)
        err = pin(context, c->capacity, sizeof *c->time, &c->time);
    if (err == DJ_OK)
        err = pin(context, c->capacity, sizeof *c->prev_time, &c->prev_time);
    if (err == DJ_OK)
        err = pin(context, c->capacity, sizeof *c->tag, &c->tag);
    if (err == DJ_OK)
        err = pin(context, c->capacity, sizeof *c->distance, &c->distance);
    if (err == DJ_OK)
        err = pin(context, c->capacity, sizeof *c->prev_tag, &c->prev_tag);
    c->right = calloc(c->capacity, sizeof *c->right);
    c->right_time = calloc(c->capacity, sizeof *c->right_time);
    c->right_tag = calloc(c->capacity, sizeof *c->right_tag);
    c->wide = calloc(c->capacity, sizeof *c->wide);
    c->wide_time = calloc(c->capacity, sizeof *c->wide_time);
    c->wide_tag = calloc(c->capacity, sizeof *c->wide_tag);
    if (err == DJ_OK &&
        (!c->right || !c->right_time || !c->right_tag || !c->wide || !c->wide_time || !c->wide_tag))
        err = dj_fail_memory(context, "answers", c->capacity * 40);
    for (size_t i = 0; err == DJ_OK && i < c->capacity; i++) {
        c->tag[i] = (uint32_t)dj_random_mix(i);
        c->time[i] = 3 * i + 7;
    }
    return err;
}

static void forget(checker *c)
{
    dj_histogram_destroy(c->histogram);
    c->histogram = NULL;
    dj_order_free(&c->order);
    c->order = (dj_order){0};
}

void checker_unmake(checker *c)
{
    forget(c);
    void *const pinned[] = {c->key, c->time, c->prev_time, c->tag, c->distance, c->prev_tag};
    for (size_t i = 0; i < sizeof pinned / sizeof pinned[0]; i++)
        dj_gpu_unpin(pinned[i]);
    void *const plain[] = {c->right, c->right_time, c->wide, c->wide_time, c->right_tag, c->wide_tag};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        free(plain[i]);
}

int checker_ask(checker *c, dj_context *context, const gpu_case *which, size_t count)
{
    forget(c);
    c->count = count;
    which->fill(c->key, count);
    gpu_engine_run run = {.engine = dj_engine_find("fast"),
                          .use = DJ_CAN_PER_ACCESS | DJ_CAN_TAGS | DJ_CAN_TIMES,
                          .key = c->key,
                          .tag = c->tag,
                          .time = c->time,
                          .count = c->count,
                          .distance = c->right,
                          .prev_tag = c->right_tag,
                          .prev_time = c->right_time,
                          .order = &c->order};
    int err = gpu_run_engine(context, &run);
    if (err == DJ_OK)
        err = dj_histogram_create(context, &c->histogram);
    if (err == DJ_OK)
        err = dj_histogram_add_all(c->histogram, context, c->right, c->count, &c->cold);
    return err;
}

static int compare_order(const checker *c, dj_context *context, const dj_order *got, bool all)
{
    if (got->count != c->order.count)
        return dj_fail(context, DJ_ERR_INPUT, "%zu keys are held, not %zu", got->count, c->order.count);
    for (size_t i = 0; i < got->count; i++)
        if (got->key[i] != c->order.key[i] ||
            (all && (got->tag[i] != c->order.tag[i] || got->time[i] != c->order.time[i])))
            return dj_fail(context, DJ_ERR_INPUT, "the order of the keys is wrong at %zu", i);
    return DJ_OK;
}

static int compare_answers(const checker *c, dj_context *context, const uint64_t *distance,
                           const uint32_t *tag, const uint64_t *time)
{
    for (size_t i = 0; i < c->count; i++) {
        uint64_t got = distance ? distance[i] : c->distance[i] == DJ_GPU_COLD ? DJ_COLD : c->distance[i];
        if (got != c->right[i])
            return dj_fail(context, DJ_ERR_INPUT, "the distance of access %zu is %" PRId64 ", not %" PRId64,
                           i, (int64_t)got, (int64_t)c->right[i]);
        if (tag[i] != c->right_tag[i])
            return dj_fail(context, DJ_ERR_INPUT, "the tag before access %zu is wrong", i);
        if (time[i] != c->right_time[i])
            return dj_fail(context, DJ_ERR_INPUT, "the time before access %zu is wrong", i);
    }
    return DJ_OK;
}

static int run_device(checker *c, dj_context *context, const manner *m, dj_histogram *into)
{
    dj_order order = {0};
    gpu_device_run run = {.from = {.key = c->key},
                          .count = c->count,
                          .keys = c->order.count,
                          .chunk = m->chunk,
                          .piece = m->piece,
                          .resume_at = m->resume_at,
                          .order = &order};
    if (m->totals) {
        run.use = DJ_CAN_TOTALS;
        run.into = into;
    } else {
        run.use = DJ_CAN_PER_ACCESS | DJ_CAN_TAGS | DJ_CAN_TIMES;
        run.from.tag = c->tag;
        run.from.time = c->time;
        run.answers = (dj_gpu_answers){c->distance, c->prev_tag, c->prev_time};
        memset(c->distance, 0x5a, c->count * sizeof *c->distance);
    }
    int err = gpu_run_device(context, &run);
    if (err == DJ_OK)
        err = m->totals ? gpu_compare_histograms(context, c->histogram, c->cold, into, run.cold)
                        : compare_answers(c, context, NULL, c->prev_tag, c->prev_time);
    if (err == DJ_OK)
        err = compare_order(c, context, &order, !m->totals);
    dj_order_free(&order);
    return err;
}

static int run_engine(checker *c, dj_context *context, const manner *m, dj_histogram *into)
{
    dj_order order = {0};
    gpu_engine_run run = {.engine = dj_engine_find("gpu"),
                          .option = "chunk",
                          .value = m->chunk,
                          .key = c->key,
                          .count = c->count,
                          .order = &order};
    if (m->totals) {
        run.use = DJ_CAN_TOTALS;
        run.into = into;
    } else {
        run.use = DJ_CAN_PER_ACCESS | DJ_CAN_TAGS | DJ_CAN_TIMES;
        run.tag = c->tag;
        run.time = c->time;
        run.distance = c->wide;
        run.prev_tag = c->wide_tag;
        run.prev_time = c->wide_time;
        memset(c->wide, 0x5a, c->count * sizeof *c->wide);
    }
    int err = gpu_run_engine(context, &run);
    if (err == DJ_OK && run.warning[0])
        err = dj_fail(context, DJ_ERR_INPUT, "not on the device: %s", run.warning);
    if (err == DJ_OK)
        err = m->totals ? gpu_compare_histograms(context, c->histogram, c->cold, into, run.cold)
                        : compare_answers(c, context, c->wide, c->wide_tag, c->wide_time);
    if (err == DJ_OK)
        err = compare_order(c, context, &order, !m->totals);
    dj_order_free(&order);
    return err;
}

int checker_run(checker *c, dj_context *context, const manner *m)
{
    dj_histogram *into = NULL;
    int err = dj_histogram_create(context, &into);
    if (err != DJ_OK)
        return err;
    err = m->engine ? run_engine(c, context, m, into) : run_device(c, context, m, into);
    dj_histogram_destroy(into);
    return err;
}
