// SPDX-License-Identifier: MIT
// What tests can ask of the emulated device.
#ifndef DEJA_EMULATE_H
#define DEJA_EMULATE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// As if the machine had none.
void dj_emulated_absent(bool absent);
// How much memory the device has; what is in use stays. Also: DEJA_EMULATE_MEMORY, in bytes.
void dj_emulated_memory(uint64_t bytes);
// How much of it is in use.
uint64_t dj_emulated_used(void);
// Pieces of memory, pinned ones too, streams and events that were made and not given back.
unsigned dj_emulated_held(void);
// How many calls of the runtime were made so far.
uint64_t dj_emulated_calls(void);
// After so many more calls one fails with this error of CUDA, as if it had nothing done; 0: none does.
void dj_emulated_fail(uint64_t after, int error);
// Work of streams is done only when somebody waits for it, not at once. Also: DEJA_EMULATE_STREAMS=late.
void dj_emulated_late(bool late);
// Threads of a block run in order of their numbers, or the other way. Also: DEJA_EMULATE_ORDER=backwards.
void dj_emulated_backwards(bool backwards);

#ifdef __cplusplus
}
#endif
#endif
