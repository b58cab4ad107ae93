// SPDX-License-Identifier: MIT
#include "fuzz/copy.h"

#include <deja/sink.h>

#include "fuzz/check.h"

static int open_stream(dj_context *context, const void *data, size_t bytes, dj_source **out)
{
    const dj_source_options options = {.format = "deja", .instructions = true};
    return dj_source_open_memory(context, data, bytes, "fuzz", &options, out);
}

static int copy(dj_context *context, dj_source *source, FILE *to)
{
    dj_sink *sink = NULL;
    const dj_sink_output output = dj_sink_output_file(to);
    CHECK(dj_sink_create(context, "deja", &output, dj_source_get_info(source), NULL, &sink) == DJ_OK);
    int err = dj_sink_copy(sink, context, source, NULL, NULL);
    if (!err)
        err = dj_sink_finish(sink, context);
    dj_sink_destroy(sink);
    return err;
}

void fuzz_check_copy(const uint8_t *data, size_t bytes)
{
    dj_context *context = NULL;
    dj_source *source = NULL;
    char *copied = NULL;
    size_t copied_bytes = 0;
    CHECK(dj_context_create(&context) == DJ_OK);
    FILE *to = open_memstream(&copied, &copied_bytes);
    CHECK(to);
    int err = open_stream(context, data, bytes, &source);
    if (!err)
        err = copy(context, source, to);
    dj_source_close(source);
    fclose(to);
    if (!err) {
        outcome before = {0}, after = {0};
        CHECK(open_stream(context, data, bytes, &source) == DJ_OK);
        before = check_source(context, source);
        dj_source_close(source);
        CHECK(open_stream(context, copied, copied_bytes, &source) == DJ_OK);
        after = check_source(context, source);
        dj_source_close(source);
        // Longer streams are read up to the end of a batch, and those of the copy may end elsewhere.
        if (before.accesses < ACCESSES_MOST || after.accesses < ACCESSES_MOST) {
            CHECK(before.accesses == after.accesses && before.events == after.events);
            CHECK(before.digest == after.digest && before.err == after.err);
        }
    }
    free(copied);
    dj_context_destroy(context);
}
