// SPDX-License-Identifier: MIT
// The tracers of Deja, and the order of threads in the accesses that they deliver.
#ifndef DEJA_BASE_TRACERS_H
#define DEJA_BASE_TRACERS_H

// A permanent copy of the name of a tracer of Deja; NULL for other names.
const char *dj_tracer_find(const char *name);

// In words, for the provenance. NULL: the accesses were not recorded by a tracer of Deja.
const char *dj_tracer_thread_order(const char *tracer);

#endif
