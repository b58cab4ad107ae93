// SPDX-License-Identifier: MIT
// How tests control the emulated device.
#ifndef DEJA_EMULATE_H
#define DEJA_EMULATE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// As if the machine had none.
void dj_emulated_absent(bool absent);
// Sets the amount of device memory; what is in use stays. Also: DEJA_EMULATE_MEMORY, in bytes.
void dj_emulated_memory(uint64_t bytes);
// How much of it is in use.
uint64_t dj_emulated_used(void);
// Number of allocations (pinned ones, too), streams and events that were not released.
unsigned dj_emulated_held(void);
// Number of calls of the runtime so far.
uint64_t dj_emulated_calls(void);
// After this many more calls one fails with this CUDA error, without doing anything; 0: none does.
void dj_emulated_fail(uint64_t after, int error);
// Streams do their work only when someone waits for it, not immediately. Also:
// DEJA_EMULATE_STREAMS=late.
void dj_emulated_late(bool late);
// Threads of a block run in order of their numbers, or in reverse. Also: DEJA_EMULATE_ORDER=backwards.
void dj_emulated_backwards(bool backwards);

#ifdef __cplusplus
}
#endif
#endif
