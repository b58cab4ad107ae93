// SPDX-License-Identifier: MIT
#include <deja/reorder.h>

#include <stdlib.h>
#include <string.h>

#include "measure/request.h"
#include "reorder/computation.h"
#include "reorder/orders.h"
#include "reorder/replay.h"

static int refuse(dj_context *context, const dj_measurement *m, bool memory)
{
    return dj_fail(
        context, DJ_ERR_UNSUPPORTED,
        "%s: no statement can be moved, because %s; compile the program with -g -O0, or annotate its "
        "data and statements (docs/annotations.md)",
        dj_measurement_name(m),
        memory ? "in optimized or unknown code, and in functions with register variables, registers hold "
                 "what other "
                 "statements need"
               : "the trace does not say where statements begin");
}

static int refuse_empty(dj_context *context, const dj_measurement *m)
{
    const char *why = dj_attribute_why_nothing(m->attribute);
    return dj_fail(context, DJ_ERR_INPUT, "%s: %s", dj_measurement_name(m), why ? why : "no accesses");
}

static int find_order(dj_context *context, const dj_computation *g, enum dj_execution_order which,
                      uint32_t **order)
{
    *order = malloc((g->flow.count + 1) * sizeof **order);
    if (!*order)
        return dj_fail_memory(context, "an order of statements", g->flow.count * sizeof **order);
    return which == DJ_REUSE_DRIVEN ? dj_order_by_reuse(context, &g->flow, *order)
                                    : dj_order_fused(context, &g->flow, &g->nests, *order);
}

// The values of the order as written, which comes first, are those of all.
static int check_order(dj_context *context, const dj_computation *g, enum dj_execution_order which,
                       const uint32_t *order, uint64_t *written)
{
    uint64_t value;
    int err = dj_order_value(context, &g->flow, order, &value);
    if (!err && which == DJ_AS_WRITTEN)
        *written = value;
    if (!err && value != *written)
        err = dj_fail(context, DJ_ERR_UNSUPPORTED,
                      "the order '%s' would change results: this is a fault in Deja",
                      dj_execution_order_name(which));
    return err;
}

static int measure_order(dj_context *context, const dj_measurement *m, const dj_computation *g,
                         const uint32_t *order, dj_profile **out)
{
    dj_measurement again = *m;
    int err = dj_replay_source(context, &g->flow, order, m->blocks[0], dj_source_get_info(m->source),
                               &again.staged);
    if (!err)
        err = dj_measurement_run(context, &again, out);
    dj_source_close(again.staged);
    return err;
}

// The order as written is NULL.
static int find_orders(dj_context *context, const dj_computation *g, uint32_t *orders[DJ_EXECUTION_ORDERS])
{
    uint64_t value = 0;
    int err = DJ_OK;
    for (int which = 0; !err && which < DJ_EXECUTION_ORDERS; which++) {
        if (which != DJ_AS_WRITTEN)
            err = find_order(context, g, (enum dj_execution_order)which, &orders[which]);
        if (!err)
            err = check_order(context, g, (enum dj_execution_order)which, orders[which], &value);
    }
    return err;
}

// When all orders are known, what determined them is no longer needed.
static int measure_orders(dj_context *context, const dj_measurement *m, dj_computation *g, dj_reordering *out)
{
    uint32_t *orders[DJ_EXECUTION_ORDERS] = {NULL};
    int err = find_orders(context, g, orders);
    dj_computation_forget_dependences(g);
    for (int which = 0; which < DJ_EXECUTION_ORDERS; which++) {
        if (!err)
            err = measure_order(context, m, g, orders[which], &out->profiles[which]);
        free(orders[which]);
    }
    return err;
}

int dj_reorder_source(dj_context *context, dj_source *source, const dj_request *request, dj_reordering *out)
{
    dj_prepared *prepared = NULL;
    dj_computation computation = {0};
    dj_request statements = *request;
    *out = (dj_reordering){0};
    statements.statements = statements.places = true;
    int err = dj_request_prepare(context, &statements, source, (dj_preparation){.mark_statements = true},
                                 &prepared);
    if (err)
        return err;
    const dj_measurement *m = dj_prepared_measurement(prepared);
    const bool memory = dj_source_get_info(source)->kind == DJ_CLASS_MEMORY;
    const dj_computation_options options = {.located = dj_attribute_located(m->attribute),
                                            .symbols = dj_attribute_symbols(m->attribute),
                                            .region = dj_attribute_region(m->attribute),
                                            .block = m->blocks[0],
                                            .memory = memory,
                                            .on_progress = request->on_progress,
                                            .user = request->user};
    err = dj_computation_read(context, &options, dj_attribute_source(m->attribute), &computation);
    if (!err)
        err = dj_attribute_check_symbols(m->attribute, context, true);
    if (!err && computation.accesses == 0)
        err = refuse_empty(context, m);
    if (!err && computation.in_order == computation.accesses)
        err = refuse(context, m, memory);
    if (!err) {
        out->annotated = !memory;
        // Recompiled programs record no local variable whose address is not taken.
        const char *tracer = dj_source_get_info(source)->tracer;
        out->scalars = memory && !(tracer && strcmp(tracer, "native") == 0);
        out->instances = computation.instances;
        out->accesses = computation.accesses;
        out->in_order = computation.in_order;
        out->scalar_accesses = computation.scalar_accesses;
        err = measure_orders(context, m, &computation, out);
        if (!err)
            dj_reordering_choose(out);
    }
    if (!err && computation.partial_reason)
        err = dj_reordering_mark_partial(context, out, computation.partial_reason);
    if (err)
        dj_reordering_free(out);
    else if (computation.partial_reason)
        err = dj_fail(context, DJ_ERR_INPUT, "%s", computation.partial_reason);
    dj_computation_free(&computation);
    dj_prepared_destroy(prepared);
    return err;
}
