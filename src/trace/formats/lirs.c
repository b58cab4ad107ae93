// SPDX-License-Identifier: MIT
// The traces of the LIRS paper: one block number per line. Lines with * separate phases; they are no accesses
// and are skipped.
#include <string.h>

#include "trace/parse/line_reader.h"
#include "trace/registry.h"

typedef struct lirs {
    bool stars;
} lirs;

static int line(void *state, dj_line_sink *sink, dj_text_field l)
{
    dj_access access = {0};
    dj_field_skip_blanks(&l);
    if (*l.at == '*') {
        ((lirs *)state)->stars = true;
        return DJ_OK;
    }
    if (!dj_field_decimal(&l, &access.address))
        return dj_line_expected(sink, l, "a block number below 2^64, or *");
    if (!dj_field_at_end(&l))
        return dj_line_expected(sink, l, "the end of the line");
    dj_line_put(sink, &access);
    return DJ_OK;
}

static int judge(const void *state)
{
    return ((const lirs *)state)->stars ? 60 : 10;
}

static const dj_line_ops ops = {
    .syntax = "block",
    .judge = judge,
    .state_bytes = sizeof(lirs),
    .line = line,
};

// If the head has no phases, only the name distinguishes it from any list of numbers.
static int line_probe(const dj_head *head)
{
    int score = dj_line_probe(&ops, head);
    return score > 0 && score < 40 && strstr(head->path, "lirs") ? 40 : score;
}

static int line_open(dj_context *context, dj_input *input, const dj_source_options *options, void **state)
{
    return dj_line_open(context, &ops, input, options, state);
}

const dj_format dj_format_lirs = {
    .info = {"lirs", "block numbers of the LIRS paper, * between phases", "", DJ_CLASS_KEYS, false},
    DJ_CLASS_KEYS_TABLE,
    DJ_LINE_TABLE,
};
