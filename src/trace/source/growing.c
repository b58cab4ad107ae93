// SPDX-License-Identifier: MIT
#include "trace/source/growing.h"

#include <string.h>

#include "trace/head.h"
#include "trace/input/growing.h"
#include "trace/registry.h"

enum { LOOK_MS = 200 };

static int refuse_compressed(dj_context *context, const dj_input *input, dj_span head)
{
    const char *program = dj_input_compression(head);
    return program ? dj_input_fail(context, input, 0,
                                   "it is compressed, and cannot be followed; decompress it into a pipe, as "
                                   "in '%s FILE | deja mrc --follow -'",
                                   program)
                   : DJ_OK;
}

// Whether more bytes may help: there is no complete line yet.
static bool may_fit_later(const dj_head *head)
{
    return !head->whole && head->bytes < DJ_HEAD_BYTES && !memchr(head->data, '\n', head->bytes) &&
           (head->bytes == 0 || dj_head_is_text(head));
}

// A format may fit better when more has come, but a user who follows wants results.
static int detect(dj_context *context, dj_input *input, const dj_format **format)
{
    for (;;) {
        dj_span span = {NULL, 0};
        bool closed = false;
        int err = dj_growing_head(context, input, &span, &closed);
        if (!err)
            err = refuse_compressed(context, input, span);
        if (!err && span.bytes == 0 && closed)
            err = dj_input_fail(context, input, 0, "the trace is empty");
        if (err)
            return err;
        const bool all = span.bytes < DJ_HEAD_BYTES;
        const dj_head head = {span.data, all ? span.bytes : (size_t)DJ_HEAD_BYTES, closed && all,
                              dj_input_name(input)};
        err = span.bytes == 0 ? DJ_ERR_INPUT : dj_format_detect(context, &head, format);
        if (err != DJ_ERR_INPUT || !may_fit_later(&head))
            return dj_input_locate(context, input, 0, err);
        err = dj_growing_wait(context, input, LOOK_MS, &closed);
        if (err)
            return err;
    }
}

static int wait_for_first(dj_context *context, dj_input *input)
{
    dj_span span = {NULL, 0};
    bool closed = false;
    int err = DJ_OK;
    while (!err && !closed && span.bytes == 0) {
        err = dj_growing_wait(context, input, LOOK_MS, &closed);
        if (!err)
            err = dj_growing_head(context, input, &span, &closed);
        if (!err)
            err = refuse_compressed(context, input, span);
        if (!err)
            err = dj_input_peek(context, input, 1, &span);
    }
    return err;
}

int dj_growing_begin(dj_context *context, dj_input *input, const dj_format *forced, const dj_format **format)
{
    const dj_format *found = forced;
    int err = forced ? DJ_OK : detect(context, input, &found);
    if (err || !found)
        return err;
    if (found->grows_by == 0)
        return dj_input_fail(context, input, 0,
                             "format %s can be read only when it is complete, and cannot be followed; leave "
                             "--follow out",
                             found->info.name);
    *format = found;
    dj_growing_set_unit(input, found->grows_by);
    return wait_for_first(context, input);
}
