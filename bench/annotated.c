// SPDX-License-Identifier: MIT
// ADI with all its accesses annotated: without a recorder, recorded, and recorded with attribution by object,
// line and thread.
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"

typedef struct options {
    bench_common common;
    uint64_t side, rounds;
} options;

static const dj_option table[] = {
    {"side", 0, DJ_OPTION_UINT, offsetof(options, side), "N", "elements of a side of the three matrices",
     NULL},
    {"rounds", 0, DJ_OPTION_UINT, offsetof(options, rounds), "N", "iterations", NULL},
    {"repeat", 0, DJ_OPTION_UINT, offsetof(bench_common, repeat), "N",
     "runs of each kind; the fastest counts", NULL},
    {"help", 'h', DJ_OPTION_FLAG, offsetof(bench_common, help), NULL, "this text", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

typedef struct kind {
    const char *name, *environment;
} kind;

static int time_kind(dj_context *context, const options *o, const kind *k, const char *program, double *best)
{
    char command[3 * PATH_MAX];
    snprintf(command, sizeof command, "%s {} %" PRIu64 " %" PRIu64, k->environment, o->side, o->rounds);
    for (uint64_t i = 0; i < o->common.repeat; i++) {
        double seconds;
        int err = bench_command_time(context, command, program, 0, &seconds);
        if (err)
            return err;
        *best = i == 0 || seconds < *best ? seconds : *best;
    }
    return DJ_OK;
}

static int run(dj_context *context, bench_call *call)
{
    const options *o = call->settings;
    char program[PATH_MAX], recorder[PATH_MAX], whole[2 * PATH_MAX], full[2 * PATH_MAX];
    int err = bench_beside(context, "bench/programs/annotated", program, sizeof program);
    if (!err)
        err = bench_beside(context, "tracer/libdeja-record.so", recorder, sizeof recorder);
    if (err)
        return err;
    snprintf(whole, sizeof whole, "DEJA_RECORDER='%s' DEJA_RECORD=/dev/null DEJA_RECORD_OPTIONS=by=none",
             recorder);
    snprintf(full, sizeof full, "DEJA_RECORDER='%s' DEJA_RECORD=/dev/null", recorder);
    const kind kinds[] = {{"alone", "DEJA_RECORDER="}, {"histogram", whole}, {"attribution", full}};
    // Two sweeps of ten accesses to each element, except in one row or column, and a division.
    double n = (double)o->side, accesses = 3 * n * n + (double)o->rounds * (20 * n * (n - 1) + 3 * n * n);
    printf("ADI %" PRIu64 " x %" PRIu64 ", %.1f M accesses\n", o->side, o->side, accesses * 1e-6);
    for (size_t i = 0; !err && i < sizeof kinds / sizeof *kinds; i++) {
        double best = 0;
        err = time_kind(context, o, &kinds[i], program, &best);
        if (!err)
            printf("  %-12s %8.3f s %8.1f M accesses/s\n", kinds[i].name, best, accesses / best * 1e-6);
    }
    return err;
}

static const options defaults = {.common = {.repeat = 3}, .side = 100, .rounds = 300};

const bench_subject bench_annotated = {.name = "annotated",
                                       .summary = "an annotated program, compared with the same without Deja",
                                       .options = table,
                                       .defaults = &defaults,
                                       .settings_bytes = sizeof(options),
                                       .run = run};
