// SPDX-License-Identifier: MIT
// The first steps of the 2012 paper as kernels: see hprda.cu.
#ifndef DEJA_GPU_HPRDA_LOCAL_CUH
#define DEJA_GPU_HPRDA_LOCAL_CUH

#include "gpu/hprda_state.cuh"
#include "gpu/launch.cuh"

// A range of the table.
struct hprda_entries {
    uint32_t *entry;
    uint64_t count;
};

static __device__ inline uint64_t hprda_place(const hprda_entries &t, uint64_t key)
{
    key ^= key >> 33;
    key *= UINT64_C(0xff51afd7ed558ccd);
    key ^= key >> 33;
    key *= UINT64_C(0xc4ceb9fe1a85ec53);
    return (key >> 32) * t.count >> 32;
}

// ---- step 1: accesses that repeat the previous one are removed ----

static __global__ void hprda_flag(const uint64_t *key, uint32_t count, uint32_t *flag)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        flag[i] = i == 0 || key[i] != key[i - 1];
}

// Keys and indices with a flag; `where` may be NULL.
static __global__ void hprda_keep(const uint64_t *key, const uint32_t *flag, const uint32_t *index,
                                  uint32_t count, uint64_t *kept, uint32_t *where)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count || flag[i] == 0)
        return;
    kept[index[i]] = key[i];
    if (where)
        where[index[i]] = i;
}

// ---- step 2: each thread analyzes its local trace (Figure 5) ----

// The local array: words and sums of the threads of a block are interleaved.
struct hprda_array {
    uint32_t *bits, *sums;
};

static __device__ inline uint32_t hprda_word(const hprda_array &a, uint32_t word)
{
    return a.bits[word * HPRDA_THREADS];
}

static __device__ inline void hprda_flip(const hprda_array &a, uint32_t at, uint32_t change)
{
    a.bits[at / HPRDA_WORD * HPRDA_THREADS] ^= 1u << at % HPRDA_WORD;
    a.sums[at / HPRDA_WORD / HPRDA_SUMMED * HPRDA_THREADS] += change;
}

static __device__ inline uint32_t hprda_count(const hprda_array &a, uint32_t from, uint32_t end)
{
    uint32_t count = 0;
    for (uint32_t w = from; w < end; w++)
        count += (uint32_t)__popc(hprda_word(a, w));
    return count;
}

// The number of latest accesses after `at`; there are none from `now` on.
static __device__ inline uint32_t hprda_after(const hprda_array &a, uint32_t at, uint32_t now)
{
    uint32_t word = at / HPRDA_WORD, end = now / HPRDA_WORD + 1;
    uint32_t count = (uint32_t)__popc(hprda_word(a, word) & (~1u << at % HPRDA_WORD));
    uint32_t sum = word / HPRDA_SUMMED + 1, last = end / HPRDA_SUMMED;
    if (sum >= last)
        return count + hprda_count(a, word + 1, end);
    count += hprda_count(a, word + 1, sum * HPRDA_SUMMED);
    for (; sum < last; sum++)
        count += a.sums[sum * HPRDA_THREADS];
    return count + hprda_count(a, last * HPRDA_SUMMED, end);
}

// Returns the number of distinct keys.
static __device__ uint32_t hprda_analyze_piece(const hprda_view &v, const hprda_array &a,
                                               const hprda_entries &table, uint32_t begin, uint32_t count)
{
    const hprda_pool &p = v.pool;
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = v.key[begin + i], at = hprda_place(table, key);
        uint32_t found = table.entry[at];
        while (found != 0 && p.key[begin + found - 1] != key) {
            at = at + 1 < table.count ? at + 1 : 0;
            found = table.entry[at];
        }
        uint32_t number = found - 1;
        if (found == 0) {
            number = distinct++;
            table.entry[at] = distinct;
            p.key[begin + number] = key;
            p.first[begin + number] = begin + i;
        } else {
            uint32_t before = p.last[begin + number];
            v.distance[begin + i] = hprda_after(a, before, i);
            hprda_flip(a, before, UINT32_MAX);
        }
        hprda_flip(a, i, 1);
        p.last[begin + number] = i;
    }
    return distinct;
}

// From the index of the last access to its position: the number of latest accesses up to it, itself
// included. `before` has one element per word.
static __device__ void hprda_set_positions(const hprda_view &v, const hprda_array &a, uint32_t *before,
                                           uint32_t begin, uint32_t count, uint32_t distinct)
{
    uint32_t sum = 0;
    for (uint32_t w = 0; w < (count + HPRDA_WORD - 1) / HPRDA_WORD; w++) {
        before[w] = sum;
        sum += (uint32_t)__popc(hprda_word(a, w));
    }
    for (uint32_t e = begin; e < begin + distinct; e++) {
        uint32_t last = v.pool.last[e], word = last / HPRDA_WORD;
        uint32_t upto = hprda_word(a, word) & ((2u << last % HPRDA_WORD) - 1);
        v.pool.last[e] = before[word] + (uint32_t)__popc(upto);
        v.pool.next[e] = 0;
    }
}

static __global__ void hprda_local_analysis(hprda_view v)
{
    __shared__ uint32_t bits[HPRDA_SHARED_WORDS * HPRDA_THREADS];
    __shared__ uint32_t sums[HPRDA_SHARED_WORDS / HPRDA_SUMMED * HPRDA_THREADS];
    uint32_t piece = blockIdx.x * HPRDA_THREADS + threadIdx.x;
    if (piece >= v.pieces)
        return;
    uint32_t begin = piece * v.st, count = v.count - begin < v.st ? v.count - begin : v.st;
    uint32_t words = (v.st + HPRDA_WORD - 1) / HPRDA_WORD,
             sum_words = (words + HPRDA_SUMMED - 1) / HPRDA_SUMMED;
    hprda_array a = {bits + threadIdx.x, sums + threadIdx.x};
    if (v.st > HPRDA_SHARED_ST) {
        a.bits = v.bits + (uint64_t)blockIdx.x * (words + sum_words) * HPRDA_THREADS + threadIdx.x;
        a.sums = a.bits + (uint64_t)words * HPRDA_THREADS;
    }
    for (uint32_t w = 0; w < words; w++)
        a.bits[w * HPRDA_THREADS] = 0;
    for (uint32_t s = 0; s < sum_words; s++)
        a.sums[s * HPRDA_THREADS] = 0;
    hprda_entries table = {v.table + (uint64_t)piece * v.st * 2, (uint64_t)v.st * 2};
    uint32_t distinct = hprda_analyze_piece(v, a, table, begin, count);
    hprda_set_positions(v, a, table.entry, begin, count, distinct);
    v.distinct[piece] = distinct;
}

#endif
