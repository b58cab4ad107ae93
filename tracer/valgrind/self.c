// SPDX-License-Identifier: MIT
// A program that executes /proc/self/exe means itself; to the kernel, which Valgrind asks, that is this tool.
// The core is linked with --wrap to substitute the real path.
#include "tool.h"

enum { PATH_BYTES = 4096 };

typedef struct syscall_arguments { // in the layout of the core
    Word number;
    UWord first;
} syscall_arguments;

void __real_vgSysWrap_generic_sys_execve_before(ThreadId tid, void *layout, syscall_arguments *arguments,
                                                void *status, UWord *flags);
void __wrap_vgSysWrap_generic_sys_execve_before(ThreadId tid, void *layout, syscall_arguments *arguments,
                                                void *status, UWord *flags);

static Bool is_self(const HChar *path)
{
    HChar numbered[32];
    VG_(sprintf)(numbered, "/proc/%d/exe", VG_(getpid)());
    return VG_(strcmp)(path, "/proc/self/exe") == 0 || VG_(strcmp)(path, numbered) == 0;
}

// The core reads the path from memory of the program: this uses some below its stack that it cannot be using.
void __wrap_vgSysWrap_generic_sys_execve_before(ThreadId tid, void *layout, syscall_arguments *arguments,
                                                void *status, UWord *flags)
{
    const HChar *path = (const HChar *)arguments->first;
    HChar link[40];
    HChar *real_path = (HChar *)((VG_(get_SP)(tid) - VG_STACK_REDZONE_SZB - PATH_BYTES) & ~(Addr)15);
    VG_(sprintf)(link, "/proc/self/fd/%d", VG_(cl_exec_fd));
    if (VG_(am_is_valid_for_client)((Addr)path, sizeof "/proc/self/exe", VKI_PROT_READ) && is_self(path) &&
        VG_(am_is_valid_for_client)((Addr)real_path, PATH_BYTES, VKI_PROT_READ | VKI_PROT_WRITE)) {
        SSizeT length = VG_(readlink)(link, real_path, PATH_BYTES - 1);
        if (length > 0) {
            real_path[length] = 0;
            arguments->first = (UWord)real_path;
        }
    }
    __real_vgSysWrap_generic_sys_execve_before(tid, layout, arguments, status, flags);
}
