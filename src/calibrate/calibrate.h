// SPDX-License-Identifier: MIT
// What memory costs on this machine, measured, and the file that keeps it.
#ifndef DEJA_CALIBRATE_CALIBRATE_H
#define DEJA_CALIBRATE_CALIBRATE_H

#include "base/machine.h"
#include <deja/stall.h>

// Measures in a few seconds. `progress` is called between the steps; it may be NULL, and ends the measurement
// with its result unless that is DJ_OK.
typedef struct dj_calibration {
    uint64_t usable_bytes; // of memory; 0: unknown
    int (*progress)(void *user, dj_context *context, unsigned done, unsigned all);
    void *user;
} dj_calibration;
int dj_calibrate(dj_context *context, const dj_calibration *how, dj_machine_costs *out);

// The sizes of the caches that hold data, in order of level, at most `count`. Returns their number.
size_t dj_data_caches(const dj_cache *caches, size_t count, uint64_t *bytes);

// Where the costs of this machine are kept: $DEJA_MACHINE, or deja/machine.json in $XDG_CONFIG_HOME or
// ~/.config. The caller frees *out. DJ_ERR_IO if there is no such folder.
int dj_costs_path(dj_context *context, char **out);
// Creates the folder deja, and replaces the file.
int dj_costs_save(dj_context *context, const char *path, const dj_machine_costs *costs);
int dj_costs_load(dj_context *context, const char *path, dj_machine_costs *out);
// The costs that were measured on this machine; assumed ones if there are none, or they are of another
// processor. Fails if the file cannot be read.
int dj_costs_find(dj_context *context, dj_machine_costs *out);

#endif
