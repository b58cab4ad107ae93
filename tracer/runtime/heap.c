// SPDX-License-Identifier: MIT
// Blocks of the heap. The allocator stays the one that the program has; blocks
// are told when they are there and before they are gone.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "wrap.h"

DJ_RT_FRONT(malloc);
DJ_RT_FRONT(calloc);
DJ_RT_FRONT(realloc);
DJ_RT_FRONT(reallocarray);
DJ_RT_FRONT(free);
DJ_RT_FRONT(memalign);
DJ_RT_FRONT(aligned_alloc);
DJ_RT_FRONT(posix_memalign);
DJ_RT_FRONT(valloc);
DJ_RT_FRONT(pvalloc);

// What dlsym asks for while it looks for malloc: never given back, each block
// with its size before it.
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

// The call that asks for a block, where malloc itself is called by a function
// that only stands between.
static DJ_RT_THREAD uint64_t asking_pc;
static DJ_RT_THREAD uint64_t asking_sp;

void dj_rt_heap_asks(uint64_t pc, uint64_t sp)
{
    if (!dj_rt_is_traced() || asking_pc) // one of these functions may call another
        return;
    asking_pc = pc;
    asking_sp = sp;
}

bool dj_rt_heap_asked_nobody(void)
{
    if (!dj_rt_is_traced())
        return false;
    bool nobody = asking_pc != 0;
    asking_pc = 0;
    return nobody;
}

void dj_rt_tell_alloc(uint64_t pc, uint64_t sp, const void *block, size_t bytes, const void *old)
{
    if (!dj_rt_is_traced())
        return;
    if (asking_pc) {
        pc = asking_pc;
        sp = asking_sp;
        asking_pc = 0;
    }
    if (!block)
        return;
    dj_rt_notice_modules(pc);
    uint64_t words[] = {pc, sp, (uintptr_t)block, bytes, (uintptr_t)old};
    dj_rt_put_record(DJ_RECORD_ALLOC, 0, words, 5, NULL);
}

void dj_rt_tell_free(const void *block)
{
    if (!block || !dj_rt_is_traced())
        return;
    uint64_t word = (uintptr_t)block;
    dj_rt_put_record(DJ_RECORD_FREE, 0, &word, 1, NULL);
    dj_rt_publish();
}

#define TELL(block, bytes) dj_rt_tell_alloc(DJ_RT_CALLER(), DJ_RT_CALLER_SP(), block, bytes, NULL)

DJ_RT_EXPORT void *DJ_RT_NAME(malloc)(size_t bytes)
{
    __typeof__(&malloc) real = DJ_RT_REAL(malloc);
    if (!real)
        return take_first(bytes);
    void *block = real(bytes);
    TELL(block, bytes);
    return block;
}

DJ_RT_EXPORT void *DJ_RT_NAME(calloc)(size_t count, size_t bytes)
{
    __typeof__(&calloc) real = DJ_RT_REAL(calloc);
    size_t all;
    if (!real) // the first blocks are 0 and are used once
        return __builtin_mul_overflow(count, bytes, &all) ? NULL : take_first(all);
    // In a static program its memset comes here too.
    bool within = dj_rt_enter();
    void *block = real(count, bytes);
    if (within)
        dj_rt_leave();
    TELL(block, count * bytes);
    return block;
}

DJ_RT_EXPORT void DJ_RT_NAME(free)(void *block)
{
    if (!block || is_first(block))
        return;
    dj_rt_tell_free(block);
    __typeof__(&free) real = DJ_RT_REAL(free);
    if (real) // else dlsym gives back the text of an error while it looks for this function
        real(block);
}

// Another thread may be given the old block before the new one could be told:
// so the old one is told as gone first, and as there again if it stays.
static void *tell_resized(void *old, void *block, size_t bytes, uint64_t pc, uint64_t sp)
{
    if (!block && old && bytes)
        dj_rt_tell_alloc(pc, sp, old, malloc_usable_size(old), NULL);
    else
        dj_rt_tell_alloc(pc, sp, block, bytes, NULL);
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
    dj_rt_tell_free(old);
    bool within = dj_rt_enter();
    void *block = real(old, bytes);
    if (within)
        dj_rt_leave();
    return tell_resized(old, block, bytes, DJ_RT_CALLER(), DJ_RT_CALLER_SP());
}

DJ_RT_EXPORT void *DJ_RT_NAME(reallocarray)(void *old, size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    dj_rt_heap_asks(DJ_RT_CALLER(), DJ_RT_CALLER_SP());
    return DJ_RT_NAME(realloc)(old, all);
}

DJ_RT_EXPORT void *DJ_RT_NAME(memalign)(size_t alignment, size_t bytes)
{
    void *block = DJ_RT_REAL(memalign)(alignment, bytes);
    TELL(block, bytes);
    return block;
}

DJ_RT_EXPORT void *DJ_RT_NAME(aligned_alloc)(size_t alignment, size_t bytes)
{
    void *block = DJ_RT_REAL(aligned_alloc)(alignment, bytes);
    TELL(block, bytes);
    return block;
}

DJ_RT_EXPORT int DJ_RT_NAME(posix_memalign)(void **block, size_t alignment, size_t bytes)
{
    int status = DJ_RT_REAL(posix_memalign)(block, alignment, bytes);
    if (status == 0)
        TELL(*block, bytes);
    return status;
}

DJ_RT_EXPORT void *DJ_RT_NAME(valloc)(size_t bytes)
{
    void *block = DJ_RT_REAL(valloc)(bytes);
    TELL(block, bytes);
    return block;
}

DJ_RT_EXPORT void *DJ_RT_NAME(pvalloc)(size_t bytes)
{
    void *block = DJ_RT_REAL(pvalloc)(bytes);
    TELL(block, bytes);
    return block;
}
