// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "base/grow.h"
#include "reorder/orders.h"

// Iterations that would delay later ones by this part of the list or more are split off, if they are at most
// this part of the loop.
enum { PEELED_SHARE = 4 };
// A part of a run is placed on its own if it has at least this part of the iterations.
enum { RESTART_SHARE = 8 };
#define PEELED UINT32_MAX // a slot

// Instances that belong to one iteration of a loop are a list. A unit is a run of a loop directly in it, or a
// statement of its own. Each iteration of a unit gets a slot: the first one after everything that it must
// follow, and after something that uses the same data. What has the same slot is executed together.
typedef struct iteration {
    uint32_t at;   // its first instance, in fusion.order
    uint32_t slot; // at least, without regard to the iterations before it
    bool shares;   // data with something before the loop; otherwise it has a slot of its own
} iteration;

typedef struct fusion {
    const dj_dataflow *flow;
    const dj_nests *nests;
    uint32_t *order, *sorted;
    uint32_t *slot, *unit; // by instance; units have numbers from 1
    uint32_t *last_use;    // by element: an instance, or DJ_NONE
    uint32_t *starts;      // while a list is sorted: by slot
    size_t start_capacity;
    iteration *iterations; // of the run that is being placed
    size_t iteration_capacity;
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

// Whether an instance is in a unit of the list that has been placed, or in the one that is being placed.
static bool is_of_list(const fusion *f, const list *l, uint32_t instance)
{
    return f->unit[instance] >= l->first_unit && f->unit[instance] <= f->units;
}

// At least `ready`, and the slots of what an instance must follow.
static uint32_t find_ready(const fusion *f, const list *l, uint32_t instance, uint32_t ready)
{
    dj_predecessors p = dj_predecessors_of(f->flow, instance);
    uint32_t before;
    while ((before = dj_predecessors_next(f->flow, &p)) != DJ_NONE)
        if (is_of_list(f, l, before) && f->slot[before] != PEELED && f->slot[before] > ready)
            ready = f->slot[before];
    return ready;
}

static void set_slot(fusion *f, size_t at, size_t end, uint32_t slot)
{
    for (size_t i = at; i < end; i++)
        f->slot[f->order[i]] = slot;
}

static void take_slot(list *l, uint32_t slot)
{
    l->end = slot >= l->end ? slot + 1 : l->end;
}

// The earliest slot in which data of an instance was used last, if it is earlier than `nearest`.
static uint32_t find_shared(const fusion *f, const list *l, uint32_t instance, uint32_t nearest)
{
    const dj_dataflow *d = f->flow;
    for (uint32_t use = d->first_use[instance]; use < d->first_use[instance + 1]; use++) {
        const uint32_t last = f->last_use[dj_use_element(d, use)];
        if (last != DJ_NONE && is_of_list(f, l, last) && f->slot[last] < nearest)
            nearest = f->slot[last];
    }
    return nearest;
}

static uint32_t choose_slot(const fusion *f, const list *l, size_t at, size_t end, bool *shares)
{
    uint32_t nearest = UINT32_MAX, ready = 0;
    for (size_t i = at; i < end; i++) {
        nearest = find_shared(f, l, f->order[i], nearest);
        ready = find_ready(f, l, f->order[i], ready);
    }
    *shares = nearest != UINT32_MAX;
    return *shares && nearest > ready ? nearest : ready;
}

// Lists the iterations from `at` to `end` − 1. A run of a loop that shares no data comes after everything
// before it.
static int list_iterations(fusion *f, dj_context *context, const list *l, size_t at, size_t end,
                           size_t *count)
{
    const uint32_t first = iteration_at(f, f->order[at], l->depth);
    bool any = false;
    *count = 0;
    for (size_t next; at < end; at = next) {
        const uint32_t number = iteration_at(f, f->order[at], l->depth);
        iteration one = {.at = (uint32_t)at};
        for (next = at + 1; next < end && iteration_at(f, f->order[next], l->depth) == number; next++)
            ;
        int err = dj_grow(context, "the order of statements", &f->iterations, &f->iteration_capacity,
                          *count + 1, sizeof *f->iterations);
        if (err)
            return err;
        one.slot = choose_slot(f, l, at, next, &one.shares);
        any = any || one.shares;
        f->iterations[(*count)++] = one;
    }
    if (!any && first != DJ_NONE)
        f->iterations[0].slot = l->end;
    return DJ_OK;
}

static size_t end_of(const fusion *f, size_t number, size_t count, size_t end)
{
    return number + 1 < count ? f->iterations[number + 1].at : end;
}

static bool follows_peeled(const fusion *f, size_t at, size_t end)
{
    for (size_t i = at; i < end; i++) {
        dj_predecessors p = dj_predecessors_of(f->flow, f->order[i]);
        uint32_t before;
        while ((before = dj_predecessors_next(f->flow, &p)) != DJ_NONE)
            if (f->unit[before] == f->units && f->slot[before] == PEELED)
                return true;
    }
    return false;
}

// Marks the iterations that would delay later ones, such as those at a boundary. If they are many, unmarks
// all and returns false.
static bool peel(fusion *f, const list *l, size_t count, size_t end)
{
    const uint32_t patience = l->end / PEELED_SHARE;
    uint32_t earliest = UINT32_MAX;
    size_t peeled = 0;
    for (size_t k = count; k-- > 0;) {
        const iteration *own = &f->iterations[k];
        const bool delays = earliest != UINT32_MAX && own->slot > earliest + patience;
        set_slot(f, own->at, end_of(f, k, count, end), delays ? PEELED : 0);
        earliest = own->shares && own->slot < earliest ? own->slot : earliest;
    }
    for (size_t k = 0; k < count; k++) {
        const size_t at = f->iterations[k].at, next = end_of(f, k, count, end);
        if (follows_peeled(f, at, next))
            set_slot(f, at, next, PEELED);
        peeled += f->slot[f->order[at]] == PEELED;
    }
    if (peeled <= count / PEELED_SHARE)
        return true;
    set_slot(f, f->iterations[0].at, end, 0);
    return false;
}

// The iteration at which a run goes back to the beginning of its data: where the same function is called
// again and calls are not known. `count`: none.
static size_t find_restart(const fusion *f, const list *l, size_t count)
{
    uint32_t most = l->end / PEELED_SHARE;
    size_t restart = count;
    for (size_t k = count / RESTART_SHARE + 1; k < count; k++) {
        const uint32_t before = f->iterations[k - 1].slot, slot = f->iterations[k].slot;
        if (before > slot && before - slot > most) {
            most = before - slot;
            restart = k;
        }
    }
    return restart;
}

// Places the iterations that are peeled, or the others, in their order.
static void place_iterations(fusion *f, list *l, size_t count, size_t end, bool peeled)
{
    uint32_t slot = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t at = f->iterations[k].at, next = end_of(f, k, count, end);
        if ((f->slot[f->order[at]] == PEELED) != peeled)
            continue;
        slot += k > 0 && !f->iterations[k].shares;
        slot = f->iterations[k].slot > slot ? f->iterations[k].slot : slot;
        for (size_t i = at; i < next; i++)
            slot = find_ready(f, l, f->order[i], slot);
        set_slot(f, at, next, slot);
        take_slot(l, slot);
    }
}

// Places a run, or its first part; *end becomes the end of what was placed.
static int place_run(fusion *f, dj_context *context, list *l, size_t at, size_t *to)
{
    size_t count, end = *to;
    int err = list_iterations(f, context, l, at, end, &count);
    if (err)
        return err;
    for (size_t i = at; i < end; i++)
        f->unit[f->order[i]] = f->units;
    if (!peel(f, l, count, end)) {
        const size_t restart = find_restart(f, l, count);
        end = end_of(f, restart - 1, count, end);
        count = restart;
        (void)peel(f, l, count, end);
    }
    *to = end;
    place_iterations(f, l, count, end, false);
    place_iterations(f, l, count, end, true);
    return DJ_OK;
}

static size_t find_end(const fusion *f, const list *l, size_t at)
{
    const uint32_t first = iteration_at(f, f->order[at], l->depth);
    size_t end = at + 1;
    while (first != DJ_NONE && end < l->hi) {
        const uint32_t other = iteration_at(f, f->order[end], l->depth);
        if (other == DJ_NONE || f->nests->list[other].run != f->nests->list[first].run)
            break;
        end++;
    }
    return end;
}

// Adds the unit that begins at *from, which becomes its end.
static int place_unit(fusion *f, dj_context *context, list *l, size_t *from)
{
    const size_t at = *from;
    size_t end = find_end(f, l, at);
    int err = place_run(f, context, l, at, &end);
    for (size_t i = at; i < end; i++) {
        const uint32_t instance = f->order[i];
        for (uint32_t use = f->flow->first_use[instance]; use < f->flow->first_use[instance + 1]; use++)
            f->last_use[dj_use_element(f->flow, use)] = instance;
    }
    f->units++;
    *from = end;
    return err;
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

static int fuse(fusion *f, dj_context *context, size_t lo, size_t hi, uint32_t depth);

// What has the same slot: the bodies of loops that are fused, or several iterations of a loop, which stay in
// order.
static int fuse_slot(fusion *f, dj_context *context, size_t lo, size_t hi, uint32_t depth)
{
    bool several = false;
    int err = DJ_OK;
    for (size_t i = lo + 1; i < hi && !several; i++)
        several = f->unit[f->order[i]] == f->unit[f->order[i - 1]] &&
                  iteration_at(f, f->order[i], depth) != iteration_at(f, f->order[i - 1], depth);
    for (size_t at = lo, next = hi; !err && at < hi; at = next, next = hi) {
        for (size_t i = at + 1; several && i < hi && next == hi; i++)
            if (iteration_at(f, f->order[i], depth) != iteration_at(f, f->order[at], depth))
                next = i;
        if (next - at > 1 && has_loops(f, at, next, depth + 1))
            err = fuse(f, context, at, next, depth + 1);
    }
    return err;
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
        err = fuse_slot(f, context, at, next, depth);
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
    free(f.iterations);
    return err;
}
