// SPDX-License-Identifier: MIT
// One reader (FUZZ_FORMAT, a dj_format) on arbitrary bytes: from memory, and again a
// few bytes at a time, which must yield the same. With FUZZ_FIX_CHECKSUMS the bytes are
// a Deja stream whose checksums are corrected first, and which is also copied.
#include "fuzz/check.h"
#include "fuzz/copy.h"
#include "fuzz/fix_checksums.h"

#include "trace/input/layer.h"
#include "trace/registry.h"

typedef struct drip {
    const uint8_t *data;
    size_t bytes, at;
} drip;

static int drip_fill(void *state, dj_context *context, const char *name, uint8_t *to, size_t capacity,
                     size_t *got)
{
    (void)context;
    (void)name;
    drip *d = state;
    size_t n = 1 + d->at * 7 % 13;
    n = n < capacity ? n : capacity;
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

typedef struct trace {
    const uint8_t *data;
    size_t bytes;
    bool drips;
    drip drip;
} trace;

static int open_input(dj_context *context, trace *t, dj_input **out)
{
    t->drip = (drip){t->data, t->bytes, 0};
    return t->drips ? dj_input_create(context, "fuzz", &drip_ops, &t->drip, out)
                    : dj_input_open_memory(context, t->data, t->bytes, "fuzz", out);
}

static void read_to_end(outcome *o, dj_context *context, dj_pool *pool, void *state, dj_input *input,
                        uint32_t promised)
{
    bool more = true;
    while (!o->err && more && o->accesses < ACCESSES_MOST) {
        dj_batch *batch = NULL;
        CHECK(dj_pool_take(context, pool, &batch) == DJ_OK);
        o->err = FUZZ_FORMAT.read(state, context, input, batch);
        check_batch(o, batch, promised);
        more = batch->count || batch->event_count;
        dj_batch_release(batch);
    }
}

// Reads a trace of two identical files, if the format can continue in another file.
static outcome read_trace(dj_context *context, trace *t, dj_pool *pool, const dj_source_options *options)
{
    outcome o = {.foreign_sites = strcmp(FUZZ_FORMAT.info.name, "deja") == 0};
    void *state = NULL;
    dj_input *input = NULL;
    o.err = open_input(context, t, &input);
    if (!o.err)
        o.err = FUZZ_FORMAT.open(context, input, options, &state);
    if (!o.err) {
        dj_source_info info = {.columns = FUZZ_FORMAT.columns};
        if (FUZZ_FORMAT.describe)
            FUZZ_FORMAT.describe(state, &info);
        info.columns |= options->clock ? DJ_COLUMN_CLOCK : 0u;
        read_to_end(&o, context, pool, state, input, info.columns);
        if (!o.err && FUZZ_FORMAT.resume) {
            dj_input_close(input);
            input = NULL;
            CHECK(open_input(context, t, &input) == DJ_OK);
            o.err = FUZZ_FORMAT.resume(state, context, input);
            read_to_end(&o, context, pool, state, input, info.columns);
        }
        FUZZ_FORMAT.close(state);
    }
    dj_input_close(input);
    return o;
}

static bool is_compressed(dj_context *context, const uint8_t *data, size_t bytes)
{
    dj_input *input = NULL;
    bool compressed =
        dj_input_open_memory(context, data, bytes, "fuzz", &input) != DJ_OK || !dj_input_stable(input);
    dj_input_close(input);
    return compressed;
}

static const char *const columns[] = {
    NULL, "key", "time,key,size,op,thread", "-,key,-,size", "op,thread,key", "time,op,key,size,-,-,-,key",
};

// The options follow from the length, so that any trace can be a seed unchanged.
static void read_both_ways(const uint8_t *data, size_t bytes)
{
    static dj_context *context;
    static dj_pool *pool; // reused: creating its batches would take most of the time
    CHECK(context || (dj_context_create(&context) == DJ_OK && dj_pool_create(context, &pool) == DJ_OK));
    bool csv = strcmp(FUZZ_FORMAT.info.name, "csv") == 0;
    dj_source_options options = {
        .format = FUZZ_FORMAT.info.name,
        .columns = csv ? columns[bytes / 2 % (sizeof columns / sizeof *columns)] : NULL,
        .header = csv && bytes / 16 % 2,
        .instructions = bytes % 2,
        .clock = bytes / 32 % 2,
    };
    trace memory = {.data = data, .bytes = bytes}, drips = {.data = data, .bytes = bytes, .drips = true};
    outcome whole = read_trace(context, &memory, pool, &options);
    CHECK(whole.err == DJ_OK || whole.err == DJ_ERR_INPUT || whole.err == DJ_ERR_USAGE);
    CHECK(whole.err != DJ_ERR_USAGE || dj_context_message(context)[0]);
    CHECK(whole.err != DJ_ERR_INPUT || strncmp(dj_context_message(context), "fuzz:", 5) == 0);
    if (whole.accesses < ACCESSES_MOST && !is_compressed(context, data, bytes)) {
        outcome same = read_trace(context, &drips, pool, &options);
        CHECK(same.accesses == whole.accesses && same.events == whole.events);
        CHECK(same.digest == whole.digest && same.err == whole.err);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
#ifdef FUZZ_FIX_CHECKSUMS
    uint8_t *copy = malloc(bytes + 1);
    CHECK(copy);
    memcpy(copy, data, bytes);
    fuzz_fix_checksums(copy, bytes);
    read_both_ways(copy, bytes);
    if (bytes % 4 == 0) // the memory of a writer takes most of the time
        fuzz_check_copy(copy, bytes);
    free(copy);
#else
    read_both_ways(data, bytes);
#endif
    return 0;
}
