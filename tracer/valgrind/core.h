// SPDX-License-Identifier: MIT
// The interface of Valgrind's core for tools, and a few functions that its installed headers do not declare
// although its library has them.
#ifndef DEJA_TRACER_CORE_H
#define DEJA_TRACER_CORE_H

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <pub_tool_basics.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>

#include <libvex.h>
#include <libvex_guest_amd64.h>
#include <pub_tool_aspacemgr.h>
#include <pub_tool_clientstate.h>
#include <pub_tool_debuginfo.h>
#include <pub_tool_hashtable.h>
#include <pub_tool_libcassert.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_machine.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_options.h>
#include <pub_tool_stacktrace.h>
#include <pub_tool_threadstate.h>
#include <pub_tool_tooliface.h>
#include <pub_tool_xarray.h>
#pragma GCC diagnostic pop

extern Bool VG_(clo_trace_children);
extern Int VG_(cl_exec_fd);
extern SysRes VG_(do_syscall)(UWord number, UWord a, UWord b, UWord c, UWord d, UWord e, UWord f, UWord g,
                              UWord h);
extern SysRes VG_(am_mmap_anon_float_valgrind)(SizeT length);
extern SysRes VG_(am_do_mmap_NO_NOTIFY)(Addr start, SizeT length, UInt prot, UInt flags, Int fd,
                                        Off64T offset);
extern Bool VG_(get_fnname_raw)(DiEpoch epoch, Addr a, const HChar **name);
extern void VG_(discard_translations)(Addr start, ULong range, const HChar *who);
extern void VG_(trampoline_stuff_start)(void);

static inline SysRes dj_syscall(UWord number, UWord a, UWord b, UWord c, UWord d)
{
    return VG_(do_syscall)(number, a, b, c, d, 0, 0, 0, 0);
}

enum { DJ_CLOCK_ELAPSED = 1, DJ_CLOCK_PROCESSOR = 2 }; // as the kernel numbers them

static inline ULong dj_clock_ns(UWord clock)
{
    struct vki_timespec now = {0, 0};
    dj_syscall(__NR_clock_gettime, clock, (UWord)&now, 0, 0);
    return (ULong)now.tv_sec * 1000000000 + (ULong)now.tv_nsec;
}

#endif
