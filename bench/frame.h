// SPDX-License-Identifier: MIT
// Shared by all subjects of deja-bench: options and their help, the choice of the clock, and rows as text or
// JSON. A subject is a table; main.c lists them.
#ifndef DEJA_BENCH_FRAME_H
#define DEJA_BENCH_FRAME_H

#include <deja/option.h>

#include <stddef.h>

#include "base/json/writer.h"

// The settings of every subject begin with these. A subject lists the options that it supports.
typedef struct bench_common {
    uint64_t accesses, repeat;
    const char *traces;
    bool json, cpu_time, help;
} bench_common;

#define BENCH_OPTION(name, letter, type, field, value, text)                                                 \
    {                                                                                                        \
        name, letter, DJ_OPTION_##type, offsetof(bench_common, field), value, text, NULL                     \
    }
#define BENCH_ACCESSES(text) BENCH_OPTION("accesses", 'n', UINT, accesses, "N", text)
#define BENCH_REPEAT(text) BENCH_OPTION("repeat", 'r', UINT, repeat, "N", text)
#define BENCH_ROUNDS BENCH_REPEAT("rounds, of which the best counts (default 3)")
#define BENCH_TRACES(text) BENCH_OPTION("traces", 0, TEXT, traces, "LIST", text)
#define BENCH_MADE_TRACES BENCH_TRACES("of zipf,stencil,uniform (default all)")
#define BENCH_CPU_TIME(text) BENCH_OPTION("cpu-time", 0, FLAG, cpu_time, NULL, text)
#define BENCH_WHEN_BUSY                                                                                      \
    BENCH_CPU_TIME("processor time in place of wall time, for a machine that is busy with other things")
#define BENCH_JSON(text) BENCH_OPTION("json", 0, FLAG, json, NULL, text)
#define BENCH_JSON_LIST BENCH_JSON("a JSON list on standard output")
// The last ones of every table.
#define BENCH_HELP                                                                                           \
    BENCH_OPTION("help", 'h', FLAG, help, NULL, "print this help"),                                          \
    {                                                                                                        \
        NULL, 0, 0, 0, NULL, NULL, NULL                                                                      \
    }

// One run of a subject.
typedef struct bench_call {
    const void *settings;
    const char *const *names; // arguments that are not options
    size_t name_count;
    dj_json_writer json; // through the functions below
    bool as_json, begun, as_object;
} bench_call;

typedef struct bench_subject {
    const char *name, *summary;
    const dj_option *options; // NULL: all arguments are names
    const void *defaults;     // settings
    size_t settings_bytes;
    bool takes_names;      // arguments that are not options
    bool json_object;      // the JSON is an object, not a list
    const char *more_help; // after that of the options; NULL: none
    // Removes arguments that a table cannot describe; NULL: none.
    int (*take)(dj_context *context, void *settings, size_t *count, char **args);
    int (*run)(dj_context *context, bench_call *call);
} bench_subject;

int bench_subject_run(const bench_subject *subject, dj_context *context, size_t count, char *const *args);

// With JSON: begins a row, which dj_json_end_object ends. Otherwise NULL: print the row.
dj_json_writer *bench_begin_row(bench_call *call);
// The same, within one JSON object.
dj_json_writer *bench_begin_json(bench_call *call);

#endif
