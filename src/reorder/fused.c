// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "base/grow.h"
#include "reorder/orders.h"

// Instances that belong to one iteration of a loop are a list. A unit is a run of a loop directly in it, or a
// statement of its own. Each iteration of a unit gets a slot; what has the same slot becomes a list of its
// own.
typedef struct fusion {
    const dj_dataflow *flow;
    const dj_nests *nests;
    uint32_t *order, *sorted;
    uint32_t *slot, *unit; // by instance; units have numbers from 1
    uint32_t *last_use;    // by element: an instance, or DJ_NONE
    uint32_t *starts;      // while a list is sorted: by slot
    size_t start_capacity;
    uint32_t *first_slots; // by unit of the list
    size_t first_slot_capacity;
    uint32_t units;
} fusion;

typedef struct list {
    size_t lo, hi; // in fusion.order
    uint32_t depth;
    uint32_t first_unit;
    uint32_t end; // slots in use
} list;

// The iteration that an instance belongs to, of the loop with `depth` loops around it; DJ_NONE: none.
static uint32_t iteration_at(const fusion *f, uint32_t instance, uint32_t depth)
{
    uint32_t at = f->flow->nest[instance];
    if (at == DJ_NONE || f->nests->list[at].depth < depth)
        return DJ_NONE;
    while (f->nests->list[at].depth > depth)
        at = f->nests->list[at].parent;
    return at;
}

static bool is_of_list(const fusion *f, const list *l, uint32_t instance)
{
    return f->unit[instance] >= l->first_unit && f->unit[instance] < f->units;
}

// The slots of what an instance must follow.
static uint32_t find_ready(const fusion *f, const list *l, uint32_t instance, uint32_t ready)
{
    dj_predecessors p = dj_predecessors_of(f->flow, instance);
    uint32_t before;
    while ((before = dj_predecessors_next(f->flow, &p)) != DJ_NONE)
        if (is_of_list(f, l, before) && f->slot[before] > ready)
            ready = f->slot[before];
    return ready;
}

// The last instance before a unit that used the same data as one of its instances; DJ_NONE.
static uint32_t find_partner(const fusion *f, const list *l, uint32_t instance, uint32_t partner)
{
    const dj_dataflow *d = f->flow;
    for (uint32_t use = d->first_use[instance]; use < d->first_use[instance + 1]; use++) {
        const uint32_t other = f->last_use[dj_use_element(d, use)];
        if (other != DJ_NONE && is_of_list(f, l, other) &&
            (partner == DJ_NONE || f->unit[other] > f->unit[partner] ||
             (f->unit[other] == f->unit[partner] && f->slot[other] > f->slot[partner])))
            partner = other;
    }
    return partner;
}

// A statement between loops goes where its data was used last.
static void place_statement(fusion *f, list *l, uint32_t instance)
{
    const uint32_t partner = find_partner(f, l, instance, DJ_NONE);
    const uint32_t slot = find_ready(f, l, instance, partner == DJ_NONE ? 0 : f->slot[partner]);
    f->slot[instance] = slot;
    l->end = slot >= l->end ? slot + 1 : l->end;
}

// The instances from `at` to `end` − 1 are a run of a loop.
static void place_run(fusion *f, list *l, size_t at, size_t end)
{
    uint32_t partner = DJ_NONE;
    for (size_t i = at; i < end; i++)
        partner = find_partner(f, l, f->order[i], partner);
    uint32_t slot = partner == DJ_NONE ? l->end : f->first_slots[f->unit[partner] - l->first_unit];
    f->first_slots[f->units - l->first_unit] = slot;
    for (size_t next; at < end; at = next) {
        const uint32_t iteration = iteration_at(f, f->order[at], l->depth);
        for (next = at; next < end && iteration_at(f, f->order[next], l->depth) == iteration; next++)
            slot = find_ready(f, l, f->order[next], slot);
        for (size_t i = at; i < next; i++)
            f->slot[f->order[i]] = slot;
        l->end = slot >= l->end ? slot + 1 : l->end;
        slot++;
    }
}

static size_t find_end(const fusion *f, const list *l, size_t at)
{
    const uint32_t iteration = iteration_at(f, f->order[at], l->depth);
    size_t end = at + 1;
    while (iteration != DJ_NONE && end < l->hi) {
        const uint32_t other = iteration_at(f, f->order[end], l->depth);
        if (other == DJ_NONE || f->nests->list[other].run != f->nests->list[iteration].run)
            break;
        end++;
    }
    return end;
}

// Adds the unit that begins at *from, which becomes its end.
static int place_unit(fusion *f, dj_context *context, list *l, size_t *from)
{
    const size_t at = *from, end = find_end(f, l, at);
    int err = dj_grow(context, "the order of statements", &f->first_slots, &f->first_slot_capacity,
                      (size_t)(f->units - l->first_unit) + 1, sizeof *f->first_slots);
    if (err)
        return err;
    if (iteration_at(f, f->order[at], l->depth) == DJ_NONE) {
        place_statement(f, l, f->order[at]);
        f->first_slots[f->units - l->first_unit] = f->slot[f->order[at]];
    } else {
        place_run(f, l, at, end);
    }
    for (size_t i = at; i < end; i++) {
        const uint32_t instance = f->order[i];
        f->unit[instance] = f->units;
        for (uint32_t use = f->flow->first_use[instance]; use < f->flow->first_use[instance + 1]; use++)
            f->last_use[dj_use_element(f->flow, use)] = instance;
    }
    f->units++;
    *from = end;
    return DJ_OK;
}

static int sort_by_slot(fusion *f, dj_context *context, const list *l)
{
    int err = dj_grow(context, "the order of statements", &f->starts, &f->start_capacity, (size_t)l->end + 1,
                      sizeof *f->starts);
    if (err)
        return err;
    for (uint32_t s = 0; s <= l->end; s++)
        f->starts[s] = 0;
    for (size_t i = l->lo; i < l->hi; i++)
        f->starts[f->slot[f->order[i]] + 1]++;
    for (uint32_t s = 1; s <= l->end; s++)
        f->starts[s] += f->starts[s - 1];
    for (size_t i = l->lo; i < l->hi; i++)
        f->sorted[l->lo + f->starts[f->slot[f->order[i]]]++] = f->order[i];
    for (size_t i = l->lo; i < l->hi; i++)
        f->order[i] = f->sorted[i];
    return DJ_OK;
}

static bool has_loops(const fusion *f, size_t lo, size_t hi, uint32_t depth)
{
    for (size_t i = lo; i < hi; i++)
        if (iteration_at(f, f->order[i], depth) != DJ_NONE)
            return true;
    return false;
}

static int fuse(fusion *f, dj_context *context, size_t lo, size_t hi, uint32_t depth)
{
    list l = {.lo = lo, .hi = hi, .depth = depth, .first_unit = f->units};
    int err = DJ_OK;
    for (size_t at = lo; !err && at < hi;)
        err = place_unit(f, context, &l, &at);
    if (!err)
        err = sort_by_slot(f, context, &l);
    for (size_t at = lo, next; !err && at < hi; at = next) {
        const uint32_t slot = f->slot[f->order[at]];
        for (next = at + 1; next < hi && f->slot[f->order[next]] == slot; next++)
            ;
        if (next - at > 1 && has_loops(f, at, next, depth + 1))
            err = fuse(f, context, at, next, depth + 1);
    }
    return err;
}

int dj_order_fused(dj_context *context, const dj_dataflow *flow, const dj_nests *nests, uint32_t *order)
{
    const size_t n = flow->count;
    fusion f = {.flow = flow,
                .nests = nests,
                .order = order,
                .sorted = malloc((n + 1) * sizeof *f.sorted),
                .slot = malloc((n + 1) * sizeof *f.slot),
                .unit = calloc(n + 1, sizeof *f.unit),
                .last_use = malloc((flow->element_count + 1) * sizeof *f.last_use),
                .units = 1};
    const bool complete = f.sorted && f.slot && f.unit && f.last_use;
    for (size_t i = 0; complete && i < flow->element_count; i++)
        f.last_use[i] = DJ_NONE;
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    int err =
        complete ? fuse(&f, context, 0, n, 0) : dj_fail_memory(context, "an order of statements", 16 * n);
    free(f.sorted);
    free(f.slot);
    free(f.unit);
    free(f.last_use);
    free(f.starts);
    free(f.first_slots);
    return err;
}
