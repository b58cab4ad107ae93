// SPDX-License-Identifier: MIT
// Entries and exits of functions. With a frame pointer, which `deja cc` requests, the return address of the
// function is directly above the word that rbp points to.
#include "core.h"

enum { PAGE = 4096 };

DJ_RT_EXPORT DJ_RT_HOT void __tsan_func_entry(const void *return_address);
DJ_RT_EXPORT DJ_RT_HOT void __tsan_func_exit(void);

// Reads only what certainly is stack: the page that the stack pointer is in, and the entire stack if it is
// the thread's own (not that of a signal handler or a coroutine).
static inline __attribute__((always_inline)) bool is_readable(uint64_t at, uint64_t sp)
{
    if (at < sp || at % 8 != 0)
        return false;
    return DJ_RT_LIKELY((at ^ sp) < PAGE) || (sp >= dj_rt_self.stack_low && at < dj_rt_self.stack_end);
}

void __tsan_func_entry(const void *return_address)
{
    uint64_t frame, sp;
    __asm__("mov %%rbp, %0\n\tlea 8(%%rsp), %1" : "=r"(frame), "=r"(sp));
    uint64_t at = frame + 8;
    if (!is_readable(at, sp) || *(const uint64_t *)at != (uintptr_t)return_address)
        at = sp; // a lower bound
    dj_rt_put(DJ_DIRECT_RECORD(DJ_DIRECT_ENTRY, (uintptr_t)return_address), at);
}

void __tsan_func_exit(void)
{
    uint64_t sp;
    __asm__("lea 8(%%rsp), %0" : "=r"(sp));
    dj_rt_put(DJ_DIRECT_RECORD(DJ_DIRECT_EXIT, (uintptr_t)__builtin_return_address(0)), sp);
}
