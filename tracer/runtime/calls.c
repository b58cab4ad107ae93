// SPDX-License-Identifier: MIT
// Where functions begin and end. With a frame pointer, which `deja cc` asks
// for, the return address of the function lies right above what rbp names.
#include "core.h"

enum { PAGE = 4096 };

DJ_RT_EXPORT DJ_RT_HOT void __tsan_func_entry(const void *return_address);
DJ_RT_EXPORT DJ_RT_HOT void __tsan_func_exit(void);

void __tsan_func_entry(const void *return_address)
{
    uint64_t frame, above;
    __asm__("mov %%rbp, %0\n\tlea 8(%%rsp), %1" : "=r"(frame), "=r"(above));
    uint64_t at = frame + 8;
    // Only what is surely stack is read: below the end of the thread's stack,
    // or in the page that the stack pointer is in.
    bool readable = at >= above && at % 8 == 0 && (at < dj_rt_self.stack_end || (at ^ above) < PAGE);
    if (!DJ_RT_LIKELY(readable && *(const uint64_t *)at == (uintptr_t)return_address))
        at = above;
    dj_rt_put(DJ_DIRECT_RECORD(DJ_DIRECT_ENTRY, (uintptr_t)return_address), at);
}

void __tsan_func_exit(void)
{
    uint64_t above;
    __asm__("lea 8(%%rsp), %0" : "=r"(above));
    dj_rt_put(DJ_DIRECT_RECORD(DJ_DIRECT_EXIT, (uintptr_t)__builtin_return_address(0)), above);
}
