// SPDX-License-Identifier: MIT
// Random traces with all columns and with events, as a source; any part of one is a source, too.
#ifndef TESTS_CONTRACT_SAMPLE_H
#define TESTS_CONTRACT_SAMPLE_H

#include "base/random.h"
#include <deja/engine.h>
#include <deja/source.h>

#include <stdlib.h>
#include <string.h>

enum { SAMPLE_MOST = 600, SAMPLE_LANES = 3, SAMPLE_SITES = 7, SAMPLE_PLACES = 5 };

typedef struct sample_access {
    uint64_t address, size;
    uint64_t offset; // all accesses to one object have one, or none has
    uint32_t device, site, place;
    uint8_t kind;
} sample_access;

typedef struct sample {
    uint32_t count;
    sample_access accesses[SAMPLE_MOST];
    bool event_before[SAMPLE_MOST + 1];
} sample;

// Addresses in a few hundred bytes on two devices: many reuses, many accesses
// that cross a block, many repeats.
static void sample_make(sample *s, uint64_t seed)
{
    dj_random r;
    dj_random_seed(&r, seed);
    s->count = (uint32_t)(dj_random_next(&r) % 600);
    uint64_t range = 16 + dj_random_next(&r) % 2000;
    for (uint32_t i = 0; i < s->count; i++) {
        sample_access *a = &s->accesses[i];
        bool repeat = i > 0 && dj_random_next(&r) % 3 == 0;
        a->address = repeat ? s->accesses[i - 1].address : dj_random_next(&r) % range;
        a->size = dj_random_next(&r) % 50;
        a->device = (uint32_t)(dj_random_next(&r) % 2);
        a->site = (uint32_t)(dj_random_next(&r) % SAMPLE_SITES);
        a->place = (uint32_t)(dj_random_next(&r) % SAMPLE_PLACES);
        a->kind = (uint8_t)(dj_random_next(&r) % 3);
        a->offset = a->place % 3 == 2 ? DJ_NO_OFFSET : a->address * (1 + a->place);
    }
    for (uint32_t i = 0; i <= s->count; i++)
        s->event_before[i] = dj_random_next(&r) % 4 == 0;
}

// A source over accesses [at, end) in batches of random size.
typedef struct sample_reader {
    const sample *s;
    uint32_t at, end;
    dj_random random;
} sample_reader;

static int sample_add_event(dj_context *context, dj_batch *batch, uint32_t position)
{
    dj_event event = {.index = batch->count, .type = DJ_EVENT_REGION, .a = position, .text = "sample"};
    return dj_batch_add_event(context, batch, &event);
}

static int sample_next(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    sample_reader *reader = state;
    *out = NULL;
    if (reader->at >= reader->end)
        return DJ_OK;
    dj_batch *batch;
    int err = dj_pool_take(context, pool, &batch);
    if (err)
        return err;
    dj_batch_buffers to = dj_batch_writable(batch);
    dj_batch_set_columns(batch, DJ_COLUMN_SIZE | DJ_COLUMN_DEVICE | DJ_COLUMN_SITE | DJ_COLUMN_PLACE |
                                    DJ_COLUMN_KIND | DJ_COLUMN_OFFSET);
    uint32_t most = (uint32_t)(dj_random_next(&reader->random) % 40);
    for (; !err && reader->at < reader->end && batch->count < most; reader->at++) {
        const sample_access *a = &reader->s->accesses[reader->at];
        if (reader->s->event_before[reader->at])
            err = sample_add_event(context, batch, reader->at);
        uint32_t i = batch->count++;
        to.address[i] = a->address;
        to.size[i] = a->size;
        to.device[i] = a->device;
        to.site[i] = a->site;
        to.place[i] = a->place;
        to.kind[i] = a->kind;
        to.offset[i] = a->offset;
    }
    if (!err && reader->at == reader->s->count && reader->s->event_before[reader->at])
        err = sample_add_event(context, batch, reader->at);
    *out = batch;
    return err;
}

static int sample_open(dj_context *context, const sample *s, uint32_t from, uint32_t to, dj_source **out)
{
    static const dj_source_ops ops = {.next = sample_next, .close = free};
    static const dj_source_info info = {.format = "sample", .kind = DJ_CLASS_BLOCK_IO, .default_block = 1};
    sample_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return DJ_ERR_MEMORY;
    *reader = (sample_reader){.s = s, .at = from, .end = to};
    dj_random_seed(&reader->random, from * 31 + to);
    return dj_source_create(context, &ops, reader, &info, out);
}

// What an observer must be shown for one piece of an access.
typedef struct sample_piece {
    sample_access access;
    uint32_t request; // index of the access it is a piece of
    struct {
        uint64_t key, distance, prev_time, byte_distance;
        uint32_t prev_tag;
    } lanes[SAMPLE_LANES];
} sample_piece;

#endif
