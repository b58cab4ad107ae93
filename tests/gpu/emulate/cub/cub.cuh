// SPDX-License-Identifier: MIT
// Replaces CUB's header: the algorithms that the CUDA sources use.
// Overwrites the contents that CUB leaves undefined.
#ifndef DEJA_EMULATE_CUB_CUH
#define DEJA_EMULATE_CUB_CUH

#include <algorithm>
#include <cuda_runtime.h>
#include <numeric>
#include <vector>

namespace emulated
{
// As CUB does it: the first call asks how much memory it needs. Returns true if this is the call that does
// the work.
template <class Count> bool cub_scratch(void *scratch, size_t &bytes, Count count, cudaError_t &error)
{
    size_t need = 256 + static_cast<size_t>(count) / 8;
    error = cudaSuccess;
    if (!scratch) {
        bytes = need;
        return false;
    }
    if (bytes < need)
        die("%zu bytes of scratch memory for a CUB algorithm that needs %zu", bytes, need);
    must_be_device("scratch memory of CUB", scratch, bytes);
    error = called();
    return !error;
}

template <class T> void must_hold(const char *what, const T *at, size_t count)
{
    must_be_device(what, at, count * sizeof *at);
}

inline void spoil(void *at, size_t bytes)
{
    if (bytes)
        memset(at, 0x5a, bytes);
}

// The bits of a key that count, in order.
template <class K> uint64_t digits(K key, int begin, int end)
{
    static_assert(std::is_unsigned<K>(), "only unsigned keys are known here");
    uint64_t bits = static_cast<uint64_t>(key) >> begin;
    return end - begin >= 64 ? bits : bits & ((UINT64_C(1) << (end - begin)) - 1);
}

template <class K, class V>
void sort(const K *key_in, K *key_out, const V *value_in, V *value_out, size_t count, int begin, int end)
{
    std::vector<size_t> order(count);
    std::vector<K> key(key_in, key_in + count);
    std::vector<V> value(value_in, value_in + (value_in ? count : 0));
    std::iota(order.begin(), order.end(), size_t(0));
    if (begin < end)
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
            return digits(key[a], begin, end) < digits(key[b], begin, end);
        });
    for (size_t i = 0; i < count; i++) {
        key_out[i] = key[order[i]];
        if (value_in)
            value_out[i] = value[order[i]];
    }
}
} // namespace emulated

namespace cub
{
template <class T> struct DoubleBuffer {
    T *d_buffers[2];
    int selector;

    DoubleBuffer() : d_buffers{nullptr, nullptr}, selector(0)
    {
    }
    DoubleBuffer(T *current, T *alternate) : d_buffers{current, alternate}, selector(0)
    {
    }
    T *Current()
    {
        return d_buffers[selector];
    }
    T *Alternate()
    {
        return d_buffers[selector ^ 1];
    }
};

struct NullType {
};

struct DeviceRadixSort {
    template <class K, class V, class Count>
    static cudaError_t SortPairs(void *scratch, size_t &bytes, const K *key_in, K *key_out, const V *value_in,
                                 V *value_out, Count count, int begin = 0, int end = sizeof(K) * 8,
                                 cudaStream_t stream = nullptr)
    {
        cudaError_t error;
        size_t n = static_cast<size_t>(count);
        if (!emulated::cub_scratch(scratch, bytes, count, error))
            return error;
        emulated::must_hold("keys to sort", key_in, n);
        emulated::must_hold("sorted keys", key_out, n);
        emulated::must_hold("values to sort", value_in, n);
        emulated::must_hold("sorted values", value_out, n);
        size_t scratch_bytes = bytes;
        emulated::enqueue(stream, [=] {
            emulated::sort(key_in, key_out, value_in, value_out, n, begin, end);
            emulated::spoil(scratch, scratch_bytes);
        });
        return cudaSuccess;
    }

    // Ends in the other buffer after an odd number of passes of 8 bits.
    template <class K, class V, class Count>
    static cudaError_t SortPairs(void *scratch, size_t &bytes, DoubleBuffer<K> &keys, DoubleBuffer<V> &values,
                                 Count count, int begin = 0, int end = sizeof(K) * 8,
                                 cudaStream_t stream = nullptr)
    {
        K *key_in = keys.Current(), *key_out = keys.Alternate();
        V *value_in = values.Current(), *value_out = values.Alternate();
        size_t n = static_cast<size_t>(count);
        if (!scratch || n == 0)
            return SortPairs(scratch, bytes, key_in, key_out, value_in, value_out, count, begin, end, stream);
        int passes = (end - begin + 7) / 8;
        cudaError_t error = SortPairs(scratch, bytes, key_in, passes & 1 ? key_out : key_in, value_in,
                                      passes & 1 ? value_out : value_in, count, begin, end, stream);
        if (error)
            return error;
        emulated::must_hold("sorted keys", key_out, n);
        emulated::must_hold("sorted values", value_out, n);
        emulated::enqueue(stream, [=] {
            emulated::spoil(passes & 1 ? key_in : key_out, n * sizeof(K));
            emulated::spoil(passes & 1 ? value_in : value_out, n * sizeof(V));
        });
        keys.selector ^= passes & 1;
        values.selector ^= passes & 1;
        return cudaSuccess;
    }

    template <class K, class Count>
    static cudaError_t SortKeys(void *scratch, size_t &bytes, DoubleBuffer<K> &keys, Count count,
                                int begin = 0, int end = sizeof(K) * 8, cudaStream_t stream = nullptr)
    {
        cudaError_t error;
        size_t n = static_cast<size_t>(count);
        int odd = (end - begin + 7) / 8 & 1;
        K *key_in = keys.Current(), *key_out = keys.Alternate();
        if (!emulated::cub_scratch(scratch, bytes, count, error))
            return error;
        emulated::must_hold("keys to sort", key_in, n);
        emulated::must_hold("sorted keys", key_out, n);
        emulated::enqueue(stream, [=] {
            const char *no_values = nullptr;
            emulated::sort(key_in, odd ? key_out : key_in, no_values, static_cast<char *>(nullptr), n, begin,
                           end);
            emulated::spoil(odd ? key_in : key_out, n * sizeof(K));
        });
        keys.selector ^= odd;
        return cudaSuccess;
    }
};

struct DeviceSelect {
    template <class In, class Flag, class Out, class Number, class Count>
    static cudaError_t Flagged(void *scratch, size_t &bytes, In in, Flag flags, Out out, Number number,
                               Count count, cudaStream_t stream = nullptr)
    {
        cudaError_t error;
        if (!emulated::cub_scratch(scratch, bytes, count, error))
            return error;
        emulated::must_hold("number of what is selected", number, 1);
        emulated::enqueue(stream, [=] {
            size_t kept = 0;
            for (size_t i = 0; i < static_cast<size_t>(count); i++)
                if (flags[i])
                    out[kept++] = in[i];
            *number = static_cast<std::remove_pointer_t<Number>>(kept);
        });
        return cudaSuccess;
    }
};

struct DeviceScan {
    template <class In, class Out, class Count>
    static cudaError_t ExclusiveSum(void *scratch, size_t &bytes, In in, Out out, Count count,
                                    cudaStream_t stream = nullptr)
    {
        return scan(scratch, bytes, in, out, count, false, stream);
    }

    template <class In, class Out, class Count>
    static cudaError_t InclusiveSum(void *scratch, size_t &bytes, In in, Out out, Count count,
                                    cudaStream_t stream = nullptr)
    {
        return scan(scratch, bytes, in, out, count, true, stream);
    }

  private:
    // The sum has the type of what is added, as CUB has it.
    template <class In, class Out, class Count>
    static cudaError_t scan(void *scratch, size_t &bytes, In in, Out out, Count count, bool inclusive,
                            cudaStream_t stream)
    {
        cudaError_t error;
        if (!emulated::cub_scratch(scratch, bytes, count, error))
            return error;
        emulated::enqueue(stream, [=] {
            typedef std::decay_t<decltype(in[0])> T;
            T sum = 0;
            for (size_t i = 0; i < static_cast<size_t>(count); i++) {
                T before = sum;
                sum = static_cast<T>(sum + in[i]);
                out[i] = inclusive ? sum : before;
            }
        });
        return cudaSuccess;
    }
};

struct DeviceReduce {
    template <class In, class Out, class Count>
    static cudaError_t Sum(void *scratch, size_t &bytes, In in, Out out, Count count,
                           cudaStream_t stream = nullptr)
    {
        return reduce(scratch, bytes, in, out, count, stream, [](auto a, auto b) { return a + b; });
    }

    template <class In, class Out, class Count>
    static cudaError_t Max(void *scratch, size_t &bytes, In in, Out out, Count count,
                           cudaStream_t stream = nullptr)
    {
        return reduce(scratch, bytes, in, out, count, stream, [](auto a, auto b) { return a < b ? b : a; });
    }

  private:
    template <class In, class Out, class Count, class Join>
    static cudaError_t reduce(void *scratch, size_t &bytes, In in, Out out, Count count, cudaStream_t stream,
                              Join join)
    {
        cudaError_t error;
        if (!emulated::cub_scratch(scratch, bytes, count, error))
            return error;
        emulated::enqueue(stream, [=] {
            typedef std::remove_pointer_t<Out> T;
            T all = 0;
            for (size_t i = 0; i < static_cast<size_t>(count); i++)
                all = static_cast<T>(join(all, static_cast<T>(in[i])));
            *out = all;
        });
        return cudaSuccess;
    }
};
} // namespace cub
#endif
