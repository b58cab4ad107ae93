// SPDX-License-Identifier: MIT
// What the benchmarks share: traces, a clock, and how an engine is measured.
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
// The first `accesses` of a file, in blocks of that size; 0: what its format has by default.
int bench_trace_read(dj_context *context, const char *path, uint64_t accesses, uint64_t block,
                     bench_trace *out);
void bench_trace_free(bench_trace *trace);

// A new temporary file with the keys as `u64le`, or one decimal number a line.
// *path is freed by the caller, who also removes the file.
int bench_trace_write(dj_context *context, const bench_trace *trace, bool text, char **path);

// Of a clock that never steps back: wall time, or from the switch on the
// processor time of this program and of the commands it waited for.
double bench_seconds(void);
double bench_wall_seconds(void);
double bench_cpu_seconds(void);
void bench_use_cpu_time(void);

// The path of what lies in the folder of this program under that name.
int bench_beside(dj_context *context, const char *name, char *path, size_t room);

// True when `name` stands in the comma-separated `list`; NULL lists all.
bool bench_listed(const char *list, const char *name);
// DJ_ERR_USAGE when the list has a word that `known` (NULL-terminated) has not.
int bench_check_list(dj_context *context, const char *option, const char *list, const char *const *known);

// What one run of an engine told. `digest` depends on every distance and its place.
typedef struct bench_run {
    double seconds;
    uint64_t accesses, keys, bytes, peak_bytes;
    uint64_t digest;
} bench_run;

// Sends the first `count` keys through a fresh engine, in batches, with the
// clock on push, pull and drain alone. `threads` is for engines that have such an
// option, 0: what they do by themselves. With `histogram` the clock is also on
// filling an exact histogram with the distances.
int bench_run_engine(dj_context *context, const dj_engine_ops *engine, uint64_t threads,
                     const bench_trace *trace, size_t count, bool histogram, bench_run *out);
// Whether the engine has an option for the number of its threads.
bool bench_has_threads(const dj_engine_ops *engine);
// The engine's default options, but for the number that has this name, where there is one
// and the value is not 0. Freed by the caller.
int bench_engine_options(dj_context *context, const dj_engine_ops *engine, const char *name, uint64_t value,
                         void **out);

// The hash step of a fast engine alone: finds the entry of each key, with
// prefetch and huge pages, and answers with the time distance.
extern const dj_engine_ops bench_hash_engine;

// What this machine could do at best, with a table of `bytes`.
typedef struct bench_limits {
    uint64_t table_bytes;
    double dependent_per_s;  // reads at random places, each waiting for the one before
    double prefetched_per_s; // reads and writes at random places known in advance
    double stream_bytes_per_s;
} bench_limits;

int bench_limits_measure(dj_context *context, uint64_t table_bytes, bench_limits *out);

// Runs `command`, in which {} stands for `path`, through the shell. *seconds
// is its time by bench_seconds, or, where it printed a line `accesses_per_s X`, what
// `accesses` take at that rate.
int bench_command_time(dj_context *context, const char *command, const char *path, uint64_t accesses,
                       double *seconds);

extern const bench_subject bench_engines, bench_cli, bench_readers, bench_stream, bench_live, bench_annotated,
    bench_spatial, bench_hprda, bench_path, bench_drain, bench_gpu, bench_profile;

// What a subject returns that cannot be measured here; also the status of the program.
enum { BENCH_SKIPPED = 77 };

#endif
