// SPDX-License-Identifier: MIT
// A stream into memory that notices every write for which memory ran out. open_memstream does not: it drops
// the text, and neither ferror nor fclose says so.
#ifndef DEJA_BASE_TEXT_STREAM_H
#define DEJA_BASE_TEXT_STREAM_H

#include <stdbool.h>
#include <stdio.h>

typedef struct dj_text_stream {
    FILE *file; // for writing; cannot seek
    char *text;
    size_t bytes, capacity;
    bool failed;
    char buffer[256]; // of `file`: most texts are names
} dj_text_stream;

// The stream must stay where it is until it is closed. False if out of memory.
bool dj_text_stream_open(dj_text_stream *stream);
// The text, with a zero byte after its `*bytes` bytes (may be NULL), for free(); NULL if memory ran out at
// any time.
char *dj_text_stream_close(dj_text_stream *stream, size_t *bytes);

#endif
