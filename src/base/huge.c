// SPDX-License-Identifier: MIT
#include "base/huge.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, CACHE_LINE = 64, PAGE = 4096 };

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

// Aligned to a huge page; the parts before and after are unmapped at once.
static void *map_huge(size_t bytes)
{
    char *start = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    size_t before = round_up((uintptr_t)start, HUGE_PAGE) - (uintptr_t)start;
    if (before > 0)
        munmap(start, before);
    if (before < HUGE_PAGE)
        munmap(start + before + bytes, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
    madvise(start + before, bytes, MADV_HUGEPAGE);
#endif
    return start + before;
}

static void *allocate_small(size_t bytes)
{
    void *memory = aligned_alloc(CACHE_LINE, bytes);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

int dj_huge_allocate(dj_huge *huge, dj_footprint *footprint, dj_context *context, const char *what,
                     uint64_t count, size_t element_bytes)
{
    size_t bytes;
    *huge = (dj_huge){0};
    if (__builtin_mul_overflow(count, element_bytes, &bytes) || bytes > PTRDIFF_MAX - 2 * HUGE_PAGE)
        return dj_fail_memory(context, what, 0);
    bool small = bytes < HUGE_PAGE;
    bytes = round_up(bytes ? bytes : 1, small ? CACHE_LINE : PAGE);
    huge->memory = small ? allocate_small(bytes) : map_huge(bytes);
    if (!huge->memory)
        return dj_fail_memory(context, what, bytes);
    huge->bytes = bytes;
    dj_footprint_add(footprint, bytes);
    return DJ_OK;
}

// Moves the pages themselves, so that none is zeroed or copied. On failure, memory at `to` may be unmapped.
static bool move_pages(void *to, const dj_huge *from)
{
    return mremap(from->memory, from->bytes, from->bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
}

int dj_huge_grow(dj_huge *huge, dj_footprint *footprint, dj_context *context, const char *what,
                 uint64_t count, size_t element_bytes, size_t kept)
{
    const bool moves = huge->bytes >= HUGE_PAGE;
    const uint64_t moved = moves ? huge->bytes - huge->released_bytes : 0;
    dj_huge larger;
    if (count <= huge->bytes / element_bytes)
        return DJ_OK;
    dj_footprint_remove(footprint, moved);
    int err = dj_huge_allocate(&larger, footprint, context, what, count, element_bytes);
    if (!err && moves && !move_pages(larger.memory, huge)) {
        dj_huge_free(&larger, footprint);
        err = dj_fail_memory(context, what, huge->bytes);
    }
    if (err) {
        dj_footprint_add(footprint, moved);
        return err;
    }
    if (!moves) {
        if (kept > 0)
            memcpy(larger.memory, huge->memory, kept);
        dj_huge_free(huge, footprint);
    }
    *huge = larger;
    return DJ_OK;
}

void dj_huge_release_front(dj_huge *huge, dj_footprint *footprint, size_t bytes)
{
    size_t whole = bytes / HUGE_PAGE * HUGE_PAGE;
    if (huge->bytes < HUGE_PAGE || whole <= huge->released_bytes)
        return;
    size_t more = whole - huge->released_bytes;
    if (madvise((char *)huge->memory + huge->released_bytes, more, MADV_DONTNEED) != 0)
        return;
    huge->released_bytes = whole;
    dj_footprint_remove(footprint, more);
}

void dj_huge_free(dj_huge *huge, dj_footprint *footprint)
{
    if (!huge->memory)
        return;
    if (huge->bytes < HUGE_PAGE)
        free(huge->memory);
    else
        munmap(huge->memory, huge->bytes);
    dj_footprint_remove(footprint, huge->bytes - huge->released_bytes);
    *huge = (dj_huge){0};
}
