// SPDX-License-Identifier: MIT
// Requests to a content cache: time, id, size; further columns are ignored.
#include "trace/parse/line_reader.h"
#include "trace/registry.h"

typedef struct webcachesim {
    uint64_t time;
    bool ordered; // times never decrease
    bool three;   // no further columns anywhere
} webcachesim;

static int start(void *state, dj_context *context, const dj_source_options *options)
{
    (void)context;
    (void)options;
    *(webcachesim *)state = (webcachesim){.ordered = true, .three = true};
    return DJ_OK;
}

static int judge(const void *state)
{
    const webcachesim *w = state;
    if (!w->ordered)
        return 20;
    return w->three ? 60 : 45;
}

static int line(void *state, dj_line_sink *sink, dj_text_field l)
{
    webcachesim *w = state;
    dj_access access = {0};
    uint64_t time = UINT64_MAX; // a time that is not an integer counts as ordered
    dj_field_skip_blanks(&l);
    dj_text_field whole = l;
    if (!dj_line_clock(sink, &l, DJ_CLOCK_S, &access.clock) || !dj_field_skip_blanks(&l))
        return dj_line_expected(sink, l, "a time");
    if (!dj_field_decimal(&l, &access.address) || !dj_field_skip_blanks(&l))
        return dj_line_expected(sink, l, "a decimal id below 2^64");
    if (!dj_field_decimal(&l, &access.size) || !(l.at == l.end || dj_is_blank(*l.at)))
        return dj_line_expected(sink, l, "a size below 2^64");
    if (dj_field_decimal(&whole, &time))
        w->ordered &= time >= w->time;
    w->time = time;
    w->three &= dj_field_at_end(&l);
    dj_line_put(sink, &access);
    return DJ_OK;
}

static const dj_line_ops ops = {
    .syntax = "time id size",
    .columns = DJ_COLUMN_SIZE | DJ_COLUMN_CLOCK,
    .judge = judge,
    .state_bytes = sizeof(webcachesim),
    .start = start,
    .line = line,
};

DJ_LINE_FUNCTIONS(ops)

const dj_format dj_format_webcachesim = {
    .info = {"webcachesim", "requests of a content cache: time id size", ".tr", DJ_CLASS_KEYS, false},
    .columns = DJ_COLUMN_SIZE,
    .provides = DJ_COLUMN_CLOCK,
    DJ_CLASS_KEYS_TABLE,
    DJ_LINE_TABLE,
};
