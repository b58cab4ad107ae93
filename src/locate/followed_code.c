// SPDX-License-Identifier: MIT
#include "locate/followed.h"

#include "base/grow.h"

static int find_shape(dj_loops *l, dj_context *context, dj_piece *p)
{
    size_t count = 0;
    const dj_lookup *ask = &l->options.lookup;
    const uint64_t *words = ask->flow ? ask->flow(ask->user, p->module, p->lo, &count) : NULL;
    if (!words || count == 0)
        return DJ_OK;
    uint64_t *known = dj_map_at(&l->shapes, context, (uint64_t)p->module << 48 ^ words[0]);
    if (!known)
        return DJ_ERR_MEMORY;
    dj_shape *shape = (dj_shape *)(uintptr_t)*known;
    int err = shape ? DJ_OK : dj_shape_create(context, p->module, words, count, &shape);
    *known = (uint64_t)(uintptr_t)shape;
    p->shape = shape;
    return err;
}

static bool crosses(const dj_piece *p)
{
    for (uint32_t i = p->block + 1; i < p->shape->block_count && p->shape->blocks[i].lo < p->hi; i++)
        if (p->shape->blocks[i].hi &&
            dj_shape_arrive(p->shape, p->shape->blocks[i - 1].loop, i) != DJ_MOVE_NONE)
            return true;
    return false;
}

int dj_loops_learn(dj_loops *l, dj_context *context, uint32_t id)
{
    int err = dj_grow(context, "the code of a program", &l->pieces, &l->piece_capacity, (size_t)id + 1,
                      sizeof *l->pieces);
    if (err)
        return err;
    const dj_route_segment s = l->options.route->segment(l->options.route->user, id);
    dj_piece *p = &l->pieces[id];
    *p = (dj_piece){.known = true,
                    .repeats = s.repeats,
                    .returns = s.returns,
                    .from = DJ_NOTHING,
                    .block = DJ_NOTHING,
                    .module = DJ_NOTHING};
    for (size_t i = l->module_count; i-- > 0 && p->module == DJ_NOTHING;)
        if (s.lo >= l->modules[i].load && s.lo < l->modules[i].end)
            p->module = (uint32_t)i;
    if (p->module == DJ_NOTHING || s.hi <= s.lo)
        return DJ_OK;
    const uint64_t load = l->modules[p->module].load;
    p->lo = s.lo - load;
    p->hi = s.hi - load;
    p->next = s.next > DJ_ROUTE_ANYWHERE ? s.next - load : s.next;
    err = find_shape(l, context, p);
    if (err || !p->shape)
        return err;
    p->enters = p->lo == p->shape->entry;
    p->block = dj_shape_block_at(p->shape, p->lo);
    p->depth = p->block == DJ_NOTHING ? 0 : dj_shape_depth(p->shape, p->shape->blocks[p->block].loop);
    p->crosses = p->block != DJ_NOTHING && crosses(p);
    return DJ_OK;
}

int dj_loops_find_move(dj_loops *l, dj_context *context, uint32_t from, uint32_t to)
{
    dj_piece *p = &l->pieces[to];
    const dj_piece *before = &l->pieces[from];
    p->from = from;
    p->move = (dj_shape_move){DJ_MOVE_NONE, DJ_MOVE_NONE};
    const bool again = before->repeats && p->repeats && before->next == p->lo;
    if (again || !p->shape || p->shape->loop_count == 0)
        return DJ_OK;
    uint64_t *known = dj_map_at(&l->moves, context, (uint64_t)from << 32 | to);
    if (!known)
        return DJ_ERR_MEMORY;
    if (*known) {
        p->move = l->moved[*known - 1];
        return DJ_OK;
    }
    int err = dj_shape_move_to(p->shape, context, before->hi, before->next, p->lo, &p->move);
    if (!err)
        err = dj_grow(context, "the code of a program", &l->moved, &l->moved_capacity, l->moved_count + 1,
                      sizeof *l->moved);
    if (err)
        return err;
    l->moved[l->moved_count++] = p->move;
    *known = l->moved_count;
    return DJ_OK;
}
