// SPDX-License-Identifier: MIT
// System calls that do not change errno and are not cancellation points. They return the kernel's result: a
// negative number is an error.
#ifndef DEJA_RUNTIME_SYSTEM_H
#define DEJA_RUNTIME_SYSTEM_H

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#ifndef __x86_64__
#error "the run-time library supports only x86-64"
#endif

#define DJ_RT_ARGUMENT(value) ((long)(uintptr_t)(value))

static inline long dj_rt_system(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static inline long dj_rt_futex(const void *word, int operation, uint32_t value, const void *timeout)
{
    return dj_rt_system(SYS_futex, DJ_RT_ARGUMENT(word), operation, value, DJ_RT_ARGUMENT(timeout), 0, 0);
}

static inline int dj_rt_open(const char *path, int flags)
{
    return (int)dj_rt_system(SYS_openat, -100 /* AT_FDCWD */, DJ_RT_ARGUMENT(path), flags, 0600, 0, 0);
}

static inline void dj_rt_close(int fd)
{
    dj_rt_system(SYS_close, fd, 0, 0, 0, 0, 0);
}

static inline long dj_rt_read(int fd, void *to, size_t bytes)
{
    return dj_rt_system(SYS_read, fd, DJ_RT_ARGUMENT(to), (long)bytes, 0, 0, 0);
}

static inline uint32_t dj_rt_pid(void)
{
    return (uint32_t)dj_rt_system(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

// Returns NULL on failure.
static inline void *dj_rt_map(void *at, size_t bytes, int protection, int flags, int fd)
{
    long got = dj_rt_system(SYS_mmap, DJ_RT_ARGUMENT(at), (long)bytes, protection, flags, fd, 0);
    return got < 0 && got > -4096 ? NULL : (void *)got;
}

static inline void dj_rt_unmap(void *at, size_t bytes)
{
    dj_rt_system(SYS_munmap, DJ_RT_ARGUMENT(at), (long)bytes, 0, 0, 0, 0);
}

static inline uint64_t dj_rt_clock_ns(int clock)
{
    struct timespec now = {0, 0};
    dj_rt_system(SYS_clock_gettime, clock, DJ_RT_ARGUMENT(&now), 0, 0, 0, 0);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
