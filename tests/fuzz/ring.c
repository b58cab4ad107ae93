// SPDX-License-Identifier: MIT
// The decoder of a tracer's words on arbitrary bytes. Valid words of a small alphabet
// come first, so that segments are sometimes defined and executed.
#include "fuzz/check.h"

#include "live/decode/decode.h"

enum { FRAME_WORDS = DJ_RING_FRAME_WORDS, RECORD_BYTES = 4, BATCHES_MOST = 64 };

// Four bytes become a record: type, word count, id and a seed for its content, or a
// direct type, pc and word; after any other first byte, the next eight bytes are copied.
static size_t make_words(const uint8_t *data, size_t bytes, uint64_t *words)
{
    size_t count = 0;
    while (bytes >= RECORD_BYTES && count < FRAME_WORDS) {
        if (data[0] >= DJ_DIRECT && data[0] <= DJ_DIRECT_PASS + 1 && count + 2 <= FRAME_WORDS) {
            words[count++] = DJ_DIRECT_RECORD(data[0], data[1]);
            words[count++] = (uint64_t)data[2] * 8 + ((uint64_t)data[3] << 16);
            data += RECORD_BYTES;
            bytes -= RECORD_BYTES;
            continue;
        }
        if (data[0] > DJ_RECORD_STATEMENT + 1) {
            if (bytes < 9)
                break;
            memcpy(&words[count++], data + 1, sizeof *words);
            data += 9;
            bytes -= 9;
            continue;
        }
        size_t length = data[1] % 16;
        words[count++] = DJ_RECORD(data[0], length, data[2] % 8);
        for (size_t i = 0; i < length && count < FRAME_WORDS; i++) {
            uint64_t small = (data[3] + 7 * i) % 64;
            words[count++] = i % 2 ? small % 4 : data[3] & 1 ? small * 16 : small % 5 << 32 | (small % 8 + 1);
        }
        data += RECORD_BYTES;
        bytes -= RECORD_BYTES;
    }
    return count;
}

static void check_and_renew(dj_context *context, dj_pool *pool, outcome *o, dj_batch **batch)
{
    check_batch(o, *batch, DJ_LIVE_COLUMNS);
    dj_batch_release(*batch);
    CHECK(dj_pool_take(context, pool, batch) == DJ_OK);
    dj_decoder_prepare(*batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static uint64_t words[FRAME_WORDS];
    dj_context *context = NULL;
    dj_pool *pool = NULL;
    dj_batch *batch = NULL;
    dj_decoder decoder;
    outcome o = {0};
    CHECK(dj_context_create(&context) == DJ_OK);
    CHECK(dj_pool_create(context, &pool) == DJ_OK && dj_pool_take(context, pool, &batch) == DJ_OK);
    CHECK(dj_decoder_create(&decoder, context) == DJ_OK);
    dj_decoder_prepare(batch);
    // In memory of the exact size, so that reading past its end is detected.
    size_t count = make_words(data, bytes, words), at = 0;
    uint64_t *frame = malloc(count * sizeof *frame + 1);
    CHECK(frame);
    memcpy(frame, words, count * sizeof *frame);
    int err = DJ_OK;
    unsigned batches = 0; // a long range may take too much time
    for (size_t before = 0; !err && at < count && batches < BATCHES_MOST; before = at) {
        bool full = false;
        err = dj_decoder_feed(&decoder, context, frame, count, &at, batch, &full);
        CHECK(err || full || at == count);
        CHECK(err || at > before || full);
        CHECK(!err || (err == DJ_ERR_INPUT && dj_context_message(context)[0]));
        batches += full;
        if (full)
            check_and_renew(context, pool, &o, &batch);
        else
            CHECK(dj_decoder_pause(&decoder, context, batch, !decoder.paused) == DJ_OK);
    }
    CHECK(dj_decoder_finish(&decoder, context, batch) == DJ_OK);
    check_and_renew(context, pool, &o, &batch);
    free(frame);
    dj_decoder_destroy(&decoder);
    dj_batch_release(batch);
    dj_pool_destroy(pool);
    dj_context_destroy(context);
    return 0;
}
