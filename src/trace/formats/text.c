// SPDX-License-Identifier: MIT
// One key per line: a decimal number, a hexadecimal one with 0x, or any other line, which is replaced by its
// hash. Numbers of up to 15 digits, the usual case, are read eight bytes at a time.
#include <stdlib.h>

#include "trace/parse/digits.h"
#include "trace/parse/excerpt.h"
#include "trace/parse/fields.h"
#include "trace/parse/line_reader.h"
#include "trace/parse/lines.h"
#include "trace/registry.h"

// What one step of the fast path may read: digits, CR, newline.
enum { STEP_BYTES = DJ_DIGITS_BYTES + 1 };

// Reads lines that are plain numbers, until one is not, the end of the available lines is near, or `capacity`
// keys were read.
static uint32_t read_numbers(dj_lines *lines, uint64_t *to, uint32_t capacity)
{
    const char *at = lines->at;
    uint32_t count = 0;
    while (count < capacity && lines->end - at >= STEP_BYTES) {
        const char *end = dj_digits_read(at, &to[count]);
        if (!end)
            break;
        if (*end == '\r')
            end++;
        if (*end != '\n')
            break;
        at = end + 1;
        count++;
    }
    lines->at = at;
    lines->number += count;
    return count;
}

static bool is_comment(dj_text_field line)
{
    return *line.at == '#' && (line.at + 1 == line.end || dj_is_blank(line.at[1]));
}

static int bad_line(dj_context *context, const dj_lines *lines, dj_text_field line, const char *expected)
{
    char found[DJ_EXCERPT_BYTES];
    dj_excerpt(found, line.at, line.end);
    return dj_lines_fail(context, lines, "expected %s, found %s", expected, found);
}

// Reads any line; *count grows by one unless it contains no key. *ended: there are no more lines.
static int read_line(dj_context *context, dj_lines *lines, uint64_t *to, uint32_t *count, bool *ended)
{
    dj_line whole;
    int err = dj_lines_next(context, lines, &whole);
    *ended = !whole.begin;
    if (err || *ended)
        return err;
    dj_text_field line = {whole.begin, whole.end};
    if (lines->number == 1)
        line = dj_field_skip_bom(line);
    line = dj_field_trim(line);
    if (line.at == line.end || is_comment(line))
        return DJ_OK;
    if (dj_field_has_control(line))
        return bad_line(context, lines, line, DJ_FIELD_NO_CONTROL);
    if (!dj_field_key(line, &to[*count]))
        return bad_line(context, lines, line, "a number below 2^64");
    ++*count;
    return DJ_OK;
}

static int text_read(void *state, dj_context *context, dj_input *input, dj_batch *batch)
{
    (void)input;
    dj_lines *lines = state;
    uint64_t *to = dj_batch_writable(batch).address;
    uint32_t count = 0;
    bool ended = false;
    int err = DJ_OK;
    while (!err && !ended && count < DJ_BATCH_CAPACITY) {
        count += read_numbers(lines, to + count, DJ_BATCH_CAPACITY - count);
        if (count < DJ_BATCH_CAPACITY)
            err = read_line(context, lines, to, &count, &ended);
    }
    batch->count = count;
    dj_batch_set_columns(batch, 0);
    return err;
}

static int text_open(dj_context *context, dj_input *input, const dj_source_options *options, void **state)
{
    (void)options;
    dj_lines *lines = malloc(sizeof *lines);
    if (!lines)
        return dj_fail_memory(context, "a trace reader", sizeof *lines);
    dj_lines_init(lines, input);
    *state = lines;
    return DJ_OK;
}

static int text_resume(void *state, dj_context *context, dj_input *input)
{
    (void)context;
    dj_lines_init(state, input);
    return DJ_OK;
}

static void text_close(void *state)
{
    free(state);
}

enum { UNLIKELY = 0, WORDS = 20, NUMBERS = 30 };

// The verdict after another line, given the verdict `so_far`.
static int judge_line(dj_text_field line, int so_far)
{
    uint64_t value;
    dj_text_field rest = line;
    if (dj_field_number(&rest, &value) && rest.at == rest.end)
        return so_far;
    for (rest = line; rest.at < rest.end; rest.at++)
        if (dj_is_blank(*rest.at) || *rest.at == ',' || *rest.at == ';')
            return UNLIKELY;
    return WORDS;
}

// Lines of several words or values could be read as one key each, but that is rarely intended; --format text
// forces it.
static int text_probe(const dj_head *head)
{
    dj_text_field rest = {(const char *)head->data, (const char *)head->data + head->bytes};
    dj_text_field line;
    int score = NUMBERS;
    bool any = false;
    rest = dj_field_skip_bom(rest);
    while (score != UNLIKELY && dj_head_line(head, &rest, &line)) {
        line = dj_field_trim(line);
        if (line.at == line.end || is_comment(line))
            continue;
        score = judge_line(line, score);
        any = true;
    }
    return any ? score : 0;
}

const dj_format dj_format_text = {
    .info = {"text", "one key per line: decimal, 0x, or any other word", ".txt .keys", DJ_CLASS_KEYS, false},
    .default_block = 1,
    .unit_bytes = 0,
    .probe = text_probe,
    .open = text_open,
    .resume = text_resume,
    .read = text_read,
    .close = text_close,
    .grows_by = DJ_GROWS_BY_LINES,
};
