// SPDX-License-Identifier: MIT
// Shared by the files of `deja info`.
#ifndef DEJA_CLI_VERBS_INFO_H
#define DEJA_CLI_VERBS_INFO_H

#include <deja/document.h>

#include "base/json/writer.h"
#include "calibrate/calibrate.h"
#include "gpu/device.h"

// "32 KiB", "1.25 MiB": as in the data sheets of processors.
const char *dj_info_bytes(dj_document *document, uint64_t bytes);

// Finds the GPU that engines can use; if there is none, `out` says why.
int dj_info_find_gpu(dj_context *context, dj_gpu_info *out, bool *found);
void dj_info_add_gpu(dj_document *document, dj_node *facts, const dj_gpu_info *gpu, bool found);
void dj_info_write_gpu(dj_json_writer *json, const dj_gpu_info *gpu, bool found);

// What memory costs here. With `calibrate` it is measured and kept first.
int dj_info_find_costs(dj_context *context, bool calibrate, dj_machine_costs *out);
void dj_info_add_costs(dj_document *document, const dj_machine_costs *costs);
void dj_info_write_costs(dj_json_writer *json, const dj_machine_costs *costs);

#endif
