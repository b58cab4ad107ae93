// SPDX-License-Identifier: MIT
// The two ends of a piece in the file of a summary: the first accesses, which wait
// for what came before, and the last accesses, for what comes after.
#ifndef DEJA_PIPELINE_PARTS_ENDS_H
#define DEJA_PIPELINE_PARTS_ENDS_H

#include <deja/pipeline.h>

// The pipeline is sealed.
void dj_ends_save(dj_packer *to, const dj_pipeline *pipeline);
// Into a pipeline that has none; its accesses are counted already.
int dj_ends_load(dj_context *context, dj_unpacker *from, dj_pipeline *pipeline);

#endif
