// SPDX-License-Identifier: MIT
// A memory trace in Deja's own stream, written in memory with the clock on the writer.
#include <deja/generate.h>
#include <deja/sink.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "bench/sample.h"

static int write_batches(dj_context *context, dj_source *source, dj_sink *sink, double *seconds)
{
    dj_batch *batch = NULL;
    int err;
    while ((err = dj_source_next(source, context, &batch)) == DJ_OK && batch) {
        double start = bench_seconds();
        err = dj_sink_write(sink, context, batch);
        *seconds += bench_seconds() - start;
        dj_batch_release(batch);
        if (err != DJ_OK)
            return err;
    }
    double start = bench_seconds();
    if (err == DJ_OK)
        err = dj_sink_finish(sink, context);
    *seconds += bench_seconds() - start;
    return err;
}

int bench_stream_sample_make(dj_context *context, const char *kind, uint64_t count, char **out, size_t *bytes,
                             double *seconds)
{
    const dj_generator_info *generator = dj_generator_find(kind);
    if (!generator)
        return dj_fail(context, DJ_ERR_USAGE, "there is no generator %s", kind);
    dj_generate_options options = generator->defaults;
    options.accesses = count;
    options.element_bytes = 8;
    dj_source *source = NULL;
    dj_sink *sink = NULL;
    *out = NULL;
    *seconds = 0;
    FILE *file = open_memstream(out, bytes);
    int err = file ? DJ_OK : dj_fail_memory(context, "a sample trace", 0);
    if (err == DJ_OK)
        err = dj_source_generate(context, kind, &options, &source);
    if (err == DJ_OK) {
        const dj_sink_output output = dj_sink_output_file(file);
        err = dj_sink_create(context, "deja", &output, dj_source_get_info(source), NULL, &sink);
    }
    if (err == DJ_OK)
        err = write_batches(context, source, sink, seconds);
    dj_sink_destroy(sink);
    if (source)
        dj_source_close(source);
    if (file && fclose(file) != 0 && err == DJ_OK)
        err = dj_fail_memory(context, "a sample trace", 0);
    if (err != DJ_OK) {
        free(*out);
        *out = NULL;
    }
    return err;
}
