// SPDX-License-Identifier: MIT
#include "reorder/calls.h"

#include <stdlib.h>

#include "base/grow.h"

static int push(dj_calls *c, dj_context *context, dj_active_call call)
{
    int err = dj_grow(context, "the calls", &c->list, &c->capacity, c->count + 1, sizeof *c->list);
    if (!err)
        c->list[c->count++] = call;
    return err;
}

int dj_calls_create(dj_calls *c, dj_context *context)
{
    *c = (dj_calls){0};
    return push(
        c, context,
        (dj_active_call){.sp = UINT64_MAX, .part = DJ_NONE, .calling = DJ_NONE, .first_returned = SIZE_MAX});
}

void dj_calls_destroy(dj_calls *c)
{
    free(c->list);
    free(c->live);
    free(c->words);
}

// `abruptly`: not by a return of its own.
static void pop(dj_calls *c, bool abruptly)
{
    const dj_active_call left = c->list[--c->count];
    dj_active_call *top = dj_calls_top(c);
    // What has done nothing may return its arguments.
    const size_t first = left.part == DJ_NONE ? left.first_passed : left.first_live;
    c->word_count = left.first_word;
    if (left.is_void && !abruptly) {
        c->live_count = left.first_live;
        return;
    }
    top->first_returned = first < top->first_returned ? first : top->first_returned;
}

int dj_calls_enter(dj_calls *c, dj_context *context, uint64_t sp, size_t next)
{
    while (c->count > 1 && dj_calls_top(c)->sp <= sp)
        pop(c, true);
    const dj_active_call *top = dj_calls_top(c);
    const bool idle = top->part == DJ_NONE;
    const size_t returned = top->first_returned < c->live_count ? top->first_returned : c->live_count;
    return push(c, context,
                (dj_active_call){.sp = sp,
                                 .first = (uint32_t)next,
                                 .part = DJ_NONE,
                                 .calling = idle ? top->calling : top->part,
                                 .first_passed = idle ? top->first_passed : returned,
                                 .first_live = c->live_count,
                                 .first_word = c->word_count,
                                 .first_returned = SIZE_MAX});
}

bool dj_calls_leave(dj_calls *c, uint64_t sp)
{
    const size_t before = c->count;
    while (c->count > 1 && dj_calls_top(c)->sp < sp)
        pop(c, before - c->count > 0 || (c->count > 2 && c->list[c->count - 2].sp < sp));
    c->jumped = before - c->count > 1;
    return before > c->count;
}

int dj_calls_add_live(dj_calls *c, dj_context *context, uint32_t part, uint32_t instead)
{
    const dj_active_call *top = dj_calls_top(c);
    if (instead != DJ_NONE && c->live_count > top->first_live && c->live[c->live_count - 1].part == instead)
        c->live_count--;
    int err = dj_grow(context, "the results of statements", &c->live, &c->live_capacity, c->live_count + 1,
                      sizeof *c->live);
    if (!err)
        c->live[c->live_count++] = (dj_live){part, top->line, top->loop, (uint32_t)c->count};
    return err;
}

int dj_calls_add_word(dj_calls *c, dj_context *context, dj_word_use use)
{
    int err = dj_grow(context, "the scalars of a statement", &c->words, &c->word_capacity, c->word_count + 1,
                      sizeof *c->words);
    if (!err)
        c->words[c->word_count++] = use;
    return err;
}

size_t dj_calls_find_line(const dj_calls *c, uint32_t line)
{
    size_t first = c->live_count;
    while (first > dj_calls_top(c)->first_live &&
           (c->live[first - 1].depth != c->count || c->live[first - 1].line >= line))
        first--;
    return first;
}

bool dj_calls_has_line(const dj_calls *c, uint32_t line, uint32_t loop)
{
    for (size_t i = dj_calls_top(c)->first_live; i < c->live_count; i++)
        if (c->live[i].depth == c->count && c->live[i].line == line && c->live[i].loop == loop)
            return true;
    return false;
}

int dj_calls_use_live(dj_calls *c, dj_context *context, dj_dataflow *dataflow, size_t first)
{
    int err = DJ_OK;
    for (size_t i = first; !err && i < c->live_count; i++)
        err = dj_dataflow_follow(dataflow, context, c->live[i].part);
    c->live_count = first < c->live_count ? first : c->live_count;
    return err;
}

int dj_calls_use_returned(dj_calls *c, dj_context *context, dj_dataflow *dataflow)
{
    dj_active_call *top = dj_calls_top(c);
    const size_t first = top->first_returned;
    top->first_returned = SIZE_MAX;
    c->jumped = false;
    return first < c->live_count ? dj_calls_use_live(c, context, dataflow, first) : DJ_OK;
}

int dj_calls_use_arguments(const dj_calls *c, dj_context *context, dj_dataflow *dataflow)
{
    dj_active_call *top = dj_calls_top(c);
    int err = dj_dataflow_follow(dataflow, context, top->calling);
    for (size_t i = top->first_passed; !err && top->calling != DJ_NONE && i < top->first_live; i++)
        err = dj_dataflow_follow(dataflow, context, c->live[i].part);
    top->calling = DJ_NONE;
    return err;
}
