// SPDX-License-Identifier: MIT
// How fast each trace reader turns bytes into batches.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/sample.h"

typedef struct settings {
    bench_common common;
    const char *formats;
} settings;

static const dj_option option_table[] = {
    BENCH_ACCESSES("records generated for each format, in memory (default 2000000)"),
    {"formats", 0, DJ_OPTION_TEXT, offsetof(settings, formats), "LIST", "formats to measure (default all)",
     NULL},
    BENCH_ROUNDS,
    BENCH_WHEN_BUSY,
    BENCH_JSON_LIST,
    BENCH_HELP,
};

typedef struct outcome {
    const char *format; // the name of the format
    uint64_t accesses;
    size_t bytes;
    double seconds;
} outcome;

static volatile uint64_t sink;

// Reads to the end and closes `source`.
static int read_all(dj_context *context, dj_source *source, double start, outcome *out)
{
    uint64_t accesses = 0, sum = 0;
    dj_batch *batch = NULL;
    int err;
    while ((err = dj_source_next(source, context, &batch)) == DJ_OK && batch) {
        accesses += batch->count;
        for (uint32_t i = 0; i < batch->count;
             i++) // a batch may point into a mapped file that was not read yet
            sum += batch->column.address[i];
        dj_batch_release(batch);
    }
    sink = sum;
    double seconds = bench_seconds() - start;
    dj_progress progress;
    dj_source_progress(source, &progress);
    if (out->seconds == 0 || seconds < out->seconds)
        *out = (outcome){.format = dj_source_get_info(source)->format,
                         .accesses = accesses,
                         .bytes = progress.bytes_read,
                         .seconds = seconds};
    dj_source_close(source);
    return err;
}

static int measure_file(dj_context *context, const char *path, uint64_t rounds, outcome *out)
{
    int err = DJ_OK;
    for (uint64_t round = 0; err == DJ_OK && round < rounds; round++) {
        const dj_source_options options = {0};
        dj_source *source = NULL;
        double start = bench_seconds();
        err = dj_source_open(context, &path, 1, &options, &source);
        if (err == DJ_OK)
            err = read_all(context, source, start, out);
    }
    return err;
}

static int measure_memory(dj_context *context, const dj_source_options *options, const char *data,
                          size_t bytes, uint64_t rounds, outcome *out)
{
    int err = DJ_OK;
    for (uint64_t round = 0; err == DJ_OK && round < rounds; round++) {
        dj_source *source = NULL;
        double start = bench_seconds();
        err = dj_source_open_memory(context, data, bytes, options->format, options, &source);
        if (err == DJ_OK)
            err = read_all(context, source, start, out);
        out->bytes = bytes;
    }
    return err;
}

static void report(bench_call *call, const char *name, const outcome *o)
{
    double access_rate = (double)o->accesses / o->seconds, byte_rate = (double)o->bytes / o->seconds;
    dj_json_writer *json = bench_begin_row(call);
    if (json) {
        dj_json_text(json, "input", name);
        dj_json_text(json, "format", o->format);
        dj_json_real(json, "accesses_per_s", access_rate);
        dj_json_real(json, "bytes_per_s", byte_rate);
        dj_json_end_object(json);
    } else {
        printf("%-14s %8.1f M accesses/s %8.1f MB/s %6.1f bytes an access  %s\n", o->format,
               access_rate / 1e6, byte_rate / 1e6, (double)o->bytes / (double)o->accesses, name);
    }
}

static int run_sample(dj_context *context, bench_call *call, const char *format)
{
    const settings *set = call->settings;
    const bench_sample *sample = bench_sample_find(format);
    if (!sample) {
        fprintf(stderr, "%s: no sample; name a file of it%s\n", format,
                strcmp(format, "deja") == 0 ? ", or see the subject stream" : "");
        return DJ_OK;
    }
    const dj_source_options options = {.format = sample->format, .columns = sample->columns};
    char *data = NULL;
    size_t bytes = 0;
    outcome o = {0};
    int err = bench_sample_make(context, sample, set->common.accesses, &data, &bytes);
    if (err == DJ_OK)
        err = measure_memory(context, &options, data, bytes, set->common.repeat, &o);
    free(data);
    if (err == DJ_OK)
        report(call, "generated", &o);
    return err;
}

static int run(dj_context *context, bench_call *call)
{
    const settings *set = call->settings;
    int err = DJ_OK;
    for (size_t i = 0; err == DJ_OK && call->name_count == 0 && i < dj_format_count(); i++) {
        dj_format_info info;
        err = dj_format_get(i, &info);
        if (err == DJ_OK && bench_listed(set->formats, info.name))
            err = run_sample(context, call, info.name);
    }
    for (size_t i = 0; err == DJ_OK && i < call->name_count; i++) {
        outcome o = {0};
        err = measure_file(context, call->names[i], set->common.repeat, &o);
        if (err == DJ_OK)
            report(call, call->names[i], &o);
    }
    return err;
}

static const settings defaults = {.common = {.accesses = 2000000, .repeat = 3}};

const bench_subject bench_readers = {.name = "readers",
                                     .summary = "bytes and accesses per second of the trace readers",
                                     .options = option_table,
                                     .defaults = &defaults,
                                     .settings_bytes = sizeof(settings),
                                     .takes_names = true,
                                     .run = run};
