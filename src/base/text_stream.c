// SPDX-License-Identifier: MIT
#include "base/text_stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static bool grow(dj_text_stream *s, size_t bytes)
{
    if (s->capacity - s->bytes > bytes)
        return true;
    size_t capacity = s->bytes > 0 ? 2 * (s->bytes + bytes) : bytes + 16; // most are written at once
    char *grown = realloc(s->text, capacity);
    if (!grown)
        return false;
    s->text = grown;
    s->capacity = capacity;
    return true;
}

static ssize_t put(void *cookie, const char *data, size_t bytes)
{
    dj_text_stream *s = cookie;
    s->failed |= !grow(s, bytes);
    if (s->failed)
        return 0;
    memcpy(s->text + s->bytes, data, bytes);
    s->bytes += bytes;
    return (ssize_t)bytes;
}

bool dj_text_stream_open(dj_text_stream *stream)
{
    static const cookie_io_functions_t io = {.write = put};
    *stream = (dj_text_stream){0};
    stream->file = fopencookie(stream, "w", io);
    if (!stream->file)
        return false;
    setvbuf(stream->file, stream->buffer, _IOFBF, sizeof stream->buffer);
    return true;
}

char *dj_text_stream_close(dj_text_stream *stream, size_t *bytes)
{
    bool closed = fclose(stream->file) == 0;
    if (!closed || stream->failed || !grow(stream, 0)) {
        free(stream->text);
        return NULL;
    }
    stream->text[stream->bytes] = 0;
    if (bytes)
        *bytes = stream->bytes;
    return stream->text;
}
