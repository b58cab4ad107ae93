// SPDX-License-Identifier: MIT
#include "measure/threads.h"

#include "trace/sharers/interleave_threads.h"

int dj_thread_order_begin(dj_context *context, const dj_sharing_request *request,
                          const dj_store_progress *progress, dj_source *inner, dj_thread_order *out)
{
    const dj_interleave_options *how = &request->interleave;
    *out = (dj_thread_order){0};
    int err = dj_interleave_check_threads(context, how);
    if (err)
        return err;
    err = dj_stored_threads_read(context, inner, how->order, progress, &out->stored);
    return err ? err : dj_stored_threads_open(context, out->stored, how, &out->source);
}

void dj_thread_order_end(dj_thread_order *order)
{
    dj_source_close(order->source);
    dj_stored_threads_release(order->stored);
    *order = (dj_thread_order){0};
}
