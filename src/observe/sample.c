// SPDX-License-Identifier: MIT
// The error of an estimate from a sample. The sample is divided into slices, each with its own stack, as if
// it were a sample of a lower rate; the spread of their miss ratios gives the standard error of the whole.
#include <deja/sample.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/sample.h"
#include "base/verdicts.h"
#include "observe/observers.h"

enum {
    SLICES = DJ_SAMPLE_SLICES,
    SLICES_LOG2 = 4,
    WAITING = 1024,    // accesses of a slice that go to its engine together
    PER_DOUBLING = 16, // sizes with an error of their own
};
_Static_assert(1 << SLICES_LOG2 == SLICES, "a power of two");

// Other bits than those that select the sample.
static const uint64_t SLICE_SEED = UINT64_C(0x51ce);

typedef struct slice {
    void *engine;
    dj_histogram *histogram; // of distances in the slice
    uint64_t cold, accesses; // that count
    uint32_t waiting;
    uint64_t key[WAITING], distance[WAITING];
    bool counts[WAITING]; // the others only fill the stack
} slice;

typedef struct sample_errors {
    const dj_engine_ops *engine;
    const dj_lane_id *lanes;
    uint32_t lane_count;
    slice slices[]; // of each sampled lane; of others they are unused
} sample_errors;

static bool is_sampled(const dj_lane_id *lane)
{
    return lane->sampling < 1;
}

static slice *slice_of(sample_errors *s, uint32_t lane, uint32_t number)
{
    return &s->slices[(size_t)lane * SLICES + number];
}

static void destroy(void *state)
{
    sample_errors *s = state;
    for (size_t i = 0; s && i < (size_t)s->lane_count * SLICES; i++) {
        if (s->slices[i].engine)
            s->engine->destroy(s->slices[i].engine);
        dj_histogram_destroy(s->slices[i].histogram);
    }
    free(s);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    const size_t count = (size_t)setup->lane_count * SLICES;
    sample_errors *s = calloc(1, sizeof *s + count * sizeof s->slices[0]);
    const dj_engine_params params = {0};
    if (!s)
        return dj_fail_memory(context, "the slices of a sample", count * sizeof s->slices[0]);
    s->engine = dj_engine_get(0);
    s->lanes = setup->lanes;
    s->lane_count = setup->lane_count;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < count; i++) {
        if (!is_sampled(&s->lanes[i / SLICES]))
            continue;
        err = s->engine->create(context, &params, &s->slices[i].engine);
        if (!err)
            err = dj_histogram_create(context, &s->slices[i].histogram);
    }
    if (err)
        destroy(s);
    else
        *state = s;
    return err;
}

static int flush(const sample_errors *s, dj_context *context, slice *one)
{
    dj_work work = {.count = one->waiting, .key = one->key, .distance = one->distance}, *answered = NULL;
    int err = one->waiting ? s->engine->push(one->engine, context, &work) : DJ_OK;
    if (!err && one->waiting)
        err = s->engine->drain(one->engine, context);
    if (!err && one->waiting)
        err = s->engine->pull(one->engine, context, &answered);
    for (uint32_t i = 0; !err && i < one->waiting; i++) {
        if (!one->counts[i])
            continue;
        one->accesses++;
        if (one->distance[i] == DJ_COLD)
            one->cold++;
        else
            err = dj_histogram_add(one->histogram, context, one->distance[i], 1);
    }
    one->waiting = 0;
    return err;
}

// The blocks of one block of the largest size are in the same slice.
static int watch_lane(sample_errors *s, dj_context *context, const dj_view *view, uint32_t lane)
{
    const uint8_t *verdict = view->lanes[lane].verdict;
    const uint64_t *key = view->lanes[lane].key, *largest = view->lanes[s->lane_count - 1].key;
    int err = DJ_OK;
    const uint32_t count = view->batch->count;
    for (uint32_t i = 0; !err && i < count; i++) {
        i = verdict ? dj_skip_unsampled(verdict, i, count) : i;
        if (i == count || (verdict && !dj_verdict_accesses(verdict[i])))
            continue;
        slice *to = slice_of(s, lane, (uint32_t)(dj_sample_hash(largest[i], SLICE_SEED) % SLICES));
        to->key[to->waiting] = key[i];
        to->counts[to->waiting] = !verdict || verdict[i] == DJ_VERDICT_COUNT;
        if (++to->waiting == WAITING)
            err = flush(s, context, to);
    }
    return err;
}

static int watch(void *state, dj_context *context, const dj_view *view)
{
    sample_errors *s = state;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < s->lane_count; i++)
        if (is_sampled(&s->lanes[i]))
            err = watch_lane(s, context, view, i);
    return err;
}

// The misses of all slices in caches of increasing size.
typedef struct misses {
    slice *slices;
    uint64_t next[SLICES], count[SLICES]; // next distance in each slice, and its number; 0: none
    uint64_t misses[SLICES];
    unsigned weight_log2; // of a block in a slice
} misses;

static void begin(misses *m, slice *slices, unsigned weight_log2)
{
    *m = (misses){.slices = slices, .weight_log2 = weight_log2};
    for (uint32_t i = 0; i < SLICES; i++) {
        m->misses[i] = slices[i].accesses;
        m->count[i] = dj_histogram_next(slices[i].histogram, &m->next[i]);
    }
}

// The slice whose distance is reached next, and in *size the size at which it hits; SLICES: none is left.
static uint32_t find_next(const misses *m, uint64_t *size)
{
    uint32_t best = SLICES;
    for (uint32_t i = 0; i < SLICES; i++)
        if (m->count[i] && (best == SLICES || m->next[i] < m->next[best]))
            best = i;
    *size = best < SLICES ? dj_sample_scale(m->next[best], m->weight_log2) + 1 : UINT64_MAX;
    return best;
}

static void advance(misses *m, uint32_t at)
{
    m->misses[at] -= m->count[at];
    m->next[at]++;
    m->count[at] = dj_histogram_next(m->slices[at].histogram, &m->next[at]);
}

// The standard error of the sum over the slices, in accesses of the sample.
static double deviation(const misses *m)
{
    double mean = 0, squares = 0;
    for (uint32_t i = 0; i < SLICES; i++)
        mean += (double)m->misses[i] / SLICES;
    for (uint32_t i = 0; i < SLICES; i++)
        squares += ((double)m->misses[i] - mean) * ((double)m->misses[i] - mean);
    return sqrt(squares / (SLICES - 1) * SLICES);
}

// Adds a row, unless the error is the same as before.
static int add_error(dj_context *context, dj_sample *to, size_t *capacity, uint64_t size, double error)
{
    if (to->error_count > 0 && to->errors[to->error_count - 1].error == error)
        return DJ_OK;
    int err = dj_grow(context, "the errors of a sample", &to->errors, capacity, to->error_count + 1,
                      sizeof *to->errors);
    if (!err)
        to->errors[to->error_count++] = (dj_sample_error){size, error};
    return err;
}

static uint64_t next_size(uint64_t size, unsigned *step)
{
    uint64_t next = size;
    for (; next <= size; (*step)++)
        next = (uint64_t)exp2((double)*step / PER_DOUBLING);
    return next;
}

// `scale`: the part of all accesses that one access of the sample stands for.
static int list_errors(dj_context *context, misses *m, double scale, dj_sample *to)
{
    size_t capacity = 0;
    unsigned step = 0;
    uint64_t size = 0, end = 1, hit = 0;
    int err = DJ_OK;
    for (uint32_t at = find_next(m, &hit); !err; size = end, end = next_size(size, &step)) {
        double largest = deviation(m);
        for (; at < SLICES && hit < end; at = find_next(m, &hit)) {
            advance(m, at);
            largest = fmax(largest, deviation(m));
        }
        err = add_error(context, to, &capacity, size, largest * scale);
        if (at == SLICES)
            break;
    }
    // After the last reuse only cold misses are left.
    return err ? err : add_error(context, to, &capacity, end, deviation(m) * scale);
}

static int finish_lane(sample_errors *s, dj_context *context, uint32_t lane, dj_lane_profile *profile)
{
    dj_sample *to = NULL;
    misses m;
    int err = dj_lane_add_section(context, profile, &dj_section_sample, &to);
    if (err)
        return err;
    to->weight_log2 = (uint32_t)-lround(log2(profile->id.sampling));
    for (uint32_t i = 0; !err && i < SLICES; i++) {
        err = flush(s, context, slice_of(s, lane, i));
        to->accesses += slice_of(s, lane, i)->accesses;
        to->blocks += slice_of(s, lane, i)->cold;
    }
    begin(&m, slice_of(s, lane, 0), to->weight_log2 + SLICES_LOG2);
    double scale = profile->accesses ? exp2((double)to->weight_log2) / (double)profile->accesses : 0;
    return err ? err : list_errors(context, &m, scale, to);
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    sample_errors *s = state;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < s->lane_count; i++)
        if (is_sampled(&s->lanes[i]))
            err = finish_lane(s, context, i, &profile->lanes[i]);
    return err;
}

const dj_observer_ops dj_observer_sample = {
    .name = "sample",
    .summary = "the error of estimates from a sample",
    .fills = &dj_section_sample,
    .create = create,
    .destroy = destroy,
    .watch = watch,
    .finish = finish,
};
