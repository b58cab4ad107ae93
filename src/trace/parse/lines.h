// SPDX-License-Identifier: MIT
// Lines of an input, for text readers. Whole lines are cut out of the input's
// buffer in place; CRLF, a missing final newline and NUL bytes are handled
// here; a line of more than 1 MiB is bad input.
#ifndef DEJA_TRACE_PARSE_LINES_H
#define DEJA_TRACE_PARSE_LINES_H

#include <string.h>

#include "trace/input/input.h"

enum { DJ_LINE_MOST = 1 << 20 };

// A reader that must be fast may scan [at, end) for itself after dj_lines_fill
// and set `at` behind each newline that it has passed, with `number`; it must
// then see to DJ_LINE_MOST itself.
typedef struct dj_lines {
    dj_input *input;
    const char *base;  // where the input stands
    const char *at;    // the next line begins here
    const char *end;   // end of the whole lines at hand; the last one of the input may lack its newline
    const char *given; // begin of the line given last
    uint64_t number;   // of the line given last, from 1
} dj_lines;

typedef struct dj_line {
    const char *begin; // NULL: no more lines
    const char *end;   // without newline and carriage return
} dj_line;

void dj_lines_init(dj_lines *lines, dj_input *input);

// Reads on when at == end; at == end afterwards means the end of the input.
int dj_lines_fill(dj_context *context, dj_lines *lines);

// Offset in the input of a place in the lines at hand.
uint64_t dj_lines_offset(const dj_lines *lines, const char *place);

// Bad input in the line given last: "NAME:LINE (byte OFFSET): …".
int dj_lines_fail(dj_context *context, const dj_lines *lines, const char *format, ...) DJ_PRINTF(3, 4);

int dj_lines_fail_length(dj_context *context, const dj_lines *lines);

// The next line, in place: valid until the next call.
static inline int dj_lines_next(dj_context *context, dj_lines *lines, dj_line *out)
{
    if (lines->at == lines->end) {
        out->begin = out->end = NULL;
        int err = dj_lines_fill(context, lines);
        if (err || lines->at == lines->end)
            return err;
    }
    const char *begin = lines->at;
    const char *end = (const char *)memchr(begin, '\n', (size_t)(lines->end - begin));
    lines->given = begin;
    lines->number++;
    lines->at = end ? end + 1 : lines->end;
    if (!end)
        end = lines->end;
    if (end > begin && end[-1] == '\r')
        end--;
    out->begin = begin;
    out->end = end;
    return end - begin > DJ_LINE_MOST ? dj_lines_fail_length(context, lines) : DJ_OK;
}

#endif
