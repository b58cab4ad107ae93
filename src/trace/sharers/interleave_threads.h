// SPDX-License-Identifier: MIT
#ifndef DEJA_TRACE_SHARERS_INTERLEAVE_THREADS_H
#define DEJA_TRACE_SHARERS_INTERLEAVE_THREADS_H

#include <deja/sharers.h>

// Whether threads can be interleaved like that.
int dj_interleave_check_threads(dj_context *context, const dj_interleave_options *options);

#endif
