// SPDX-License-Identifier: MIT
// zstd: consecutive frames, including skippable ones.
#include "trace/input/layer.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

// 128 MiB: the limit that zstd accepts by default.
enum { WINDOW_LOG_MOST = 27 };

typedef struct zstd {
    dj_input *below;
    ZSTD_DCtx *decoder;
    bool between; // between two frames
} zstd;

static void zstd_close(void *state)
{
    zstd *z = state;
    ZSTD_freeDCtx(z->decoder);
    dj_input_close(z->below);
    free(z);
}

static void zstd_progress(const void *state, dj_progress *out)
{
    dj_input_progress(((const zstd *)state)->below, out);
}

static int zstd_fill(void *state, dj_context *context, const char *name, uint8_t *to, size_t capacity,
                     size_t *got)
{
    (void)name;
    zstd *z = state;
    ZSTD_outBuffer output = {to, capacity, 0};
    while (output.pos == 0) {
        dj_span in;
        int err = dj_input_peek(context, z->below, 1, &in);
        if (err)
            return err;
        if (in.bytes == 0 && z->between)
            break;
        ZSTD_inBuffer input = {in.data, in.bytes, 0};
        size_t status = ZSTD_decompressStream(z->decoder, &output, &input);
        if (ZSTD_isError(status) && ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation)
            return dj_fail_memory(context, "zstd decompression", 0);
        if (ZSTD_isError(status))
            return dj_input_fail_decode(context, z->below, "zstd", ZSTD_getErrorName(status));
        dj_input_consume(z->below, input.pos);
        z->between = status == 0;
        if (in.bytes == 0 && output.pos == 0 && !z->between)
            return dj_input_fail_decode(context, z->below, "zstd", "the data ends too early");
    }
    *got = output.pos;
    return DJ_OK;
}

static const dj_layer_ops zstd_ops = {zstd_fill, zstd_progress, zstd_close};

int dj_input_open_zstd(dj_context *context, dj_input *below, dj_input **out)
{
    zstd *z = calloc(1, sizeof *z);
    ZSTD_DCtx *decoder = ZSTD_createDCtx();
    if (!z || !decoder ||
        ZSTD_isError(ZSTD_DCtx_setParameter(decoder, ZSTD_d_windowLogMax, WINDOW_LOG_MOST))) {
        free(z);
        ZSTD_freeDCtx(decoder);
        dj_input_close(below);
        return dj_fail_memory(context, "zstd decompression", 0);
    }
    z->between = true;
    z->decoder = decoder;
    z->below = below;
    return dj_input_create(context, dj_input_name(below), &zstd_ops, z, out);
}
