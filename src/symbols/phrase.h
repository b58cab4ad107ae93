// SPDX-License-Identifier: MIT
// A string that is written piece by piece into room of a fixed size, cut off
// to fit.
#ifndef DEJA_SYMBOLS_PHRASE_H
#define DEJA_SYMBOLS_PHRASE_H

#include <stdio.h>
#include <string.h>

#include <deja/error.h>

typedef struct dj_phrase {
    char *start;
    size_t room, length; // length < room: there is always a 0 at the end
} dj_phrase;

static inline dj_phrase dj_phrase_begin(char *start, size_t room)
{
    if (room > 0)
        start[0] = 0;
    return (dj_phrase){start, room, 0};
}

static inline void dj_phrase_add(dj_phrase *phrase, const char *piece)
{
    if (phrase->room == 0)
        return;
    size_t fits = strnlen(piece, phrase->room - 1 - phrase->length);
    memcpy(phrase->start + phrase->length, piece, fits);
    phrase->length += fits;
    phrase->start[phrase->length] = 0;
}

DJ_PRINTF(2, 3) static inline void dj_phrase_print(dj_phrase *phrase, const char *format, ...)
{
    if (phrase->room == 0)
        return;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(phrase->start + phrase->length, phrase->room - phrase->length, format, args);
    va_end(args);
    if (length > 0) {
        size_t left = phrase->room - 1 - phrase->length;
        phrase->length += (size_t)length < left ? (size_t)length : left;
    }
}

#endif
