// SPDX-License-Identifier: MIT
#include "gpu/kernels.h"
#include "gpu/launch.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#define ALL 0xffffffffu

namespace
{
// Device memory for the duration of a test, with initial contents.
template <class T> struct held {
    T *at = nullptr;
    size_t bytes;
    cudaError_t error;

    held(const T *from, size_t count) : bytes(count * sizeof(T))
    {
        error = cudaMalloc(&at, bytes);
        if (error)
            cudaGetLastError();
        if (!error && from)
            error = cudaMemcpy(at, from, bytes, cudaMemcpyHostToDevice);
        else if (!error)
            error = cudaMemset(at, 0, bytes);
    }
    ~held()
    {
        if (cudaFree(at))
            cudaGetLastError();
    }
    held(const held &) = delete;
    cudaError_t get(T *to)
    {
        cudaError_t last = cudaGetLastError();
        return last ? last : cudaMemcpy(to, at, bytes, cudaMemcpyDeviceToHost);
    }
};

unsigned blocks(uint32_t count)
{
    return (count + KERNEL_THREADS - 1) / KERNEL_THREADS;
}
} // namespace

static __global__ void reverse(const uint32_t *in, uint32_t *out, uint32_t count)
{
    __shared__ uint32_t all[KERNEL_THREADS];
    uint32_t first = blockIdx.x * blockDim.x, n = min(blockDim.x, count - first);
    if (threadIdx.x < n)
        all[n - 1 - threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
    if (threadIdx.x >= n)
        return;
    out[first + threadIdx.x] = all[threadIdx.x];
}

int kernel_reverse(const uint32_t *in, uint32_t *out, uint32_t count)
{
    held<uint32_t> a(in, count), b(nullptr, count);
    if (a.error || b.error)
        return a.error ? a.error : b.error;
    DJ_LAUNCH(reverse, blocks(count), KERNEL_THREADS, nullptr, a.at, b.at, count);
    return b.get(out);
}

static __device__ unsigned long long warp_sum(unsigned long long value)
{
    for (int by = 16; by > 0; by /= 2)
        value += __shfl_down_sync(ALL, value, by);
    return value;
}

static __global__ void sum(const uint32_t *in, uint32_t count, unsigned long long *out)
{
    __shared__ unsigned long long warps[KERNEL_THREADS / 32];
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long value = warp_sum(i < count ? in[i] : 0);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
        value = warp_sum(threadIdx.x < KERNEL_THREADS / 32 ? warps[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            atomicAdd(out, value);
    }
}

int kernel_sum(const uint32_t *in, uint32_t count, uint64_t *out)
{
    held<uint32_t> a(in, count);
    held<unsigned long long> b(nullptr, 1);
    unsigned long long got = 0;
    if (a.error || b.error)
        return a.error ? a.error : b.error;
    DJ_LAUNCH(sum, blocks(count), KERNEL_THREADS, nullptr, a.at, count, b.at);
    cudaError_t error = b.get(&got);
    *out = got;
    return error;
}

// Each block waits for the sum of the previous one, which it finds in ready[block - 1], plus 1.
static __global__ void running_sums(const uint32_t *in, uint32_t *out, uint32_t count,
                                    volatile unsigned *ready)
{
    __shared__ uint32_t all[KERNEL_THREADS], before;
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    all[threadIdx.x] = i < count ? in[i] : 0;
    for (unsigned by = 1; by < blockDim.x; by *= 2) {
        __syncthreads();
        uint32_t more = threadIdx.x >= by ? all[threadIdx.x - by] : 0;
        __syncthreads();
        all[threadIdx.x] += more;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned got = 1;
        while (blockIdx.x > 0 && !(got = ready[blockIdx.x - 1]))
            ;
        before = got - 1;
        __threadfence();
        ready[blockIdx.x] = got + all[blockDim.x - 1];
    }
    __syncthreads();
    if (i < count)
        out[i] = before + all[threadIdx.x];
}

int kernel_running_sums(const uint32_t *in, uint32_t *out, uint32_t count)
{
    held<uint32_t> a(in, count), b(nullptr, count);
    held<unsigned> ready(nullptr, blocks(count));
    if (a.error || b.error || ready.error)
        return a.error ? a.error : b.error ? b.error : ready.error;
    DJ_LAUNCH(running_sums, blocks(count), KERNEL_THREADS, nullptr, a.at, b.at, count, ready.at);
    return b.get(out);
}

static __global__ void lanes(uint32_t yes, kernel_lane *out)
{
    unsigned lane = threadIdx.x % 32, value = 100 + lane;
    bool mine = yes >> lane & 1;
    kernel_lane *o = &out[threadIdx.x];
    o->ballot = __ballot_sync(ALL, mine);
    o->any = __any_sync(ALL, mine);
    o->all = __all_sync(ALL, mine);
    o->match = __match_any_sync(ALL, lane % 3);
    __syncwarp();
    o->from_lane_5 = __shfl_sync(ALL, value, 5);
    o->up_3 = __shfl_up_sync(ALL, value, 3);
    o->down_3 = __shfl_down_sync(ALL, value, 3);
    o->xor_9 = __shfl_xor_sync(ALL, value, 9);
    o->in_quarters = __shfl_sync(ALL, value, 1, 8);
    o->wide = __shfl_sync(ALL, 1ull << (lane + 31), (int)(lane + 1) % 32);
    o->count = __syncthreads_count(mine);
    o->some = __syncthreads_or(mine && threadIdx.x == 40);
    o->every = __syncthreads_and(mine || threadIdx.x < 40);
}

int kernel_lanes(uint32_t yes, uint32_t threads, kernel_lane *out)
{
    held<kernel_lane> a(nullptr, threads);
    if (a.error)
        return a.error;
    DJ_LAUNCH(lanes, 1, threads, nullptr, yes, a.at);
    return a.get(out);
}

enum { SLOTS = 1 << 10 };

static __global__ void count_keys(uint32_t count, uint32_t keys, kernel_atomics *out,
                                  unsigned long long *slots)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    unsigned key = i % keys;
    atomicAdd(&out->add, key);
    atomicMax(&out->max, i);
    atomicMin(&out->min, key + 7);
    atomicOr(&out->bits, 1u << key % 32);
    atomicAdd(&out->wide, 1ull << 33);
    if (i == 77)
        atomicExch(&out->exch, key);
    for (unsigned at = key * 40503u % SLOTS;; at = (at + 1) % SLOTS) {
        unsigned long long old = atomicCAS(&slots[at], 0ull, key + 1ull);
        if (old == 0)
            atomicAdd(&out->slots, 1ull);
        if (old == 0 || old == key + 1ull)
            break;
    }
}

int kernel_count(uint32_t count, uint32_t keys, kernel_atomics *out)
{
    out->min = ALL;
    held<kernel_atomics> a(out, 1);
    held<unsigned long long> slots(nullptr, SLOTS);
    if (a.error || slots.error)
        return a.error ? a.error : slots.error;
    DJ_LAUNCH(count_keys, blocks(count), KERNEL_THREADS, nullptr, count, keys, a.at, slots.at);
    return a.get(out);
}

int kernel_sort(uint64_t *key, uint32_t *value, uint32_t count, int begin, int end)
{
    held<unsigned long long> a(reinterpret_cast<unsigned long long *>(key), count), b(nullptr, count);
    held<uint32_t> c(value, count), d(nullptr, count);
    cub::DoubleBuffer<unsigned long long> keys(a.at, b.at);
    cub::DoubleBuffer<uint32_t> values(c.at, d.at);
    size_t bytes = 0;
    cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, count, begin, end);
    held<char> capacity(nullptr, bytes);
    cudaError_t error = cub::DeviceRadixSort::SortPairs(capacity.at, bytes, keys, values, count, begin, end);
    if (!error)
        error = cudaMemcpy(key, keys.Current(), count * sizeof *key, cudaMemcpyDeviceToHost);
    return error ? error : cudaMemcpy(value, values.Current(), count * sizeof *value, cudaMemcpyDeviceToHost);
}

int kernel_pick(const uint32_t *in, const uint8_t *flag, uint32_t count, uint32_t *out, uint32_t *kept)
{
    held<uint32_t> a(in, count), b(nullptr, count), number(nullptr, 1);
    held<uint8_t> flags(flag, count);
    size_t bytes = 0;
    cub::DeviceSelect::Flagged(nullptr, bytes, a.at, flags.at, b.at, number.at, count);
    held<char> capacity(nullptr, bytes);
    cudaError_t error =
        cub::DeviceSelect::Flagged(capacity.at, bytes, a.at, flags.at, b.at, number.at, count);
    if (!error)
        error = number.get(kept);
    return error ? error : b.get(out);
}

static __global__ void wrong(int fault)
{
    if (fault == FAULT_HALF_WARP && threadIdx.x % 2)
        __ballot_sync(ALL, true);
    else if (fault == FAULT_HALF_WARP)
        __syncthreads();
    if (fault == FAULT_TWO_BARRIERS && threadIdx.x < 32)
        __syncthreads();
    else if (fault == FAULT_TWO_BARRIERS)
        __syncthreads();
    if (fault == FAULT_GONE && threadIdx.x != 3)
        __syncwarp();
    if (fault == FAULT_MASK)
        __ballot_sync(0xffu, true);
    if (fault == FAULT_OPERATIONS && threadIdx.x % 2)
        __ballot_sync(ALL, true);
    else if (fault == FAULT_OPERATIONS)
        __shfl_sync(ALL, 1, 1);
}

void kernel_fault(enum kernel_fault fault)
{
    uint32_t word = 0;
    held<uint32_t> a(nullptr, 4);
    if (fault == FAULT_COPY)
        cudaMemcpy(a.at, a.at + 2, 12, cudaMemcpyDeviceToDevice);
    else if (fault == FAULT_SIDE)
        cudaMemcpy(a.at, &word, 4, cudaMemcpyDeviceToDevice);
    else
        DJ_LAUNCH(wrong, 2, 64, nullptr, (int)fault);
}

static __global__ void increment(uint32_t *at)
{
    if (threadIdx.x == 0)
        ++*at;
}

int kernel_streams(uint32_t first, uint32_t then, uint32_t *out)
{
    held<uint32_t> a(nullptr, 1);
    uint32_t *pinned = nullptr;
    cudaStream_t streams[3] = {};
    cudaEvent_t events[2] = {};
    cudaError_t error = cudaMallocHost(&pinned, 2 * sizeof *pinned);
    for (int i = 0; i < 3 && !error; i++)
        error = cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
    for (int i = 0; i < 2 && !error; i++)
        error = cudaEventCreateWithFlags(&events[i], cudaEventDisableTiming);
    if (error)
        return error;
    pinned[0] = first;
    cudaMemcpyAsync(a.at, pinned, sizeof *pinned, cudaMemcpyHostToDevice, streams[0]);
    cudaEventRecord(events[0], streams[0]);
    cudaStreamWaitEvent(streams[1], events[0], 0);
    DJ_LAUNCH(increment, 1, 32, streams[1], a.at);
    cudaEventRecord(events[1], streams[1]);
    cudaStreamWaitEvent(streams[2], events[1], 0);
    cudaMemcpyAsync(pinned + 1, a.at, sizeof *pinned, cudaMemcpyDeviceToHost, streams[2]);
    pinned[0] = then;
    error = cudaStreamSynchronize(streams[2]);
    *out = pinned[1];
    for (cudaStream_t stream : streams)
        cudaStreamDestroy(stream);
    for (cudaEvent_t event : events)
        cudaEventDestroy(event);
    cudaFreeHost(pinned);
    return error;
}
