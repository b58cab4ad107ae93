// SPDX-License-Identifier: MIT
// Copies to memory that is not read again soon, bypassing the caches where the processor can.
#ifndef DEJA_ENGINE_STREAM_H
#define DEJA_ENGINE_STREAM_H

#include <deja/engine.h>

#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>

static inline void dj_stream_store(uint64_t *to, uint64_t value)
{
    _mm_stream_si64((long long *)(void *)to, (long long)value);
}

// Call after the last store, before signalling other threads.
static inline void dj_stream_end(void)
{
    _mm_sfence();
}

static inline void dj_stream_copy(uint64_t *to, const uint64_t *from, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        dj_stream_store(to + i, from[i]);
}
#else
static inline void dj_stream_store(uint64_t *to, uint64_t value)
{
    *to = value;
}

static inline void dj_stream_end(void)
{
}

static inline void dj_stream_copy(uint64_t *to, const uint64_t *from, uint64_t count)
{
    memcpy(to, from, count * sizeof *to);
}
#endif

// UINT32_MAX becomes UINT64_MAX.
static inline void dj_stream_widen(uint64_t *to, const uint32_t *from, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        dj_stream_store(to + i, from[i] | -(uint64_t)(from[i] == UINT32_MAX));
}

#endif
