// SPDX-License-Identifier: MIT
// Shared by the files that wrap functions of other libraries. Every wrapped name is also a line in
// wrapped.txt.
#ifndef DEJA_RUNTIME_WRAP_H
#define DEJA_RUNTIME_WRAP_H

#include "runtime.h"

// Used after the declaration of a function and before its DJ_RT_NAME and DJ_RT_REAL.
#ifdef DEJA_RUNTIME_STATIC
#define DJ_RT_WRAP(name) extern __typeof__(name) DJ_RT_NAME(name), DJ_RT_REAL(name)
#else
#define DJ_RT_WRAP(name) static void *dj_rt_real_##name __attribute__((unused))
#endif

// A wrapper that acts before the real function.
#define DJ_RT_BEFORE(type, name, parameters, arguments, action)                                              \
    extern type name parameters;                                                                             \
    DJ_RT_WRAP(name);                                                                                        \
    DJ_RT_EXPORT type DJ_RT_NAME(name) parameters                                                            \
    {                                                                                                        \
        action;                                                                                              \
        return DJ_RT_REAL(name) arguments;                                                                   \
    }

// A wrapper that acts before and after the real function, whose result is `status`.
#define DJ_RT_AROUND(type, name, parameters, arguments, before, after)                                       \
    extern type name parameters;                                                                             \
    DJ_RT_WRAP(name);                                                                                        \
    DJ_RT_EXPORT type DJ_RT_NAME(name) parameters                                                            \
    {                                                                                                        \
        before;                                                                                              \
        type status = DJ_RT_REAL(name) arguments;                                                            \
        after;                                                                                               \
        return status;                                                                                       \
    }

#define DJ_RT_AROUND_VOID(name, parameters, arguments, before, after)                                        \
    extern void name parameters;                                                                             \
    DJ_RT_WRAP(name);                                                                                        \
    DJ_RT_EXPORT void DJ_RT_NAME(name) parameters                                                            \
    {                                                                                                        \
        before;                                                                                              \
        DJ_RT_REAL(name) arguments;                                                                          \
        after;                                                                                               \
    }

// A function that has others wait for nothing in particular: the frame is handed over before.
#define DJ_RT_PUBLISH(type, name, parameters, arguments)                                                     \
    DJ_RT_BEFORE(type, name, parameters, arguments, dj_rt_publish())

// For the enclosing function: its return address, and the stack pointer of its caller before the call.
#define DJ_RT_CALLER() ((uint64_t)(uintptr_t)__builtin_return_address(0))
#define DJ_RT_CALLER_SP() ((uint64_t)(uintptr_t)__builtin_frame_address(0) + 2 * sizeof(void *))

// dlopen.c: the call that returns to `pc` will be recorded; object files loaded by dlopen are reported
// before it.
#ifdef DEJA_RUNTIME_STATIC
static inline void dj_rt_notice_modules(uint64_t pc)
{
    (void)pc;
}
#else
void dj_rt_notice_modules(uint64_t pc);
#endif

// heap.c: attributes the next block that this thread requests from malloc to this call.
// dj_rt_heap_unset_caller returns whether none was requested, and cancels the attribution.
void dj_rt_heap_set_caller(uint64_t pc, uint64_t sp);
bool dj_rt_heap_unset_caller(void);
void dj_rt_record_alloc(uint64_t pc, uint64_t sp, const void *block, size_t bytes, const void *old);
void dj_rt_record_free(const void *block);

#endif
