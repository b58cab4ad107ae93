// SPDX-License-Identifier: MIT
// The threads of one trace as the sharers of caches: in the recorded order, or stored separately and merged.
#include "trace/sharers/interleave_threads.h"

#include "trace/sharers/recorded.h"

int dj_interleave_check_threads(dj_context *context, const dj_interleave_options *options)
{
    if (options->separate)
        return dj_fail(context, DJ_ERR_USAGE,
                       "the threads of a program share its addresses; only traces can be separate");
    if (options->order == DJ_INTERLEAVE_RECORDED && options->speeds)
        return dj_fail(context, DJ_ERR_USAGE, "the recorded order has no speeds; choose one of the two");
    return DJ_OK;
}

int dj_source_interleave_threads(dj_context *context, dj_source *source, const dj_interleave_options *options,
                                 dj_source **out)
{
    static const dj_interleave_options defaults = {.order = DJ_INTERLEAVE_RECORDED};
    dj_stored_threads *threads = NULL;
    if (!options)
        options = &defaults;
    int err = dj_interleave_check_threads(context, options);
    if (!err && options->order == DJ_INTERLEAVE_RECORDED)
        return dj_recorded_source(context, source, true, out);
    if (!err)
        err = dj_stored_threads_read(context, source, options->order, NULL, &threads);
    dj_source_close(source);
    if (!err)
        err = dj_stored_threads_open(context, threads, options, out);
    dj_stored_threads_release(threads);
    return err;
}
