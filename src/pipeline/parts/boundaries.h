// SPDX-License-Identifier: MIT
// The boundaries of a part in a summary file: its first accesses, which depend on earlier parts, and
// its last accesses, on which later parts depend.
#ifndef DEJA_PIPELINE_PARTS_BOUNDARIES_H
#define DEJA_PIPELINE_PARTS_BOUNDARIES_H

#include <deja/pipeline.h>

// The pipeline must be sealed.
void dj_boundaries_save(dj_packer *to, const dj_pipeline *pipeline);
// Loads into a pipeline whose accesses are counted but that has no boundaries yet.
int dj_boundaries_load(dj_context *context, dj_unpacker *from, dj_pipeline *pipeline);

#endif
