// SPDX-License-Identifier: MIT
// The traces of the ARC paper: start, count, an ignored number, and the number of the request, which accesses
// blocks start … start + count - 1. The unit of an address is one block, of unknown size in bytes.
#include "trace/parse/line_reader.h"
#include "trace/registry.h"

typedef struct arc {
    uint64_t request;
    bool ordered; // request numbers never decrease
    bool zeros;   // the ignored number is 0 everywhere
} arc;

static int start(void *state, dj_context *context, const dj_source_options *options)
{
    (void)context;
    (void)options;
    *(arc *)state = (arc){.ordered = true, .zeros = true};
    return DJ_OK;
}

// webcachesim requests with one more column look like this too, but their third column is a size.
static int judge(const void *state)
{
    const arc *a = state;
    return a->zeros ? 65 : a->ordered ? 40 : 25;
}

static int line(void *state, dj_line_sink *sink, dj_text_field l)
{
    arc *a = state;
    dj_access access = {0};
    uint64_t ignored, request;
    dj_field_skip_blanks(&l);
    if (!dj_field_decimal(&l, &access.address) || !dj_field_skip_blanks(&l))
        return dj_line_expected(sink, l, "a first block below 2^64");
    dj_text_field count = l;
    if (!dj_field_decimal(&l, &access.size) || !dj_field_skip_blanks(&l))
        return dj_line_expected(sink, l, "a number of blocks below 2^64");
    if (!dj_field_decimal(&l, &ignored) || !dj_field_skip_blanks(&l))
        return dj_line_expected(sink, l, "a third number below 2^64");
    if (!dj_field_decimal(&l, &request))
        return dj_line_expected(sink, l, "a request number below 2^64");
    if (!dj_field_at_end(&l))
        return dj_line_expected(sink, l, "the end of the line");
    a->zeros &= ignored == 0;
    a->ordered &= request >= a->request;
    a->request = request;
    return dj_line_put_range(sink, &access, count);
}

static const dj_line_ops ops = {
    .syntax = "start count ignored request",
    .columns = DJ_COLUMN_SIZE,
    .judge = judge,
    .state_bytes = sizeof(arc),
    .start = start,
    .line = line,
};

DJ_LINE_FUNCTIONS(ops)

const dj_format dj_format_arc = {
    .info = {"arc", "block I/O of the ARC paper: start count ignored request", ".lis", DJ_CLASS_BLOCK_IO,
             false},
    .columns = DJ_COLUMN_SIZE,
    .default_block = 1,
    .unit_bytes = 0,
    .default_split = true,
    DJ_LINE_TABLE,
};
