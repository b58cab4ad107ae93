// SPDX-License-Identifier: MIT
// The distinct data in windows that end in phases of each kind.
#ifndef DEJA_MODEL_CORUN_PHASE_DATA_H
#define DEJA_MODEL_CORUN_PHASE_DATA_H

#include "model/corun/window_data.h"

typedef struct dj_phase_data {
    dj_window_data all; // in all windows
    size_t kind_count;
    dj_window_data kinds[DJ_JOINT_KINDS]; // they share the tables of `all`
} dj_phase_data;

int dj_phase_data_create(dj_context *context, const dj_joint_sharer *sharer, dj_phase_data *out);
void dj_phase_data_free(dj_phase_data *data);

// The kind of the phase at a position from 0 on.
size_t dj_phase_data_kind(const dj_joint_sharer *sharer, double position);

#endif
