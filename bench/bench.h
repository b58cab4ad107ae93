// SPDX-License-Identifier: MIT
// Shared by all benchmarks: traces, a clock, and the measurement of an engine.
#ifndef DEJA_BENCH_BENCH_H
#define DEJA_BENCH_BENCH_H

#include <deja/deja.h>

#include "bench/frame.h"

// An in-memory trace of keys.
typedef struct bench_trace {
    const char *name;
    const char *description;
    uint64_t *keys; // freed with bench_trace_free
    size_t count;
} bench_trace;

extern const char *const bench_trace_names[]; // NULL-terminated

int bench_trace_make(dj_context *context, const char *name, uint64_t accesses, bench_trace *out);
// Loads the first `accesses` of a file, in blocks of that size; 0: the default of its format.
int bench_trace_read(dj_context *context, const char *path, uint64_t accesses, uint64_t block,
                     bench_trace *out);
void bench_trace_free(bench_trace *trace);

// Creates a temporary file with the keys as `u64le`, or one decimal number per line.
// The caller frees *path and removes the file.
int bench_trace_write(dj_context *context, const bench_trace *trace, bool text, char **path);

// Reads a monotonic clock: wall time or, once switched, the processor time of this program and of the
// commands it waited for.
double bench_seconds(void);
double bench_wall_seconds(void);
double bench_cpu_seconds(void);
void bench_use_cpu_time(void);

// The path of a file in the folder of this program.
int bench_beside(dj_context *context, const char *name, char *path, size_t capacity);

// Whether the comma-separated `list` contains `name`; NULL lists all.
bool bench_listed(const char *list, const char *name);
// DJ_ERR_USAGE if the list contains a word that is not in `known` (NULL-terminated).
int bench_check_list(dj_context *context, const char *option, const char *list, const char *const *known);

// The result of one run of an engine. `digest` depends on every distance and its position.
typedef struct bench_run {
    double seconds;
    uint64_t accesses, keys, bytes, peak_bytes;
    uint64_t digest;
} bench_run;

// Sends the first `count` keys through a new engine, in batches; only push, pull and drain are timed.
// `threads` is for engines that have such an option, 0: their default. With `histogram`, filling an exact
// histogram with the distances is timed too.
int bench_run_engine(dj_context *context, const dj_engine_ops *engine, uint64_t threads,
                     const bench_trace *trace, size_t count, bool histogram, bench_run *out);
// Whether the engine has an option for the number of its threads.
bool bench_has_threads(const dj_engine_ops *engine);
// The engine's default options, with the numeric option of this name set, if it exists and the value is not
// 0. The caller frees them.
int bench_engine_options(dj_context *context, const dj_engine_ops *engine, const char *name, uint64_t value,
                         void **out);

// Only the hash step of a fast engine: finds the entry of each key, with prefetch and huge pages, and returns
// the time distance.
extern const dj_engine_ops bench_hash_engine;

// The limits of this machine, with a table of `bytes`.
typedef struct bench_limits {
    uint64_t table_bytes;
    double dependent_per_s;  // random reads, each dependent on the previous one
    double prefetched_per_s; // random reads and writes, known in advance
    double stream_bytes_per_s;
} bench_limits;

int bench_limits_measure(dj_context *context, uint64_t table_bytes, bench_limits *out);

// Runs `command` through the shell, with {} replaced by `path`. *seconds is its time by bench_seconds or, if
// it printed a line `accesses_per_s X`, the time of `accesses` at that rate.
int bench_command_time(dj_context *context, const char *command, const char *path, uint64_t accesses,
                       double *seconds);

extern const bench_subject bench_engines, bench_cli, bench_readers, bench_stream, bench_live, bench_annotated,
    bench_spatial, bench_hprda, bench_path, bench_drain, bench_gpu, bench_profile, bench_sampling;

// Returned by a subject that cannot be measured here; also the exit status of the program.
enum { BENCH_SKIPPED = 77 };

#endif
