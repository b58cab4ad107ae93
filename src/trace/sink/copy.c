// SPDX-License-Identifier: MIT
// From a source to a sink.
#include <deja/sink.h>

int dj_sink_copy(dj_sink *sink, dj_context *context, dj_source *source,
                 void (*on_progress)(void *user, const dj_progress *progress, uint64_t accesses), void *user)
{
    dj_batch *batch = NULL;
    int err = DJ_OK;
    do {
        err = dj_source_next(source, context, &batch);
        if (!err && batch)
            err = dj_sink_write(sink, context, batch);
        dj_batch_release(batch);
        if (!err && batch && on_progress) {
            dj_progress progress;
            dj_sink_stats stats;
            dj_source_progress(source, &progress);
            dj_sink_get_stats(sink, &stats);
            on_progress(user, &progress, stats.accesses);
        }
        if (!err && batch && dj_context_stopped(context))
            err = dj_fail(context, DJ_ERR_STOPPED, "stopped before the end of the trace");
    } while (!err && batch);
    return err;
}
