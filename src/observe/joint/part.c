// SPDX-License-Identifier: MIT
#include "observe/joint/part.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"

int dj_joint_part_create(dj_context *context, bool others, dj_joint_part **out)
{
    dj_joint_part *p = calloc(1, sizeof *p);
    if (!p)
        return dj_fail_memory(context, "observer joint", sizeof *p);
    int err = dj_histogram_create(context, &p->time);
    if (!err)
        err = dj_positions_create(&p->first, context);
    if (!err)
        err = dj_positions_create(&p->last, context);
    if (!err)
        err = dj_phases_create(&p->phases, context);
    if (!err && others && !(p->turns = calloc(1, sizeof *p->turns)))
        err = dj_fail_memory(context, "observer joint", sizeof *p->turns);
    if (err)
        dj_joint_part_destroy(p);
    else
        *out = p;
    return err;
}

void dj_joint_part_destroy(dj_joint_part *p)
{
    if (!p)
        return;
    dj_histogram_destroy(p->time);
    dj_positions_free(&p->first);
    dj_positions_free(&p->last);
    dj_phases_free(&p->phases);
    free(p->turns);
    free(p);
}

// The same in every process, so that samples can be compared.
static uint64_t hash(uint64_t key)
{
    return dj_random_mix(key + UINT64_C(0x9e3779b97f4a7c15));
}

static void take_sample(dj_joint_part *p, uint64_t value, uint64_t time)
{
    size_t at = p->sample_count;
    if (at == DJ_JOINT_SAMPLE && value >= p->sample[at - 1])
        return;
    while (at > 0 && p->sample[at - 1] > value)
        at--;
    size_t kept = p->sample_count < DJ_JOINT_SAMPLE ? p->sample_count++ : DJ_JOINT_SAMPLE - 1;
    memmove(p->sample + at + 1, p->sample + at, (kept - at) * sizeof *p->sample);
    memmove(p->sample_first + at + 1, p->sample_first + at, (kept - at) * sizeof *p->sample);
    p->sample[at] = value;
    p->sample_first[at] = time;
}

int dj_joint_part_cold(dj_joint_part *p, dj_context *context, uint64_t key)
{
    const uint64_t now = p->accesses++;
    dj_phase *phase = dj_phases_at(&p->phases, context, now);
    if (!phase)
        return DJ_ERR_MEMORY;
    p->distinct++;
    phase->cold++;
    dj_positions_add(&p->first, now);
    dj_positions_add(&p->last, now);
    dj_dyadic_add(&p->dyadic, now, 0, &phase->windows);
    take_sample(p, hash(key), now + 1);
    return DJ_OK;
}

int dj_joint_part_reuse(dj_joint_part *p, dj_context *context, uint64_t age, uint64_t distance, bool counts)
{
    const uint64_t now = p->accesses++;
    dj_phase *phase = dj_phases_at(&p->phases, context, now);
    if (!phase)
        return DJ_ERR_MEMORY;
    dj_positions_remove(&p->last, now - age);
    dj_positions_add(&p->last, now);
    dj_dyadic_add(&p->dyadic, now, age, &phase->windows);
    int err = dj_histogram_add(p->time, context, age, 1);
    return err || !counts ? err : dj_phases_count(&p->phases, context, now, age, distance);
}

static int copy_sample(dj_context *context, const uint64_t *from, size_t count, uint64_t **to,
                       size_t *to_count)
{
    *to = malloc((count + 1) * sizeof **to);
    if (!*to)
        return dj_fail_memory(context, "observer joint", count * sizeof **to);
    memcpy(*to, from, count * sizeof **to);
    *to_count = count;
    return DJ_OK;
}

int dj_joint_part_finish(dj_joint_part *p, dj_context *context, dj_joint_sharer *out)
{
    out->accesses = p->accesses;
    out->distinct = p->distinct;
    int err = dj_histogram_create(context, &out->time);
    if (!err)
        err = dj_histogram_merge(out->time, context, p->time);
    if (!err)
        err = dj_positions_histogram(&p->first, context, 0, &out->first);
    if (!err)
        err = dj_positions_histogram(&p->last, context, p->accesses, &out->last);
    if (!err)
        err = dj_phases_finish(&p->phases, context, out);
    if (!err && p->turns)
        err = dj_turn_counts_finish(p->turns, context, out);
    if (!err)
        err = copy_sample(context, p->sample, p->sample_count, &out->sample, &out->sample_count);
    if (!err)
        err = copy_sample(context, p->sample_first, p->sample_count, &out->sample_first,
                          &out->sample_first_count);
    return err;
}
