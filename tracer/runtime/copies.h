// SPDX-License-Identifier: MIT
// Copies that functions of the C library make.
#ifndef DEJA_RUNTIME_COPIES_H
#define DEJA_RUNTIME_COPIES_H

#include "runtime.h"

// Tells a copy by the call that returns to `pc`, unless there is nothing to tell.
void dj_rt_tell_copy(uint64_t pc, const void *to, const void *from, size_t bytes);

// Between the two, calls of memcpy and its kin are made by a function whose
// copies are told otherwise. In a dynamic program the C library does not come here.
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
