// SPDX-License-Identifier: MIT
// The threads of one trace as sharers, in the recorded order.
#ifndef DEJA_TRACE_SHARERS_RECORDED_H
#define DEJA_TRACE_SHARERS_RECORDED_H

#include <deja/sharers.h>

// Adds column `sharer` to the batches of `inner`. `owned`: closes it, also after an error; otherwise the
// caller closes it after the new source.
int dj_recorded_source(dj_context *context, dj_source *inner, bool owned, dj_source **out);

#endif
