// SPDX-License-Identifier: MIT
#include "tool.h"

// Dead, but not yet reaped by its parent.
static Bool is_zombie(uint32_t pid)
{
    HChar text[256];
    VG_(sprintf)(text, "/proc/%u/stat", pid);
    SysRes opened = VG_(open)(text, VKI_O_RDONLY, 0);
    if (sr_isError(opened))
        return False;
    Int fd = (Int)sr_Res(opened);
    Int got = VG_(read)(fd, text, sizeof text - 1);
    VG_(close)(fd);
    text[got > 0 ? got : 0] = '\0';
    const HChar *name_end = VG_(strrchr)(text, ')');
    return name_end && name_end[1] == ' ' && (name_end[2] == 'Z' || name_end[2] == 'X');
}

Bool dj_process_has_ended(uint32_t pid)
{
    SysRes asked = dj_syscall(__NR_kill, pid, 0, 0, 0);
    return sr_isError(asked) ? sr_Err(asked) == VKI_ESRCH : is_zombie(pid);
}
