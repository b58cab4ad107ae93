// SPDX-License-Identifier: MIT
// Ends the helper process whenever memory runs out, so that no answer can silently lack a part. The functions
// of the C library, or of a library that is loaded before it, do the work. Sanitizers have their own.
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "symbols/helper/process.h"

typedef void *allocate(size_t bytes);
typedef void *allocate_zeroed(size_t count, size_t bytes);
typedef void *reallocate(void *old, size_t bytes);
typedef void *allocate_aligned(size_t alignment, size_t bytes);
typedef void release(void *old);

// dlsym may allocate memory itself, which is never freed.
static union {
    max_align_t align;
    char bytes[1 << 16];
} early;
static size_t early_used;

static bool is_early(const void *at)
{
    return (const char *)at >= early.bytes && (const char *)at < early.bytes + sizeof early.bytes;
}

static void *take_early(size_t bytes)
{
    size_t rounded = (bytes + sizeof early.align - 1) / sizeof early.align * sizeof early.align;
    if (bytes > sizeof early.bytes || rounded > sizeof early.bytes - early_used)
        _exit(DJ_HELPER_NO_MEMORY);
    void *at = early.bytes + early_used;
    early_used += rounded;
    return at;
}

static void *checked(void *memory, size_t bytes)
{
    if (!memory && bytes > 0)
        _exit(DJ_HELPER_NO_MEMORY);
    return memory;
}

static bool finding; // the helper has one thread

// The next definition of a function; NULL: it is being looked for.
static void *find(void **known, const char *name)
{
    if (!*known && !finding) {
        finding = true;
        *known = dlsym(RTLD_NEXT, name);
        finding = false;
        if (!*known)
            _exit(DJ_HELPER_NO_MEMORY);
    }
    return *known;
}

void *malloc(size_t bytes)
{
    static void *known;
    allocate *next = (allocate *)(uintptr_t)find(&known, "malloc");
    return next ? checked(next(bytes), bytes) : take_early(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    static void *known;
    allocate_zeroed *next = (allocate_zeroed *)(uintptr_t)find(&known, "calloc");
    if (next)
        return checked(next(count, bytes), count && bytes);
    return take_early(bytes ? count * bytes : 0);
}

void *realloc(void *old, size_t bytes)
{
    static void *known;
    if (is_early(old)) {
        size_t most = (size_t)(early.bytes + sizeof early.bytes - (char *)old);
        return memcpy(malloc(bytes), old, bytes < most ? bytes : most);
    }
    reallocate *next = (reallocate *)(uintptr_t)find(&known, "realloc");
    return next ? checked(next(old, bytes), bytes) : take_early(bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    static void *known;
    allocate_aligned *next = (allocate_aligned *)(uintptr_t)find(&known, "aligned_alloc");
    return next ? checked(next(alignment, bytes), bytes) : NULL;
}

void *memalign(size_t alignment, size_t bytes)
{
    return aligned_alloc(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    *out = aligned_alloc(alignment, bytes);
    return 0;
}

void free(void *old)
{
    static void *known;
    if (!old || is_early(old))
        return;
    release *next = (release *)(uintptr_t)find(&known, "free");
    if (next)
        next(old);
}
