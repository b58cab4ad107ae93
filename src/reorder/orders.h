// SPDX-License-Identifier: MIT
// Orders of the instances of a run. Each respects what dj_predecessors_next returns.
#ifndef DEJA_REORDER_ORDERS_H
#define DEJA_REORDER_ORDERS_H

#include "reorder/dataflow.h"
#include "reorder/nests.h"

// Reuse-driven execution (Ding and Kennedy, IPDPS 2001): instances are started in the order in which a
// machine without limits could (dj_order_steps). After each, the next instance that uses the same data is
// queued, for each of its data, and the queue goes first. Before an instance come those that it must follow.
// `order` has space for all instances.
int dj_order_by_reuse(dj_context *context, const dj_dataflow *dataflow, uint32_t *order);

// All instances by their step: one more than the latest of those that they must follow.
int dj_order_by_step(dj_context *context, const dj_dataflow *dataflow, uint32_t *order);

// Fuses loops that follow each other in the same iteration of the loop around them, the outer loops first. An
// iteration runs as early as what it must follow allows, but not before the iteration of the same number of
// the loop that it is fused with: the last before it that uses some of the same data. Iterations of a loop
// keep their order.
int dj_order_fused(dj_context *context, const dj_dataflow *dataflow, const dj_nests *nests, uint32_t *order);

// What the run computes in an order, with unknown functions for statements: equal if all reads get the values
// that they get in the order as written, and the data ends with the same values.
int dj_order_value(dj_context *context, const dj_dataflow *dataflow, const uint32_t *order, uint64_t *value);

#endif
