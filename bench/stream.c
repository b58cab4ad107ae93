// SPDX-License-Identifier: MIT
// The stream `deja` on traces in memory: bytes per access, and the speed of writing and reading.
#include <deja/generate.h>
#include <deja/sink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

typedef struct settings {
    bench_common common;
    bool instructions;
} settings;

static const dj_option option_table[] = {
    BENCH_ACCESSES("of each trace at most; shorter ones are written several times (default 8000000)"),
    BENCH_ROUNDS,
    {"instructions", 0, DJ_OPTION_FLAG, offsetof(settings, instructions), NULL, "keep instruction fetches",
     NULL},
    BENCH_WHEN_BUSY,
    BENCH_JSON_LIST,
    BENCH_HELP,
};

// All batches of a trace.
typedef struct held {
    dj_source *source;
    dj_batch **batches;
    size_t count, capacity;
    uint64_t accesses;
} held;

typedef struct outcome {
    uint64_t accesses, bytes;
    double write_seconds, read_seconds;
} outcome;

static void held_free(held *h)
{
    for (size_t i = 0; i < h->count; i++)
        dj_batch_release(h->batches[i]);
    free(h->batches);
    dj_source_close(h->source);
}

static int hold(dj_context *context, held *h, uint64_t most)
{
    dj_batch *batch = NULL;
    int err = DJ_OK;
    while (h->accesses < most && (err = dj_source_next(h->source, context, &batch)) == DJ_OK && batch) {
        if (h->count == h->capacity) {
            h->capacity = 2 * h->capacity + 64;
            dj_batch **grown = realloc(h->batches, h->capacity * sizeof *grown);
            if (!grown) {
                dj_batch_release(batch);
                return dj_fail_memory(context, "a trace in memory", 0);
            }
            h->batches = grown;
        }
        h->batches[h->count++] = batch;
        h->accesses += batch->count;
    }
    return err;
}

typedef struct memory {
    char *data;
    size_t used, capacity;
} memory;

static int append(void *user, dj_context *context, const void *data, size_t bytes)
{
    memory *m = user;
    if (m->capacity - m->used < bytes) {
        size_t capacity = 2 * (m->used + bytes);
        char *grown = realloc(m->data, capacity);
        if (!grown)
            return dj_fail_memory(context, "a stream in memory", capacity);
        m->data = grown;
        m->capacity = capacity;
    }
    memcpy(m->data + m->used, data, bytes);
    m->used += bytes;
    return DJ_OK;
}

static int write_once(dj_context *context, const held *h, uint64_t times, memory *to, outcome *out)
{
    dj_sink *sink = NULL;
    const dj_sink_output output = {append, to};
    to->used = 0;
    double start = bench_seconds();
    int err = dj_sink_create(context, "deja", &output, dj_source_get_info(h->source), NULL, &sink);
    for (uint64_t t = 0; err == DJ_OK && t < times; t++)
        for (size_t i = 0; err == DJ_OK && i < h->count; i++)
            err = dj_sink_write(sink, context, h->batches[i]);
    if (err == DJ_OK)
        err = dj_sink_finish(sink, context);
    double seconds = bench_seconds() - start;
    dj_sink_destroy(sink);
    if (out->write_seconds == 0 || seconds < out->write_seconds)
        out->write_seconds = seconds;
    out->bytes = to->used;
    return err;
}

static int read_once(dj_context *context, const memory *stream, outcome *out)
{
    const dj_source_options options = {.format = "deja", .instructions = true};
    dj_source *source = NULL;
    dj_batch *batch = NULL;
    uint64_t accesses = 0;
    double start = bench_seconds();
    int err = dj_source_open_memory(context, stream->data, stream->used, "memory", &options, &source);
    while (err == DJ_OK && (err = dj_source_next(source, context, &batch)) == DJ_OK && batch) {
        accesses += batch->count;
        dj_batch_release(batch);
    }
    double seconds = bench_seconds() - start;
    dj_source_close(source);
    if (err == DJ_OK && accesses != out->accesses)
        err = dj_fail(context, DJ_ERR_INPUT, "the stream has lost accesses");
    if (out->read_seconds == 0 || seconds < out->read_seconds)
        out->read_seconds = seconds;
    return err;
}

// Closes `source`.
static int measure(dj_context *context, dj_source *source, const settings *set, outcome *out)
{
    held h = {.source = source};
    memory stream = {0};
    int err = hold(context, &h, set->common.accesses);
    if (err == DJ_OK && h.accesses == 0)
        err = dj_fail(context, DJ_ERR_INPUT, "the trace is empty");
    uint64_t times = err == DJ_OK ? (set->common.accesses + h.accesses - 1) / h.accesses : 0;
    *out = (outcome){.accesses = h.accesses * times};
    for (uint64_t round = 0; err == DJ_OK && round < set->common.repeat; round++) {
        err = write_once(context, &h, times, &stream, out);
        if (err == DJ_OK)
            err = read_once(context, &stream, out);
    }
    free(stream.data);
    held_free(&h);
    return err;
}

static void report(bench_call *call, const char *name, const outcome *o)
{
    double n = (double)o->accesses, each = (double)o->bytes / n;
    dj_json_writer *json = bench_begin_row(call);
    if (!json) {
        printf("%7.3f bytes an access, written %6.1f, read %6.1f M accesses/s  %s\n", each,
               n / o->write_seconds / 1e6, n / o->read_seconds / 1e6, name);
        return;
    }
    dj_json_text(json, "trace", name);
    dj_json_real(json, "bytes_per_access", each);
    dj_json_real(json, "written_per_s", n / o->write_seconds);
    dj_json_real(json, "read_per_s", n / o->read_seconds);
    dj_json_end_object(json);
}

static int open_generated(dj_context *context, size_t index, const settings *set, const char **name,
                          dj_source **out)
{
    static const struct {
        const char *name, *kind;
        uint64_t keys, element_bytes;
        bool scatter;
    } made[] = {{"stencil over doubles", "stencil", 500000, 8, false},
                {"matrix product over doubles", "matmul", 200, 8, false},
                {"zipf, 1M keys", "zipf", 1000000, 0, false},
                {"uniform, 4M keys", "uniform", 4000000, 0, false},
                {"uniform, keys of 64 bits", "uniform", 4000000, 0, true}};
    *out = NULL;
    if (index == sizeof made / sizeof made[0])
        return DJ_OK;
    *name = made[index].name;
    dj_generate_options options = dj_generator_find(made[index].kind)->defaults;
    options.accesses = set->common.accesses;
    options.keys = made[index].keys;
    options.element_bytes = made[index].element_bytes;
    options.scatter = made[index].scatter;
    return dj_source_generate(context, made[index].kind, &options, out);
}

static int run(dj_context *context, bench_call *call)
{
    const settings *set = call->settings;
    const dj_source_options options = {.instructions = set->instructions};
    int err = DJ_OK;
    if (set->common.accesses == 0 || set->common.repeat == 0)
        err = dj_fail(context, DJ_ERR_USAGE, "--accesses and --repeat are at least 1");
    for (size_t i = 0; err == DJ_OK; i++) {
        dj_source *source = NULL;
        const char *name = i < call->name_count ? call->names[i] : "";
        outcome o;
        if (call->name_count == 0)
            err = open_generated(context, i, set, &name, &source);
        else if (i < call->name_count)
            err = dj_source_open(context, &call->names[i], 1, &options, &source);
        if (err != DJ_OK || !source)
            break;
        err = measure(context, source, set, &o);
        if (err == DJ_OK)
            report(call, name, &o);
    }
    return err;
}

static const settings defaults = {.common = {.accesses = 8000000, .repeat = 3}};

const bench_subject bench_stream = {.name = "stream",
                                    .summary = "the deja stream: bytes per access, written and read",
                                    .options = option_table,
                                    .defaults = &defaults,
                                    .settings_bytes = sizeof(settings),
                                    .takes_names = true,
                                    .run = run};
