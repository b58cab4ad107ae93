// SPDX-License-Identifier: MIT
// Guards of local static variables. One thread initializes the variable, and the others wait for it, or find
// that the first byte of the guard is set, which they read without a call.
#include "access.h"
#include "core.h"
#include "wrap.h"

extern int __cxa_guard_acquire(uint64_t *guard);
extern void __cxa_guard_release(uint64_t *guard);
#ifdef DEJA_RUNTIME_STATIC
// Programs in other languages do without them. The linker takes them from the C++ library together with
// __cxa_guard_abort, which the options of the linker ask for (cmake/compilers.cmake).
extern int DJ_RT_REAL(__cxa_guard_acquire)(uint64_t *guard) __attribute__((weak));
extern void DJ_RT_REAL(__cxa_guard_release)(uint64_t *guard) __attribute__((weak));
#else
DJ_RT_WRAP(__cxa_guard_acquire);
DJ_RT_WRAP(__cxa_guard_release);
#endif

DJ_RT_EXPORT int DJ_RT_NAME(__cxa_guard_acquire)(uint64_t *guard)
{
    int status = DJ_RT_REAL(__cxa_guard_acquire)(guard);
    dj_rt_acquire(guard);
    return status;
}

DJ_RT_EXPORT void DJ_RT_NAME(__cxa_guard_release)(uint64_t *guard)
{
    if (dj_rt_concurrent && dj_rt_is_traced())
        dj_rt_range(DJ_RT_WRITE, __builtin_return_address(0), guard, 1);
    dj_rt_release(guard);
    DJ_RT_REAL(__cxa_guard_release)(guard);
}
