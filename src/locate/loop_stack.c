// SPDX-License-Identifier: MIT
#include "locate/loop_stack.h"

#include "base/grow.h"

static int add(const dj_loop_stack *s, dj_context *context, const dj_loop_report *r, uint64_t position,
               uint32_t site, uint32_t depth, enum dj_loop_change change)
{
    const dj_event event = {.index = (uint32_t)(position - r->first),
                            .type = DJ_EVENT_LOOP,
                            .a = site,
                            .b = (uint64_t)s->thread << 32 | depth,
                            .c = change,
                            .text = ""};
    return dj_batch_add_event(context, r->batch, &event);
}

static int site_of(dj_loop_report *r, dj_context *context, const dj_loop_level *level, uint32_t *site)
{
    const uint64_t at = level->shape->loops[level->loop - 1].at;
    uint64_t *known = dj_map_at(&r->sites, context, (uint64_t)level->shape->module << 48 ^ at);
    if (!known)
        return DJ_ERR_MEMORY;
    if (*known == 0) {
        const uint64_t address = r->address(r->user, level->shape->module, at);
        int err = r->route->site(r->route->user, context, r->batch, address, site);
        if (err)
            return err;
        *known = (uint64_t)*site + 1;
    }
    *site = (uint32_t)(*known - 1);
    return DJ_OK;
}

static int add_of_level(const dj_loop_stack *s, dj_context *context, dj_loop_report *r, uint32_t depth,
                        enum dj_loop_change change)
{
    const dj_loop_level *level = &s->levels[depth];
    uint32_t site;
    int err = site_of(r, context, level, &site);
    return err ? err
               : add(s, context, r, change == DJ_LOOP_ENTERED ? level->entered : level->began, site, depth,
                     change);
}

int dj_loop_stack_leave(dj_loop_stack *s, dj_context *context, dj_loop_report *r, uint64_t now,
                        uint32_t depth)
{
    int err = DJ_OK;
    if (s->depth > depth)
        s->depth = depth;
    if (2 * depth < s->least_change) {
        s->least_change = 2 * depth;
        if (s->reported > depth) {
            err = add(s, context, r, now, 0, depth, DJ_LOOP_LEFT);
            s->reported = depth;
        }
    }
    return err;
}

int dj_loop_stack_iterate(dj_loop_stack *s, dj_context *context, dj_loop_report *r, uint64_t now,
                          uint32_t depth)
{
    dj_loop_level *level = &s->levels[depth];
    level->began = now;
    s->depth = depth + 1;
    if (2 * depth + 1 >= s->least_change)
        return DJ_OK;
    s->least_change = 2 * depth + 1;
    s->reported = depth + 1;
    level->began_before = now;
    return add_of_level(s, context, r, depth, DJ_LOOP_ITERATED);
}

int dj_loop_stack_enter(dj_loop_stack *s, dj_context *context, uint64_t now, uint32_t base,
                        const dj_shape *shape, uint32_t loop)
{
    const uint32_t depth = base + dj_shape_depth(shape, loop);
    int err = depth > s->depth
                  ? dj_grow(context, "the active loops", &s->levels, &s->capacity, depth, sizeof *s->levels)
                  : DJ_OK;
    if (err)
        return err;
    if (depth > s->depth && 2 * s->depth < s->least_change)
        s->least_change = 2 * s->depth;
    for (uint32_t at = depth; at > s->depth; at--, loop = shape->loops[loop - 1].parent)
        s->levels[at - 1] =
            (dj_loop_level){.shape = shape, .loop = loop, .entered = now, .began = now, .began_before = now};
    s->depth = depth > s->depth ? depth : s->depth;
    return DJ_OK;
}

int dj_loop_stack_doubt(const dj_loop_stack *s, dj_context *context, const dj_loop_report *r, uint64_t now,
                        uint32_t depth)
{
    return add(s, context, r, now, 0, depth, DJ_LOOP_UNSURE);
}

int dj_loop_stack_lose(dj_loop_stack *s, dj_context *context, const dj_loop_report *r, uint64_t now)
{
    s->depth = s->reported = 0;
    s->least_change = 0;
    return add(s, context, r, now, 0, 0, DJ_LOOP_LOST);
}

int dj_loop_stack_settle(dj_loop_stack *s, dj_context *context, dj_loop_report *r)
{
    int err = DJ_OK;
    // A program may recurse very deeply, so only those that changed are visited.
    const uint32_t first = s->least_change == DJ_MOVE_NONE ? s->depth : s->least_change / 2;
    for (uint32_t at = first; !err && at < s->depth; at++) {
        dj_loop_level *level = &s->levels[at];
        const bool enters = at >= s->reported || !level->reported;
        if (enters) {
            err = add_of_level(s, context, r, at, DJ_LOOP_ENTERED);
            level->began_before = level->entered;
        }
        const bool iterates = level->began != level->began_before;
        if (!err && iterates)
            err = add_of_level(s, context, r, at, DJ_LOOP_ITERATED);
        level->reported = true;
        level->began_before = level->began;
        s->reported = enters || iterates ? at + 1 : s->reported;
    }
    s->least_change = DJ_MOVE_NONE;
    return err;
}

int dj_loop_stack_mark(dj_loop_stack *s, dj_context *context, const dj_loop_report *r, uint64_t now)
{
    return add(s, context, r, now, 0, 0, DJ_LOOP_MARK);
}
