// SPDX-License-Identifier: MIT
// The core reads the debug information of every object file at start. That takes long, some forms of it
// (DWARF 5 from clang) make Valgrind 3.19 give up, and the tracer needs only names of functions, which come
// from symbol tables. The core is linked with --wrap so that its readers do nothing. They are called with
// arguments, which the callers remove. Only programs that are traced in bursts need to know how to unwind
// stacks.
#include "tool.h"

typedef struct slice { // in the layout of the core
    void *image;
    ULong offset, bytes;
} slice;

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void);
void __wrap_vgModuleLocal_read_callframe_info_dwarf3(void *of, slice section, Addr at, Bool in_eh_frame);
void __real_vgModuleLocal_read_callframe_info_dwarf3(void *of, slice section, Addr at, Bool in_eh_frame);

void __wrap_vgModuleLocal_read_debuginfo_dwarf3(void)
{
}

void __wrap_vgModuleLocal_read_callframe_info_dwarf3(void *of, slice section, Addr at, Bool in_eh_frame)
{
    if (dj_bursts_used())
        __real_vgModuleLocal_read_callframe_info_dwarf3(of, section, at, in_eh_frame);
}
