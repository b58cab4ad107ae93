// SPDX-License-Identifier: MIT
// One key a line: a decimal number, a hexadecimal one with 0x, or any other
// line, which is known by its hash. Numbers of up to 15 digits, the usual
// case, are read eight bytes at a time.
#include <endian.h>
#include <stdlib.h>

#include "trace/excerpt.h"
#include "trace/fields.h"
#include "trace/line_reader.h"
#include "trace/lines.h"
#include "trace/registry.h"

// What one step of the fast path may look at: 15 digits, CR, newline.
enum { STEP_BYTES = 17 };

static uint64_t load(const char *at)
{
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    return le64toh(bytes);
}

// The high bit of each byte that is not a digit. A byte above the first such
// one may be wrong.
static uint64_t find_other(uint64_t bytes)
{
    uint64_t value = bytes ^ UINT64_C(0x3030303030303030);
    return ((value + UINT64_C(0x7676767676767676)) | value) & UINT64_C(0x8080808080808080);
}

// The number of the first `count` digits, 1 to 8.
static uint64_t digits_value(uint64_t bytes, unsigned count)
{
    bytes = (bytes << (64 - 8 * count)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    bytes = (bytes * 10 + (bytes >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    bytes = (bytes * 100 + (bytes >> 16)) & UINT64_C(0x0000ffff0000ffff);
    return (bytes * 10000 + (bytes >> 32)) & UINT64_C(0x00000000ffffffff);
}

// Reads a number at `at`; NULL, or where it ends.
static const char *read_digits(const char *at, uint64_t *value)
{
    static const uint32_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    uint64_t bytes = load(at);
    uint64_t other = find_other(bytes);
    if (other) {
        unsigned count = (unsigned)__builtin_ctzll(other) / 8;
        if (count == 0)
            return NULL;
        *value = digits_value(bytes, count);
        return at + count;
    }
    uint64_t more = load(at + 8);
    other = find_other(more);
    if (!other)
        return NULL;
    unsigned count = (unsigned)__builtin_ctzll(other) / 8;
    *value = digits_value(bytes, 8) * powers[count] + (count ? digits_value(more, count) : 0);
    return at + 8 + count;
}

// Reads lines that are plain numbers until one is not, near the end of the
// lines at hand, or when `room` keys are there.
static uint32_t read_numbers(dj_lines *lines, uint64_t *to, uint32_t room)
{
    const char *at = lines->at;
    uint32_t count = 0;
    while (count < room && lines->end - at >= STEP_BYTES) {
        const char *end = read_digits(at, &to[count]);
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

static bool has_control(dj_field line)
{
    for (; line.at < line.end; line.at++)
        if (((unsigned char)*line.at < 0x20 && *line.at != '\t') || *line.at == 0x7f)
            return true;
    return false;
}

static bool is_comment(dj_field line)
{
    return *line.at == '#' && (line.at + 1 == line.end || dj_is_blank(line.at[1]));
}

static int bad_line(dj_context *context, const dj_lines *lines, dj_field line, const char *expected)
{
    char found[DJ_EXCERPT_BYTES];
    dj_excerpt(found, line.at, line.end);
    return dj_lines_fail(context, lines, "expected %s, found %s", expected, found);
}

// Any line; *count grows by one unless it holds no key. *ended: there is none.
static int read_line(dj_context *context, dj_lines *lines, uint64_t *to, uint32_t *count, bool *ended)
{
    dj_line whole;
    int err = dj_lines_next(context, lines, &whole);
    *ended = !whole.begin;
    if (err || *ended)
        return err;
    dj_field line = {whole.begin, whole.end};
    if (lines->number == 1)
        line = dj_field_without_mark(line);
    line = dj_field_trim(line);
    if (line.at == line.end || is_comment(line))
        return DJ_OK;
    if (has_control(line))
        return bad_line(context, lines, line, "text without control characters");
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

// What a line makes of a trace that was `so_far`.
static int judge_line(dj_field line, int so_far)
{
    uint64_t value;
    dj_field rest = line;
    if (dj_field_number(&rest, &value) && rest.at == rest.end)
        return so_far;
    for (rest = line; rest.at < rest.end; rest.at++)
        if (dj_is_blank(*rest.at) || *rest.at == ',' || *rest.at == ';')
            return UNLIKELY;
    return WORDS;
}

// Lines of several words or values would all be read, as one key each, but
// rarely are what somebody meant; --format says so.
static int text_probe(const dj_head *head)
{
    dj_field rest = {(const char *)head->data, (const char *)head->data + head->bytes};
    dj_field line;
    int score = NUMBERS;
    bool any = false;
    rest = dj_field_without_mark(rest);
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
    .info = {"text", "one key a line: decimal, 0x, or any other word", ".txt .keys", DJ_CLASS_KEYS, false},
    .default_block = 1,
    .unit_bytes = 0,
    .probe = text_probe,
    .open = text_open,
    .resume = text_resume,
    .read = text_read,
    .close = text_close,
};
