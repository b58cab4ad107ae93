// SPDX-License-Identifier: MIT
// Functions that copy or fill memory: done by the C library, and told as one
// record. Before constructors run, and before those functions can be looked up,
// the processor does it alone.
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

// In assembler, or else the compiler makes calls of these very functions out of it.
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

DJ_RT_FRONT(memcpy);
DJ_RT_FRONT(memmove);
DJ_RT_FRONT(memset);
DJ_RT_FRONT(mempcpy);
DJ_RT_FRONT(bcopy);
DJ_RT_FRONT(bzero);

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

// There may be no thread-local storage before something is traced.
static bool is_told(size_t bytes)
{
    return bytes && dj_rt_is_traced() && !quiet;
}

void dj_rt_tell_copy(uint64_t pc, const void *to, const void *from, size_t bytes)
{
    if (!is_told(bytes))
        return;
    dj_rt_notice_modules(pc);
    uint64_t words[] = {pc, (uintptr_t)to, (uintptr_t)from, bytes};
    dj_rt_put_record(DJ_RECORD_COPY, 0, words, 4, NULL);
}

static void tell_fill(uint64_t pc, const void *to, size_t bytes)
{
    if (!is_told(bytes))
        return;
    dj_rt_notice_modules(pc);
    uint64_t words[] = {pc, (uintptr_t)to, bytes};
    dj_rt_put_record(DJ_RECORD_RANGE, DJ_RT_WRITE, words, 3, NULL);
}

DJ_RT_EXPORT void *DJ_RT_NAME(memcpy)(void *restrict to, const void *restrict from, size_t bytes)
{
    dj_rt_tell_copy(DJ_RT_CALLER(), to, from, bytes);
    return known.copy(to, from, bytes);
}

DJ_RT_EXPORT void *DJ_RT_NAME(memmove)(void *to, const void *from, size_t bytes)
{
    dj_rt_tell_copy(DJ_RT_CALLER(), to, from, bytes);
    return known.move(to, from, bytes);
}

DJ_RT_EXPORT void *DJ_RT_NAME(memset)(void *to, int value, size_t bytes)
{
    tell_fill(DJ_RT_CALLER(), to, bytes);
    return known.fill(to, value, bytes);
}

DJ_RT_EXPORT void *DJ_RT_NAME(mempcpy)(void *restrict to, const void *restrict from, size_t bytes)
{
    dj_rt_tell_copy(DJ_RT_CALLER(), to, from, bytes);
    return (char *)known.copy(to, from, bytes) + bytes;
}

DJ_RT_EXPORT void DJ_RT_NAME(bcopy)(const void *from, void *to, size_t bytes)
{
    dj_rt_tell_copy(DJ_RT_CALLER(), to, from, bytes);
    known.move(to, from, bytes);
}

DJ_RT_EXPORT void DJ_RT_NAME(bzero)(void *to, size_t bytes)
{
    tell_fill(DJ_RT_CALLER(), to, bytes);
    known.fill(to, 0, bytes);
}

// As newer versions of clang call them.
DJ_RT_EXPORT void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    dj_rt_tell_copy(DJ_RT_CALLER(), to, from, bytes);
    return known.copy(to, from, bytes);
}

DJ_RT_EXPORT void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    dj_rt_tell_copy(DJ_RT_CALLER(), to, from, bytes);
    return known.move(to, from, bytes);
}

DJ_RT_EXPORT void *__tsan_memset(void *to, int value, size_t bytes)
{
    tell_fill(DJ_RT_CALLER(), to, bytes);
    return known.fill(to, value, bytes);
}

// As _FORTIFY_SOURCE calls them, with the room that there is.
extern void *__memcpy_chk(void *to, const void *from, size_t bytes, size_t room);
extern void *__memmove_chk(void *to, const void *from, size_t bytes, size_t room);
extern void *__memset_chk(void *to, int value, size_t bytes, size_t room);
extern void *__mempcpy_chk(void *to, const void *from, size_t bytes, size_t room);
DJ_RT_FRONT(__memcpy_chk);
DJ_RT_FRONT(__memmove_chk);
DJ_RT_FRONT(__memset_chk);
DJ_RT_FRONT(__mempcpy_chk);

DJ_RT_EXPORT void *DJ_RT_NAME(__memcpy_chk)(void *to, const void *from, size_t bytes, size_t room)
{
    if (room < bytes)
        __chk_fail();
    dj_rt_tell_copy(DJ_RT_CALLER(), to, from, bytes);
    return known.copy(to, from, bytes);
}

DJ_RT_EXPORT void *DJ_RT_NAME(__memmove_chk)(void *to, const void *from, size_t bytes, size_t room)
{
    if (room < bytes)
        __chk_fail();
    dj_rt_tell_copy(DJ_RT_CALLER(), to, from, bytes);
    return known.move(to, from, bytes);
}

DJ_RT_EXPORT void *DJ_RT_NAME(__memset_chk)(void *to, int value, size_t bytes, size_t room)
{
    if (room < bytes)
        __chk_fail();
    tell_fill(DJ_RT_CALLER(), to, bytes);
    return known.fill(to, value, bytes);
}

DJ_RT_EXPORT void *DJ_RT_NAME(__mempcpy_chk)(void *to, const void *from, size_t bytes, size_t room)
{
    if (room < bytes)
        __chk_fail();
    dj_rt_tell_copy(DJ_RT_CALLER(), to, from, bytes);
    return (char *)known.copy(to, from, bytes) + bytes;
}
