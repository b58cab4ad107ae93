// SPDX-License-Identifier: MIT
#include "pipeline/lanes/operations.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static const char what[] = "the operations of a batch";

#define OPERATION (UINT32_C(1) << 31)

void dj_operations_free(dj_operations *o)
{
    free(o->list);
    free(o->sorted);
    free(o->end);
    free(o->shares);
    free(o->share_of);
    free(o->columns);
    *o = (dj_operations){0};
}

int dj_operations_add(dj_operations *o, dj_context *context, const dj_operation *operation)
{
    if (o->count == o->capacity) {
        int err = dj_grow(context, what, &o->list, &o->capacity, o->count + 1, sizeof *o->list);
        if (err)
            return err;
    }
    o->list[o->count++] = *operation;
    return DJ_OK;
}

static int reserve(dj_operations *o, dj_context *context, uint32_t share_count)
{
    uint32_t partitions = 0;
    for (uint32_t k = 0; k < share_count; k++)
        partitions = o->shares[k].partition >= partitions ? o->shares[k].partition + 1 : partitions;
    for (size_t i = 0; i < o->count; i++)
        partitions = o->list[i].partition >= partitions ? o->list[i].partition + 1 : partitions;
    int err = dj_grow(context, what, &o->share_of, &o->share_of_capacity, partitions, sizeof *o->share_of);
    if (!err)
        err = dj_grow(context, what, &o->shares, &o->share_capacity, share_count + (size_t)partitions,
                      sizeof *o->shares);
    if (!err)
        err = dj_grow(context, what, &o->end, &o->end_capacity, share_count + (size_t)partitions,
                      sizeof *o->end);
    if (!err)
        err = dj_grow(context, what, &o->sorted, &o->sorted_capacity, o->count, sizeof *o->sorted);
    return err;
}

// Groups the operations by share. On entry `end` has the number of operations of each share.
static void sort(dj_operations *o, uint32_t share_count)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < share_count; k++) {
        uint32_t here = o->end[k];
        o->end[k] = at;
        at += here;
    }
    for (size_t i = 0; i < o->count; i++)
        o->sorted[o->end[o->share_of[o->list[i].partition] - 1]++] = (uint32_t)i;
}

int dj_operations_share(dj_operations *o, dj_context *context, dj_subset *subset)
{
    uint32_t count = subset->share_count;
    int err = dj_grow(context, what, &o->shares, &o->share_capacity, count + (size_t)1, sizeof *o->shares);
    if (err)
        return err;
    if (count > 0)
        memcpy(o->shares, subset->shares, count * sizeof *o->shares);
    err = reserve(o, context, count);
    if (err)
        return err;
    for (uint32_t k = 0; k < count; k++) {
        o->share_of[o->shares[k].partition] = k + 1;
        o->end[k] = 0;
    }
    for (size_t i = 0; i < o->count; i++) {
        uint32_t *share = &o->share_of[o->list[i].partition];
        if (*share == 0) {
            o->shares[count] = (dj_share){o->list[i].partition, subset->count, subset->count};
            o->end[count] = 0;
            *share = ++count;
        }
        o->end[*share - 1]++;
    }
    sort(o, count);
    for (uint32_t k = 0; k < count; k++)
        o->share_of[o->shares[k].partition] = 0;
    subset->shares = o->shares;
    subset->share_count = count;
    return DJ_OK;
}

static int allocate(dj_operations *o, dj_context *context, const dj_work *like, size_t count)
{
    const size_t wide = sizeof(uint64_t) *
                        (1u + (like->time != NULL) + (like->distance != NULL) + (like->prev_time != NULL)),
                 narrow = sizeof(uint32_t) * (1u + (like->tag != NULL) + (like->prev_tag != NULL));
    if (count * (wide + narrow + 1) <= o->bytes)
        return DJ_OK;
    // Half as much again, since the next batch is similar.
    const size_t bytes = (count + count / 2) * (wide + narrow + 1);
    free(o->columns);
    o->bytes = 0;
    o->columns = malloc(bytes);
    if (!o->columns)
        return dj_fail_memory(context, what, bytes);
    o->bytes = bytes;
    return DJ_OK;
}

static void *column(char **at, bool wanted, size_t bytes)
{
    void *here = *at;
    *at += wanted ? bytes : 0;
    return wanted ? here : NULL;
}

// Merges the accesses of each share with its operations.
static void merge(dj_operations *o, const dj_subset *subset, uint32_t *end)
{
    uint32_t n = 0, at = 0;
    for (uint32_t k = 0; k < subset->share_count; k++) {
        uint32_t access = subset->shares[k].begin;
        for (; at < o->end[k]; at++) {
            const uint32_t position = o->list[o->sorted[at]].position;
            for (; access < subset->shares[k].end && subset->order[access] <= position; access++)
                o->from[n++] = access;
            o->from[n++] = o->sorted[at] | OPERATION;
        }
        for (; access < subset->shares[k].end; access++)
            o->from[n++] = access;
        end[k] = n;
    }
}

static const uint64_t *put_wide(const dj_operations *o, uint64_t *to, const uint64_t *from)
{
    for (size_t i = 0; to && i < o->element_count; i++)
        to[i] = o->from[i] & OPERATION ? 0 : from[o->from[i]];
    return to;
}

static const uint32_t *put_narrow(const dj_operations *o, uint32_t *to, const uint32_t *from)
{
    for (size_t i = 0; to && i < o->element_count; i++)
        to[i] = o->from[i] & OPERATION ? 0 : from[o->from[i]];
    return to;
}

int dj_operations_insert(dj_operations *o, dj_context *context, const dj_subset *subset, dj_work *work,
                         uint32_t *end)
{
    const size_t n = subset->count + o->count, wide = n * sizeof(uint64_t), narrow = n * sizeof(uint32_t);
    int err = allocate(o, context, work, n);
    if (err)
        return err;
    char *at = o->columns;
    uint64_t *key = column(&at, true, wide);
    uint64_t *time = column(&at, work->time, wide);
    o->work.distance = column(&at, work->distance, wide);
    o->work.prev_time = column(&at, work->prev_time, wide);
    uint32_t *tag = column(&at, work->tag, narrow);
    o->work.prev_tag = column(&at, work->prev_tag, narrow);
    o->from = column(&at, true, narrow);
    uint8_t *op = (uint8_t *)at;
    o->element_count = n;
    merge(o, subset, end);
    for (size_t i = 0; i < n; i++) {
        const uint32_t from = o->from[i];
        const dj_operation *operation = from & OPERATION ? &o->list[from & ~OPERATION] : NULL;
        key[i] = operation ? operation->key : work->key[from];
        op[i] = operation ? operation->op : DJ_OP_ACCESS;
    }
    o->work.key = key;
    o->work.op = op;
    o->work.time = put_wide(o, time, work->time);
    o->work.tag = put_narrow(o, tag, work->tag);
    *work = o->work;
    return DJ_OK;
}

static void extract_wide(const dj_operations *o, uint64_t *to, const uint64_t *answers)
{
    for (size_t i = 0; to && i < o->element_count; i++)
        if (!(o->from[i] & OPERATION))
            to[o->from[i]] = answers[i];
}

static void extract_narrow(const dj_operations *o, uint32_t *to, const uint32_t *answers)
{
    for (size_t i = 0; to && i < o->element_count; i++)
        if (!(o->from[i] & OPERATION))
            to[o->from[i]] = answers[i];
}

void dj_operations_extract(const dj_operations *o, const dj_work *to)
{
    extract_wide(o, to->distance, o->work.distance);
    extract_wide(o, to->prev_time, o->work.prev_time);
    extract_narrow(o, to->prev_tag, o->work.prev_tag);
}
