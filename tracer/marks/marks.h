// SPDX-License-Identifier: MIT
// Functions that the Valgrind tracer knows by name (tracer/valgrind/functions.c). The library of marks
// contains them, and so does that of recompiled programs, where they also write to the ring.
#ifndef DEJA_TRACER_MARKS_H
#define DEJA_TRACER_MARKS_H

#include <stddef.h>

#define DJ_MARK __attribute__((visibility("default")))

DJ_MARK void dj_mark_data(const void *base, size_t bytes, size_t element_bytes, const char *name);
DJ_MARK void dj_mark_statement(void);
DJ_MARK void dj_mark_region(const char *name, int begins);
DJ_MARK void dj_mark_thread_name(const char *name);

#endif
