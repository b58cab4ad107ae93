// SPDX-License-Identifier: MIT
// A column of numbers as byte planes: all lowest bytes, all second bytes, and so on up to the highest plane
// that is not entirely 0. Planes contain either the numbers or their zigzag differences, whichever are
// shorter.
#ifndef DEJA_TRACE_STREAM_PLANES_H
#define DEJA_TRACE_STREAM_PLANES_H

#include <deja/error.h>

enum { DJ_PLANES = 8 };

typedef struct dj_planes {
    unsigned width; // bytes of a number: 8, 4 or 1
    uint32_t capacity, count;
    unsigned active; // planes that are not entirely 0 so far
    bool differences;
    uint64_t previous;
    uint8_t *plane[DJ_PLANES];
} dj_planes;

int dj_planes_create(dj_context *context, dj_planes *planes, unsigned width, uint32_t capacity);
void dj_planes_destroy(dj_planes *planes);
void dj_planes_restart(dj_planes *planes);
// Appends numbers of `width` bytes each; the capacity must suffice.
void dj_planes_add(dj_planes *planes, const void *numbers, uint32_t count);

typedef struct dj_planes_reader {
    unsigned width;
    bool differences;
    uint64_t previous;
    uint32_t at;                     // index of the next number
    const uint8_t *plane[DJ_PLANES]; // NULL: entirely 0
    const uint8_t *plain;            // the numbers uncoded, instead of planes; NULL: none
} dj_planes_reader;

// Reads the next numbers, of `width` bytes each. The caller ensures that they exist.
void dj_planes_read(dj_planes_reader *reader, void *numbers, uint32_t count);

#endif
