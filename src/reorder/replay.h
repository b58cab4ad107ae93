// SPDX-License-Identifier: MIT
// The accesses of the instances of statements in any order, as a source with places.
#ifndef DEJA_REORDER_REPLAY_H
#define DEJA_REORDER_REPLAY_H

#include <deja/source.h>

#include "reorder/dataflow.h"

// `order` NULL: as written. Everything passed must outlive the source.
int dj_replay_source(dj_context *context, const dj_dataflow *dataflow, const uint32_t *order, uint64_t block,
                     const dj_source_info *info, dj_source **out);

#endif
