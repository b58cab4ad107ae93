// SPDX-License-Identifier: MIT
// The Valgrind tool "deja": writes every access of a program into a ring that another process reads. See
// docs/tracer.md.
#include "tool.h"

enum { FRAMES_MOST = 256 };

dj_settings dj_set = {.frames = 32, .rate = DJ_RATE_ALL};

static Bool read_option(const HChar *argument)
{
    if VG_STR_CLO (argument, "--deja-dir", dj_set.folder) {
    } else if VG_BINT_CLO (argument, "--deja-frames", dj_set.frames, 2, FRAMES_MOST) {
    } else if VG_INT_CLO (argument, "--deja-analyzer", dj_set.analyzer) {
    } else if VG_INT_CLO (argument, "--deja-serial", dj_set.serial) {
    } else if VG_BINT_CLO (argument, "--deja-rate", dj_set.rate, 1, DJ_RATE_ALL) {
    } else if VG_INT_CLO (argument, "--deja-seed", dj_set.seed) {
    } else if VG_INT_CLO (argument, "--deja-budget", dj_set.budget) {
    } else {
        return False;
    }
    return True;
}

static void print_usage(void)
{
    VG_(printf)
    ("    --deja-dir=DIR        folder where each process creates its ring\n"
     "    --deja-frames=N       frames of a ring [32]\n"
     "    --deja-analyzer=PID   process that reads the rings\n"
     "    --deja-rate=N         millionths of the run to trace, in bursts [all]\n"
     "    --deja-seed=N         when bursts begin [0]\n"
     "    --deja-budget=N       thousandths of the time without bursts that the run may take [none]\n");
}

static void print_debug_usage(void)
{
    VG_(printf)("    --deja-serial=N       number of the first ring of this process\n");
}

static void start(void)
{
    // Chasing would hide calls inside blocks.
    VG_(clo_vex_control).guest_chase = False;
    dj_precision_begin();
    if (dj_set.folder)
        dj_process_begin();
}

// The final record is written later, when the core reports how the process ends.
static void finish(Int status)
{
    (void)status;
}

static void describe(void)
{
    VG_(details_name)("deja");
    VG_(details_version)("1");
    VG_(details_description)("writes memory accesses into a ring");
    VG_(details_copyright_author)("The authors of Deja");
    VG_(details_bug_reports_to)("the issue tracker of Deja");
    VG_(details_avg_translation_sizeB)(400);
    VG_(clo_verbosity) = 0;
    VG_(clo_trace_children) = True;
    VG_(basic_tool_funcs)(start, dj_instrument, finish);
    VG_(needs_command_line_options)(read_option, print_usage, print_debug_usage);
    VG_(needs_syscall_wrapper)(dj_process_before, dj_process_after);
    VG_(track_new_mem_startup)(dj_modules_mapped);
    VG_(track_new_mem_mmap)(dj_modules_mapped_later);
    VG_(track_die_mem_munmap)(dj_modules_unmapped);
    VG_(track_pre_thread_ll_create)(dj_threads_number);
    VG_(track_pre_thread_ll_exit)(dj_threads_exit);
    VG_(track_start_client_code)(dj_threads_run);
    VG_(track_stop_client_code)(dj_bursts_step);
}

VG_DETERMINE_INTERFACE_VERSION(describe)
