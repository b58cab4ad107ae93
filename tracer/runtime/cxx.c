// SPDX-License-Identifier: MIT
// Operators new and delete, so that a block is named by the expression and not
// by the library between; and the end of the initialization of a static
// variable. An object file of its own: a static program of another language
// has nothing of this.
#include "wrap.h"

// Any exception passes through: nothing is held meanwhile.
#define NEW(symbol, parameters, arguments)                                                                   \
    extern void *symbol parameters;                                                                          \
    DJ_RT_FRONT(symbol);                                                                                     \
    DJ_RT_EXPORT void *DJ_RT_NAME(symbol) parameters                                                         \
    {                                                                                                        \
        uint64_t pc = DJ_RT_CALLER(), sp = DJ_RT_CALLER_SP();                                                \
        dj_rt_heap_asks(pc, sp);                                                                             \
        void *block = DJ_RT_REAL(symbol) arguments;                                                          \
        if (dj_rt_heap_asked_nobody())                                                                       \
            dj_rt_tell_alloc(pc, sp, block, bytes, NULL);                                                    \
        return block;                                                                                        \
    }

NEW(_Znwm, (size_t bytes), (bytes))
NEW(_Znam, (size_t bytes), (bytes))
NEW(_ZnwmRKSt9nothrow_t, (size_t bytes, const void *tag), (bytes, tag))
NEW(_ZnamRKSt9nothrow_t, (size_t bytes, const void *tag), (bytes, tag))
NEW(_ZnwmSt11align_val_t, (size_t bytes, size_t alignment), (bytes, alignment))
NEW(_ZnamSt11align_val_t, (size_t bytes, size_t alignment), (bytes, alignment))
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t bytes, size_t alignment, const void *tag),
    (bytes, alignment, tag))
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t bytes, size_t alignment, const void *tag),
    (bytes, alignment, tag))

extern void __cxa_guard_release(uint64_t *guard);
DJ_RT_FRONT(__cxa_guard_release);

DJ_RT_EXPORT void DJ_RT_NAME(__cxa_guard_release)(uint64_t *guard)
{
    dj_rt_publish();
    DJ_RT_REAL(__cxa_guard_release)(guard);
}
