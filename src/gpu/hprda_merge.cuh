// SPDX-License-Identifier: MIT
// The last steps of the 2012 paper as kernels: see hprda.cu.
#ifndef DEJA_GPU_HPRDA_MERGE_CUH
#define DEJA_GPU_HPRDA_MERGE_CUH

#include "gpu/hprda_local.cuh"
#include "gpu/tally.cuh"

// Replaces the element of the key in the table by element e; returns the old one, + 1; 0: none. No
// other thread may have the same key at the same time.
static __device__ inline uint32_t hprda_replace(const hprda_entries &t, const uint64_t *keys, uint32_t e)
{
    uint64_t key = keys[e], at = hprda_place(t, key);
    for (;; at = at + 1 < t.count ? at + 1 : 0) {
        uint32_t found = t.entry[at];
        if (found == 0)
            found = atomicCAS(&t.entry[at], 0u, e + 1);
        if (found == 0)
            return 0;
        if (keys[found - 1] == key) {
            t.entry[at] = e + 1;
            return found;
        }
    }
}

// ---- step 3: the local traces of a block are merged, in order (Figure 7) ----

// Formula (1): the distance of the first access of an element, or of the head of its list, from the
// previous element. Both already have positions in the fragment.
static __device__ inline void hprda_join(const hprda_view &v, uint32_t head, uint32_t before, uint32_t e)
{
    uint32_t place = v.base[head / v.st] + head % v.st;
    v.distance[v.pool.first[head]] = (place - v.pool.last[before]) | HPRDA_OPEN;
    v.pool.next[before] = e + 1;
}

static __global__ void hprda_merge_pieces(hprda_view v)
{
    uint32_t first = blockIdx.x * HPRDA_THREADS;
    uint32_t pieces = v.pieces - first;
    if (pieces > HPRDA_THREADS)
        pieces = HPRDA_THREADS;
    hprda_entries table = {v.table + (uint64_t)first * v.st * 2, (uint64_t)pieces * v.st * 2};
    for (uint32_t piece = first; piece < first + pieces; piece++) {
        uint32_t begin = piece * v.st, end = begin + v.distinct[piece];
        for (uint32_t e = begin + threadIdx.x; e < end; e += HPRDA_THREADS) {
            v.pool.last[e] += v.base[piece];
            uint32_t before = hprda_replace(table, v.pool.key, e);
            if (before == 0)
                continue;
            hprda_join(v, e, before - 1, e);
            uint32_t of_before = v.pool.first[before - 1];
            v.pool.first[e] = of_before & HPRDA_OPEN ? of_before : (before - 1) | HPRDA_OPEN;
        }
        __syncthreads();
    }
}

// ---- step 4: the blocks are merged in order ----

// The elements from `begin` on, at most `count`, belong to a block.
static __global__ void hprda_merge_block(hprda_view v, uint32_t begin, uint32_t count, uint64_t entries,
                                         uint32_t *keys)
{
    __shared__ uint32_t fresh;
    if (threadIdx.x == 0)
        fresh = 0;
    __syncthreads();
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, e = begin + i;
    // The last element of each key in the block.
    if (i < count && e % v.st < v.distinct[e / v.st] && v.pool.next[e] == 0) {
        uint32_t head = v.pool.first[e] & HPRDA_OPEN ? v.pool.first[e] & ~HPRDA_OPEN : e;
        uint32_t before = hprda_replace(hprda_entries{v.table, entries}, v.pool.key, e);
        if (before != 0) {
            hprda_join(v, head, before - 1, e);
        } else {
            v.distance[v.pool.first[head]] = DJ_GPU_COLD;
            atomicAdd(&fresh, 1u);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && fresh != 0)
        atomicAdd(keys, fresh);
}

// ---- step 5: the adjustment (formulas 2 and 3); then distances are counted or returned ----

struct hprda_scale {
    uint64_t keys, places; // M, and the keys of all local traces, added up
    uint32_t most;         // distances up to this are not changed
};

static __device__ inline uint32_t hprda_adjust(const hprda_scale &scale, uint32_t distance)
{
    if (!(distance & HPRDA_OPEN) || distance == DJ_GPU_COLD)
        return distance;
    distance &= ~HPRDA_OPEN;
    return distance > scale.most ? (uint32_t)(distance * scale.keys / scale.places) : distance;
}

// Counts first accesses at `cold`. Each block must consist of complete warps.
static __global__ void hprda_tally(const uint32_t *distance, uint32_t count, hprda_scale scale,
                                   uint64_t *counts, uint32_t cold)
{
    __shared__ dj_gpu_tally tally;
    dj_gpu_tally_begin(&tally);
    __syncthreads();
    uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t from = (uint64_t)blockIdx.x * blockDim.x; from < count; from += step) {
        uint64_t i = from + threadIdx.x;
        uint32_t d = i < count ? hprda_adjust(scale, distance[i]) : 0;
        uint32_t there = __ballot_sync(DJ_ALL_LANES, i < count);
        dj_gpu_tally_add(&tally, counts, d == DJ_GPU_COLD ? cold : d, there);
    }
    __syncthreads();
    dj_gpu_tally_end(&tally, counts);
}

static __global__ void hprda_spread(const uint32_t *distance, const uint32_t *where, uint32_t count,
                                    hprda_scale scale, uint32_t *out)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[where[i]] = hprda_adjust(scale, distance[i]);
}

// ---- what the next fragment needs ----

static __global__ void hprda_flag_cold(const uint32_t *distance, uint32_t count, uint32_t *flag)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        flag[i] = distance[i] == DJ_GPU_COLD;
}

// Stores the keys at the positions of their last accesses.
static __global__ void hprda_flag_last(hprda_view v, uint32_t *flag, uint64_t *key)
{
    uint32_t e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= v.count || e % v.st >= v.distinct[e / v.st] || v.pool.next[e] != 0)
        return;
    flag[v.pool.last[e] - 1] = 1;
    key[v.pool.last[e] - 1] = v.pool.key[e];
}

#endif
