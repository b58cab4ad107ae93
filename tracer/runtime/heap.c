// SPDX-License-Identifier: MIT
// Heap blocks. The program keeps its allocator. Blocks are recorded after they are allocated and before they
// are freed.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "wrap.h"

DJ_RT_WRAP(malloc);
DJ_RT_WRAP(calloc);
DJ_RT_WRAP(realloc);
DJ_RT_WRAP(reallocarray);
DJ_RT_WRAP(free);
DJ_RT_WRAP(memalign);
DJ_RT_WRAP(aligned_alloc);
DJ_RT_WRAP(posix_memalign);
DJ_RT_WRAP(valloc);
DJ_RT_WRAP(pvalloc);

// Memory for dlsym while it looks up malloc: never freed, each block preceded by its size.
static _Alignas(16) char first_blocks[1 << 14];
static size_t first_used;

static void *take_first(size_t bytes)
{
    size_t whole = (bytes + 31) & ~(size_t)15;
    if (bytes > sizeof first_blocks)
        return NULL;
    size_t at = __atomic_fetch_add(&first_used, whole, __ATOMIC_RELAXED);
    if (at + whole > sizeof first_blocks)
        return NULL;
    memcpy(first_blocks + at, &bytes, sizeof bytes);
    return first_blocks + at + 16;
}

static bool is_first(const void *block)
{
    return (const char *)block >= first_blocks && (const char *)block < first_blocks + sizeof first_blocks;
}

// The call that requests a block, if malloc is called by an intermediate function.
static DJ_RT_THREAD uint64_t caller_pc;
static DJ_RT_THREAD uint64_t caller_sp;

void dj_rt_heap_set_caller(uint64_t pc, uint64_t sp)
{
    if (!dj_rt_is_traced() || caller_pc) // one of these functions may call another
        return;
    caller_pc = pc;
    caller_sp = sp;
}

bool dj_rt_heap_unset_caller(void)
{
    if (!dj_rt_is_traced())
        return false;
    bool unused = caller_pc != 0;
    caller_pc = 0;
    return unused;
}

void dj_rt_record_alloc(uint64_t pc, uint64_t sp, const void *block, size_t bytes, const void *old)
{
    if (!dj_rt_is_traced())
        return;
    if (caller_pc) {
        pc = caller_pc;
        sp = caller_sp;
        caller_pc = 0;
    }
    if (!block)
        return;
    dj_rt_notice_modules(pc);
    if (dj_rt_sampled)
        dj_rt_bursts_know_stack();
    uint64_t words[] = {pc, sp, (uintptr_t)block, bytes, (uintptr_t)old};
    dj_rt_put_record(DJ_RECORD_ALLOC, 0, words, 5, NULL);
}

void dj_rt_record_free(const void *block)
{
    if (!block || !dj_rt_is_traced())
        return;
    uint64_t word = (uintptr_t)block;
    dj_rt_put_record(DJ_RECORD_FREE, 0, &word, 1, NULL);
    dj_rt_publish();
}

#define RECORD_ALLOC(block, bytes) dj_rt_record_alloc(DJ_RT_CALLER(), DJ_RT_CALLER_SP(), block, bytes, NULL)

DJ_RT_EXPORT void *DJ_RT_NAME(malloc)(size_t bytes)
{
    __typeof__(&malloc) real = DJ_RT_REAL(malloc);
    if (!real)
        return take_first(bytes);
    void *block = real(bytes);
    RECORD_ALLOC(block, bytes);
    return block;
}

DJ_RT_EXPORT void *DJ_RT_NAME(calloc)(size_t count, size_t bytes)
{
    __typeof__(&calloc) real = DJ_RT_REAL(calloc);
    size_t all;
    if (!real) // the first blocks are zero and used only once
        return __builtin_mul_overflow(count, bytes, &all) ? NULL : take_first(all);
    // In a static program its memset is also intercepted.
    bool within = dj_rt_enter();
    void *block = real(count, bytes);
    if (within)
        dj_rt_leave();
    RECORD_ALLOC(block, count * bytes);
    return block;
}

DJ_RT_EXPORT void DJ_RT_NAME(free)(void *block)
{
    if (!block || is_first(block))
        return;
    dj_rt_record_free(block);
    __typeof__(&free) real = DJ_RT_REAL(free);
    if (real) // otherwise dlsym frees an error text while it looks up this function
        real(block);
}

// Another thread may get the old block before the new one is recorded: so the old one is recorded as freed
// first, and as allocated again if it stays.
static void *record_resized(void *old, void *block, size_t bytes, uint64_t pc, uint64_t sp)
{
    if (!block && old && bytes)
        dj_rt_record_alloc(pc, sp, old, malloc_usable_size(old), NULL);
    else
        dj_rt_record_alloc(pc, sp, block, bytes, NULL);
    return block;
}

static void *resize_first(void *old, size_t bytes)
{
    size_t before;
    void *block = DJ_RT_NAME(malloc)(bytes);
    memcpy(&before, (char *)old - 16, sizeof before);
    return block ? memcpy(block, old, before < bytes ? before : bytes) : NULL;
}

DJ_RT_EXPORT void *DJ_RT_NAME(realloc)(void *old, size_t bytes)
{
    __typeof__(&realloc) real = DJ_RT_REAL(realloc);
    if (!real || is_first(old))
        return old ? resize_first(old, bytes) : take_first(bytes);
    dj_rt_record_free(old);
    bool within = dj_rt_enter();
    void *block = real(old, bytes);
    if (within)
        dj_rt_leave();
    return record_resized(old, block, bytes, DJ_RT_CALLER(), DJ_RT_CALLER_SP());
}

DJ_RT_EXPORT void *DJ_RT_NAME(reallocarray)(void *old, size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    dj_rt_heap_set_caller(DJ_RT_CALLER(), DJ_RT_CALLER_SP());
    return DJ_RT_NAME(realloc)(old, all);
}

DJ_RT_EXPORT void *DJ_RT_NAME(memalign)(size_t alignment, size_t bytes)
{
    void *block = DJ_RT_REAL(memalign)(alignment, bytes);
    RECORD_ALLOC(block, bytes);
    return block;
}

DJ_RT_EXPORT void *DJ_RT_NAME(aligned_alloc)(size_t alignment, size_t bytes)
{
    void *block = DJ_RT_REAL(aligned_alloc)(alignment, bytes);
    RECORD_ALLOC(block, bytes);
    return block;
}

DJ_RT_EXPORT int DJ_RT_NAME(posix_memalign)(void **block, size_t alignment, size_t bytes)
{
    int status = DJ_RT_REAL(posix_memalign)(block, alignment, bytes);
    if (status == 0)
        RECORD_ALLOC(*block, bytes);
    return status;
}

DJ_RT_EXPORT void *DJ_RT_NAME(valloc)(size_t bytes)
{
    void *block = DJ_RT_REAL(valloc)(bytes);
    RECORD_ALLOC(block, bytes);
    return block;
}

DJ_RT_EXPORT void *DJ_RT_NAME(pvalloc)(size_t bytes)
{
    void *block = DJ_RT_REAL(pvalloc)(bytes);
    RECORD_ALLOC(block, bytes);
    return block;
}
