// SPDX-License-Identifier: MIT
// The engines on a CUDA device: checks, timings and reports.
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

// One timing, as medians of its runs.
typedef struct gpu_row {
    const char *part, *trace;
    uint64_t accesses, keys;
    uint64_t chunk;   // 0: not chosen here
    uint64_t threads; // 0: not of interest
    unsigned runs;
    bool elsewhere; // the engine continued without the device
    double seconds, least_s, most_s;
    double fetched_s;        // until the histogram was also in host memory; 0: no difference
    double start_s;          // of that, the start of the program; 0: nothing
    double error, misplaced; // of an estimate; negative: exact
    double goal;             // accesses per second; 0: none
    double times_fast;       // speed relative to engine fast; 0: not measured
} gpu_row;

// The trace that is timed: keys in pinned memory.
typedef struct gpu_trace {
    const char *pattern;
    uint64_t count, keys; // at most that many different keys
    uint64_t *key;
} gpu_trace;

typedef struct gpu_bench {
    gpu_settings set;
    dj_gpu_info device;
    unsigned processors;
    double started;
    unsigned failures; // failed checks
    FILE *json_file;
    dj_json_writer json;
    gpu_row *rows;
    size_t row_count;
    uint64_t *key; // pinned, for the traces
    size_t key_capacity;
    uint32_t *answer; // pinned
    size_t answer_capacity;
    dj_histogram *exact; // of the timed trace, once an exact engine has computed it; otherwise NULL
    uint64_t cold;
    double start_s;                              // of `deja analyze --engine gpu`; 0: not measured
    double host_bytes_per_s, device_bytes_per_s; // plain copies; 0: not measured
} gpu_bench;

// Seconds since the beginning; whether there is time for more.
double gpu_elapsed(const gpu_bench *bench);
bool gpu_late(gpu_bench *bench, const char *what);
void gpu_say(const char *format, ...) DJ_PRINTF(1, 2); // a line, at once
// Counts a failure, whose message is in the context; the other checks continue.
void gpu_wrong(gpu_bench *bench, const dj_context *context);

// Allocates pinned buffers for that many keys or answers. DJ_ERR_MEMORY if the machine has too little.
int gpu_reserve_keys(gpu_bench *bench, dj_context *context, uint64_t count);
int gpu_reserve_answers(gpu_bench *bench, dj_context *context, uint64_t count);

// The traces: zipf, uniform and loop. They do not depend on the number of threads, and a shorter trace is the
// beginning of a longer one.
extern const char *const gpu_patterns[]; // NULL-terminated
int gpu_trace_fill(gpu_bench *bench, dj_context *context, const gpu_trace *trace);

// One run of an engine over an array; everything but the options is timed.
typedef struct gpu_engine_run {
    const dj_engine_ops *engine;
    const char *option; // one of its options, set to the next value; NULL: defaults
    uint64_t value;
    uint32_t use;
    const uint64_t *key;
    const uint32_t *tag;
    const uint64_t *time;
    size_t count;
    uint64_t *distance; // NULL with DJ_CAN_TOTALS
    uint32_t *prev_tag;
    uint64_t *prev_time;
    dj_histogram *into; // with DJ_CAN_TOTALS; NULL: not requested
    uint64_t cold;      // likewise
    dj_order *order;    // NULL unless wanted
    // Called before the engine is destroyed; may be NULL.
    void (*look)(void *user, void *state);
    void *user;
    double seconds, fetched_s; // without and with totals
    char warning[256];         // "": none
} gpu_engine_run;
int gpu_run_engine(dj_context *context, gpu_engine_run *run);

// One run over the device without an engine. The clock starts after the device is open.
typedef struct gpu_device_run {
    dj_gpu_columns from; // pinned or on the device
    uint64_t count, keys;
    uint64_t chunk;
    uint64_t piece; // accesses copied at a time; 0: a chunk
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
// The largest power of two up to `most` that fits into device memory as a chunk; 0: none.
uint64_t gpu_fitting_chunk(dj_context *context, const gpu_device_run *run, uint64_t most);

// DJ_ERR_INPUT with the first difference in the message.
int gpu_compare_histograms(dj_context *context, const dj_histogram *right, uint64_t right_cold,
                           const dj_histogram *got, uint64_t got_cold);
// Stores the first exact histogram of a trace, and compares all later ones with it. Takes ownership of `got`.
int gpu_agree(gpu_bench *bench, dj_context *context, const char *part, dj_histogram *got, uint64_t cold);

// CPU engines get at most that many accesses.
#define GPU_CPU_MOST ((uint64_t)1 << 26)

// Runs a function `repeat` times after a warm-up run; fewer times if time is short.
typedef int gpu_once(void *user, dj_context *context, double *seconds, double *fetched_s);
int gpu_repeat(gpu_bench *bench, dj_context *context, gpu_once *once, void *user, gpu_row *row);

gpu_row gpu_row_of(const gpu_trace *trace, const char *part);

void gpu_report_row(gpu_bench *bench, const gpu_row *row);
void gpu_report_steps(gpu_bench *bench, const char *what, const gpu_trace *trace, const dj_gpu_step *steps,
                      size_t count);
void gpu_report_end(gpu_bench *bench);

// A pattern of keys that is difficult for some reason.
typedef struct gpu_case {
    const char *name;
    void (*fill)(uint64_t *key, size_t count);
    unsigned worth; // 0: short traces only; 1: all; 2: even in quick checks
} gpu_case;
extern const gpu_case gpu_cases[]; // ends with a name of NULL

// The parts. Wrong results are counted; a returned error ends the benchmark.
int gpu_check(gpu_bench *bench, dj_context *context);
int gpu_profiles(gpu_bench *bench, dj_context *context);
int gpu_leak(gpu_bench *bench, dj_context *context);
int gpu_sanitize(gpu_bench *bench, dj_context *context);
int gpu_copies(gpu_bench *bench, dj_context *context);
int gpu_roofline(gpu_bench *bench, dj_context *context);
int gpu_parallel(gpu_bench *bench, dj_context *context);
// For one trace.
int gpu_time_device(gpu_bench *bench, dj_context *context, const gpu_trace *trace);
int gpu_time_pinned(gpu_bench *bench, dj_context *context, const gpu_trace *trace);
int gpu_time_answers(gpu_bench *bench, dj_context *context, const gpu_trace *trace);
int gpu_time_engine(gpu_bench *bench, dj_context *context, const gpu_trace *trace);
int gpu_time_hprda(gpu_bench *bench, dj_context *context, const gpu_trace *trace);
int gpu_time_cpu(gpu_bench *bench, dj_context *context, const gpu_trace *trace);
int gpu_time_file(gpu_bench *bench, dj_context *context, const gpu_trace *trace);

#endif
