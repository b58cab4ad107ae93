// SPDX-License-Identifier: MIT
// Entries and exits of functions. With a frame pointer, which `deja cc` requests, the return address of the
// function is directly above the word that rbp points to.
//
// If only parts of the run are traced, each thread keeps a list of its functions that have not returned: the
// analyzer does not see calls and returns between two bursts. Frame pointers would not do, since libraries
// that call back have none.
#include <sys/mman.h>

#include "core.h"
#include "system.h"
#include "tracer/calls.h"

enum {
    PAGE = 4096,
    DEPTH_MOST = 1 << 18, // more do not fit on a stack of 8 MiB
    OUTER = 50,           // sent of a deeper stack: the outermost
    INNER = 350,          // and the innermost functions
    CALL_BYTES = DEPTH_MOST * (int)sizeof(dj_entered),
    BYTES = CALL_BYTES + DEPTH_MOST * (int)sizeof(uint64_t), // reserved, not used
};

static DJ_RT_THREAD dj_entered *calls;   // NULL: none yet
static DJ_RT_THREAD uint64_t *functions; // an address in the function of each call
static DJ_RT_THREAD uint32_t call_count, call_capacity;

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

static DJ_RT_COLD bool reserve(void)
{
    dj_entered *list = calls ? NULL
                             : dj_rt_map(NULL, BYTES, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    if (!list)
        return false;
    functions = (uint64_t *)((char *)list + CALL_BYTES);
    calls = list;
    call_capacity = DEPTH_MOST;
    return true;
}

void dj_rt_calls_end(void)
{
    dj_entered *list = calls;
    call_count = call_capacity = 0;
    calls = NULL;
    if (list)
        dj_rt_unmap(list, BYTES);
}

// A handler may interrupt this. It leaves the entries before `depth` as they are.
static inline __attribute__((always_inline)) void enter(uint64_t position, uint64_t pc, uint64_t function)
{
    const uint32_t depth = (uint32_t)dj_calls_above(calls, call_count, position);
    if (depth == call_capacity && !reserve())
        return;
    call_count = depth + 1;
    __asm__ volatile("" ::: "memory");
    calls[depth] = (dj_entered){position, pc};
    functions[depth] = function;
    __asm__ volatile("" ::: "memory");
    call_count = depth + 1;
}

static inline __attribute__((always_inline)) void leave(uint64_t pc, uint64_t sp)
{
    const uint32_t depth = (uint32_t)dj_calls_left(calls, call_count, pc, sp);
    call_count = depth ? depth - 1 : 0;
}

void dj_rt_send_stack(void)
{
    uint64_t words[3 * (OUTER + INNER)];
    const uint32_t depth = call_count, inner = depth > INNER ? depth - INNER : 0;
    unsigned count = 0;
    for (uint32_t i = 0; i < depth; i = i + 1 == OUTER && inner > OUTER ? inner : i + 1) {
        words[count++] = calls[i].pc;
        words[count++] = calls[i].position + sizeof(uint64_t);
        words[count++] = functions[i];
    }
    dj_rt_put_record(DJ_RECORD_STACK, 2, words, count, NULL);
}

void __tsan_func_entry(const void *return_address)
{
    uint64_t frame, sp;
    __asm__("mov %%rbp, %0\n\tlea 8(%%rsp), %1" : "=r"(frame), "=r"(sp));
    uint64_t at = frame + 8;
    if (!is_readable(at, sp) || *(const uint64_t *)at != (uintptr_t)return_address)
        at = sp; // a lower bound
    if (dj_rt_sampled)
        enter(at, (uintptr_t)return_address, (uintptr_t)__builtin_return_address(0));
    dj_rt_put(DJ_DIRECT_RECORD(DJ_DIRECT_ENTRY, (uintptr_t)return_address), at);
}

void __tsan_func_exit(void)
{
    uint64_t sp;
    __asm__("lea 8(%%rsp), %0" : "=r"(sp));
    const uint64_t pc = (uintptr_t)__builtin_return_address(0);
    if (dj_rt_sampled)
        leave(pc, sp);
    dj_rt_put(DJ_DIRECT_RECORD(DJ_DIRECT_EXIT, pc), sp);
}
