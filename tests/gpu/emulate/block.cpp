// SPDX-License-Identifier: MIT
#include "block.h"
#include "emulate.h"
#include "fiber.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

uint3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulated
{
block current;
static int backwards = -1;
static std::mutex one_kernel; // shared memory is static, so only one kernel runs at a time
static void (*run_body)(const void *with);
static const void *run_with;

void die(const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    fprintf(stderr, "emulated device: ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    if (current.kernel)
        fprintf(stderr, " (kernel %s, block %u of %u, thread %u of %u)", current.kernel, blockIdx.x,
                gridDim.x, threadIdx.x, blockDim.x);
    fprintf(stderr, "\n");
    abort();
}

static unsigned pick_bit(uint32_t mask)
{
    return backwards ? 31 - (unsigned)__builtin_clz(mask) : (unsigned)__builtin_ctz(mask);
}

// Threads that wait for the block are released when all have arrived; so some warp has a thread
// elsewhere.
[[noreturn]] static void say_who_waits()
{
    unsigned i = 0;
    while (!current.warps[i].waiting)
        i++;
    const warp &w = current.warps[i];
    const place &at = w.meetings[w.met & 1].at;
    die("deadlock in warp %u: lanes %#x wait at %s:%d (%s), lanes %#x for the block, lanes %#x have ended", i,
        w.waiting, at.file, at.line, at.what, w.blocked, w.lanes & ~w.waiting & ~w.blocked);
}

// The warp that ran continues while it can.
void rest()
{
    unsigned here = threadIdx.x / WARP;
    if (!current.ready)
        say_who_waits();
    if (!(current.ready >> here & 1))
        here = pick_bit(current.ready);
    warp &w = current.warps[here];
    unsigned lane = pick_bit(w.ready);
    w.ready &= ~(UINT32_C(1) << lane);
    if (!w.ready)
        current.ready &= ~(UINT32_C(1) << here);
    threadIdx.x = here * WARP + lane;
    fiber_switch(threadIdx.x);
}

static void release_block()
{
    for (unsigned i = 0; i < (blockDim.x + WARP - 1) / WARP; i++) {
        warp &w = current.warps[i];
        w.ready |= w.blocked;
        w.blocked = 0;
        if (w.ready)
            current.ready |= UINT32_C(1) << i;
    }
    current.arrived = 0;
    current.met++;
}

unsigned meet_block(place at, bool vote)
{
    unsigned now = current.met & 1;
    warp &w = current.warps[threadIdx.x / WARP];
    if (current.arrived == 0) {
        current.at[now] = at;
        current.votes[now] = 0;
    } else if (current.at[now].line != at.line || current.at[now].what != at.what)
        die("%s:%d: %s, while other threads wait in line %d at %s", at.file, at.line, at.what,
            current.at[now].line, current.at[now].what);
    current.votes[now] += vote;
    w.blocked |= UINT32_C(1) << threadIdx.x % WARP;
    if (++current.arrived == current.running)
        release_block();
    rest();
    return current.votes[now];
}

static void thread_main(unsigned)
{
    run_body(run_with);
    if (--current.running == 0)
        fiber_switch(FIBER_MAIN);
    else {
        if (current.arrived == current.running)
            release_block();
        rest();
    }
}

static void run_block(unsigned threads)
{
    current.ready = 0;
    current.running = threads;
    current.arrived = 0;
    for (unsigned first = 0; first < threads; first += WARP) {
        warp &w = current.warps[first / WARP];
        w.lanes = threads - first < WARP ? (UINT32_C(1) << (threads - first)) - 1 : UINT32_MAX;
        w.ready = w.lanes;
        w.waiting = w.blocked = 0;
        current.ready |= UINT32_C(1) << first / WARP;
    }
    threadIdx.x = backwards ? threads - 1 : 0;
    rest();
}

void run(const char *kernel, unsigned blocks, unsigned threads, void (*body)(const void *with),
         const void *with)
{
    std::lock_guard<std::mutex> lock(one_kernel);
    if (backwards < 0) {
        const char *order = getenv("DEJA_EMULATE_ORDER");
        backwards = order && strcmp(order, "backwards") == 0;
    }
    current.kernel = kernel;
    run_body = body;
    run_with = with;
    fibers_make(threads, thread_main);
    blockDim = {threads, 1, 1};
    gridDim = {blocks, 1, 1};
    for (unsigned i = 0; i < blocks; i++) {
        blockIdx = {i, 0, 0};
        run_block(threads);
    }
    current.kernel = nullptr;
}
} // namespace emulated

void dj_emulated_backwards(bool value)
{
    emulated::backwards = value;
}
