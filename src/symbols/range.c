// SPDX-License-Identifier: MIT
#include "symbols/range.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

int dj_ranges_add(dj_ranges *spans, dj_context *context, uint64_t lo, uint64_t hi, uint32_t item)
{
    if (hi <= lo)
        return DJ_OK;
    int err = dj_grow(context, "ranges of addresses", &spans->rows, &spans->capacity, spans->count + 1,
                      sizeof *spans->rows);
    if (err)
        return err;
    spans->rows[spans->count++] = (dj_range){lo, hi, item};
    return DJ_OK;
}

void dj_ranges_free(dj_ranges *spans)
{
    free(spans->rows);
    *spans = (dj_ranges){0};
}

static int by_start(const void *a, const void *b)
{
    const dj_range *x = a, *y = b;
    if (x->lo != y->lo)
        return x->lo < y->lo ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

// A heap of the ranges that are open at an address, the highest item on top.
typedef struct open_spans {
    const dj_range **at;
    size_t count;
} open_spans;

static void open_span(open_spans *open, const dj_range *span)
{
    size_t i = open->count++;
    for (; i > 0 && open->at[(i - 1) / 2]->item < span->item; i = (i - 1) / 2)
        open->at[i] = open->at[(i - 1) / 2];
    open->at[i] = span;
}

static void close_top(open_spans *open)
{
    const dj_range *last = open->at[--open->count];
    size_t i = 0, child;
    for (; (child = 2 * i + 1) < open->count; i = child) {
        if (child + 1 < open->count && open->at[child + 1]->item > open->at[child]->item)
            child++;
        if (open->at[child]->item <= last->item)
            break;
        open->at[i] = open->at[child];
    }
    open->at[i] = last;
}

// Writes the top item from `from` up to `to`.
static int emit_until(dj_ranges *out, dj_context *context, open_spans *open, uint64_t from, uint64_t to)
{
    while (open->count > 0 && from < to) {
        const dj_range *top = open->at[0];
        uint64_t end = top->hi < to ? top->hi : to;
        if (end > from) {
            dj_range *last = out->count ? &out->rows[out->count - 1] : NULL;
            int err = DJ_OK;
            if (last && last->hi == from && last->item == top->item)
                last->hi = end;
            else
                err = dj_ranges_add(out, context, from, end, top->item);
            if (err != DJ_OK)
                return err;
            from = end;
        }
        if (top->hi <= from)
            close_top(open);
    }
    return DJ_OK;
}

int dj_ranges_flatten(dj_ranges *spans, dj_context *context)
{
    dj_ranges out = {0};
    int err = DJ_OK;
    if (spans->count == 0)
        return DJ_OK;
    open_spans open = {.at = malloc(spans->count * sizeof *open.at)};
    if (!open.at)
        return dj_fail_memory(context, "ranges of addresses", spans->count * sizeof *open.at);
    qsort(spans->rows, spans->count, sizeof *spans->rows, by_start);
    for (size_t i = 0; err == DJ_OK && i < spans->count; i++) {
        if (i > 0)
            err = emit_until(&out, context, &open, spans->rows[i - 1].lo, spans->rows[i].lo);
        open_span(&open, &spans->rows[i]);
    }
    if (err == DJ_OK)
        err = emit_until(&out, context, &open, spans->rows[spans->count - 1].lo, UINT64_MAX);
    free(open.at);
    if (err != DJ_OK) {
        dj_ranges_free(&out);
        return err;
    }
    dj_ranges_free(spans);
    *spans = out;
    return DJ_OK;
}

size_t dj_ranges_from(const dj_ranges *spans, uint64_t address)
{
    size_t lo = 0, hi = spans->count;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (spans->rows[middle].hi <= address)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

const dj_range *dj_ranges_find(const dj_ranges *spans, uint64_t address)
{
    size_t at = dj_ranges_from(spans, address);
    return at < spans->count && spans->rows[at].lo <= address ? &spans->rows[at] : NULL;
}

int dj_ranges_insert(dj_ranges *spans, dj_context *context, uint64_t lo, uint64_t hi, uint32_t item)
{
    size_t count = spans->count, at = dj_ranges_from(spans, lo);
    if (at < count && spans->rows[at].lo < hi)
        hi = spans->rows[at].lo;
    int err = dj_ranges_add(spans, context, lo, hi, item);
    if (err || spans->count == count)
        return err;
    memmove(spans->rows + at + 1, spans->rows + at, (count - at) * sizeof *spans->rows);
    spans->rows[at] = (dj_range){lo, hi, item};
    return DJ_OK;
}
