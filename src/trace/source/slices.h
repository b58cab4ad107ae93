// SPDX-License-Identifier: MIT
// Reads a plain file of fixed-width records with several threads: the position of each batch in the file is
// known in advance, so threads read batches at the same time. They are returned in order.
#ifndef DEJA_TRACE_SOURCE_SLICES_H
#define DEJA_TRACE_SOURCE_SLICES_H

#include "trace/format.h"

typedef struct dj_slices dj_slices;

enum { DJ_SLICES_THREADS_MOST = 16 };

// Continues at the position of `input`, a plain file (dj_input_share) that must outlive this, with a format
// that has record_bytes. Batches come from the pool.
int dj_slices_create(dj_context *context, const dj_input *input, const dj_format *format, dj_pool *pool,
                     unsigned threads, dj_slices **out);
void dj_slices_destroy(dj_slices *slices); // NULL is allowed

// Like dj_format.read: returns the next batch, empty or NULL at the end, possibly with an error.
int dj_slices_next(dj_slices *slices, dj_context *context, dj_batch **out);
// How much of the file has been returned.
uint64_t dj_slices_offset(const dj_slices *slices);

#endif
