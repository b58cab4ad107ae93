// SPDX-License-Identifier: MIT
// The cost of tracing and analyzing a running program: ratios to its native run, and nanoseconds per access
// of each stage.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/live.h"

typedef struct settings {
    bench_common common;
    double scale;
    const char *programs, *deja, *recompiled;
    int tool;
} settings;

static const char *const tools[] = {"valgrind", "native", NULL};
enum { TOOL_VALGRIND, TOOL_NATIVE };

static const dj_option option_table[] = {
    {"tool", 0, DJ_OPTION_CHOICE, offsetof(settings, tool), "TOOL", "what traces the programs", tools},
    {"recompiled", 0, DJ_OPTION_TEXT, offsetof(settings, recompiled), "FOLDER",
     "with --tool native, the programs as deja cc has built them; gzip and bzip2 too, which are else left "
     "out "
     "(default: bench/programs/recompiled in the folder of this program)",
     NULL},
    {"programs", 0, DJ_OPTION_TEXT, offsetof(settings, programs), "LIST",
     "of adi,gzip,bzip2,stencil-c,stencil-fortran (default all)", NULL},
    {"scale", 's', DJ_OPTION_REAL, offsetof(settings, scale), "X",
     "times the work; 1 is about 0.05 s native (default 4)", NULL},
    BENCH_REPEAT("rounds, of which the best counts (default 2)"),
    {"deja", 0, DJ_OPTION_TEXT, offsetof(settings, deja), "PROGRAM",
     "the program to time (default: deja in the folder of this program)", NULL},
    BENCH_CPU_TIME("processor time of all processes in place of wall time"),
    BENCH_JSON("a JSON object on standard output"),
    BENCH_HELP,
};

static const struct {
    const char *name;
    const char *file;
    const char *arguments; // {} is the file of text; NULL: `work`, of a program in bench/programs
    double work;           // at scale 1
} programs[] = {
    {"adi", "adi", NULL, 2},
    {"gzip", "gzip", "-c {}", 0},
    {"bzip2", "bzip2", "-c {}", 0},
    {"stencil-c", "stencil_c", NULL, 900},
    {"stencil-fortran", "stencil_fortran", NULL, 350},
};

enum { PROGRAMS = sizeof programs / sizeof programs[0], TEXT_BYTES = 1000000 };

static const char *const program_names[] = {"adi", "gzip", "bzip2", "stencil-c", "stencil-fortran", NULL};

enum runner { RUN_ALONE, RUN_DEJA, RUN_BENCH };

// The command before the program; with `kept` the profile is written to a file.
static const struct {
    const char *words;
    enum runner runner;
    bool kept;
} stages[BENCH_STAGES] = {
    [BENCH_NATIVE] = {"", RUN_ALONE, false},
    [BENCH_NONE] = {"valgrind -q --tool=none", RUN_ALONE, false},
    [BENCH_STREAM] = {"drain", RUN_BENCH, false},
    [BENCH_BARE] = {"run --by none --json", RUN_DEJA, true},
    [BENCH_FULL] = {"run --by object,line,context --json", RUN_DEJA, true},
    [BENCH_SAMPLED] = {"run --sample 1% --by object,line,context --json", RUN_DEJA, true},
};

static int count_accesses(dj_context *context, const char *path, uint64_t *accesses)
{
    FILE *in = fopen(path, "r");
    dj_profile *profile = NULL;
    if (!in)
        return dj_fail(context, DJ_ERR_IO, "%s: the profile of a bare run is not there", path);
    int err = dj_profile_load(context, in, path, &profile);
    if (err == DJ_OK)
        *accesses = profile->accesses;
    dj_profile_destroy(profile);
    fclose(in);
    return err;
}

typedef struct place {
    const char *folder, *deja, *bench, *text, *result;
    const char *recompiled; // NULL: Valgrind traces
} place;

// The file of a program, in quotes; "": it does not exist.
static void find_program(const place *at, size_t program, bool traced, char *to, size_t capacity)
{
    char path[PATH_MAX + 64] = "";
    bool recompiled = traced && at->recompiled;
    if (recompiled)
        snprintf(path, sizeof path, "%s/%s", at->recompiled, programs[program].file);
    else if (!programs[program].arguments)
        snprintf(path, sizeof path, "%s/bench/programs/%s", at->folder, programs[program].file);
    bool there = !path[0] || access(path, X_OK) == 0;
    snprintf(to, capacity, "%s%s%s", there ? "'" : "",
             there && path[0] ? path
             : there          ? programs[program].file
                              : "",
             there ? "'" : "");
}

static char *stage_command(int stage, const place *at, size_t program, double scale)
{
    char *line = NULL, file[PATH_MAX + 80];
    size_t bytes;
    FILE *out = open_memstream(&line, &bytes);
    if (!out)
        return NULL;
    find_program(at, program, stage != BENCH_NATIVE, file, sizeof file);
    if (stages[stage].runner != RUN_ALONE)
        fprintf(out, "'%s' ", stages[stage].runner == RUN_DEJA ? at->deja : at->bench);
    if (stages[stage].runner != RUN_ALONE || !at->recompiled)
        fputs(stages[stage].words, out);
    if (stages[stage].kept)
        fprintf(out, " -o '%s'", at->result);
    fprintf(out, "%s%s ", stages[stage].runner == RUN_DEJA ? " -- " : " ", file);
    if (programs[program].arguments)
        fputs(programs[program].arguments, out);
    else
        fprintf(out, "%.0f", fmax(1, programs[program].work * scale));
    fputs(" >/dev/null", out);
    if (fclose(out) == 0)
        return line;
    free(line);
    return NULL;
}

static int run_round(dj_context *context, double scale, const place *at, size_t program, bool first,
                     bench_live_row *row)
{
    int err = DJ_OK;
    for (int stage = 0; err == DJ_OK && stage < BENCH_STAGES; stage++) {
        double seconds;
        char *command = stage_command(stage, at, program, scale);
        if (!command)
            return dj_fail_memory(context, "a command", 0);
        err = bench_command_time(context, command, at->text, 0, &seconds);
        free(command);
        if (err == DJ_OK && (first || seconds < row->seconds[stage]))
            row->seconds[stage] = seconds;
        if (err == DJ_OK && stage == BENCH_BARE)
            err = count_accesses(context, at->result, &row->accesses);
    }
    return err;
}

static bool can_run(const place *at, size_t program)
{
    char alone[PATH_MAX + 80], traced[PATH_MAX + 80];
    find_program(at, program, false, alone, sizeof alone);
    find_program(at, program, true, traced, sizeof traced);
    return alone[0] && traced[0];
}

static int run_all(dj_context *context, bench_call *call, const place *at)
{
    const settings *set = call->settings;
    bench_live_row rows[PROGRAMS] = {0};
    size_t count = 0;
    int err = bench_check_list(context, "--programs", set->programs, program_names);
    for (size_t i = 0; err == DJ_OK && i < PROGRAMS; i++) {
        if (!bench_listed(set->programs, programs[i].name))
            continue;
        if (!can_run(at, i)) {
            fprintf(stderr, "%s was not built, and is left out\n", programs[i].name);
            continue;
        }
        rows[count].program = programs[i].name;
        for (uint64_t round = 0; err == DJ_OK && round < set->common.repeat; round++)
            err = run_round(context, set->scale, at, i, round == 0, &rows[count]);
        count++;
    }
    if (err == DJ_OK)
        bench_live_report(call, rows, count, set->tool == TOOL_NATIVE);
    return err;
}

static int run(dj_context *context, bench_call *call)
{
    const settings *set = call->settings;
    char folder[PATH_MAX], deja[PATH_MAX], bench[PATH_MAX], recompiled[PATH_MAX];
    char text[] = "/tmp/deja-bench-text-XXXXXX", result[] = "/tmp/deja-bench-profile-XXXXXX";
    if (!(set->scale > 0 && set->scale <= 1000) || set->common.repeat == 0)
        return dj_fail(context, DJ_ERR_USAGE, "--scale is above 0 and at most 1000, --repeat at least 1");
    int err = bench_beside(context, "", folder, sizeof folder);
    if (err == DJ_OK)
        err = bench_beside(context, "deja", deja, sizeof deja);
    if (err == DJ_OK)
        err = bench_beside(context, "deja-bench", bench, sizeof bench);
    if (err == DJ_OK)
        err = bench_beside(context, "bench/programs/recompiled", recompiled, sizeof recompiled);
    int result_fd = err == DJ_OK ? mkstemp(result) : -1;
    if (err == DJ_OK && result_fd < 0)
        err = dj_fail(context, DJ_ERR_IO, "%s cannot be made", result);
    if (err == DJ_OK)
        err = bench_text_write(context, (uint64_t)(TEXT_BYTES * set->scale), text);
    if (err == DJ_OK) {
        const place at = {
            folder, set->deja ? set->deja : deja,
            bench,  text,
            result, set->tool != TOOL_NATIVE ? NULL : set->recompiled ? set->recompiled : recompiled};
        err = run_all(context, call, &at);
        unlink(text);
    }
    if (result_fd >= 0) {
        close(result_fd);
        unlink(result);
    }
    return err;
}

static const settings defaults = {.common = {.repeat = 2}, .scale = 4};

const bench_subject bench_live = {.name = "live",
                                  .summary =
                                      "deja run and deja record on programs, compared with their native run",
                                  .options = option_table,
                                  .defaults = &defaults,
                                  .settings_bytes = sizeof(settings),
                                  .json_object = true,
                                  .run = run};
