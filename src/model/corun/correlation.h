// SPDX-License-Identifier: MIT
#ifndef DEJA_MODEL_CORUN_CORRELATION_H
#define DEJA_MODEL_CORUN_CORRELATION_H

#include <deja/corun.h>

// Of the times at which this sharer and another one first access the blocks that both access: of all blocks,
// and of blocks that this sharer accesses at nearly the same time. The lower one, and the highest of all
// other sharers. 0: they have hardly any in common, or access them independently of each other. Near 1: in
// the same order, as in step or in a pipeline; models assume that they do not.
double dj_corun_correlation(const dj_corun *corun, size_t sharer);

#endif
