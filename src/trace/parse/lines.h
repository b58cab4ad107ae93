// SPDX-License-Identifier: MIT
// Lines of an input, for text readers. Lines are returned in place, in the input's buffer. Handles CRLF, a
// missing final newline and NUL bytes; a line of more than 1 MiB is bad input.
#ifndef DEJA_TRACE_PARSE_LINES_H
#define DEJA_TRACE_PARSE_LINES_H

#include <string.h>

#include "trace/input/input.h"

enum { DJ_LINE_MOST = 1 << 20 };

// A fast reader may scan [at, end) directly after dj_lines_fill. It then sets `at` after each newline that it
// has passed, updates `number`, and checks DJ_LINE_MOST itself.
typedef struct dj_lines {
    dj_input *input;
    const char *base;  // the position of the input
    const char *at;    // start of the next line
    const char *end;   // end of the available complete lines; the last line of the input may lack its newline
    const char *given; // start of the line returned last
    uint64_t number;   // of the line returned last, from 1
} dj_lines;

typedef struct dj_line {
    const char *begin; // NULL: no more lines
    const char *end;   // without newline and carriage return
} dj_line;

void dj_lines_init(dj_lines *lines, dj_input *input);

// Reads on when at == end; at == end afterwards means the end of the input.
int dj_lines_fill(dj_context *context, dj_lines *lines);

// The offset in the input of `place`, which is within the available lines.
uint64_t dj_lines_offset(const dj_lines *lines, const char *place);

// Reports bad input in the line returned last: "NAME:LINE (byte OFFSET): …".
int dj_lines_fail(dj_context *context, const dj_lines *lines, const char *format, ...) DJ_PRINTF(3, 4);

int dj_lines_fail_length(dj_context *context, const dj_lines *lines);

// Returns the next line, in place: valid until the next call.
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
