// SPDX-License-Identifier: MIT
// Operators new and delete, so that a block is attributed to the expression and not to the library in
// between; and the end of the initialization of a static variable.
#include <stdlib.h>

#include "wrap.h"

#ifdef DEJA_RUNTIME_STATIC
DJ_RT_WRAP(malloc);
DJ_RT_WRAP(aligned_alloc);

// A static program contains only what is referenced, and references to these operators now refer to the
// functions below: only operators that the program itself defines are present.
#define ASK(symbol, parameters, arguments, otherwise)                                                        \
    extern void *DJ_RT_NAME(symbol) parameters;                                                              \
    extern void *DJ_RT_REAL(symbol)                                                                          \
    parameters __attribute__((weak));                                                                        \
    static void *ask_##symbol parameters                                                                     \
    {                                                                                                        \
        return DJ_RT_REAL(symbol) ? DJ_RT_REAL(symbol) arguments : otherwise;                                \
    }

extern void (*_ZSt15get_new_handlerv(void))(void) __attribute__((weak));
extern void _ZSt17__throw_bad_allocv(void) __attribute__((weak));

static void *find_block(size_t bytes, size_t alignment)
{
    size_t least = bytes ? bytes : 1;
    if (alignment)
        return DJ_RT_NAME(aligned_alloc)(alignment, (least + alignment - 1) & ~(alignment - 1));
    return DJ_RT_NAME(malloc)(least);
}

static void *take_or_throw(size_t bytes, size_t alignment)
{
    for (;;) {
        void *block = find_block(bytes, alignment);
        if (block)
            return block;
        void (*handler)(void) = _ZSt15get_new_handlerv ? _ZSt15get_new_handlerv() : NULL;
        if (handler)
            handler();
        else if (_ZSt17__throw_bad_allocv)
            _ZSt17__throw_bad_allocv();
        else
            abort();
    }
}
#else
#define ASK(symbol, parameters, arguments, otherwise)                                                        \
    extern void *symbol parameters;                                                                          \
    DJ_RT_WRAP(symbol);                                                                                      \
    static void *ask_##symbol parameters                                                                     \
    {                                                                                                        \
        return DJ_RT_REAL(symbol) arguments;                                                                 \
    }
#endif

// Exceptions may pass through: no lock is held meanwhile.
#define NEW(symbol, parameters, arguments, otherwise)                                                        \
    ASK(symbol, parameters, arguments, otherwise)                                                            \
    DJ_RT_EXPORT void *DJ_RT_NAME(symbol) parameters                                                         \
    {                                                                                                        \
        uint64_t pc = DJ_RT_CALLER(), sp = DJ_RT_CALLER_SP();                                                \
        dj_rt_heap_set_caller(pc, sp);                                                                       \
        void *block = ask_##symbol arguments;                                                                \
        if (dj_rt_heap_unset_caller())                                                                       \
            dj_rt_record_alloc(pc, sp, block, bytes, NULL);                                                  \
        return block;                                                                                        \
    }

NEW(_Znwm, (size_t bytes), (bytes), take_or_throw(bytes, 0))
NEW(_Znam, (size_t bytes), (bytes), take_or_throw(bytes, 0))
NEW(_ZnwmRKSt9nothrow_t, (size_t bytes, const void *tag), (bytes, tag), find_block(bytes, 0))
NEW(_ZnamRKSt9nothrow_t, (size_t bytes, const void *tag), (bytes, tag), find_block(bytes, 0))
NEW(_ZnwmSt11align_val_t, (size_t bytes, size_t alignment), (bytes, alignment),
    take_or_throw(bytes, alignment))
NEW(_ZnamSt11align_val_t, (size_t bytes, size_t alignment), (bytes, alignment),
    take_or_throw(bytes, alignment))
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t bytes, size_t alignment, const void *tag),
    (bytes, alignment, tag), find_block(bytes, alignment))
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t bytes, size_t alignment, const void *tag),
    (bytes, alignment, tag), find_block(bytes, alignment))
