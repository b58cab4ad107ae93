// SPDX-License-Identifier: MIT
#include "locate/followed.h"

#include "base/grow.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static uint64_t address_of(void *user, uint32_t id, uint64_t offset)
{
    const dj_loops *l = user;
    return l->modules[id].load + offset;
}

static int meet_thread(dj_loops *l, dj_context *context, uint64_t id)
{
    uint32_t index;
    bool fresh;
    int err = dj_dictionary_value(&l->thread_ids, context, id, &index, &fresh);
    if (err || !fresh) {
        l->current = err ? l->current : index;
        return err;
    }
    err = dj_grow(context, "the threads", &l->threads, &l->thread_capacity, (size_t)index + 1,
                  sizeof *l->threads);
    if (err)
        return err;
    dj_loop_thread *t = &l->threads[index];
    *t = (dj_loop_thread){.loops = {.thread = (uint32_t)id, .least_change = DJ_MOVE_NONE}};
    err = dj_grow(context, "a call stack", &t->frames, &t->capacity, 1, sizeof *t->frames);
    if (err)
        return err;
    t->frames[t->depth++] = (dj_loop_frame){.sp = UINT64_MAX, .last = DJ_NOTHING, .lost = true};
    l->thread_count = index + 1;
    l->current = index;
    return DJ_OK;
}

int dj_loops_create(dj_context *context, const dj_loops_options *options, dj_loops **out)
{
    dj_loops *l = calloc(1, sizeof *l);
    if (!l)
        return dj_fail_memory(context, "the active loops", sizeof *l);
    l->options = *options;
    l->report = (dj_loop_report){.route = options->route, .address = address_of, .user = l};
    int err = dj_map_create(&l->shapes, context, &l->footprint, 0);
    if (!err)
        err = dj_map_create(&l->moves, context, &l->footprint, 0);
    if (!err)
        err = dj_map_create(&l->report.sites, context, &l->footprint, 0);
    if (!err)
        err = dj_dictionary_create(&l->thread_ids, context);
    if (!err)
        err = meet_thread(l, context, 0);
    if (err)
        dj_loops_destroy(l);
    else
        *out = l;
    return err;
}

void dj_loops_destroy(dj_loops *l)
{
    if (!l)
        return;
    for (uint64_t i = 0; l->shapes.entries && i <= l->shapes.mask; i++)
        dj_shape_destroy((dj_shape *)(uintptr_t)l->shapes.entries[i].value);
    for (size_t i = 0; i < l->module_count; i++)
        free(l->modules[i].identity);
    for (size_t i = 0; i < l->thread_count; i++) {
        free(l->threads[i].frames);
        free(l->threads[i].loops.levels);
    }
    dj_map_destroy(&l->shapes);
    dj_map_destroy(&l->moves);
    dj_map_destroy(&l->report.sites);
    dj_dictionary_destroy(&l->thread_ids);
    free(l->modules);
    free(l->sites);
    free(l->moved);
    free(l->pieces);
    free(l->threads);
    free(l->sorted);
    free(l);
}

// --- execution ----------------------------------------------------------------

static int change(dj_loops *l, dj_context *context, dj_loop_thread *t, uint64_t now, uint32_t what)
{
    const uint32_t depth = t->frames[t->depth - 1].base + what / 2;
    if (what % 2 && depth < t->loops.depth)
        return dj_loop_stack_iterate(&t->loops, context, &l->report, now, depth);
    return dj_loop_stack_leave(&t->loops, context, &l->report, now, depth);
}

static int enter(dj_context *context, dj_loop_thread *t, uint64_t now, const dj_shape *shape, uint32_t block)
{
    const dj_loop_frame *f = &t->frames[t->depth - 1];
    return shape && block != DJ_NOTHING
               ? dj_loop_stack_enter(&t->loops, context, now, f->base, shape, shape->blocks[block].loop)
               : DJ_OK;
}

// Control came from somewhere unknown, and callers may be others.
static int lose(dj_loops *l, dj_context *context, dj_loop_thread *t, uint64_t now)
{
    t->depth = 1;
    t->frames[0] = (dj_loop_frame){.sp = UINT64_MAX, .last = DJ_NOTHING};
    return dj_loop_stack_lose(&t->loops, context, &l->report, now);
}

// Whether a function jumped to another as its last action, and did not continue somewhere else.
static bool is_last_call(const dj_piece *before, const dj_piece *p)
{
    if (before->returns)
        return false;
    if (before->next != DJ_ROUTE_ANYWHERE)
        return before->module == p->module && before->next == (p->shape ? p->shape->entry : p->lo);
    return p->enters || !p->shape || !before->shape; // from a linkage table, at the latest
}

// The first segment of a frame, or of another function in it.
static int begin(dj_loops *l, dj_context *context, dj_loop_thread *t, uint64_t now, const dj_piece *p)
{
    dj_loop_frame *f = &t->frames[t->depth - 1];
    const dj_piece *before = f->last == DJ_NOTHING ? NULL : &l->pieces[f->last];
    int err = DJ_OK;
    if (f->lost || (before && !is_last_call(before, p)))
        err = lose(l, context, t, now);
    else if (before)
        err = dj_loop_stack_leave(&t->loops, context, &l->report, now, f->base);
    t->frames[t->depth - 1].shape = p->shape;
    return err ? err : enter(context, t, now, p->shape, p->block);
}

// Loops that change within a segment, at the first access of the code from there on.
static int cross(dj_loops *l, dj_context *context, dj_loop_thread *t, const dj_route_step *step,
                 uint32_t until)
{
    const dj_piece p = l->pieces[step->segment];
    const uint32_t *site = l->report.batch->column.site;
    uint32_t at = step->index;
    int err = DJ_OK;
    for (uint32_t i = p.block + 1; !err && p.shape->blocks[i].hi && p.shape->blocks[i].lo < p.hi; i++) {
        const uint32_t what = dj_shape_arrive(p.shape, p.shape->blocks[i - 1].loop, i);
        if (what == DJ_MOVE_NONE)
            continue;
        while (at < until && l->sites[site[at]] < p.shape->blocks[i].lo)
            at++;
        err = change(l, context, t, l->report.first + at, what);
        if (!err)
            err = enter(context, t, l->report.first + at, p.shape, i);
    }
    return err;
}

static int move(dj_loops *l, dj_context *context, dj_loop_thread *t, uint64_t now, const dj_piece *p)
{
    int err = DJ_OK;
    const uint32_t depth = t->frames[t->depth - 1].base + p->depth;
    if (p->move.change + 1 == 2 * p->depth && p->move.unsure == DJ_MOVE_NONE && t->loops.depth == depth &&
        2 * depth - 1 >= t->loops.least_change) {
        t->loops.levels[depth - 1].began = now; // the innermost loop again
        return DJ_OK;
    }
    if (p->move.unsure != DJ_MOVE_NONE)
        err = dj_loop_stack_doubt(&t->loops, context, &l->report, now,
                                  t->frames[t->depth - 1].base + p->move.unsure);
    if (err || p->move.change == DJ_MOVE_NONE)
        return err;
    err = change(l, context, t, now, p->move.change);
    return err ? err : enter(context, t, now, p->shape, p->block);
}

static int step(dj_loops *l, dj_context *context, const dj_route_step *s, uint32_t until)
{
    dj_loop_thread *t = &l->threads[l->current];
    dj_loop_frame *f = &t->frames[t->depth - 1];
    const uint32_t id = s->segment;
    const uint64_t now = l->report.first + s->index;
    int err = DJ_OK;
    if ((id >= l->piece_capacity || !l->pieces[id].known) && (err = dj_loops_learn(l, context, id)))
        return err;
    dj_piece *p = &l->pieces[id];
    if (f->last == DJ_NOTHING || f->lost || f->shape != p->shape || l->pieces[f->last].returns) {
        err = begin(l, context, t, now, p);
    } else {
        if (p->from != f->last)
            err = dj_loops_find_move(l, context, f->last, id);
        if (!err && (p->move.change != DJ_MOVE_NONE || p->move.unsure != DJ_MOVE_NONE))
            err = move(l, context, t, now, p);
    }
    t->frames[t->depth - 1].last = id;
    if (!err && p->crosses)
        err = cross(l, context, t, s, until);
    return err;
}

// --- events -------------------------------------------------------------------

static int pop(dj_loops *l, dj_context *context, dj_loop_thread *t, uint64_t now)
{
    t->depth--;
    return t->loops.depth > t->frames[t->depth].base
               ? dj_loop_stack_leave(&t->loops, context, &l->report, now, t->frames[t->depth].base)
               : DJ_OK;
}

static int call(dj_loops *l, dj_context *context, dj_loop_thread *t, uint64_t now, uint64_t sp)
{
    int err = DJ_OK;
    while (!err && t->depth > 1 && t->frames[t->depth - 1].sp <= sp)
        err = pop(l, context, t, now);
    if (!err)
        err = dj_grow(context, "a call stack", &t->frames, &t->capacity, t->depth + 1, sizeof *t->frames);
    if (!err)
        t->frames[t->depth++] = (dj_loop_frame){.sp = sp, .last = DJ_NOTHING, .base = t->loops.depth};
    return err;
}

static int come_back(dj_loops *l, dj_context *context, dj_loop_thread *t, uint64_t now, uint64_t sp)
{
    int err = DJ_OK;
    if (t->depth == 1 || t->frames[t->depth - 1].sp >= sp)
        t->frames[t->depth - 1].lost = true;
    while (!err && t->depth > 1 && t->frames[t->depth - 1].sp < sp)
        err = pop(l, context, t, now);
    return err;
}

static int add_module(dj_loops *l, dj_context *context, const dj_event *e)
{
    enum { MODULES_MOST = 1 << 16 };
    if (e->a >= MODULES_MOST)
        return DJ_OK;
    int err = dj_grow(context, "the modules", &l->modules, &l->module_capacity, (size_t)e->a + 1,
                      sizeof *l->modules);
    if (err)
        return err;
    l->module_count = e->a >= l->module_count ? (size_t)e->a + 1 : l->module_count;
    dj_loop_module *m = &l->modules[e->a];
    if (e->type == DJ_EVENT_IDENTITY) {
        free(m->identity);
        m->identity = NULL;
        return dj_copy_text(context, e->text, &m->identity);
    }
    m->load = e->b;
    m->end = e->b + e->c;
    for (size_t i = 0; i < l->piece_capacity; i++) // it may overlap an unloaded one
        l->pieces[i].known = l->pieces[i].known && l->pieces[i].module != DJ_NOTHING;
    const dj_lookup *ask = &l->options.lookup;
    return ask->add_module
               ? ask->add_module(ask->user, context, (uint32_t)e->a, e->text, m->identity ? m->identity : "")
               : DJ_OK;
}

static int add_site(dj_loops *l, dj_context *context, const dj_event *e)
{
    int err = dj_grow(context, "the sites", &l->sites, &l->site_capacity, (size_t)e->a + 1, sizeof *l->sites);
    if (!err)
        l->sites[e->a] = e->c;
    return err;
}

static int mark(dj_loops *l, dj_context *context, uint64_t now)
{
    l->mark = now + DJ_LOOP_MARKS;
    return dj_loop_stack_mark(&l->threads[l->current].loops, context, &l->report, now);
}

static int settle(dj_loops *l, dj_context *context)
{
    return dj_loop_stack_settle(&l->threads[l->current].loops, context, &l->report);
}

static int switch_thread(dj_loops *l, dj_context *context, uint64_t now, uint64_t id)
{
    int err = settle(l, context);
    if (!err)
        err = meet_thread(l, context, id);
    return err ? err : mark(l, context, now);
}

static int forget(dj_loops *l, dj_context *context, uint64_t now)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < l->thread_count; i++) {
        err = lose(l, context, &l->threads[i], now);
        l->threads[i].frames[0].lost = true;
    }
    return err;
}

static int see_event(dj_loops *l, dj_context *context, const dj_event *e)
{
    dj_loop_thread *t = &l->threads[l->current];
    const uint64_t now = l->report.first + e->index;
    switch (e->type) {
    case DJ_EVENT_CALL:
        return call(l, context, t, now, e->c);
    case DJ_EVENT_RETURN:
        return come_back(l, context, t, now, e->c);
    case DJ_EVENT_MODULE:
    case DJ_EVENT_IDENTITY:
        return add_module(l, context, e);
    case DJ_EVENT_SITE:
        return add_site(l, context, e);
    case DJ_EVENT_THREAD:
        return switch_thread(l, context, now, e->a);
    case DJ_EVENT_GAP:
        return forget(l, context, now);
    default:
        return DJ_OK;
    }
}

// --- batches ------------------------------------------------------------------

// Sorts the events by index: those before `own`, which are sorted, and the own ones, which are almost. Those
// of the same index keep their order.
static int sort_events(dj_loops *l, dj_context *context, dj_batch *batch, uint32_t own)
{
    dj_event *events = (dj_event *)(uintptr_t)batch->events; // they belong to the batch
    uint32_t others = own, added = batch->event_count - own;
    int err =
        dj_grow(context, "the events of a batch", &l->sorted, &l->sorted_capacity, added, sizeof *l->sorted);
    for (uint32_t i = 0; !err && i < added; i++) {
        uint32_t at = i;
        for (; at > 0 && l->sorted[at - 1].index > events[own + i].index; at--)
            l->sorted[at] = l->sorted[at - 1];
        l->sorted[at] = events[own + i];
    }
    while (!err && added > 0) { // from the last one on
        const bool other = others > 0 && events[others - 1].index > l->sorted[added - 1].index;
        dj_event *to = &events[others + added - 1];
        *to = other ? events[--others] : l->sorted[--added];
    }
    return err;
}

static int follow(dj_loops *l, dj_context *context, dj_batch *batch)
{
    const dj_route *route = l->options.route;
    const uint32_t own = batch->event_count;
    uint32_t e = 0;
    l->report.batch = batch;
    int err = mark(l, context, l->report.first);
    for (uint32_t i = 0; !err && i <= route->count; i++) {
        const bool last = i == route->count;
        const uint32_t events = last ? own : route->steps[i].events;
        for (; !err && e < events && e < own; e++) {
            const dj_event event = batch->events[e]; // the list may move
            err = see_event(l, context, &event);
        }
        if (err || last)
            break;
        const dj_route_step *s = &route->steps[i];
        if (l->report.first + s->index >= l->mark) {
            err = settle(l, context);
            if (!err)
                err = mark(l, context, l->report.first + s->index);
        }
        if (!err)
            err = step(l, context, s, i + 1 < route->count ? s[1].index : batch->count);
    }
    if (!err)
        err = settle(l, context);
    l->report.first += batch->count;
    return err ? err : sort_events(l, context, batch, own);
}

static int next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    (void)pool;
    dj_loops *l = state;
    int err = dj_source_next(l->inner, context, out);
    if (!*out)
        return err;
    int followed = follow(l, context, *out);
    if (!followed)
        return err;
    dj_batch_release(*out);
    *out = NULL;
    return followed;
}

static void progress(const void *state, dj_progress *out)
{
    dj_source_progress(((const dj_loops *)state)->inner, out);
}

static const char *name(const void *state)
{
    return dj_source_name(((const dj_loops *)state)->inner);
}

int dj_loops_source(dj_context *context, dj_loops *loops, dj_source *inner, dj_source **out)
{
    static const dj_source_ops ops = {.next = next, .progress = progress, .name = name};
    loops->inner = inner;
    return dj_source_create(context, &ops, loops, dj_source_get_info(inner), out);
}
