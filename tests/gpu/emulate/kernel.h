// SPDX-License-Identifier: MIT
// What kernels are written with: qualifiers, vectors, barriers, votes, atomics.
#ifndef DEJA_EMULATE_KERNEL_H
#define DEJA_EMULATE_KERNEL_H

#include "block.h"

#include <cstring>
#include <type_traits>

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __shared__ static // one block at a time
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) alignas(n)

constexpr int warpSize = emulated::WARP;

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned in_x = 1, unsigned in_y = 1, unsigned in_z = 1) : x(in_x), y(in_y), z(in_z)
    {
    }
};

#define DJ_EMULATED_VECTORS(T, name)                                                                         \
    struct alignas(2 * sizeof(T)) name##2                                                                    \
    {                                                                                                        \
        T x, y;                                                                                              \
    };                                                                                                       \
    struct alignas(sizeof(T) == 8 ? 16 : 4 * sizeof(T)) name##4                                              \
    {                                                                                                        \
        T x, y, z, w;                                                                                        \
    };                                                                                                       \
    inline name##2 make_##name##2(T x, T y)                                                                  \
    {                                                                                                        \
        return {x, y};                                                                                       \
    }                                                                                                        \
    inline name##4 make_##name##4(T x, T y, T z, T w)                                                        \
    {                                                                                                        \
        return {x, y, z, w};                                                                                 \
    }

DJ_EMULATED_VECTORS(unsigned char, uchar)
DJ_EMULATED_VECTORS(unsigned short, ushort)
DJ_EMULATED_VECTORS(int, int)
DJ_EMULATED_VECTORS(unsigned, uint)
DJ_EMULATED_VECTORS(float, float)
DJ_EMULATED_VECTORS(double, double)
DJ_EMULATED_VECTORS(long long, longlong)
DJ_EMULATED_VECTORS(unsigned long long, ulonglong)
#undef DJ_EMULATED_VECTORS

namespace emulated
{
template <class T> struct as_is {
    typedef T type;
};
template <class T> using same = typename as_is<T>::type; // excluded from deduction

template <class T> inline uint64_t pack(T value)
{
    static_assert(sizeof(T) <= 8, "a lane passes at most 64 bits on");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T> inline T unpack(uint64_t bits)
{
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

inline uint32_t vote(place at, unsigned mask, bool yes)
{
    return meet(at, mask, 0, yes).vote;
}

inline bool vote_all(place at, unsigned mask, bool yes)
{
    return meet(at, mask, 0, !yes).vote == 0;
}

enum class from { lane, up, down, other };

template <from F, class T> inline T pass(place at, unsigned mask, T value, int by, int width = WARP)
{
    const meeting &m = meet(at, mask, pack(value), true);
    int lane = static_cast<int>(threadIdx.x % WARP), first = lane & ~(width - 1), source = lane;
    if (F == from::lane)
        source = first + (by & (width - 1));
    else if (F == from::up)
        source = lane - by >= first ? lane - by : lane;
    else if (F == from::down)
        source = lane + by < first + width ? lane + by : lane;
    else
        source = (lane ^ by) < first + width ? lane ^ by : lane;
    if (!(m.vote >> source & 1))
        die("%s:%d: %s from lane %d, which there is not", at.file, at.line, at.what, source);
    return unpack<T>(m.value[source]);
}

template <class T> inline unsigned match(place at, unsigned mask, T value)
{
    const meeting &m = meet(at, mask, pack(value), true);
    unsigned same = 0;
    for (unsigned i = 0; i < WARP; i++)
        if (m.vote >> i & 1 && m.value[i] == pack(value))
            same |= 1u << i;
    return same;
}

// The device supports only these types.
template <class T> constexpr bool atomic_type()
{
    return std::is_same<T, int>() || std::is_same<T, unsigned>() || std::is_same<T, unsigned long long>();
}

template <class T, class Change> inline T change(T *at, Change with)
{
    static_assert(atomic_type<T>(), "no such atomic operation on a device");
    T old = *at;
    *at = with(old);
    return old;
}
} // namespace emulated

#define DJ_EMULATED_PLACE(what) (emulated::place{what, __FILE__, __LINE__})
#define __syncthreads() ((void)emulated::meet_block(DJ_EMULATED_PLACE("__syncthreads"), false))
#define __syncthreads_count(p)                                                                               \
    (static_cast<int>(emulated::meet_block(DJ_EMULATED_PLACE("__syncthreads_count"), (p) != 0)))
#define __syncthreads_or(p) (emulated::meet_block(DJ_EMULATED_PLACE("__syncthreads_or"), (p) != 0) != 0)
#define __syncthreads_and(p) (emulated::meet_block(DJ_EMULATED_PLACE("__syncthreads_and"), (p) == 0) == 0)
#define __syncwarp(...) ((void)emulated::meet(DJ_EMULATED_PLACE("__syncwarp"), 0xffffffffu, 0, false))
#define __ballot_sync(mask, p) (emulated::vote(DJ_EMULATED_PLACE("__ballot_sync"), mask, (p) != 0))
#define __any_sync(mask, p) (emulated::vote(DJ_EMULATED_PLACE("__any_sync"), mask, (p) != 0) != 0)
#define __all_sync(mask, p) (emulated::vote_all(DJ_EMULATED_PLACE("__all_sync"), mask, (p) != 0))
#define __match_any_sync(mask, v) (emulated::match(DJ_EMULATED_PLACE("__match_any_sync"), mask, v))
#define DJ_EMULATED_PASS(kind, name, mask, ...)                                                              \
    (emulated::pass<emulated::from::kind>(DJ_EMULATED_PLACE(name), mask, __VA_ARGS__))
#define __shfl_sync(mask, ...) DJ_EMULATED_PASS(lane, "__shfl_sync", mask, __VA_ARGS__)
#define __shfl_up_sync(mask, ...) DJ_EMULATED_PASS(up, "__shfl_up_sync", mask, __VA_ARGS__)
#define __shfl_down_sync(mask, ...) DJ_EMULATED_PASS(down, "__shfl_down_sync", mask, __VA_ARGS__)
#define __shfl_xor_sync(mask, ...) DJ_EMULATED_PASS(other, "__shfl_xor_sync", mask, __VA_ARGS__)

template <class T> inline T atomicAdd(T *at, emulated::same<T> value)
{
    return emulated::change(at, [&](T old) { return static_cast<T>(old + value); });
}
template <class T> inline T atomicOr(T *at, emulated::same<T> value)
{
    return emulated::change(at, [&](T old) { return old | value; });
}
template <class T> inline T atomicAnd(T *at, emulated::same<T> value)
{
    return emulated::change(at, [&](T old) { return old & value; });
}
template <class T> inline T atomicXor(T *at, emulated::same<T> value)
{
    return emulated::change(at, [&](T old) { return old ^ value; });
}
template <class T> inline T atomicMax(T *at, emulated::same<T> value)
{
    return emulated::change(at, [&](T old) { return old < value ? value : old; });
}
template <class T> inline T atomicMin(T *at, emulated::same<T> value)
{
    return emulated::change(at, [&](T old) { return value < old ? value : old; });
}
template <class T> inline T atomicExch(T *at, emulated::same<T> value)
{
    return emulated::change(at, [&](T) { return value; });
}
template <class T> inline T atomicCAS(T *at, emulated::same<T> compare, emulated::same<T> value)
{
    return emulated::change(at, [&](T old) { return old == compare ? value : old; });
}
inline int atomicSub(int *at, int value)
{
    return atomicAdd(at, -value);
}
inline unsigned atomicSub(unsigned *at, unsigned value)
{
    return atomicAdd(at, 0u - value);
}

inline void __threadfence()
{
}
inline void __threadfence_block()
{
}
inline void __threadfence_system()
{
}
inline void __nanosleep(unsigned)
{
}

inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
inline int __clz(int x)
{
    return x ? __builtin_clz(static_cast<unsigned>(x)) : 32;
}
inline int __clzll(long long x)
{
    return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
inline int __ffs(int x)
{
    return __builtin_ffs(x);
}
inline int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
inline unsigned __brev(unsigned x)
{
    unsigned turned = 0;
    for (unsigned i = 0; i < 32; i++)
        turned |= (x >> i & 1) << (31 - i);
    return turned;
}
inline unsigned __umulhi(unsigned a, unsigned b)
{
    return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

template <class T> inline T __ldg(const T *from)
{
    return *from;
}
template <class T> inline T __ldcs(const T *from)
{
    return *from;
}
template <class T> inline T __ldcg(const T *from)
{
    return *from;
}
template <class T> inline void __stcs(T *to, emulated::same<T> value)
{
    *to = value;
}
template <class T> inline void __stcg(T *to, emulated::same<T> value)
{
    *to = value;
}

template <class A, class B> constexpr typename std::common_type<A, B>::type min(A a, B b)
{
    typedef typename std::common_type<A, B>::type T;
    return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B> constexpr typename std::common_type<A, B>::type max(A a, B b)
{
    typedef typename std::common_type<A, B>::type T;
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}
#endif
