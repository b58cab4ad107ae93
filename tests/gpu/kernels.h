// SPDX-License-Identifier: MIT
// Small kernels that use each feature of the emulator, for test_emulator.c.
#ifndef DEJA_TESTS_GPU_KERNELS_H
#define DEJA_TESTS_GPU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { KERNEL_THREADS = 256 };

// All return a CUDA error, 0 if successful. `in` and `out` are memory of the test.
int kernel_reverse(const uint32_t *in, uint32_t *out, uint32_t count); // blocks of 256, including the last
int kernel_sum(const uint32_t *in, uint32_t count, uint64_t *out);
int kernel_running_sums(const uint32_t *in, uint32_t *out, uint32_t count); // blocks wait for earlier ones

typedef struct kernel_lane {
    uint32_t ballot, any, all, match;
    uint32_t from_lane_5, up_3, down_3, xor_9, in_quarters; // of 100 + lane
    uint64_t wide;                                          // of the next lane
    int count, some, every;                                 // of the block
} kernel_lane;
// A lane votes for `yes` if its bit is set; `threads` in one block.
int kernel_lanes(uint32_t yes, uint32_t threads, kernel_lane *out);

typedef struct kernel_atomics {
    unsigned add, max, min, bits, exch;
    unsigned long long wide, slots;
} kernel_atomics;
int kernel_count(uint32_t count, uint32_t keys, kernel_atomics *out);

int kernel_sort(uint64_t *key, uint32_t *value, uint32_t count, int begin, int end);
int kernel_pick(const uint32_t *in, const uint8_t *flag, uint32_t count, uint32_t *out, uint32_t *kept);

// Faults: these do not return.
enum kernel_fault {
    FAULT_HALF_WARP,
    FAULT_TWO_BARRIERS,
    FAULT_GONE,
    FAULT_MASK,
    FAULT_OPERATIONS,
    FAULT_COPY,
    FAULT_SIDE,
    FAULTS
};
void kernel_fault(enum kernel_fault fault);

// Copies in[0] to the device, adds 1 there, copies it back, each in a separate stream with events in
// between; changes in[0] to `then` before waiting. Returns what came back.
int kernel_streams(uint32_t first, uint32_t then, uint32_t *out);

#ifdef __cplusplus
}
#endif
#endif
