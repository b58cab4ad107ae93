// SPDX-License-Identifier: MIT
// What the files have in common that stand in front of functions of others.
// Every name that is wrapped is a line of wrapped.txt too.
#ifndef DEJA_RUNTIME_WRAP_H
#define DEJA_RUNTIME_WRAP_H

#include "runtime.h"

// After the declaration of a function and before DJ_RT_NAME and DJ_RT_REAL of it.
#ifdef DEJA_RUNTIME_STATIC
#define DJ_RT_FRONT(name) extern __typeof__(name) DJ_RT_NAME(name), DJ_RT_REAL(name)
#else
#define DJ_RT_FRONT(name) static void *dj_rt_real_##name __attribute__((unused))
#endif

// A function that lets other threads go on: the frame is handed over before.
#define DJ_RT_RELEASE(type, name, parameters, arguments)                                                     \
    extern type name parameters;                                                                             \
    DJ_RT_FRONT(name);                                                                                       \
    DJ_RT_EXPORT type DJ_RT_NAME(name) parameters                                                            \
    {                                                                                                        \
        dj_rt_publish();                                                                                     \
        return DJ_RT_REAL(name) arguments;                                                                   \
    }

// Of the function that they stand in: where it returns to, and the stack
// pointer of its caller before the call.
#define DJ_RT_CALLER() ((uint64_t)(uintptr_t)__builtin_return_address(0))
#define DJ_RT_CALLER_SP() ((uint64_t)(uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *))

// loading.c: the call that returns to `pc` will be told; object files that came
// by dlopen are told before it.
#ifdef DEJA_RUNTIME_STATIC
static inline void dj_rt_notice_modules(uint64_t pc)
{
    (void)pc;
}
#else
void dj_rt_notice_modules(uint64_t pc);
#endif

// heap.c: the block that the thread asks malloc for next is asked for by this
// call. Returns whether nobody has asked (which takes it back).
void dj_rt_heap_asks(uint64_t pc, uint64_t sp);
bool dj_rt_heap_asked_nobody(void);
void dj_rt_tell_alloc(uint64_t pc, uint64_t sp, const void *block, size_t bytes, const void *old);
void dj_rt_tell_free(const void *block);

#endif
