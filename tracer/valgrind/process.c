// SPDX-License-Identifier: MIT
// Events of the entire process: fork, exec, its end. The core is linked with --wrap for the functions below
// that begin with __wrap.
#include "tool.h"

enum { CLONE_MEMORY = 0x100, CLONE_LIKE_VFORK = 0x4000, NAME_THREAD = 15, NAME_BYTES = 16 };

static HChar next_serial[32]; // an option for the Valgrind that an exec starts

static void count_ring(void)
{
    dj_set.serial++;
    VG_(sprintf)(next_serial, "--deja-serial=%lld", dj_set.serial);
}

static void send_command(void)
{
    XArray *arguments = VG_(args_for_client);
    SizeT bytes = VG_(strlen)(VG_(args_the_exename)) + 1;
    for (Word i = 0; i < VG_(sizeXA)(arguments); i++)
        bytes += VG_(strlen)(*(HChar **)VG_(indexXA)(arguments, i)) + 1;
    HChar *text = VG_(malloc)("deja.command", bytes);
    VG_(strcpy)(text, VG_(args_the_exename));
    for (Word i = 0; i < VG_(sizeXA)(arguments); i++) {
        VG_(strcat)(text, "\001");
        VG_(strcat)(text, *(HChar **)VG_(indexXA)(arguments, i));
    }
    dj_ring_put_text(DJ_RECORD_PROCESS, 0, NULL, 0, text);
    VG_(free)(text);
}

static void begin_child(ThreadId tid)
{
    (void)tid;
    dj_set.serial = 0;
    dj_ring_create_again();
    count_ring();
    send_command();
    dj_modules_send_again();
    dj_descriptors_send_again();
    dj_threads_send_again();
    dj_bursts_begin_child();
}

// The core keeps a descriptor of the log hidden from the program, and forgets the one that it opened first.
static void close_log(void)
{
    HChar name[32], path[256];
    SizeT length = VG_(strlen)(dj_set.folder);
    for (Int fd = 3; fd < 64; fd++) {
        VG_(sprintf)(name, "/proc/self/fd/%d", fd);
        SSizeT got = VG_(readlink)(name, path, sizeof path - 1);
        if (got > (SSizeT)length && VG_(strncmp)(path, dj_set.folder, length) == 0 && path[length] == '/')
            VG_(close)(fd);
    }
}

// Started by the analyzer, which informs the user, or by hand.
static Bool is_first(void)
{
    return dj_set.serial == 0 && (!dj_set.analyzer || VG_(getppid)() == dj_set.analyzer);
}

// If there is no ring, a program executed by a traced one continues untraced.
void dj_process_begin(void)
{
    close_log();
    Bool opened = dj_ring_create();
    if (!opened && !is_first())
        return;
    if (!opened) {
        VG_(fmsg)("deja: cannot create a ring in %s\n", dj_set.folder);
        VG_(exit)(1);
    }
    HChar *option = next_serial;
    count_ring();
    VG_(addToXA)(VG_(args_for_valgrind), &option);
    send_command();
    dj_bursts_begin();
    VG_(atfork)(NULL, NULL, begin_child);
}

static Bool makes_process(UInt number, const UWord *arguments)
{
    if (number == __NR_clone)
        return !(arguments[0] & CLONE_MEMORY) || (arguments[0] & CLONE_LIKE_VFORK);
    return number == __NR_fork || number == __NR_vfork;
}

static Bool is_exec(UInt number)
{
    return number == __NR_execve || number == __NR_execveat;
}

void dj_process_before(ThreadId tid, UInt number, UWord *arguments, UInt count)
{
    (void)tid, (void)count;
    if (is_exec(number)) {
        dj_bursts_end();
        dj_ring_finish(DJ_RING_REPLACED);
    } else if (number == __NR_clone) {
        dj_threads_clone(arguments[0], arguments[4]);
    }
}

void dj_process_after(ThreadId tid, UInt number, UWord *arguments, UInt count, SysRes result)
{
    (void)count;
    HChar name[NAME_BYTES];
    if (is_exec(number))
        dj_ring_resume();
    else if (makes_process(number, arguments) && !sr_isError(result) && sr_Res(result) > 0)
        dj_ring_put(DJ_RECORD_FORK, (uint32_t)sr_Res(result), NULL, 0);
    else if (number == __NR_rt_sigaction && arguments[1] && !sr_isError(result))
        dj_precision_handled((Int)arguments[0], (const UWord *)arguments[1]);
    else if (number == __NR_prctl && arguments[0] == NAME_THREAD && !sr_isError(result))
        dj_threads_name(tid, dj_text_read(arguments[1], name, sizeof name));
}

static void end(uint32_t status)
{
    dj_bursts_end();
    dj_ring_put(DJ_RECORD_END, status, NULL, 0);
    dj_ring_finish(DJ_RING_ENDED);
}

void __real_vgPlain_exit(Int status) __attribute__((noreturn));
void __wrap_vgPlain_exit(Int status) __attribute__((noreturn));
void __real_vgPlain_client_exit(Int status) __attribute__((noreturn));
void __wrap_vgPlain_client_exit(Int status) __attribute__((noreturn));
void __real_vgPlain_kill_self(Int signal);
void __wrap_vgPlain_kill_self(Int signal);
UInt __wrap_vgPlain_message(VgMsgKind kind, const HChar *format, ...) PRINTF_CHECK(2, 3);
UInt __wrap_vgPlain_umsg(const HChar *format, ...) PRINTF_CHECK(1, 2);
UInt __wrap_vgPlain_dmsg(const HChar *format, ...) PRINTF_CHECK(1, 2);

void __wrap_vgPlain_exit(Int status)
{
    end((uint32_t)(status & 0xff) << 8);
    __real_vgPlain_exit(status);
}

void __wrap_vgPlain_client_exit(Int status)
{
    end((uint32_t)(status & 0xff) << 8);
    __real_vgPlain_client_exit(status);
}

void __wrap_vgPlain_kill_self(Int signal)
{
    end((uint32_t)signal);
    __real_vgPlain_kill_self(signal);
}

// Standard error belongs to the program: messages of the core go to the analyzer, unless -v requests them.
static UInt send_message(VgMsgKind kind, const HChar *format, va_list arguments)
{
    if (!dj_ring_live() || VG_(clo_verbosity) > 0)
        return VG_(vmessage)(kind, format, arguments);
    HChar text[512];
    UInt length = VG_(vsnprintf)(text, sizeof text, format, arguments);
    dj_ring_put_text(DJ_RECORD_MESSAGE, 0, NULL, 0, text);
    return length;
}

UInt __wrap_vgPlain_message(VgMsgKind kind, const HChar *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    UInt length = send_message(kind, format, arguments);
    va_end(arguments);
    return length;
}

UInt __wrap_vgPlain_umsg(const HChar *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    UInt length = send_message(Vg_UserMsg, format, arguments);
    va_end(arguments);
    return length;
}

UInt __wrap_vgPlain_dmsg(const HChar *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    UInt length = send_message(Vg_DebugMsg, format, arguments);
    va_end(arguments);
    return length;
}
