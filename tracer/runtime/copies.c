// SPDX-License-Identifier: MIT
// Functions that copy or fill memory: executed by the C library, and recorded as one record. Before
// constructors run, and before those functions can be looked up, processor instructions do the work.
#include <string.h>
#include <strings.h>

#include "copies.h"
#include "wrap.h"

#undef bcopy
#undef bzero

extern void __chk_fail(void) __attribute__((noreturn));

typedef struct functions {
    void *(*copy)(void *, const void *, size_t);
    void *(*move)(void *, const void *, size_t);
    void *(*fill)(void *, int, size_t);
} functions;

// In assembly, because a compiler would turn loops into calls of these very functions.
static void *copy_plainly(void *to, const void *from, size_t bytes)
{
    void *at = to;
    __asm__ volatile("rep movsb" : "+D"(at), "+S"(from), "+c"(bytes) : : "memory");
    return to;
}

static void *move_plainly(void *to, const void *from, size_t bytes)
{
    if ((uintptr_t)to - (uintptr_t)from >= bytes)
        return copy_plainly(to, from, bytes);
    char *at = (char *)to + bytes - 1;
    from = (const char *)from + bytes - 1;
    __asm__ volatile("std; rep movsb; cld" : "+D"(at), "+S"(from), "+c"(bytes) : : "memory", "cc");
    return to;
}

static void *fill_plainly(void *to, int value, size_t bytes)
{
    void *at = to;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(value) : "memory");
    return to;
}

static functions known = {copy_plainly, move_plainly, fill_plainly};

DJ_RT_WRAP(memcpy);
DJ_RT_WRAP(memmove);
DJ_RT_WRAP(memset);
DJ_RT_WRAP(mempcpy);
DJ_RT_WRAP(bcopy);
DJ_RT_WRAP(bzero);

__attribute__((constructor(101))) static void look_up(void)
{
    known = (functions){DJ_RT_REAL(memcpy), DJ_RT_REAL(memmove), DJ_RT_REAL(memset)};
}

#ifdef DEJA_RUNTIME_STATIC
static DJ_RT_THREAD unsigned quiet;

void dj_rt_copies_begin(void)
{
    quiet++;
}

void dj_rt_copies_end(void)
{
    quiet--;
}
#else
enum { quiet = 0 };
#endif

// Before tracing starts, thread-local storage may not be available.
static bool is_recorded(size_t bytes)
{
    return bytes && dj_rt_is_traced() && !quiet;
}

void dj_rt_record_copy(uint64_t pc, const void *to, const void *from, size_t bytes)
{
    if (!is_recorded(bytes))
        return;
    dj_rt_notice_modules(pc);
    uint64_t words[] = {pc, (uintptr_t)to, (uintptr_t)from, bytes};
    dj_rt_put_record(DJ_RECORD_COPY, 0, words, 4, NULL);
}

static void record_fill(uint64_t pc, const void *to, size_t bytes)
{
    if (!is_recorded(bytes))
        return;
    dj_rt_notice_modules(pc);
    uint64_t words[] = {pc, (uintptr_t)to, bytes};
    dj_rt_put_record(DJ_RECORD_RANGE, DJ_RT_WRITE, words, 3, NULL);
}

DJ_RT_EXPORT void *DJ_RT_NAME(memcpy)(void *restrict to, const void *restrict from, size_t bytes)
{
    dj_rt_record_copy(DJ_RT_CALLER(), to, from, bytes);
    return known.copy(to, from, bytes);
}

DJ_RT_EXPORT void *DJ_RT_NAME(memmove)(void *to, const void *from, size_t bytes)
{
    dj_rt_record_copy(DJ_RT_CALLER(), to, from, bytes);
    return known.move(to, from, bytes);
}

DJ_RT_EXPORT void *DJ_RT_NAME(memset)(void *to, int value, size_t bytes)
{
    record_fill(DJ_RT_CALLER(), to, bytes);
    return known.fill(to, value, bytes);
}

DJ_RT_EXPORT void *DJ_RT_NAME(mempcpy)(void *restrict to, const void *restrict from, size_t bytes)
{
    dj_rt_record_copy(DJ_RT_CALLER(), to, from, bytes);
    return (char *)known.copy(to, from, bytes) + bytes;
}

DJ_RT_EXPORT void DJ_RT_NAME(bcopy)(const void *from, void *to, size_t bytes)
{
    dj_rt_record_copy(DJ_RT_CALLER(), to, from, bytes);
    known.move(to, from, bytes);
}

DJ_RT_EXPORT void DJ_RT_NAME(bzero)(void *to, size_t bytes)
{
    record_fill(DJ_RT_CALLER(), to, bytes);
    known.fill(to, 0, bytes);
}

// The names that newer versions of clang call.
DJ_RT_EXPORT void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    dj_rt_record_copy(DJ_RT_CALLER(), to, from, bytes);
    return known.copy(to, from, bytes);
}

DJ_RT_EXPORT void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    dj_rt_record_copy(DJ_RT_CALLER(), to, from, bytes);
    return known.move(to, from, bytes);
}

DJ_RT_EXPORT void *__tsan_memset(void *to, int value, size_t bytes)
{
    record_fill(DJ_RT_CALLER(), to, bytes);
    return known.fill(to, value, bytes);
}

// The variants for _FORTIFY_SOURCE, with the size of the destination.
extern void *__memcpy_chk(void *to, const void *from, size_t bytes, size_t capacity);
extern void *__memmove_chk(void *to, const void *from, size_t bytes, size_t capacity);
extern void *__memset_chk(void *to, int value, size_t bytes, size_t capacity);
extern void *__mempcpy_chk(void *to, const void *from, size_t bytes, size_t capacity);
DJ_RT_WRAP(__memcpy_chk);
DJ_RT_WRAP(__memmove_chk);
DJ_RT_WRAP(__memset_chk);
DJ_RT_WRAP(__mempcpy_chk);

DJ_RT_EXPORT void *DJ_RT_NAME(__memcpy_chk)(void *to, const void *from, size_t bytes, size_t capacity)
{
    if (capacity < bytes)
        __chk_fail();
    dj_rt_record_copy(DJ_RT_CALLER(), to, from, bytes);
    return known.copy(to, from, bytes);
}

DJ_RT_EXPORT void *DJ_RT_NAME(__memmove_chk)(void *to, const void *from, size_t bytes, size_t capacity)
{
    if (capacity < bytes)
        __chk_fail();
    dj_rt_record_copy(DJ_RT_CALLER(), to, from, bytes);
    return known.move(to, from, bytes);
}

DJ_RT_EXPORT void *DJ_RT_NAME(__memset_chk)(void *to, int value, size_t bytes, size_t capacity)
{
    if (capacity < bytes)
        __chk_fail();
    record_fill(DJ_RT_CALLER(), to, bytes);
    return known.fill(to, value, bytes);
}

DJ_RT_EXPORT void *DJ_RT_NAME(__mempcpy_chk)(void *to, const void *from, size_t bytes, size_t capacity)
{
    if (capacity < bytes)
        __chk_fail();
    dj_rt_record_copy(DJ_RT_CALLER(), to, from, bytes);
    return (char *)known.copy(to, from, bytes) + bytes;
}
