// SPDX-License-Identifier: MIT
// Properties of this machine, as far as the system reports them.
#ifndef DEJA_BASE_MACHINE_H
#define DEJA_BASE_MACHINE_H

#include <deja/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dj_cache_kind { DJ_CACHE_DATA, DJ_CACHE_INSTRUCTION, DJ_CACHE_UNIFIED };

typedef struct dj_cache {
    unsigned level; // 1, 2, 3, …
    enum dj_cache_kind kind;
    uint64_t bytes;
    uint64_t line_bytes; // 0: unknown, as all below
    uint64_t ways;       // equal to the number of lines: fully associative
    unsigned cpus;       // hardware threads that share it
} dj_cache;

enum { DJ_CACHES_MAX = 16 };

// The caches of the first processor, in order of level, data before instructions: at most DJ_CACHES_MAX, none
// if the system does not report them. `root` is the folder with index0, index1, …; NULL: that of this
// machine. Fails if they are reported but cannot be read.
int dj_machine_caches(dj_context *context, const char *root, dj_cache *out, size_t *count);

// "L1d", "L1i", "L2", …; `to` is a buffer of 16 bytes.
void dj_cache_name(const dj_cache *cache, char *to);

// The widest vector instructions that Deja uses here: "avx512", "avx2" or "portable".
const char *dj_machine_simd(void);

// The processor's name, or "unknown".
int dj_machine_processor(dj_context *context, char *to, size_t capacity);
uint64_t dj_machine_memory_bytes(void); // 0: unknown
uint64_t dj_machine_usable_bytes(void); // memory that this process may use; 0: unknown
unsigned dj_machine_cpus(void);         // processors that this process may use

#endif
