// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdio.h>

#include "bench/live.h"

typedef struct goal {
    const char *name;
    enum bench_stage of, to;
    double most;
} goal;

enum { GOALS = 4 };

static const goal under_valgrind[GOALS] = {{"stream to none", BENCH_STREAM, BENCH_NONE, 1.35},
                                           {"full to native", BENCH_FULL, BENCH_NATIVE, 45},
                                           {"full to bare", BENCH_FULL, BENCH_BARE, 1.5},
                                           {"sampled to none", BENCH_SAMPLED, BENCH_NONE, 1.5}};
static const goal of_recompiled[GOALS] = {{"stream to none", BENCH_STREAM, BENCH_NONE, 1.35},
                                          {"full to native", BENCH_FULL, BENCH_NATIVE, 35},
                                          {"full to bare", BENCH_FULL, BENCH_BARE, 1.5},
                                          {"sampled to none", BENCH_SAMPLED, BENCH_NONE, 1.3}};

static const char *const stage_names[BENCH_STAGES] = {"native", "none", "stream", "bare", "full", "sampled"};

static double mean_ratio(const bench_live_row *rows, size_t count, enum bench_stage of, enum bench_stage to)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += log(rows[i].seconds[of] / rows[i].seconds[to]);
    return count ? exp(sum / (double)count) : 0;
}

// The additional time of a stage over the native run, per access.
static double each_ns(const bench_live_row *row, int stage)
{
    return 1e9 * (row->seconds[stage] - row->seconds[BENCH_NATIVE]) / (double)row->accesses;
}

static void write_json(dj_json_writer *json, const bench_live_row *rows, size_t count, const goal *goals)
{
    dj_json_begin_list(json, "programs");
    for (size_t i = 0; i < count; i++) {
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "program", rows[i].program);
        dj_json_uint(json, "accesses", rows[i].accesses);
        for (int s = 0; s < BENCH_STAGES; s++)
            dj_json_real(json, stage_names[s], rows[i].seconds[s]);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
    dj_json_begin_list(json, "goals");
    for (size_t g = 0; g < GOALS; g++) {
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "ratio", goals[g].name);
        dj_json_real(json, "mean", mean_ratio(rows, count, goals[g].of, goals[g].to));
        dj_json_real(json, "goal", goals[g].most);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

void bench_live_report(bench_call *call, const bench_live_row *rows, size_t count, bool recompiled)
{
    const goal *goals = recompiled ? of_recompiled : under_valgrind;
    dj_json_writer *json = bench_begin_json(call);
    if (json) {
        write_json(json, rows, count, goals);
        return;
    }
    printf("%-16s %9s", "times native", "native s");
    for (int s = BENCH_NONE; s < BENCH_STAGES; s++)
        printf(" %7s", stage_names[s]);
    printf(" %12s   ns an access: none stream  bare  full sampled\n", "accesses");
    for (size_t i = 0; i < count; i++) {
        const bench_live_row *row = &rows[i];
        printf("%-16s %9.3f", row->program, row->seconds[BENCH_NATIVE]);
        for (int s = BENCH_NONE; s < BENCH_STAGES; s++)
            printf(" %7.2f", row->seconds[s] / row->seconds[BENCH_NATIVE]);
        printf(" %12llu                ", (unsigned long long)row->accesses);
        for (int s = BENCH_NONE; s < BENCH_STAGES; s++)
            printf(" %5.1f", each_ns(row, s));
        printf("\n");
    }
    printf("%-26s", "geometric mean");
    for (int s = BENCH_NONE; s < BENCH_STAGES; s++)
        printf(" %7.2f", mean_ratio(rows, count, (enum bench_stage)s, BENCH_NATIVE));
    printf("\n");
    for (size_t g = 0; g < GOALS; g++) {
        double mean = mean_ratio(rows, count, goals[g].of, goals[g].to);
        printf("%-16s %.2f, %s %.2f\n", goals[g].name, mean, mean <= goals[g].most ? "within" : "OVER",
               goals[g].most);
    }
}
