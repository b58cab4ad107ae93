// SPDX-License-Identifier: MIT
// The engines, one line each, and functions that all engines share.
#ifndef DEJA_ENGINE_REGISTRY_H
#define DEJA_ENGINE_REGISTRY_H

#include <deja/engine.h>

extern const dj_engine_ops dj_engine_fast;
extern const dj_engine_ops dj_engine_shadow;
extern const dj_engine_ops dj_engine_parallel;
extern const dj_engine_ops dj_engine_tree;
extern const dj_engine_ops dj_engine_count_blocks;
extern const dj_engine_ops dj_engine_stack;
extern const dj_engine_ops dj_engine_scale;
extern const dj_engine_ops dj_engine_aet;
extern const dj_engine_ops dj_engine_hprda;
extern const dj_engine_ops dj_engine_hprda_gpu;
extern const dj_engine_ops dj_engine_gpu;

// For `create`: returns DJ_ERR_UNSUPPORTED, with the reason, if `params` requests something that the
// engine cannot do.
int dj_engine_check(dj_context *context, const dj_engine_ops *engine, const dj_engine_params *params);

// For `order`: allocates columns for `count` keys, as requested by `use`.
int dj_order_create(dj_context *context, size_t count, uint32_t use, dj_order *out);

#endif
