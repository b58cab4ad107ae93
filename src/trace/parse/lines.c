// SPDX-License-Identifier: MIT
#include "trace/parse/lines.h"

#include <stdio.h>

void dj_lines_init(dj_lines *lines, dj_input *input)
{
    memset(lines, 0, sizeof *lines);
    lines->input = input;
}

int dj_lines_fail(dj_context *context, const dj_lines *lines, const char *format, ...)
{
    char what[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return dj_fail(context, DJ_ERR_INPUT, "%s:%llu (byte %llu%s): %s", dj_input_name(lines->input),
                   (unsigned long long)lines->number,
                   (unsigned long long)dj_lines_offset(lines, lines->given), dj_input_offset_of(lines->input),
                   what);
}

int dj_lines_fail_length(dj_context *context, const dj_lines *lines)
{
    return dj_lines_fail(context, lines, "the line is longer than 1 MiB; is this a text trace?");
}

uint64_t dj_lines_offset(const dj_lines *lines, const char *place)
{
    return dj_input_offset(lines->input) + (uint64_t)(place - lines->base);
}

// The longest line with its CR and newline.
static const size_t enough = DJ_LINE_MOST + 2;

int dj_lines_fill(dj_context *context, dj_lines *lines)
{
    if (lines->at != lines->end)
        return DJ_OK;
    dj_input_consume(lines->input, (size_t)(lines->at - lines->base));
    const char *newline = NULL;
    dj_span span = {NULL, 0};
    int err = DJ_OK;
    do { // until there is a newline, the input ends, or no line can be that long
        size_t least = span.bytes + 1;
        size_t searched = span.bytes;
        err = dj_input_peek(context, lines->input, least, &span);
        lines->base = lines->at = lines->given = lines->end = (const char *)span.data;
        if (err)
            return err;
        if (span.bytes < least)
            break;
        newline = memrchr(span.data + searched, '\n', span.bytes - searched);
    } while (!newline && span.bytes <= enough);
    if (!newline && span.bytes > enough) {
        lines->number++;
        return dj_lines_fail_length(context, lines);
    }
    lines->end = newline ? newline + 1 : lines->base + span.bytes;
    return DJ_OK;
}
