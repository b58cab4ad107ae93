// SPDX-License-Identifier: MIT
// xz: consecutive streams, with padding between them.
#include "trace/input/layer.h"

#include <lzma.h>
#include <stdlib.h>

// Several times what the largest preset dictionary (64 MiB) needs.
static const uint64_t memory_most = 256u << 20;

typedef struct xz {
    dj_input *below;
    lzma_stream stream;
    bool finished;
} xz;

static void xz_close(void *state)
{
    xz *x = state;
    lzma_end(&x->stream);
    dj_input_close(x->below);
    free(x);
}

static void xz_progress(const void *state, dj_progress *out)
{
    dj_input_progress(((const xz *)state)->below, out);
}

static int xz_fail(const xz *x, dj_context *context, lzma_ret status)
{
    switch (status) {
    case LZMA_MEM_ERROR:
        return dj_fail_memory(context, "xz decompression", 0);
    case LZMA_MEMLIMIT_ERROR:
        return dj_input_fail_decode(context, x->below, "xz", "the dictionary is too large (over 256 MiB)");
    case LZMA_BUF_ERROR:
        return dj_input_fail_decode(context, x->below, "xz", "the data ends too early");
    case LZMA_FORMAT_ERROR:
        return dj_input_fail_decode(context, x->below, "xz", "other data follows the compressed data");
    default:
        return dj_input_fail_decode(context, x->below, "xz", "the data is corrupt");
    }
}

static int xz_fill(void *state, dj_context *context, const char *name, uint8_t *to, size_t capacity,
                   size_t *got)
{
    (void)name;
    xz *x = state;
    x->stream.next_out = to;
    x->stream.avail_out = capacity;
    while (x->stream.avail_out == capacity && !x->finished) {
        dj_span in;
        int err = dj_input_peek(context, x->below, 1, &in);
        if (err)
            return err;
        x->stream.next_in = in.data;
        x->stream.avail_in = in.bytes;
        lzma_ret status = lzma_code(&x->stream, in.bytes ? LZMA_RUN : LZMA_FINISH);
        dj_input_consume(x->below, in.bytes - x->stream.avail_in);
        x->finished = status == LZMA_STREAM_END;
        if (status != LZMA_OK && !x->finished && x->stream.avail_out == capacity)
            return xz_fail(x, context, status);
    }
    *got = capacity - x->stream.avail_out;
    return DJ_OK;
}

static const dj_layer_ops xz_ops = {xz_fill, xz_progress, xz_close};

int dj_input_open_xz(dj_context *context, dj_input *below, dj_input **out)
{
    xz *x = calloc(1, sizeof *x);
    if (!x || lzma_stream_decoder(&x->stream, memory_most, LZMA_CONCATENATED) != LZMA_OK) {
        free(x);
        dj_input_close(below);
        return dj_fail_memory(context, "xz decompression", 0);
    }
    x->below = below;
    return dj_input_create(context, dj_input_name(below), &xz_ops, x, out);
}
