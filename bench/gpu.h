// SPDX-License-Identifier: MIT
// The engines on a CUDA device: what is checked and timed, and how it is told.
#ifndef DEJA_BENCH_GPU_H
#define DEJA_BENCH_GPU_H

#include "base/json/writer.h"
#include "bench/bench.h"
#include "gpu/device.h"

typedef struct gpu_settings {
    bench_common common;
    uint64_t chunk, limit_s;
    const char *only, *lengths, *keys, *threads, *folder, *file;
    bool quick, small, few, scatter;
} gpu_settings;

enum { GPU_ROWS = 512, GPU_RUNS = 32 };

// One thing that was timed, as medians of its runs.
typedef struct gpu_row {
    const char *part, *trace;
    uint64_t accesses, keys;
    uint64_t chunk;   // 0: not chosen here
    uint64_t threads; // 0: not of interest
    unsigned runs;
    bool elsewhere; // the engine went on without the device
    double seconds, least_s, most_s;
    double fetched_s; // until the histogram was in the memory of this machine as well; 0: no difference
    double start_s;   // of that, what the start of the program takes; 0: nothing
    double error, misplaced; // of an estimate; below 0: it is exact
    double goal;             // accesses a second; 0: none
    double times_fast;       // how many times as fast as engine fast beside it; 0: there is none
} gpu_row;

// The trace that is timed: keys in pinned memory.
typedef struct gpu_trace {
    const char *pattern;
    uint64_t count, keys; // it has at most so many different keys
    uint64_t *key;
} gpu_trace;

typedef struct gpu_bench {
    gpu_settings set;
    dj_gpu_info device;
    unsigned processors;
    double started;
    unsigned failures; // what was checked and found wrong
    FILE *json_file;
    dj_json_writer json;
    gpu_row *rows;
    size_t row_count;
    uint64_t *key; // pinned, for the traces
    size_t key_room;
    uint32_t *answer; // pinned
    size_t answer_room;
    dj_histogram *exact; // of the trace that is timed, as soon as something told it; else NULL
    uint64_t cold;
    double start_s;                              // of `deja analyze --engine gpu`; 0: not measured
    double host_bytes_per_s, device_bytes_per_s; // plain copies; 0: not measured
} gpu_bench;

// Seconds since the beginning; whether there is time for more.
double gpu_elapsed(const gpu_bench *bench);
bool gpu_late(gpu_bench *bench, const char *what);
void gpu_say(const char *format, ...) DJ_PRINTF(1, 2); // a line, at once
// Something is wrong, as the context says; it is counted, and the rest goes on.
void gpu_wrong(gpu_bench *bench, const dj_context *context);

// Pinned room for so many keys or answers. DJ_ERR_MEMORY where the machine has too little.
int gpu_room_for_keys(gpu_bench *bench, dj_context *context, uint64_t count);
int gpu_room_for_answers(gpu_bench *bench, dj_context *context, uint64_t count);

// The traces: zipf, uniform and loop. The same accesses whatever the number of threads, and a
// shorter one is the beginning of a longer one.
extern const char *const gpu_patterns[]; // NULL-terminated
int gpu_trace_fill(gpu_bench *bench, dj_context *context, const gpu_trace *trace);

// One run of an engine over an array, all of it on the clock but the options.
typedef struct gpu_engine_run {
    const dj_engine_ops *engine;
    const char *option; // one of its options, of which this is the value; NULL: defaults
    uint64_t value;
    uint32_t use;
    const uint64_t *key;
    const uint32_t *tag;
    const uint64_t *time;
    size_t count;
    uint64_t *distance; // NULL with DJ_CAN_TOTALS
    uint32_t *prev_tag;
    uint64_t *prev_time;
    dj_histogram *into; // with DJ_CAN_TOTALS; NULL: they are not asked for
    uint64_t cold;      // likewise
    dj_order *order;    // NULL unless wanted
    // Called before the engine is destroyed; may be NULL.
    void (*look)(void *user, void *state);
    void *user;
    double seconds, fetched_s; // without and with totals
    char warning[256];         // "": none
} gpu_engine_run;
int gpu_run_engine(dj_context *context, gpu_engine_run *run);

// One run over the device alone. The clock begins when it is open.
typedef struct gpu_device_run {
    dj_gpu_columns from; // pinned or on the device
    uint64_t count, keys;
    uint64_t chunk;
    uint64_t piece; // accesses put at a time; 0: a chunk
    uint32_t use;
    bool timed;
    uint64_t resume_at;     // where another device takes over; 0: nowhere
    dj_gpu_answers answers; // without DJ_CAN_TOTALS
    dj_histogram *into;     // with it; NULL: not fetched
    uint64_t cold;
    dj_order *order; // NULL unless wanted
    dj_gpu_step *steps;
    size_t step_count;
    double seconds, fetched_s;
} gpu_device_run;
int gpu_run_device(dj_context *context, gpu_device_run *run);
// The largest power of two up to `most` that the device has the memory for as a chunk; 0: none.
uint64_t gpu_fitting_chunk(dj_context *context, const gpu_device_run *run, uint64_t most);

// DJ_ERR_INPUT with the first difference.
int gpu_compare_histograms(dj_context *context, const dj_histogram *right, uint64_t right_cold,
                           const dj_histogram *got, uint64_t got_cold);
// Keeps the first exact histogram of a trace, compares all later ones with it. Takes over `got`.
int gpu_agree(gpu_bench *bench, dj_context *context, const char *part, dj_histogram *got, uint64_t cold);

// So many accesses, at most, are given to engines on the processor.
#define GPU_CPU_MOST ((uint64_t)1 << 26)

// Runs something `repeat` times after one run off the clock; fewer when time is short.
typedef int gpu_once(void *user, dj_context *context, double *seconds, double *fetched_s);
int gpu_repeat(gpu_bench *bench, dj_context *context, gpu_once *once, void *user, gpu_row *row);

gpu_row gpu_row_of(const gpu_trace *trace, const char *part);

void gpu_report_row(gpu_bench *bench, const gpu_row *row);
void gpu_report_steps(gpu_bench *bench, const char *what, const gpu_trace *trace, const dj_gpu_step *steps,
                      size_t count);
void gpu_report_end(gpu_bench *bench);

// A way to fill keys, small or large, that is hard for one reason or another.
typedef struct gpu_case {
    const char *name;
    void (*fill)(uint64_t *key, size_t count);
    unsigned worth; // 0: short traces alone; 1: all; 2: even where little is checked
} gpu_case;
extern const gpu_case gpu_cases[]; // ends with a name of NULL

// The parts. What is wrong with a result is counted; what is returned ends the whole.
int gpu_check(gpu_bench *bench, dj_context *context);
int gpu_profiles(gpu_bench *bench, dj_context *context);
int gpu_leak(gpu_bench *bench, dj_context *context);
int gpu_sanitize(gpu_bench *bench, dj_context *context);
int gpu_copies(gpu_bench *bench, dj_context *context);
int gpu_roofline(gpu_bench *bench, dj_context *context);
int gpu_parallel(gpu_bench *bench, dj_context *context);
// Of one trace.
int gpu_time_device(gpu_bench *bench, dj_context *context, const gpu_trace *trace);
int gpu_time_pinned(gpu_bench *bench, dj_context *context, const gpu_trace *trace);
int gpu_time_answers(gpu_bench *bench, dj_context *context, const gpu_trace *trace);
int gpu_time_engine(gpu_bench *bench, dj_context *context, const gpu_trace *trace);
int gpu_time_hprda(gpu_bench *bench, dj_context *context, const gpu_trace *trace);
int gpu_time_cpu(gpu_bench *bench, dj_context *context, const gpu_trace *trace);
int gpu_time_file(gpu_bench *bench, dj_context *context, const gpu_trace *trace);

#endif
