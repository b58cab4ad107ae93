// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "base/grow.h"
#include "reorder/orders.h"

enum state { QUEUED = 1, EXECUTED = 2 };

typedef struct execution {
    const dj_dataflow *flow;
    uint8_t *state; // of each instance: bits of enum state
    uint32_t *order;
    size_t executed;
    uint32_t *queue; // a ring
    size_t queue_first, queue_count, queue_capacity;
    dj_predecessors *forced; // a stack: each waits for the one above it
    size_t forced_count, forced_capacity;
} execution;

static int enqueue(execution *e, dj_context *context, uint32_t instance)
{
    if (e->state[instance])
        return DJ_OK;
    if (e->queue_count == e->queue_capacity) {
        const size_t old = e->queue_capacity;
        int err = dj_grow(context, "the queue of statements", &e->queue, &e->queue_capacity, old + 1,
                          sizeof *e->queue);
        if (err)
            return err;
        // What had wrapped to the beginning follows the end; the capacity doubles at least.
        for (size_t i = 0; i < e->queue_first; i++)
            e->queue[old + i] = e->queue[i];
    }
    e->state[instance] |= QUEUED;
    e->queue[(e->queue_first + e->queue_count++) % e->queue_capacity] = instance;
    return DJ_OK;
}

static uint32_t dequeue(execution *e)
{
    const uint32_t instance = e->queue[e->queue_first];
    e->queue_first = (e->queue_first + 1) % e->queue_capacity;
    e->queue_count--;
    return instance;
}

static int execute(execution *e, dj_context *context, uint32_t instance)
{
    const dj_dataflow *d = e->flow;
    int err = DJ_OK;
    e->order[e->executed++] = instance;
    e->state[instance] |= EXECUTED;
    for (uint32_t use = d->first_use[instance]; !err && use < d->first_use[instance + 1]; use++)
        if (!dj_use_is_repeated(d, instance, use) && d->next[use] != DJ_NONE)
            err = enqueue(e, context, d->next[use]);
    return err;
}

static int push(execution *e, dj_context *context, uint32_t instance)
{
    int err = dj_grow(context, "the order of statements", &e->forced, &e->forced_capacity,
                      e->forced_count + 1, sizeof *e->forced);
    if (!err)
        e->forced[e->forced_count++] = dj_predecessors_of(e->flow, instance);
    return err;
}

// Executes an instance, and before it all that it must follow.
static int force(execution *e, dj_context *context, uint32_t instance)
{
    int err = e->state[instance] & EXECUTED ? DJ_OK : push(e, context, instance);
    while (!err && e->forced_count > 0) {
        dj_predecessors *top = &e->forced[e->forced_count - 1];
        const uint32_t before = dj_predecessors_next(e->flow, top);
        if (before == DJ_NONE) {
            const uint32_t next = top->instance;
            e->forced_count--;
            err = execute(e, context, next);
        } else if (!(e->state[before] & EXECUTED)) {
            err = push(e, context, before);
        }
    }
    return err;
}

int dj_order_by_reuse(dj_context *context, const dj_dataflow *flow, uint32_t *order)
{
    execution e = {.flow = flow, .order = order, .state = calloc(flow->count + 1, 1)};
    uint32_t *starts = malloc((flow->count + 1) * sizeof *starts);
    int err = e.state && starts ? dj_order_by_step(context, flow, starts)
                                : dj_fail_memory(context, "an order of statements", flow->count);
    for (size_t i = 0; !err && i < flow->count; i++) {
        err = force(&e, context, starts[i]);
        while (!err && e.queue_count > 0)
            err = force(&e, context, dequeue(&e));
    }
    free(starts);
    free(e.state);
    free(e.queue);
    free(e.forced);
    return err;
}
