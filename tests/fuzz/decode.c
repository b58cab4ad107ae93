// SPDX-License-Identifier: MIT
// One decompressor (FUZZ_DECODER) on arbitrary bytes, read in steps of odd sizes.
#include "fuzz/check.h"

#include "trace/input/layer.h"

enum { BYTES_MOST = 8 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    dj_context *context = NULL;
    dj_input *below = NULL, *input = NULL;
    CHECK(dj_context_create(&context) == DJ_OK);
    int err = dj_input_open_memory(context, data, bytes, "fuzz", &below);
    if (!err && dj_input_stable(below))
        err = FUZZ_DECODER(context, below, &input);
    else
        input = below; // the magic number is right, so this is already the decoder
    uint64_t total = 0;
    bool more = true;
    while (!err && more && total < BYTES_MOST) {
        uint8_t some[4099];
        dj_span span;
        size_t got = 0;
        err = dj_input_peek(context, input, 1 + total % 777, &span);
        if (!err)
            err = dj_input_read(context, input, some, sizeof some, &got);
        CHECK(got <= sizeof some);
        total += got;
        CHECK(dj_input_offset(input) == total);
        more = got > 0;
    }
    CHECK(err == DJ_OK || err == DJ_ERR_INPUT);
    CHECK(err == DJ_OK || strncmp(dj_context_message(context), "fuzz: ", 6) == 0);
    dj_input_close(input);
    dj_context_destroy(context);
    return 0;
}
