// SPDX-License-Identifier: MIT
// State shared by the files of the 2012 paper's algorithm: see hprda.cu.
#ifndef DEJA_GPU_HPRDA_STATE_CUH
#define DEJA_GPU_HPRDA_STATE_CUH

#include "gpu/hprda.h"

#include "gpu/failure.cuh"

// Threads of a block, each with one local trace: NB of the paper.
enum { HPRDA_THREADS = 64 };
// The local array of a local trace is an array of bits, with a sum for each HPRDA_SUMMED words.
enum { HPRDA_SUMMED = 32, HPRDA_WORD = 32 };
// Pieces up to this size have their local arrays in shared memory.
enum { HPRDA_SHARED_ST = 2048, HPRDA_SHARED_WORDS = HPRDA_SHARED_ST / HPRDA_WORD };

// A merged distance that may still be adjusted; as a flag in `first`: another element is the head.
#define HPRDA_OPEN (UINT32_C(1) << 31)

// The pool: 20 bytes per key of each local trace. Element e is key e % st of local trace e / st, in the order
// of first accesses.
struct hprda_pool {
    uint64_t *key;
    uint32_t *first; // index of the first access; after merging: the first element of the key in the block
    uint32_t *last;  // position of the last access, from 1: first in the local trace, then in the fragment
    uint32_t
        *next; // element of the key in the next local trace that contains it, + 1; 0: none, as far as merged
};

struct hprda_view {
    const uint64_t *key; // accesses without repeats
    uint32_t count;
    uint32_t st, pieces;
    hprda_pool pool;
    uint32_t *table;    // 2 × st entries per local trace: element + 1, or 0
    uint32_t *distance; // for the accesses without repeats
    uint32_t *distinct; // by local trace
    uint32_t *base;     // sum over all earlier local traces
    uint32_t *bits;     // local arrays that are too large for shared memory
};

enum hprda_column {
    HPRDA_KEY,     // the fragment; later, keys to be fetched
    HPRDA_KEPT,    // without repeats
    HPRDA_WHERE,   // and their original indices
    HPRDA_ANSWERS, // distances by access
    HPRDA_POOL_KEY,
    HPRDA_POOL_FIRST,
    HPRDA_POOL_LAST,
    HPRDA_POOL_NEXT,
    HPRDA_TABLE,
    HPRDA_DISTANCE,
    HPRDA_DISTINCT,
    HPRDA_BASE,
    HPRDA_BITS,
    HPRDA_COUNTS,
    HPRDA_KEYS,
    HPRDA_SCRATCH, // for CUB
    HPRDA_COLUMNS
};

enum { HPRDA_STEPS = 5 };

struct dj_gpu_hprda {
    dj_gpu_hprda_config config;
    void *column[HPRDA_COLUMNS];
    size_t scratch_bytes;
    cudaStream_t stream;
    cudaEvent_t copied, mark[HPRDA_STEPS + 1];
    bool copying;
    uint64_t put;          // accesses of the next fragment
    uint64_t counts;       // number of counters in use
    uint64_t repeats;      // removed so far
    uint64_t accesses;     // of the last fragment analyzed
    uint64_t keys, places; // likewise
    hprda_view view;       // likewise
    double seconds[HPRDA_STEPS], bytes[HPRDA_STEPS];
};

extern const char *const dj_gpu_hprda_step_names[HPRDA_STEPS];

// The amount of memory that CUB needs for a fragment.
int dj_gpu_hprda_scratch_bytes(dj_context *context, uint64_t fragment, size_t *out);
// Waits until the accesses that were put have been copied.
int dj_gpu_hprda_wait_put(dj_gpu_hprda *gpu, dj_context *context);

#endif
