// SPDX-License-Identifier: MIT
// Which accesses of other threads an access must follow, whatever the order: found while a trace is read in
// its recorded order, which respects all of them.
//   - An acquire follows all earlier releases of the same object. A heap block is released when it is freed,
//     and acquired when its address is allocated again.
//   - An access other than a write follows the last write to each of its words, if another thread made it.
//     Words in the data of the C library and the loader are left out (library.h).
// What follows from earlier waits of the same and other threads is left out where that is known.
#ifndef DEJA_TRACE_SHARERS_EDGES_H
#define DEJA_TRACE_SHARERS_EDGES_H

#include <deja/sharers.h>

#include "trace/sharers/waits.h"

typedef struct dj_edges dj_edges;

enum { DJ_EDGES_THREADS_MOST = 4096 };

// Adds to `waits`, which numbers threads as they appear in events.
int dj_edges_create(dj_context *context, const dj_source_info *info, dj_waits *waits, dj_edges **out);
void dj_edges_destroy(dj_edges *edges); // NULL is allowed
int dj_edges_see(dj_edges *edges, dj_context *context, const dj_batch *batch, const char *trace);
// The number that a thread has in the waits; UINT32_MAX: it did not appear.
uint32_t dj_edges_number(const dj_edges *edges, uint64_t thread);
uint32_t dj_edges_threads(const dj_edges *edges);

#endif
