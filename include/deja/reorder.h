// SPDX-License-Identifier: MIT
/// \file
/// Measures a computation in other orders: the instances of its statements, executed in the order of reuse,
/// or with loops fused, as far as their dependences allow.
#ifndef DEJA_REORDER_H
#define DEJA_REORDER_H

#include <deja/measure.h>
#include <deja/orders.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads a source with statements (from annotations, or of code compiled without optimization) to its end,
/// and measures all orders with the block size, engine and observers of `request`. Its first cache is where
/// reuses are long. Each order is checked to compute the same values. DJ_ERR_UNSUPPORTED if nothing can be
/// moved. Bad input returns DJ_ERR_INPUT, with partial profiles in *out if anything was read.
DJ_API int dj_reorder_source(dj_context *context, dj_source *source, const dj_request *request,
                             dj_reordering *out);

#ifdef __cplusplus
}
#endif
#endif
