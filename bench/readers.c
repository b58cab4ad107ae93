// SPDX-License-Identifier: MIT
// How fast each trace reader turns bytes into batches.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/option.h"
#include "bench/bench.h"
#include "bench/sample.h"

typedef struct settings {
    uint64_t accesses, repeat;
    const char *formats;
    bool json, cpu_time, help;
} settings;

static const dj_option option_table[] = {
    {"accesses", 'n', DJ_OPTION_UINT, offsetof(settings, accesses), "N",
     "records made for each format, in memory (default 2000000)", NULL},
    {"formats", 0, DJ_OPTION_TEXT, offsetof(settings, formats), "LIST", "formats to measure (default all)",
     NULL},
    {"repeat", 'r', DJ_OPTION_UINT, offsetof(settings, repeat), "N",
     "rounds, of which the best counts (default 3)", NULL},
    {"cpu-time", 0, DJ_OPTION_FLAG, offsetof(settings, cpu_time), NULL,
     "processor time in place of wall time, for a machine that is busy with other things", NULL},
    {"json", 0, DJ_OPTION_FLAG, offsetof(settings, json), NULL, "a JSON list on standard output", NULL},
    {"help", 'h', DJ_OPTION_FLAG, offsetof(settings, help), NULL, "print this help", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

typedef struct outcome {
    const char *format; // as the source calls it
    uint64_t accesses;
    size_t bytes;
    double seconds;
} outcome;

static volatile uint64_t sink;

// Reads to the end; `source` is closed here.
static int read_all(dj_context *context, dj_source *source, double start, outcome *out)
{
    uint64_t accesses = 0, sum = 0;
    dj_batch *batch = NULL;
    int err;
    while ((err = dj_source_next(source, context, &batch)) == DJ_OK && batch) {
        accesses += batch->count;
        for (uint32_t i = 0; i < batch->count; i++) // a batch may be a mapped file that nobody read yet
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

static void report(const char *name, const outcome *o, bool as_json, dj_json_writer *json)
{
    double access_rate = (double)o->accesses / o->seconds, byte_rate = (double)o->bytes / o->seconds;
    if (as_json) {
        dj_json_begin_row(json, NULL);
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

static int run_sample(dj_context *context, const settings *set, const char *format, dj_json_writer *json)
{
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
    int err = bench_sample_make(context, sample, set->accesses, &data, &bytes);
    if (err == DJ_OK)
        err = measure_memory(context, &options, data, bytes, set->repeat, &o);
    free(data);
    if (err == DJ_OK)
        report("made in memory", &o, set->json, json);
    return err;
}

static int run_all(dj_context *context, const settings *set, const char *const *files, size_t file_count)
{
    dj_json_writer json = {.out = stdout};
    int err = DJ_OK;
    if (set->cpu_time)
        bench_use_cpu_time();
    if (set->json)
        dj_json_begin_list(&json, NULL);
    for (size_t i = 0; err == DJ_OK && file_count == 0 && i < dj_format_count(); i++) {
        dj_format_info info;
        err = dj_format_get(i, &info);
        if (err == DJ_OK && bench_listed(set->formats, info.name))
            err = run_sample(context, set, info.name, &json);
    }
    for (size_t i = 0; err == DJ_OK && i < file_count; i++) {
        outcome o = {0};
        err = measure_file(context, files[i], set->repeat, &o);
        if (err == DJ_OK)
            report(files[i], &o, set->json, &json);
    }
    if (set->json && err == DJ_OK) {
        dj_json_end_list(&json);
        dj_json_finish(&json);
    }
    return err;
}

int bench_readers(dj_context *context, size_t count, char *const *args)
{
    settings set = {.accesses = 2000000, .repeat = 3};
    bench_files files = {0};
    int err = bench_arguments(context, option_table, &set, &set.help, count, args, &files);
    if (err == DJ_OK && !set.help)
        err = run_all(context, &set, files.names, files.count);
    free(files.names);
    return err;
}
