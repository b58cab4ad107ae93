// SPDX-License-Identifier: MIT
// Object files loaded by dlopen. A recompiled one announces itself through __tsan_init, before any of its
// other code runs. Others matter only if they call recorded functions: they are looked for at the first such
// call.
#ifndef DEJA_RUNTIME_STATIC
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include "wrap.h"

static int stale;

DJ_RT_WRAP(dlopen);
DJ_RT_WRAP(dlmopen);

__attribute__((used)) static void *before_dlopen(void)
{
    __atomic_store_n(&stale, 1, __ATOMIC_RELAXED);
    return (void *)DJ_RT_REAL(dlopen);
}

__attribute__((used)) static void *before_dlmopen(void)
{
    __atomic_store_n(&stale, 1, __ATOMIC_RELAXED);
    return (void *)DJ_RT_REAL(dlmopen);
}

// dlopen uses its return address to determine the search path and the folder ($ORIGIN): so it is entered by a
// jump.
#define JUMP(name)                                                                                           \
    __asm__(".pushsection .text\n"                                                                           \
            ".globl " #name "\n.type " #name ", @function\n" #name ":\n"                                     \
            ".cfi_startproc\n\tendbr64\n"                                                                    \
            "\tpush %rdi\n\t.cfi_adjust_cfa_offset 8\n"                                                      \
            "\tpush %rsi\n\t.cfi_adjust_cfa_offset 8\n"                                                      \
            "\tpush %rdx\n\t.cfi_adjust_cfa_offset 8\n"                                                      \
            "\tcall before_" #name "\n"                                                                      \
            "\tpop %rdx\n\t.cfi_adjust_cfa_offset -8\n"                                                      \
            "\tpop %rsi\n\t.cfi_adjust_cfa_offset -8\n"                                                      \
            "\tpop %rdi\n\t.cfi_adjust_cfa_offset -8\n"                                                      \
            "\tjmp *%rax\n.cfi_endproc\n.size " #name ", . - " #name "\n"                                    \
            ".popsection")
JUMP(dlopen);
JUMP(dlmopen);

typedef struct place {
    uint64_t pc;
    bool is_linker;
} place;

static int look_for_linker(struct dl_phdr_info *about, size_t bytes, void *data)
{
    (void)bytes;
    place *at = data;
    if (about->dlpi_addr != getauxval(AT_BASE))
        return 0;
    for (int i = 0; i < about->dlpi_phnum; i++)
        at->is_linker |=
            about->dlpi_phdr[i].p_type == PT_LOAD &&
            at->pc - about->dlpi_addr - about->dlpi_phdr[i].p_vaddr < about->dlpi_phdr[i].p_memsz;
    return 1;
}

void dj_rt_notice_modules(uint64_t pc)
{
    if (DJ_RT_LIKELY(!__atomic_load_n(&stale, __ATOMIC_RELAXED)) || !dj_rt_enter())
        return;
    place at = {.pc = pc};
    dl_iterate_phdr(look_for_linker, &at);
    dj_rt_leave();
    if (at.is_linker) // some of them may not be loaded yet
        return;
    __atomic_store_n(&stale, 0, __ATOMIC_RELAXED);
    dj_rt_modules_changed();
}
#endif
