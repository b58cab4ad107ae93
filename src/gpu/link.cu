// SPDX-License-Identifier: MIT
// Idea:  Keys are sorted with their times, stably, so that equal keys stay in order of time and their
//        neighbours are the previous and the next access. Only the bits in which any two keys differ
//        are sorted, compacted: 4 bytes of each instead of 8, and half of the passes, for most traces.
//        The result is sorted back by time.
// Cost:  One pass per byte of the varying bits, each with 16 bytes (or 24) of device memory per access,
//        and one per byte of the times beyond a tile, with 16.
#include "gpu/launch.cuh"
#include "gpu/link.cuh"
#include "gpu/nest.cuh"
#include "gpu/warp.cuh"

#include <cub/cub.cuh>

#include <algorithm>

enum { THREADS = 256, WARPS = THREADS / 32, ITEMS = 8, MOST_BLOCKS = 1 << 16, TILE_ROWS = DJ_TILE / THREADS };

static unsigned blocks_for(uint64_t count)
{
    uint64_t blocks = (count + THREADS * ITEMS - 1) / (THREADS * ITEMS);
    return (unsigned)std::min<uint64_t>(blocks, MOST_BLOCKS);
}

static __global__ void survey(const uint64_t *key, uint64_t count, const uint64_t *base, uint64_t *varying)
{
    uint64_t differ = 0, first = *base;
    for (uint64_t i = blockIdx.x * (uint64_t)THREADS + threadIdx.x; i < count;
         i += gridDim.x * (uint64_t)THREADS)
        differ |= key[i] ^ first;
    for (int step = 16; step > 0; step /= 2)
        differ |= __shfl_xor_sync(DJ_ALL_LANES, (unsigned long long)differ, step);
    if (threadIdx.x % 32 == 0 && (differ & ~*(volatile uint64_t *)varying))
        atomicOr((unsigned long long *)varying, (unsigned long long)differ);
}

cudaError_t dj_link_survey(const uint64_t *key, uint64_t count, const uint64_t *base, uint64_t *varying,
                           cudaStream_t stream)
{
    DJ_LAUNCH(survey, blocks_for(count), THREADS, stream, key, count, base, varying);
    return cudaGetLastError();
}

// Runs of bits, each to be moved down by some distance.
typedef struct bit_runs {
    uint64_t mask[32];
    uint32_t shift[32];
    uint32_t runs;
} bit_runs;

static bit_runs plan_squeezing(uint64_t varying)
{
    bit_runs s = {};
    unsigned kept = 0;
    while (varying) {
        unsigned first = (unsigned)__builtin_ctzll(varying);
        uint64_t up = ~(varying >> first);
        unsigned bits = up ? (unsigned)__builtin_ctzll(up) : 64;
        uint64_t mask = (bits < 64 ? (1ull << bits) - 1 : ~0ull) << first;
        s.mask[s.runs] = mask;
        s.shift[s.runs++] = first - kept;
        kept += bits;
        varying &= ~mask;
    }
    return s;
}

template <typename Key>
static __global__ void narrow(const uint64_t *key, uint32_t count, Key *to, uint32_t *time, bit_runs s)
{
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
        uint64_t k = key[i], squeezed = 0;
        for (uint32_t run = 0; run < s.runs; run++)
            squeezed |= (k & s.mask[run]) >> s.shift[run];
        to[i] = (Key)squeezed;
        time[i] = i;
    }
}

static bool is_short(uint64_t varying)
{
    return dj_link_bits(varying) <= 32;
}

cudaError_t dj_link_narrow(dj_link *link, const uint64_t *key, uint32_t count, uint64_t varying,
                           cudaStream_t stream)
{
    bit_runs s = plan_squeezing(varying);
    if (is_short(varying))
        DJ_LAUNCH(narrow<uint32_t>, blocks_for(count), THREADS, stream, key, count, (uint32_t *)link->key[0],
                  link->time[0], s);
    else
        DJ_LAUNCH(narrow<uint64_t>, blocks_for(count), THREADS, stream, key, count, link->key[0],
                  link->time[0], s);
    return cudaGetLastError();
}

template <typename Key>
static cudaError_t sort(dj_link *link, size_t *bytes, uint32_t count, unsigned bits, cudaStream_t stream)
{
    cub::DoubleBuffer<Key> keys((Key *)link->key[0], (Key *)link->key[1]);
    cub::DoubleBuffer<uint32_t> times(link->time[0], link->time[1]);
    cudaError_t error =
        cub::DeviceRadixSort::SortPairs(link->scratch, *bytes, keys, times, count, 0, (int)bits, stream);
    if (link->scratch && keys.selector)
        std::swap(link->key[0], link->key[1]);
    if (link->scratch && times.selector)
        std::swap(link->time[0], link->time[1]);
    return error;
}

cudaError_t dj_link_scratch(uint64_t capacity, size_t *bytes)
{
    dj_link none = {};
    size_t keys32 = 0, keys64 = 0, scan = 0;
    cudaError_t error = sort<uint32_t>(&none, &keys32, (uint32_t)capacity, 32, 0);
    if (error == cudaSuccess)
        error = sort<uint64_t>(&none, &keys64, (uint32_t)capacity, 64, 0);
    if (error == cudaSuccess)
        error = cub::DeviceScan::ExclusiveSum(nullptr, scan, none.last, none.last, dj_tiles(capacity) + 1);
    *bytes = std::max({keys32, keys64, scan, (size_t)1});
    return error;
}

cudaError_t dj_link_sort(dj_link *link, uint32_t count, uint64_t varying, cudaStream_t stream)
{
    size_t bytes = link->scratch_bytes;
    unsigned bits = dj_link_bits(varying);
    return is_short(varying) ? sort<uint32_t>(link, &bytes, count, bits, stream)
                             : sort<uint64_t>(link, &bytes, count, bits, stream);
}

// A word for each access, still in the order of the keys.
template <typename Key>
static __global__ void compare(const Key *key, const uint32_t *time, uint32_t count, uint32_t *word,
                               uint32_t *next)
{
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
        Key k = key[i];
        bool seen = i > 0 && key[i - 1] == k, comes_again = i + 1 < count && key[i + 1] == k;
        uint32_t before = seen ? time[i - 1] : DJ_NO_PREV;
        word[i] = before | (comes_again ? 0 : DJ_IS_LAST);
        if (next && seen)
            next[before] = time[i];
    }
}

static __device__ inline bool is_last(uint32_t word)
{
    return word & DJ_IS_LAST;
}

// Each tile has the words of its own times, in any order; counts the last accesses among them.
static __global__ void __launch_bounds__(THREADS)
    arrange(const uint32_t *time, const uint32_t *word, uint32_t count, uint32_t *prev, uint32_t *last)
{
    __shared__ uint32_t words[DJ_TILE], sum;
    uint32_t start = blockIdx.x * DJ_TILE, own = 0;
    if (threadIdx.x == 0)
        sum = 0;
    for (uint32_t i = start + threadIdx.x; i < count && i < start + DJ_TILE; i += THREADS)
        words[time[i] % DJ_TILE] = word[i];
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < DJ_TILE && start + i < count; i += THREADS) {
        prev[start + i] = words[i];
        own += is_last(words[i]);
    }
    atomicAdd(&sum, own);
    __syncthreads();
    if (threadIdx.x == 0)
        last[blockIdx.x] = sum;
}

// Writing each word to its final position directly takes four times as long: random words are written
// individually, sorted ones by the line. Every time occurs once, so the positions of the tiles are
// known.
cudaError_t dj_link_join(dj_link *link, uint32_t count, uint64_t varying, uint32_t *prev, uint32_t *next,
                         cudaStream_t stream)
{
    uint32_t *word = (uint32_t *)link->key[1];
    if (is_short(varying))
        DJ_LAUNCH(compare<uint32_t>, blocks_for(count), THREADS, stream, (const uint32_t *)link->key[0],
                  link->time[0], count, word, next);
    else
        DJ_LAUNCH(compare<uint64_t>, blocks_for(count), THREADS, stream, link->key[0], link->time[0], count,
                  word, next);
    cub::DoubleBuffer<uint32_t> times(link->time[0], link->time[1]), words(word, word + count);
    int bits = 32 - __builtin_clz(count | 1);
    size_t bytes = link->scratch_bytes;
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess && bits > DJ_TILE_BITS)
        error = cub::DeviceRadixSort::SortPairs(link->scratch, bytes, times, words, count, DJ_TILE_BITS, bits,
                                                stream);
    if (error != cudaSuccess)
        return error;
    DJ_LAUNCH(arrange, dj_tiles(count), THREADS, stream, times.Current(), words.Current(), count, prev,
              link->last);
    return cudaGetLastError();
}

static __global__ void __launch_bounds__(THREADS)
    gather_last(const uint32_t *prev, uint32_t count, const uint32_t *last, dj_gpu_accesses from,
                dj_gpu_accesses to)
{
    __shared__ uint32_t found[WARPS];
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, start = blockIdx.x * DJ_TILE;
    // Each warp writes a contiguous range of the tile.
    uint32_t mine = start + warp * (DJ_TILE / WARPS) + lane, own = 0;
    for (uint32_t row = 0; row < TILE_ROWS; row++)
        own += (uint32_t)__popc(
            __ballot_sync(DJ_ALL_LANES, mine + row * 32 < count && is_last(prev[mine + row * 32])));
    if (lane == 0)
        found[warp] = own;
    __syncthreads();
    uint32_t place = last[blockIdx.x];
    for (uint32_t w = 0; w < warp; w++)
        place += found[w];
    for (uint32_t row = 0; row < TILE_ROWS; row++) {
        uint32_t i = mine + row * 32;
        bool is = i < count && is_last(prev[i]);
        uint32_t which = __ballot_sync(DJ_ALL_LANES, is);
        if (is) {
            uint32_t at = place + (uint32_t)__popc(which & dj_lanes_before(lane));
            to.key[at] = from.key[i];
            if (from.tag)
                to.tag[at] = from.tag[i];
            if (from.time)
                to.time[at] = from.time[i];
        }
        place += (uint32_t)__popc(which);
    }
}

cudaError_t dj_link_order(dj_link *link, const uint32_t *prev, uint32_t count, dj_gpu_accesses from,
                          dj_gpu_accesses to, cudaStream_t stream)
{
    uint32_t tiles = dj_tiles(count);
    size_t bytes = link->scratch_bytes;
    cudaError_t error = cudaMemsetAsync(link->last + tiles, 0, sizeof *link->last, stream);
    if (error == cudaSuccess)
        error =
            cub::DeviceScan::ExclusiveSum(link->scratch, bytes, link->last, link->last, tiles + 1, stream);
    if (error != cudaSuccess)
        return error;
    DJ_LAUNCH(gather_last, tiles, THREADS, stream, prev, count, link->last, from, to);
    return cudaGetLastError();
}

static __global__ void recall(const uint32_t *prev, uint32_t first, uint32_t count, dj_gpu_accesses from,
                              uint32_t *prev_tag, uint64_t *prev_time)
{
    for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) {
        uint32_t before = prev[first + i] & DJ_NO_PREV;
        bool seen = before != DJ_NO_PREV;
        if (prev_tag)
            prev_tag[i] = seen ? from.tag[before] : 0;
        if (prev_time)
            prev_time[i] = seen ? from.time[before] : UINT64_MAX;
    }
}

cudaError_t dj_link_recall(const uint32_t *prev, uint32_t first, uint32_t count, dj_gpu_accesses from,
                           uint32_t *prev_tag, uint64_t *prev_time, cudaStream_t stream)
{
    DJ_LAUNCH(recall, blocks_for(count), THREADS, stream, prev, first, count, from, prev_tag, prev_time);
    return cudaGetLastError();
}
