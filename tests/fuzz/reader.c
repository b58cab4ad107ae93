// SPDX-License-Identifier: MIT
// One reader (FUZZ_FORMAT, a dj_format) over any bytes: from memory, and once
// more in drips of a few bytes, which must give the same. With FUZZ_MEND the
// bytes are a Deja stream whose checksums are set right first.
#include "fuzz/check.h"
#include "fuzz/mend.h"

#include "trace/input_layer.h"
#include "trace/registry.h"

typedef struct drip {
    const uint8_t *data;
    size_t bytes, at;
} drip;

static int drip_fill(void *state, dj_context *context, const char *name, uint8_t *to, size_t room,
                     size_t *got)
{
    (void)context;
    (void)name;
    drip *d = state;
    size_t n = 1 + d->at * 7 % 13;
    n = n < room ? n : room;
    n = n < d->bytes - d->at ? n : d->bytes - d->at;
    if (n)
        memcpy(to, d->data + d->at, n);
    d->at += n;
    *got = n;
    return DJ_OK;
}

static void drip_progress(const void *state, dj_progress *out)
{
    out->bytes_read = ((const drip *)state)->at;
    out->bytes_total = ((const drip *)state)->bytes;
}

static void drip_close(void *state)
{
    (void)state;
}

static const dj_layer_ops drip_ops = {drip_fill, drip_progress, drip_close};

static outcome read_format(dj_context *context, dj_input *input, dj_pool *pool,
                           const dj_source_options *options)
{
    outcome o = {.foreign_sites = strcmp(FUZZ_FORMAT.info.name, "deja") == 0};
    void *state = NULL;
    o.err = FUZZ_FORMAT.open(context, input, options, &state);
    if (o.err)
        return o;
    dj_source_info info = {.columns = FUZZ_FORMAT.columns};
    if (FUZZ_FORMAT.describe)
        FUZZ_FORMAT.describe(state, &info);
    bool more = true;
    while (!o.err && more && o.accesses < ACCESSES_MOST) {
        dj_batch *batch = NULL;
        CHECK(dj_pool_take(context, pool, &batch) == DJ_OK);
        o.err = FUZZ_FORMAT.read(state, context, input, batch);
        check_batch(&o, batch, info.columns);
        more = batch->count || batch->event_count;
        dj_batch_release(batch);
    }
    FUZZ_FORMAT.close(state);
    return o;
}

static outcome read_in_drips(dj_context *context, const uint8_t *data, size_t bytes, dj_pool *pool,
                             const dj_source_options *options)
{
    drip d = {data, bytes, 0};
    dj_input *input = NULL;
    CHECK(dj_input_create(context, "fuzz", &drip_ops, &d, &input) == DJ_OK);
    outcome o = read_format(context, input, pool, options);
    dj_input_close(input);
    return o;
}

// *compressed: the reader saw other bytes than these.
static outcome read_memory(dj_context *context, const uint8_t *data, size_t bytes, dj_pool *pool,
                           const dj_source_options *options, bool *compressed)
{
    outcome o = {0};
    dj_input *input = NULL;
    o.err = dj_input_open_memory(context, data, bytes, "fuzz", &input);
    *compressed = o.err || !dj_input_stable(input);
    if (!o.err)
        o = read_format(context, input, pool, options);
    dj_input_close(input);
    return o;
}

static const char *const columns[] = {
    NULL, "key", "time,key,size,op,thread", "-,key,-,size", "op,thread,key", "time,op,key,size,-,-,-,key",
};

// The options are drawn from the length, so that any trace is a seed as it is.
static void read_both_ways(const uint8_t *data, size_t bytes)
{
    static dj_context *context;
    static dj_pool *pool; // kept: making its batches is most of the time otherwise
    CHECK(context || (dj_context_create(&context) == DJ_OK && dj_pool_create(context, &pool) == DJ_OK));
    bool csv = strcmp(FUZZ_FORMAT.info.name, "csv") == 0;
    dj_source_options options = {
        .format = FUZZ_FORMAT.info.name,
        .columns = csv ? columns[bytes / 2 % (sizeof columns / sizeof *columns)] : NULL,
        .header = csv && bytes / 16 % 2,
        .instructions = bytes % 2,
    };
    bool compressed = false;
    outcome whole = read_memory(context, data, bytes, pool, &options, &compressed);
    CHECK(whole.err == DJ_OK || whole.err == DJ_ERR_INPUT || whole.err == DJ_ERR_USAGE);
    CHECK(whole.err == DJ_OK || dj_context_message(context)[0]);
    if (!compressed && whole.accesses < ACCESSES_MOST) {
        outcome drips = read_in_drips(context, data, bytes, pool, &options);
        CHECK(drips.accesses == whole.accesses && drips.events == whole.events);
        CHECK(drips.digest == whole.digest && drips.err == whole.err);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
#ifdef FUZZ_MEND
    uint8_t *copy = malloc(bytes + 1);
    CHECK(copy);
    memcpy(copy, data, bytes);
    fuzz_mend(copy, bytes);
    read_both_ways(copy, bytes);
    free(copy);
#else
    read_both_ways(data, bytes);
#endif
    return 0;
}
