// SPDX-License-Identifier: MIT
// The threads of one block, on one thread of the processor: each is a fiber that
// runs until it has to wait for the others of its warp or block.
#ifndef DEJA_EMULATE_BLOCK_H
#define DEJA_EMULATE_BLOCK_H

#include <cstdint>

struct uint3 {
    unsigned x, y, z;
};

extern uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulated
{
enum { WARP = 32, THREADS = 1024 };

// Where in a kernel the threads meet: all must be at the same place.
struct place {
    const char *what, *file;
    int line;
};

struct meeting {
    place at;
    uint64_t value[WARP]; // of each lane
    uint32_t vote;        // a bit for each lane
};

struct warp {
    uint32_t lanes;   // existing
    uint32_t ready;   // can continue
    uint32_t waiting; // waiting for the others of the warp
    uint32_t blocked; // waiting for the block
    unsigned met;     // how often; the next meeting is meetings[met & 1]
    meeting meetings[2];
};

struct block {
    const char *kernel;
    warp warps[THREADS / WARP];
    uint32_t ready; // warps with threads that can continue
    unsigned running, arrived;
    unsigned met;
    place at[2];
    unsigned votes[2];
};

extern block current;

// Reports what went wrong, where, and aborts.
[[noreturn]] void die(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Lets others run until this thread is ready again.
void rest();

// Runs body(with) as every thread of every block, block by block.
void run(const char *kernel, unsigned blocks, unsigned threads, void (*body)(const void *with),
         const void *with);

// Waits for all lanes of the warp.
inline const meeting &meet(place at, unsigned mask, uint64_t value, bool vote)
{
    warp &w = current.warps[threadIdx.x / WARP];
    uint32_t self = UINT32_C(1) << threadIdx.x % WARP;
    meeting &m = w.meetings[w.met & 1];
    if (mask != UINT32_MAX)
        die("%s:%d: %s has the mask %#x; only full ones are known here", at.file, at.line, at.what, mask);
    if (!w.waiting) {
        m.at = at;
        m.vote = 0;
    } else if (m.at.line != at.line || m.at.what != at.what)
        die("%s:%d: %s, while other lanes wait in line %d at %s", at.file, at.line, at.what, m.at.line,
            m.at.what);
    m.value[threadIdx.x % WARP] = value;
    if (vote)
        m.vote |= self;
    w.waiting |= self;
    if (w.waiting != w.lanes) {
        rest();
        return m;
    }
    w.ready |= w.waiting & ~self;
    if (w.ready)
        current.ready |= UINT32_C(1) << threadIdx.x / WARP;
    w.waiting = 0;
    w.met++;
    return m;
}

// Waits for all threads of the block; returns how many voted for it.
unsigned meet_block(place at, bool vote);
} // namespace emulated
#endif
