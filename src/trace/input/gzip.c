// SPDX-License-Identifier: MIT
// gzip: consecutive members; zero bytes may follow the last, as tapes leave them.
#include "trace/input/layer.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

typedef struct gzip {
    dj_input *below;
    z_stream stream;
    bool between; // between two members
} gzip;

static void gzip_close(void *state)
{
    gzip *g = state;
    inflateEnd(&g->stream);
    dj_input_close(g->below);
    free(g);
}

static void gzip_progress(const void *state, dj_progress *out)
{
    dj_input_progress(((const gzip *)state)->below, out);
}

// Consumes padding; sets *more when another member follows.
static int next_member(gzip *g, dj_context *context, bool *more)
{
    dj_span in;
    *more = false;
    for (;;) {
        int err = dj_input_peek(context, g->below, 2, &in);
        if (err)
            return err;
        if (in.bytes == 0)
            return DJ_OK;
        if (in.bytes >= 2 && in.data[0] == 0x1f && in.data[1] == 0x8b)
            break;
        if (in.data[0] != 0)
            return dj_input_fail_decode(context, g->below, "gzip", "other data follows the compressed data");
        dj_input_consume(g->below, 1);
    }
    inflateReset(&g->stream);
    *more = true;
    return DJ_OK;
}

static const char *what_is_wrong(int status, const z_stream *stream)
{
    if (status == Z_BUF_ERROR)
        return "the data ends too early";
    return stream->msg ? stream->msg : "the data is corrupt";
}

static int inflate_some(gzip *g, dj_context *context, dj_span in)
{
    uInt given = in.bytes > UINT_MAX ? UINT_MAX : (uInt)in.bytes;
    g->stream.next_in = (Bytef *)(uintptr_t)in.data; // zlib does not write there
    g->stream.avail_in = given;
    int status = inflate(&g->stream, Z_NO_FLUSH);
    dj_input_consume(g->below, given - g->stream.avail_in);
    if (status == Z_STREAM_END)
        g->between = true;
    else if (status == Z_MEM_ERROR)
        return dj_fail_memory(context, "gzip decompression", 0);
    else if (status != Z_OK)
        return dj_input_fail_decode(context, g->below, "gzip", what_is_wrong(status, &g->stream));
    return DJ_OK;
}

static int gzip_fill(void *state, dj_context *context, const char *name, uint8_t *to, size_t capacity,
                     size_t *got)
{
    (void)name;
    gzip *g = state;
    uInt given = capacity > UINT_MAX ? UINT_MAX : (uInt)capacity;
    g->stream.next_out = to;
    g->stream.avail_out = given;
    int err = DJ_OK;
    while (!err && g->stream.avail_out == given) {
        bool more = true;
        if (g->between)
            err = next_member(g, context, &more);
        if (err || !more)
            break;
        g->between = false;
        dj_span in;
        err = dj_input_peek(context, g->below, 1, &in);
        if (!err)
            err = inflate_some(g, context, in);
    }
    *got = given - g->stream.avail_out;
    return *got ? DJ_OK : err;
}

static const dj_layer_ops gzip_ops = {gzip_fill, gzip_progress, gzip_close};

int dj_input_open_gzip(dj_context *context, dj_input *below, dj_input **out)
{
    gzip *g = calloc(1, sizeof *g);
    if (!g || inflateInit2(&g->stream, 15 + 16) != Z_OK) {
        free(g);
        dj_input_close(below);
        return dj_fail_memory(context, "gzip decompression", 0);
    }
    g->between = true;
    g->below = below;
    return dj_input_create(context, dj_input_name(below), &gzip_ops, g, out);
}
