// SPDX-License-Identifier: MIT
// Builds a string in a buffer of a fixed size; truncates it to fit.
#ifndef DEJA_SYMBOLS_STRING_BUILDER_H
#define DEJA_SYMBOLS_STRING_BUILDER_H

#include <stdio.h>
#include <string.h>

#include <deja/error.h>

typedef struct dj_string_builder {
    char *start;
    size_t capacity, length; // length < capacity: always terminated by 0
} dj_string_builder;

static inline dj_string_builder dj_string_builder_begin(char *start, size_t capacity)
{
    if (capacity > 0)
        start[0] = 0;
    return (dj_string_builder){start, capacity, 0};
}

static inline void dj_string_builder_add(dj_string_builder *builder, const char *part)
{
    if (builder->capacity == 0)
        return;
    size_t fits = strnlen(part, builder->capacity - 1 - builder->length);
    memcpy(builder->start + builder->length, part, fits);
    builder->length += fits;
    builder->start[builder->length] = 0;
}

DJ_PRINTF(2, 3)
static inline void dj_string_builder_print(dj_string_builder *builder, const char *format, ...)
{
    if (builder->capacity == 0)
        return;
    va_list args;
    va_start(args, format);
    int length =
        vsnprintf(builder->start + builder->length, builder->capacity - builder->length, format, args);
    va_end(args);
    if (length > 0) {
        size_t left = builder->capacity - 1 - builder->length;
        builder->length += (size_t)length < left ? (size_t)length : left;
    }
}

#endif
