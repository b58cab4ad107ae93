// SPDX-License-Identifier: MIT
// A program that executes /proc/self/exe means itself; to the kernel, which
// Valgrind asks, that is this tool. The core is linked with --wrap so that the
// real path takes its place.
#include "tool.h"

enum { PATH_ROOM = 4096 };

typedef struct syscall_arguments { // as the core lays them out
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

// The core takes the path from memory of the program: there is some below its
// stack that it cannot be using.
void __wrap_vgSysWrap_generic_sys_execve_before(ThreadId tid, void *layout, syscall_arguments *arguments,
                                                void *status, UWord *flags)
{
    const HChar *path = (const HChar *)arguments->first;
    HChar link[40];
    HChar *room = (HChar *)((VG_(get_SP)(tid) - VG_STACK_REDZONE_SZB - PATH_ROOM) & ~(Addr)15);
    VG_(sprintf)(link, "/proc/self/fd/%d", VG_(cl_exec_fd));
    if (VG_(am_is_valid_for_client)((Addr)path, sizeof "/proc/self/exe", VKI_PROT_READ) && is_self(path) &&
        VG_(am_is_valid_for_client)((Addr)room, PATH_ROOM, VKI_PROT_READ | VKI_PROT_WRITE)) {
        SSizeT length = VG_(readlink)(link, room, PATH_ROOM - 1);
        if (length > 0) {
            room[length] = 0;
            arguments->first = (UWord)room;
        }
    }
    __real_vgSysWrap_generic_sys_execve_before(tid, layout, arguments, status, flags);
}
