// SPDX-License-Identifier: MIT
// Atomic operations, which the compiler leaves to the library: executed and recorded. Operations that
// certainly write are recorded before they are executed, others after, so that a store is recorded before the
// loads that see it. All are sequentially consistent, which on this machine makes only stores more expensive.
#include "wrap.h"

typedef uint8_t word8;
typedef uint16_t word16;
typedef uint32_t word32;
typedef uint64_t word64;
__extension__ typedef unsigned __int128 word128;

enum { LOG2_8, LOG2_16, LOG2_32, LOG2_64, LOG2_128 };

#define RECORD(bits, kind, place)                                                                            \
    dj_rt_put((uint64_t)(DJ_DIRECT_ACCESS | (kind) << 3 | LOG2_##bits) << 56 | DJ_RT_CALLER(),               \
              (uint64_t)(uintptr_t)(place))

static inline __attribute__((always_inline)) void publish_if_released(int order)
{
    // Higher bits of an order are hints.
    if ((order & 0xff) >= __ATOMIC_RELEASE)
        dj_rt_publish();
}

#define INLINE static inline __attribute__((always_inline))

#define CHANGE(bits, name)                                                                                   \
    INLINE word##bits name##_##bits(volatile word##bits *place, word##bits value)                            \
    {                                                                                                        \
        return __atomic_##name(place, value, __ATOMIC_SEQ_CST);                                              \
    }

#define PRIMITIVES(bits)                                                                                     \
    INLINE word##bits load_##bits(const volatile word##bits *place)                                          \
    {                                                                                                        \
        return __atomic_load_n(place, __ATOMIC_SEQ_CST);                                                     \
    }                                                                                                        \
    INLINE void store_##bits(volatile word##bits *place, word##bits value, int order)                        \
    {                                                                                                        \
        if ((order & 0xff) == __ATOMIC_SEQ_CST)                                                              \
            __atomic_store_n(place, value, __ATOMIC_SEQ_CST);                                                \
        else                                                                                                 \
            __atomic_store_n(place, value, __ATOMIC_RELEASE);                                                \
    }                                                                                                        \
    INLINE bool swap_##bits(volatile word##bits *place, word##bits *expected, word##bits value)              \
    {                                                                                                        \
        return __atomic_compare_exchange_n(place, expected, value, false, __ATOMIC_SEQ_CST,                  \
                                           __ATOMIC_SEQ_CST);                                                \
    }                                                                                                        \
    CHANGE(bits, exchange_n)                                                                                 \
    CHANGE(bits, fetch_add)                                                                                  \
    CHANGE(bits, fetch_sub)                                                                                  \
    CHANGE(bits, fetch_and)                                                                                  \
    CHANGE(bits, fetch_or)                                                                                   \
    CHANGE(bits, fetch_xor)                                                                                  \
    CHANGE(bits, fetch_nand)

PRIMITIVES(8)
PRIMITIVES(16)
PRIMITIVES(32)
PRIMITIVES(64)

// For 128 bits compilers call libatomic, which other code may use on the same word; it does the same as this.
INLINE bool swap_128(volatile word128 *place, word128 *expected, word128 value)
{
    bool done;
    uint64_t low = (uint64_t)*expected, high = (uint64_t)(*expected >> 64);
    __asm__ volatile("lock cmpxchg16b %1\n\tsete %0"
                     : "=q"(done), "+m"(*place), "+a"(low), "+d"(high)
                     : "b"((uint64_t)value), "c"((uint64_t)(value >> 64))
                     : "cc", "memory");
    *expected = (word128)high << 64 | low;
    return done;
}

INLINE word128 load_128(const volatile word128 *place)
{
    word128 value = 0;
    swap_128((volatile word128 *)place, &value, 0);
    return value;
}

#define CHANGE_128(name, changed)                                                                            \
    INLINE word128 name##_128(volatile word128 *place, word128 value)                                        \
    {                                                                                                        \
        word128 old = *place;                                                                                \
        while (!swap_128(place, &old, (changed)))                                                            \
            continue;                                                                                        \
        return old;                                                                                          \
    }
CHANGE_128(exchange_n, value)
CHANGE_128(fetch_add, old + value)
CHANGE_128(fetch_sub, old - value)
CHANGE_128(fetch_and, old &value)
CHANGE_128(fetch_or, old | value)
CHANGE_128(fetch_xor, old ^ value)
CHANGE_128(fetch_nand, ~(old &value))

INLINE void store_128(volatile word128 *place, word128 value, int order)
{
    (void)order;
    exchange_n_128(place, value);
}

#define FUNCTION(bits, type, name) DJ_RT_EXPORT DJ_RT_HOT type __tsan_atomic##bits##_##name

#define MODIFY(bits, name, primitive)                                                                        \
    FUNCTION(bits, word##bits, name)(volatile word##bits * place, word##bits value, int order)               \
    {                                                                                                        \
        RECORD(bits, DJ_RT_MODIFY, place);                                                                   \
        publish_if_released(order);                                                                          \
        return primitive##_##bits(place, value);                                                             \
    }

// gcc's signature; clang's (_val) returns the old value.
#define MODIFY_IF(bits, name)                                                                                \
    FUNCTION(bits, int, name)                                                                                \
    (volatile word##bits * place, word##bits * expected, word##bits value, int order, int otherwise)         \
    {                                                                                                        \
        (void)otherwise;                                                                                     \
        publish_if_released(order);                                                                          \
        bool done = swap_##bits(place, expected, value);                                                     \
        RECORD(bits, done ? DJ_RT_MODIFY : DJ_RT_READ, place);                                               \
        return done;                                                                                         \
    }

#define FUNCTIONS(bits)                                                                                      \
    FUNCTION(bits, word##bits, load)(const volatile word##bits *place, int order)                            \
    {                                                                                                        \
        (void)order;                                                                                         \
        word##bits value = load_##bits(place);                                                               \
        RECORD(bits, DJ_RT_READ, place);                                                                     \
        return value;                                                                                        \
    }                                                                                                        \
    FUNCTION(bits, void, store)(volatile word##bits * place, word##bits value, int order)                    \
    {                                                                                                        \
        RECORD(bits, DJ_RT_WRITE, place);                                                                    \
        publish_if_released(order);                                                                          \
        store_##bits(place, value, order);                                                                   \
    }                                                                                                        \
    FUNCTION(bits, word##bits, compare_exchange_val)                                                         \
    (volatile word##bits * place, word##bits expected, word##bits value, int order, int otherwise)           \
    {                                                                                                        \
        (void)otherwise;                                                                                     \
        publish_if_released(order);                                                                          \
        bool done = swap_##bits(place, &expected, value);                                                    \
        RECORD(bits, done ? DJ_RT_MODIFY : DJ_RT_READ, place);                                               \
        return expected;                                                                                     \
    }                                                                                                        \
    MODIFY_IF(bits, compare_exchange_strong)                                                                 \
    MODIFY_IF(bits, compare_exchange_weak)                                                                   \
    MODIFY(bits, exchange, exchange_n)                                                                       \
    MODIFY(bits, fetch_add, fetch_add)                                                                       \
    MODIFY(bits, fetch_sub, fetch_sub)                                                                       \
    MODIFY(bits, fetch_and, fetch_and)                                                                       \
    MODIFY(bits, fetch_or, fetch_or)                                                                         \
    MODIFY(bits, fetch_xor, fetch_xor)                                                                       \
    MODIFY(bits, fetch_nand, fetch_nand)

FUNCTIONS(8)
FUNCTIONS(16)
FUNCTIONS(32)
FUNCTIONS(64)
FUNCTIONS(128)

DJ_RT_EXPORT void __tsan_atomic_thread_fence(int order)
{
    publish_if_released(order);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

DJ_RT_EXPORT void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
