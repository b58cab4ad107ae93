// SPDX-License-Identifier: MIT
#include "trace/generate/lru_stack.h"

#include <stdlib.h>
#include <string.h>

void dj_fenwick_add(dj_fenwick *f, uint64_t index, uint64_t amount)
{
    for (uint64_t i = index + 1; i <= f->size; i += i & -i)
        f->sum[i] += amount;
}

uint64_t dj_fenwick_find(const dj_fenwick *f, uint64_t target)
{
    uint64_t at = 0;
    for (uint64_t step = f->size; step > 0; step >>= 1)
        if (at + step <= f->size && f->sum[at + step] <= target) {
            at += step;
            target -= f->sum[at];
        }
    return at;
}

int dj_fenwick_create(dj_context *context, uint64_t least, dj_fenwick *out)
{
    uint64_t size = 1;
    while (size < least)
        size *= 2;
    out->size = size;
    out->sum = calloc(size + 1, sizeof *out->sum);
    return out->sum ? DJ_OK : dj_fail_memory(context, "a generator", (size + 1) * sizeof *out->sum);
}

int dj_lru_stack_create(dj_context *context, uint64_t most, dj_lru_stack *out)
{
    *out = (dj_lru_stack){0};
    int err = dj_fenwick_create(context, 2 * most, &out->occupied);
    if (!err && !(out->slot = malloc(out->occupied.size * sizeof *out->slot)))
        err = dj_fail_memory(context, "a generator", out->occupied.size * sizeof *out->slot);
    return err;
}

void dj_lru_stack_destroy(dj_lru_stack *s)
{
    free(s->occupied.sum);
    free(s->slot);
}

static void put(dj_lru_stack *s, uint64_t element)
{
    s->slot[s->top] = element;
    dj_fenwick_add(&s->occupied, s->top++, 1);
}

// Removes the holes. There are at least twice as many slots as elements, so it pays.
static void compact(dj_lru_stack *s)
{
    for (uint64_t rank = 0; rank < s->count; rank++)
        s->slot[rank] = s->slot[dj_fenwick_find(&s->occupied, rank)];
    memset(s->occupied.sum, 0, (s->occupied.size + 1) * sizeof *s->occupied.sum);
    for (uint64_t i = 0; i < s->count; i++)
        dj_fenwick_add(&s->occupied, i, 1);
    s->top = s->count;
}

void dj_lru_stack_push(dj_lru_stack *s, uint64_t element)
{
    if (s->top == s->occupied.size)
        compact(s);
    s->count++;
    put(s, element);
}

uint64_t dj_lru_stack_access(dj_lru_stack *s, uint64_t depth)
{
    if (s->top == s->occupied.size)
        compact(s);
    uint64_t at = dj_fenwick_find(&s->occupied, s->count - 1 - depth);
    uint64_t element = s->slot[at];
    dj_fenwick_add(&s->occupied, at, (uint64_t)-1);
    put(s, element);
    return element;
}
