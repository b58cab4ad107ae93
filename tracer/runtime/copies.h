// SPDX-License-Identifier: MIT
// Copies made by functions of the C library.
#ifndef DEJA_RUNTIME_COPIES_H
#define DEJA_RUNTIME_COPIES_H

#include "runtime.h"

// Records a copy by the call that returns to `pc`, unless nothing is traced.
void dj_rt_record_copy(uint64_t pc, const void *to, const void *from, size_t bytes);

// Between the two, calls of memcpy and similar functions come from a function whose copies are recorded
// separately. In a dynamic program the C library does not call the functions here.
#ifdef DEJA_RUNTIME_STATIC
void dj_rt_copies_begin(void);
void dj_rt_copies_end(void);
#else
static inline void dj_rt_copies_begin(void)
{
}
static inline void dj_rt_copies_end(void)
{
}
#endif

#endif
