// SPDX-License-Identifier: MIT
// Runs any program under Valgrind with the tracer as its tool.
#include "live/start/start.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/elf_notes.h"
#include "live/program.h"
#include "live/valgrind_log.h"

enum { OPTIONS = 15, RATE_ALL = 1000000, BUDGET_ONE = 1000 }; // of valgrind, including its name and "--"

// A program with annotations loads functions that the tracer knows. The environment of others is unchanged.
static int build_environment(dj_context *context, const char *program, const char *tracer, dj_start *start)
{
    int fault;
    bool marks = dj_elf_notes_read(program, &fault) >> DJ_NOTE_MARKS & 1;
    if (fault)
        return dj_fail(context, DJ_ERR_IO, "cannot read '%s': %s", program, strerror(fault));
    const char *setting = marks ? dj_start_format(start, "DEJA_RECORDER=%s/libdeja-marks.so", tracer) : NULL;
    return dj_start_environment(start, context, &setting, marks);
}

// Passes the program by the name that the user gave: Valgrind searches for it in the same way.
static int build_command(dj_context *context, const dj_launch *launch, const char *folder, const char *tracer,
                         dj_start *start)
{
    const char *log = dj_start_format(start, "--log-file=%s/log.%%p", folder);
    const char *rings = dj_start_format(start, "--deja-dir=%s", folder);
    const char *analyzer = dj_start_format(start, "--deja-analyzer=%d", (int)getpid());
    const double part = launch->rate > 0 ? ceil(launch->rate * RATE_ALL) : RATE_ALL;
    const char *rate = dj_start_format(start, "--deja-rate=%.0f", part);
    const char *seed = dj_start_format(start, "--deja-seed=%llu", (unsigned long long)launch->seed);
    const char *budget = dj_start_format(start, "--deja-budget=%.0f", launch->budget * BUDGET_ONE);
    start->arguments = calloc(launch->count + OPTIONS + 1, sizeof *start->arguments);
    if (!log || !rings || !analyzer || !rate || !seed || !budget || !start->arguments ||
        asprintf(&start->file, "%s/deja-launcher", tracer) < 0)
        return dj_fail_memory(context, "a command line", 0);
    const char *options[OPTIONS] = {
        "valgrind",
        "--command-line-only=yes", // ignore the user's ~/.valgrindrc
        "--tool=deja",
        "-q",
        "--sigill-diagnostics=yes", // report unknown instructions
        "--vgdb=no",
        "--child-silent-after-fork=yes", // a forked process must not need a separate log
        log,
        rings,
        analyzer,
        rate,
        seed,
        budget,
        launch->follow ? "--trace-children=yes" : "--trace-children=no",
        "--"};
    memcpy(start->arguments, options, sizeof options);
    memcpy(start->arguments + OPTIONS, launch->arguments, launch->count * sizeof *start->arguments);
    return DJ_OK;
}

static int prepare(dj_context *context, const dj_launch *launch, const char *program, const char *folder,
                   dj_start *start)
{
    char *valgrind = NULL, *tracer = NULL;
    int err = dj_program_find_valgrind(context, &valgrind);
    if (!err)
        err = dj_program_find_tracer(context, &tracer);
    if (!err)
        err = dj_program_check_valgrind(context);
    if (!err)
        err = build_command(context, launch, folder, tracer, start);
    if (!err)
        err = build_environment(context, program, tracer, start);
    free(valgrind);
    free(tracer);
    return err;
}

static bool explain(const char *folder, uint32_t pid, char *to, size_t capacity)
{
    char path[512];
    snprintf(path, sizeof path, "%s/log.%u", folder, pid);
    return dj_valgrind_log_explain(path, to, capacity);
}

const dj_launch_method dj_launch_method_valgrind = {
    .tool = DJ_TOOL_VALGRIND, .prepare = prepare, .explain = explain};
