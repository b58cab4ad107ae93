// SPDX-License-Identifier: MIT
// Internals of engine scale. See scale.c for the idea.
#ifndef DEJA_ENGINE_SCALE_SCALE_H
#define DEJA_ENGINE_SCALE_SCALE_H

#include "engine/fast/fast.h"
#include "engine/scale/nodes.h"

typedef struct dj_scale_options {
    double error; // negative: the default
} dj_scale_options;

typedef struct dj_scale {
    dj_work_queue answered; // must be first for dj_work_pull_at_once
    dj_fast_hashed *hashed; // table and runs; of its timeline, only `now` is used
    dj_scale_nodes nodes;
    uint64_t most_points; // times are renumbered when these are used up
    uint32_t point[DJ_FAST_BEGINNINGS];
} dj_scale;

#endif
