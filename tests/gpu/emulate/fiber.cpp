// SPDX-License-Identifier: MIT
#include "fiber.h"
#include "block.h"

#include <cstddef>
#include <cstdint>
#include <sys/mman.h>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#define WITH_UCONTEXT 1
#endif
#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif
#ifdef WITH_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulated
{
enum : size_t { STACK = 128 << 10, GUARD = 4 << 10, COLOURS = 16 << 10 };

#if defined(__x86_64__)
// Saves callee-saved registers on the stack, and the stack pointer to *from.
extern "C" void dj_emulated_switch(void **from, void *to);
asm(R"(
    .text
    .globl dj_emulated_switch
    .type dj_emulated_switch, @function
dj_emulated_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size dj_emulated_switch, .-dj_emulated_switch
)");
enum { SAVED = 8, ENTRY = 6 }; // words; the last is the return address of a function that never returns
#elif defined(__aarch64__)
extern "C" void dj_emulated_switch(void **from, void *to);
asm(R"(
    .text
    .globl dj_emulated_switch
    .type dj_emulated_switch, %function
dj_emulated_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .size dj_emulated_switch, .-dj_emulated_switch
)");
enum { SAVED = 20, ENTRY = 11 };
#endif

struct fiber {
#ifdef WITH_UCONTEXT
    ucontext_t context;
#else
    void *stack_pointer;
#endif
    void *fake_stack; // for AddressSanitizer
    const void *bottom;
    size_t bytes;
};

static fiber fibers[FIBER_MOST + 1];
static unsigned made, running = FIBER_MAIN;
static void (*run_fiber)(unsigned number);

static unsigned came_from;

static void arrived(unsigned self)
{
    (void)self;
#ifdef WITH_ASAN
    fiber &from = fibers[came_from];
    __sanitizer_finish_switch_fiber(fibers[self].fake_stack, &from.bottom, &from.bytes);
#endif
}

void fiber_switch(unsigned to)
{
    unsigned self = running;
    if (self == to)
        return;
    came_from = self;
    running = to;
#ifdef WITH_ASAN
    __sanitizer_start_switch_fiber(&fibers[self].fake_stack, fibers[to].bottom, fibers[to].bytes);
#endif
#ifdef WITH_UCONTEXT
    swapcontext(&fibers[self].context, &fibers[to].context);
#else
    dj_emulated_switch(&fibers[self].stack_pointer, fibers[to].stack_pointer);
#endif
    arrived(self);
}

[[noreturn]] static void fiber_main()
{
    unsigned self = running;
    arrived(self);
    for (;;)
        run_fiber(self);
}

static void fiber_make(unsigned number)
{
    fiber &f = fibers[number];
    char *memory = static_cast<char *>(
        mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (memory == MAP_FAILED || mprotect(memory, GUARD, PROT_NONE) != 0)
        die("no memory for the stacks of a block");
    f.bottom = memory + GUARD;
    // So that the tops of all stacks do not compete for the same cache lines.
    f.bytes = STACK - GUARD - number * 448 % COLOURS;
#ifdef WITH_UCONTEXT
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = memory + GUARD;
    f.context.uc_stack.ss_size = f.bytes;
    makecontext(&f.context, fiber_main, 0);
#else
    void **saved = reinterpret_cast<void **>(memory + GUARD + f.bytes) - SAVED;
    for (unsigned i = 0; i < SAVED; i++)
        saved[i] = nullptr;
    saved[ENTRY] = reinterpret_cast<void *>(fiber_main);
    f.stack_pointer = saved;
#endif
}

void fibers_make(unsigned count, void (*run)(unsigned number))
{
    run_fiber = run;
    for (; made < count; made++)
        fiber_make(made);
}
} // namespace emulated
