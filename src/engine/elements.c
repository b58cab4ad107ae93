// SPDX-License-Identifier: MIT
#include "engine/elements.h"

#include <stdlib.h>

enum { MOST_EXPECTED = 1 << 24 };

static int resize_columns(dj_elements *e, dj_context *context, uint32_t capacity)
{
    static const char what[] = "the table of keys";
    dj_footprint *f = e->footprint;
    int err = dj_footprint_resize(f, context, what, &e->key, e->capacity, capacity, sizeof *e->key);
    if (err == DJ_OK && e->use & DJ_CAN_TAGS)
        err = dj_footprint_resize(f, context, what, &e->tag, e->capacity, capacity, sizeof *e->tag);
    if (err == DJ_OK && e->use & DJ_CAN_TIMES)
        err = dj_footprint_resize(f, context, what, &e->time, e->capacity, capacity, sizeof *e->time);
    if (err == DJ_OK && e->use & DJ_CAN_WEIGHTS)
        err = dj_footprint_resize(f, context, what, &e->weight, e->capacity, capacity, sizeof *e->weight);
    if (err == DJ_OK)
        e->capacity = capacity;
    return err;
}

int dj_elements_create(dj_elements *elements, dj_context *context, const dj_engine_params *params,
                       dj_footprint *footprint)
{
    uint64_t expected = params->expected_keys < MOST_EXPECTED ? params->expected_keys : MOST_EXPECTED;
    const uint64_t most = params->most_keys && params->most_keys < UINT32_MAX - DJ_ELEMENTS_LEAST
                              ? params->most_keys + DJ_ELEMENTS_LEAST
                              : 0;
    *elements = (dj_elements){.use = params->use, .most = (uint32_t)most, .footprint = footprint};
    int err = dj_map_create(&elements->numbers, context, footprint, expected);
    if (err == DJ_OK)
        err = resize_columns(elements, context, (uint32_t)expected + DJ_ELEMENTS_LEAST);
    if (err != DJ_OK)
        dj_elements_destroy(elements);
    return err;
}

void dj_elements_destroy(dj_elements *elements)
{
    dj_map_destroy(&elements->numbers);
    free(elements->key);
    free(elements->tag);
    free(elements->time);
    free(elements->weight);
    *elements = (dj_elements){0};
}

static uint64_t column_bytes(uint32_t use)
{
    return sizeof(uint64_t) + (use & DJ_CAN_TAGS ? sizeof(uint32_t) : 0) +
           (use & DJ_CAN_TIMES ? sizeof(uint64_t) : 0) + (use & DJ_CAN_WEIGHTS ? sizeof(uint64_t) : 0);
}

// While the map grows, there are two; while a column grows, there are two of it.
uint64_t dj_elements_bytes(uint32_t use, uint64_t keys)
{
    const uint64_t map = dj_probe_entries(keys, DJ_ELEMENTS_LEAST) * sizeof(dj_map_entry);
    return map + map / 2 + (keys + DJ_ELEMENTS_LEAST) * (column_bytes(use) + sizeof(uint64_t));
}

static int take_number(dj_elements *e, dj_context *context, uint32_t *number)
{
    if (e->released != 0) {
        *number = e->released;
        e->released = (uint32_t)e->key[*number];
        return DJ_OK;
    }
    if (e->count == UINT32_MAX - 1)
        return dj_fail(context, DJ_ERR_MEMORY, "more than %u distinct keys; choose engine fast", e->count);
    *number = e->count + 1;
    if (*number == e->capacity) {
        uint32_t left = UINT32_MAX - e->capacity;
        uint32_t more = e->capacity / 2 < left ? e->capacity / 2 : left;
        if (e->most > e->capacity && e->most - e->capacity < more)
            more = e->most - e->capacity;
        int err = resize_columns(e, context, e->capacity + more);
        if (err != DJ_OK)
            return err;
    }
    e->count = *number;
    return DJ_OK;
}

int dj_elements_find(dj_elements *elements, dj_context *context, uint64_t key, uint32_t *number, bool *cold)
{
    uint64_t *value = dj_map_at(&elements->numbers, context, key);
    if (!value)
        return DJ_ERR_MEMORY;
    *cold = *value == 0;
    if (*cold) {
        int err = take_number(elements, context, number);
        if (err != DJ_OK)
            return err;
        elements->key[*number] = key;
        *value = *number;
    }
    *number = (uint32_t)*value;
    return DJ_OK;
}

uint32_t dj_elements_forget(dj_elements *elements, uint64_t key)
{
    return (uint32_t)dj_map_remove(&elements->numbers, key);
}

void dj_elements_release(dj_elements *elements, uint32_t number)
{
    elements->key[number] = elements->released;
    elements->released = number;
}

void dj_elements_order_put(const dj_elements *elements, uint32_t number, dj_order *out, size_t at)
{
    out->key[at] = elements->key[number];
    if (out->tag)
        out->tag[at] = elements->tag[number];
    if (out->time)
        out->time[at] = elements->time[number];
    if (out->weight)
        out->weight[at] = elements->weight[number];
}
