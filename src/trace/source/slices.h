// SPDX-License-Identifier: MIT
// A plain file of records of one width, read by several threads: each batch has
// its place in the file, so that threads read them at the same time. They are
// given out in order.
#ifndef DEJA_TRACE_SOURCE_SLICES_H
#define DEJA_TRACE_SOURCE_SLICES_H

#include "trace/format.h"

typedef struct dj_slices dj_slices;

enum { DJ_SLICES_THREADS_MOST = 16 };

// Goes on where `input` stands, which is a plain file (dj_input_share) and must
// outlive this, with a format that has record_bytes. Batches come from the pool.
int dj_slices_create(dj_context *context, const dj_input *input, const dj_format *format, dj_pool *pool,
                     unsigned threads, dj_slices **out);
void dj_slices_destroy(dj_slices *slices); // NULL is fine

// As dj_format.read: the next batch, empty or NULL at the end, perhaps with an error.
int dj_slices_next(dj_slices *slices, dj_context *context, dj_batch **out);
// How much of the file was given out.
uint64_t dj_slices_offset(const dj_slices *slices);

#endif
