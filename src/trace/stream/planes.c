// SPDX-License-Identifier: MIT
#include "trace/stream/planes.h"

#include "base/little_endian.h"
#include "base/zigzag.h"

#include <stdlib.h>

// Numbers are processed in blocks that stay in the first-level cache.
enum { BLOCK = 1024, SAMPLE_STEP = 7 };

int dj_planes_create(dj_context *context, dj_planes *planes, unsigned width, uint32_t capacity)
{
    uint8_t *memory = malloc((size_t)width * capacity);
    if (!memory)
        return dj_fail_memory(context, "a column of the stream", (uint64_t)width * capacity);
    *planes = (dj_planes){.width = width, .capacity = capacity};
    for (unsigned p = 0; p < width; p++)
        planes->plane[p] = memory + (size_t)p * capacity;
    return DJ_OK;
}

void dj_planes_destroy(dj_planes *planes)
{
    free(planes->plane[0]);
    *planes = (dj_planes){0};
}

void dj_planes_restart(dj_planes *planes)
{
    planes->count = 0;
    planes->active = 0;
    planes->previous = 0;
}

static unsigned bytes_of(uint64_t number)
{
    return number ? (unsigned)(71 - __builtin_clzll(number)) / 8 : 0;
}

static void widen(const void *numbers, unsigned width, uint32_t from, uint32_t count, uint64_t *to)
{
    if (width == 8)
        memcpy(to, (const uint64_t *)numbers + from, count * sizeof *to);
    else if (width == 4)
        for (uint32_t i = 0; i < count; i++)
            to[i] = ((const uint32_t *)numbers)[from + i];
    else
        for (uint32_t i = 0; i < count; i++)
            to[i] = ((const uint8_t *)numbers)[from + i];
}

// The difference is signed in the width of the column, so that 0 - 1 stays short.
static uint64_t difference(uint64_t number, uint64_t previous, unsigned width)
{
    return width == 8 ? dj_zigzag(number - previous)
                      : dj_zigzag((uint64_t)(int64_t)(int32_t)((uint32_t)number - (uint32_t)previous));
}

// Decides from the first numbers of a frame.
static bool prefers_differences(const uint64_t *number, uint32_t count, unsigned width)
{
    uint64_t direct = 0, differing = 0;
    for (uint32_t i = 1; i < count; i += SAMPLE_STEP) {
        direct += bytes_of(number[i]);
        differing += bytes_of(difference(number[i], number[i - 1], width));
    }
    return width > 1 && differing < direct;
}

static void split(dj_planes *planes, const uint64_t *code, uint32_t count)
{
    for (unsigned p = 0; p < planes->active; p++) {
        uint8_t *to = planes->plane[p] + planes->count;
        for (uint32_t i = 0; i < count; i++)
            to[i] = (uint8_t)(code[i] >> (8 * p));
    }
    planes->count += count;
}

static void add_block(dj_planes *planes, uint64_t *number, uint32_t count)
{
    uint64_t any = 0;
    if (planes->count == 0)
        planes->differences = prefers_differences(number, count, planes->width);
    if (planes->differences) {
        uint64_t last = number[count - 1];
        for (uint32_t i = count - 1; i > 0; i--)
            number[i] = difference(number[i], number[i - 1], planes->width);
        number[0] = difference(number[0], planes->previous, planes->width);
        planes->previous = last;
    }
    for (uint32_t i = 0; i < count; i++)
        any |= number[i];
    while (planes->active < bytes_of(any))
        memset(planes->plane[planes->active++], 0, planes->count);
    split(planes, number, count);
}

void dj_planes_add(dj_planes *planes, const void *numbers, uint32_t count)
{
    uint64_t block[BLOCK];
    for (uint32_t at = 0; at < count; at += BLOCK) {
        uint32_t n = count - at < BLOCK ? count - at : BLOCK;
        widen(numbers, planes->width, at, n, block);
        add_block(planes, block, n);
    }
}

static void gather(const dj_planes_reader *reader, uint64_t *code, uint32_t count)
{
    memset(code, 0, count * sizeof *code);
    for (unsigned p = 0; p < reader->width; p++) {
        if (!reader->plane[p])
            continue;
        const uint8_t *from = reader->plane[p] + reader->at;
        for (uint32_t i = 0; i < count; i++)
            code[i] |= (uint64_t)from[i] << (8 * p);
    }
    if (!reader->plain)
        return;
    const uint8_t *from = reader->plain + (size_t)reader->at * reader->width;
    for (uint32_t i = 0; i < count; i++)
        code[i] = reader->width == 8   ? dj_read_le64(from + (size_t)8 * i)
                  : reader->width == 4 ? dj_read_le32(from + (size_t)4 * i)
                                       : from[i];
}

static void narrow(const uint64_t *code, uint32_t count, unsigned width, void *numbers, uint32_t at)
{
    if (width == 8)
        memcpy((uint64_t *)numbers + at, code, count * sizeof *code);
    else if (width == 4)
        for (uint32_t i = 0; i < count; i++)
            ((uint32_t *)numbers)[at + i] = (uint32_t)code[i];
    else
        for (uint32_t i = 0; i < count; i++)
            ((uint8_t *)numbers)[at + i] = (uint8_t)code[i];
}

void dj_planes_read(dj_planes_reader *reader, void *numbers, uint32_t count)
{
    uint64_t block[BLOCK];
    for (uint32_t at = 0; at < count; at += BLOCK) {
        uint32_t n = count - at < BLOCK ? count - at : BLOCK;
        gather(reader, block, n);
        if (reader->differences) {
            uint64_t number = reader->previous;
            for (uint32_t i = 0; i < n; i++)
                block[i] = number += dj_unzigzag(block[i]);
            reader->previous = number;
        }
        narrow(block, n, reader->width, numbers, at);
        reader->at += n;
    }
}
