// SPDX-License-Identifier: MIT
// Runs a program under the tracer and discards its accesses, to measure the cost of tracing alone. A separate
// subject, so that `live` can time it as a command.
#include <sys/wait.h>

#include "bench/bench.h"
#include "live/stream.h"
#include "live/tracee.h"

static int drain(dj_context *context, dj_source *source)
{
    dj_batch *batch = NULL;
    int err;
    do {
        err = dj_source_next(source, context, &batch);
        dj_batch_release(batch);
    } while (err == DJ_OK && batch);
    return err;
}

static int drain_first(dj_context *context, dj_tracee *tracee)
{
    dj_tracee_ring ring;
    dj_stream *stream = NULL;
    dj_source *source = NULL;
    int status = 0;
    while (!dj_tracee_find(tracee, 100, &ring))
        if (dj_tracee_ended(tracee, &status))
            return dj_fail(context, DJ_ERR_UNSUPPORTED, "the tracer did not start");
    int err = dj_stream_open(context, ring.path, NULL, &stream);
    if (err == DJ_OK)
        err = dj_stream_source(stream, context, &source);
    if (err == DJ_OK)
        err = drain(context, source);
    dj_source_close(source);
    if (stream)
        dj_stream_detach(stream);
    dj_stream_close(stream);
    while (err == DJ_OK && !dj_tracee_ended(tracee, &status))
        dj_tracee_find(tracee, 10, &ring);
    if (err == DJ_OK && status != 0)
        err = dj_fail(context, DJ_ERR_INPUT, "the program ended with status %d", WEXITSTATUS(status));
    return err;
}

static int run(dj_context *context, bench_call *call)
{
    const dj_launch launch = {.arguments = call->names, .count = call->name_count};
    dj_tracee *tracee = NULL;
    int status;
    if (call->name_count == 0)
        return dj_fail(context, DJ_ERR_USAGE, "no program given, as in 'deja-bench drain ./program'");
    int err = dj_tracee_start(context, &launch, &tracee, &status);
    if (err != DJ_OK)
        return err;
    err = drain_first(context, tracee);
    dj_tracee_end(tracee);
    return err;
}

// All arguments belong to the program.
const bench_subject bench_drain = {.name = "drain",
                                   .summary = "PROGRAM [arguments]: traces it and throws the accesses away",
                                   .takes_names = true,
                                   .run = run};
