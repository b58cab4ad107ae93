// SPDX-License-Identifier: MIT
// Signal handlers. A handler may arrive in the middle of a record; it then continues in a copy of the frame,
// and the original keeps only the record in progress. So records stay in program order, and nothing is lost.
#include <errno.h>
#include <ucontext.h>
#include <unistd.h>

#include "core.h"
#include "signals.h"
#include "wrap.h"

enum { LEVELS = 16 };

dj_rt_handler *dj_rt_handlers[NSIG];

__attribute__((visibility("hidden"))) extern const char __start_deja_hot[], __stop_deja_hot[];

// Handlers that arrived in the middle of a record and have not returned, with the writer of what they
// interrupted. Those that were left by longjmp are deeper in the stack than the next arrival.
typedef struct level {
    dj_ring_writer *interrupted;
    uintptr_t sp;
    bool other_stack; // that of sigaltstack
} level;

static DJ_RT_THREAD level levels[LEVELS];
static DJ_RT_THREAD unsigned level_count;

static void drop_levels(uintptr_t sp, bool other_stack)
{
    while (level_count && levels[level_count - 1].other_stack == other_stack &&
           levels[level_count - 1].sp <= sp)
        dj_rt_writer_release(levels[--level_count].interrupted);
}

// Requires blocked signals. The words before the cursor move to a new frame.
static bool move_on(uintptr_t sp, bool other_stack)
{
    drop_levels(sp, other_stack);
    dj_ring_writer *old = dj_rt_writer;
    dj_ring_writer *new = old->cursor &&level_count < LEVELS ? dj_rt_writer_acquire() : NULL;
    if (!new)
        return false;
    uint64_t *from = dj_rt_frame_start(old), *to = dj_rt_frame_start(new);
    uint64_t words = (uint64_t)((uint64_t *)(uintptr_t)old->cursor - from);
    for (uint64_t i = 0; i < words; i++)
        to[i] = from[i];
    __atomic_store_n(&new->cursor, (uint64_t)(uintptr_t)(to + words), __ATOMIC_RELEASE);
    if (words > DJ_RT_FRAME_HEAD) // type 0 is skipped by readers
        from[DJ_RT_FRAME_HEAD] = DJ_RECORD(DJ_RECORD_UNUSED, words - DJ_RT_FRAME_HEAD - 1, 1);
    levels[level_count++] = (level){old, sp, other_stack};
    dj_rt_writer = new;
    return true;
}

static void move_back(uintptr_t sp)
{
    while (level_count && levels[level_count - 1].sp != sp) // left by longjmp
        dj_rt_writer_release(levels[--level_count].interrupted);
    if (!level_count)
        return;
    dj_rt_writer_release(dj_rt_writer);
    dj_rt_writer = levels[--level_count].interrupted;
}

void dj_rt_signals_thread_end(void)
{
    while (level_count)
        dj_rt_writer_release(levels[--level_count].interrupted);
}

static DJ_RT_THREAD uint64_t deferred_mask;

// The thread holds a lock of the library: the signal is sent again, and arrives when the lock is released.
static void defer(int number, const siginfo_t *info, ucontext_t *interrupted)
{
    uint64_t *mask = (uint64_t *)(void *)&interrupted->uc_sigmask; // the kernel's is shorter
    dj_rt_mask_change(SIG_BLOCK, UINT64_MAX);
    deferred_mask = *mask;
    *mask = UINT64_MAX;
    dj_rt_deferred = 1;
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        uint64_t mask;
    } action;
    bool known = syscall(SYS_rt_sigaction, number, NULL, &action, DJ_RT_KERNEL_SET_BYTES) == 0;
    if (known && !action.handler && action.flags & SA_RESETHAND) {
        action.handler = (void *)dj_rt_signal_arrive;
        syscall(SYS_rt_sigaction, number, &action, NULL, DJ_RT_KERNEL_SET_BYTES);
    }
    pid_t process = getpid();
    long thread = syscall(SYS_gettid);
    if (known && action.flags & SA_SIGINFO)
        syscall(SYS_rt_tgsigqueueinfo, process, thread, number, info);
    else // the kernel provided no information
        syscall(SYS_tgkill, process, thread, number);
}

void dj_rt_signals_deliver(void)
{
    dj_rt_deferred = 0;
    dj_rt_mask_change(SIG_SETMASK, deferred_mask);
}

static inline __attribute__((always_inline)) bool is_on(const stack_t *stack, uintptr_t sp)
{
    return sp - (uintptr_t)stack->ss_sp < stack->ss_size;
}

// The kernel passes all three arguments to any handler.
DJ_RT_HOT void dj_rt_signal_arrive(int number, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    int error = errno;
    if (dj_rt_critical) {
        defer(number, info, interrupted);
        errno = error;
        return;
    }
    uintptr_t pc = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP];
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    unsigned depth = dj_rt_depth;
    bool moved = false;
    if (pc - (uintptr_t)__start_deja_hot < (uintptr_t)__stop_deja_hot - (uintptr_t)__start_deja_hot) {
        uint64_t mask = dj_rt_mask_change(SIG_BLOCK, UINT64_MAX);
        moved = move_on(sp, is_on(&interrupted->uc_stack, sp));
        dj_rt_mask_change(SIG_SETMASK, mask);
    }
    dj_rt_depth = 0;
    errno = error;
    __atomic_load_n(&dj_rt_handlers[number], __ATOMIC_RELAXED)(number, info, context);
    error = errno;
    if (moved) {
        uint64_t mask = dj_rt_mask_change(SIG_BLOCK, UINT64_MAX);
        move_back(sp);
        dj_rt_mask_change(SIG_SETMASK, mask);
    }
    dj_rt_depth = depth;
    errno = error;
}
