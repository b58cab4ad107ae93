// SPDX-License-Identifier: MIT
#include "live/segments.h"

#include <stdlib.h>
#include <string.h>

enum {
    PC_BITS = 48,
    DEFINE_HEAD = 3, // words before those of the accesses
    ENDING_BITS = 8, // of the second word: ending, bytes, offset of the last instruction
    LAST_SHIFT = 40,
    ID_SLACK = 1 << 16, // how far an id may exceed twice the largest so far
    SIZE_MOST = 1 << 20,
    ACCESSES_MOST = DJ_BATCH_CAPACITY / 2, // of a segment: they must fit into a batch
};

#define COLUMNS_MOST (UINT32_MAX / 4)

void dj_segments_destroy(dj_segments *s)
{
    free(s->list);
    free(s->column.size);
    free(s->column.site);
    free(s->column.kind);
    free(s->column.source);
    free(s->column.delta);
    free(s->column.string);
    free(s->expanded);
    *s = (dj_segments){0};
}

static int grow(dj_context *context, void *array, size_t bytes)
{
    void *grown = realloc(*(void **)array, bytes);
    if (!grown)
        return dj_fail_memory(context, "the segments of a program", bytes);
    *(void **)array = grown;
    return DJ_OK;
}

static int make_room(dj_segments *s, dj_context *context, uint32_t more)
{
    dj_segment_columns *c = &s->column;
    uint32_t needed = c->count + more + DJ_SEGMENT_STEP;
    if (!s->expanded) {
        int err = grow(context, &s->expanded, (ACCESSES_MOST + DJ_SEGMENT_STEP) * sizeof *s->expanded);
        if (err)
            return err;
        memset(s->expanded, 0, (ACCESSES_MOST + DJ_SEGMENT_STEP) * sizeof *s->expanded);
    }
    if (needed <= c->capacity)
        return DJ_OK;
    if (needed > COLUMNS_MOST)
        return dj_fail(context, DJ_ERR_INPUT, "the tracer describes more than %u accesses", COLUMNS_MOST);
    uint32_t capacity = 2 * needed + 1024;
    int err = grow(context, &c->size, capacity * sizeof *c->size);
    if (!err)
        err = grow(context, &c->site, capacity * sizeof *c->site);
    if (!err)
        err = grow(context, &c->kind, capacity * sizeof *c->kind);
    if (!err)
        err = grow(context, &c->source, capacity * sizeof *c->source);
    if (!err)
        err = grow(context, &c->delta, capacity * sizeof *c->delta);
    if (!err)
        err = grow(context, &c->string, capacity * sizeof *c->string);
    if (err)
        return err;
    size_t added = capacity - c->count;
    memset(c->size + c->count, 0, added * sizeof *c->size);
    memset(c->site + c->count, 0, added * sizeof *c->site);
    memset(c->kind + c->count, 0, added * sizeof *c->kind);
    memset(c->source + c->count, 0, added * sizeof *c->source);
    memset(c->delta + c->count, 0, added * sizeof *c->delta);
    memset(c->string + c->count, 0, added * sizeof *c->string);
    c->capacity = capacity;
    return DJ_OK;
}

static int make_entry(dj_segments *s, dj_context *context, uint32_t id)
{
    if (id < s->capacity)
        return s->list[id].words == UINT32_MAX
                   ? DJ_OK
                   : dj_fail(context, DJ_ERR_INPUT, "segment %u is described twice", id);
    uint64_t most = 2 * (uint64_t)s->capacity + ID_SLACK;
    if (id >= most)
        return dj_fail(context, DJ_ERR_INPUT, "the number of segment %u is too far from the previous ones",
                       id);
    uint32_t capacity = id >= UINT32_MAX / 4 ? UINT32_MAX : 2 * id + 1024;
    int err = grow(context, &s->list, capacity * sizeof *s->list);
    if (err)
        return err;
    for (uint32_t i = s->capacity; i < capacity; i++)
        s->list[i] = (dj_segment){.words = UINT32_MAX};
    s->capacity = capacity;
    return DJ_OK;
}

// The upper bits of a relative access specify the origin of its address.
static uint64_t pc_of(const uint64_t *access)
{
    bool relative = access[1] >> 40 & DJ_ACCESS_RELATIVE;
    return relative ? access[0] & ((UINT64_C(1) << PC_BITS) - 1) : access[0];
}

static int add_access(dj_segments *s, dj_context *context, dj_live_sites *sites, dj_batch *batch,
                      dj_segment *segment, const uint64_t *words)
{
    dj_segment_columns *c = &s->column;
    uint64_t size = words[1] & UINT32_MAX;
    uint8_t kind = (uint8_t)(words[1] >> 32), flags = (uint8_t)(words[1] >> 40);
    if (size == 0 || size > SIZE_MOST || kind > DJ_KIND_OTHER)
        return dj_fail(context, DJ_ERR_INPUT, "an access of %llu bytes and kind %u is described",
                       (unsigned long long)size, kind);
    bool relative = flags & DJ_ACCESS_RELATIVE;
    if (relative ? words[0] >> PC_BITS >= segment->addresses : segment->addresses > UINT16_MAX)
        return dj_fail(context, DJ_ERR_INPUT,
                       "an access is described as relative to one that does not exist");
    c->source[c->count] = (uint16_t)(relative ? words[0] >> PC_BITS : segment->addresses++);
    c->delta[c->count] = (int16_t)(relative ? words[1] >> PC_BITS : 0);
    int err = dj_live_sites_find(sites, context, batch, pc_of(words), &c->site[c->count]);
    c->size[c->count] = size;
    c->kind[c->count] = kind;
    c->string[c->count] = flags & DJ_ACCESS_STRING ? 1 : 0;
    bool again = c->count > segment->first && c->string[c->count - 1] &&
                 c->site[c->count - 1] == c->site[c->count] && c->string[c->count - 1] < UINT8_MAX;
    if (c->string[c->count] && again)
        c->string[c->count] = (uint8_t)(c->string[c->count - 1] + 1);
    segment->strings = segment->strings || c->string[c->count];
    c->count++;
    return err;
}

int dj_segments_define(dj_segments *s, dj_context *context, dj_live_sites *sites, dj_batch *batch,
                       uint32_t id, const uint64_t *words, size_t count)
{
    static const uint8_t ending_words[] = {
        [DJ_ENDING_NONE] = 0, [DJ_ENDING_CALL] = 1, [DJ_ENDING_CALL_INDIRECT] = 2, [DJ_ENDING_RETURN] = 2};
    const uint8_t ending = count < DEFINE_HEAD ? UINT8_MAX : (uint8_t)words[1];
    if (ending > DJ_ENDING_RETURN || (count - DEFINE_HEAD) % 2)
        return dj_fail(context, DJ_ERR_INPUT, "segment %u is described in %zu words", id, count);
    uint32_t accesses = (uint32_t)(count - DEFINE_HEAD) / 2;
    if (accesses > ACCESSES_MOST)
        return dj_fail(context, DJ_ERR_INPUT, "segment %u is described with %u accesses", id, accesses);
    int err = make_entry(s, context, id);
    if (!err)
        err = make_room(s, context, accesses);
    if (err)
        return err;
    dj_segment segment = {.count = accesses,
                          .first = s->column.count,
                          .target = words[2],
                          .lo = words[0],
                          .bytes = (uint32_t)(words[1] >> ENDING_BITS),
                          .ending = ending};
    for (uint32_t i = 0; !err && i < accesses; i++)
        err = add_access(s, context, sites, batch, &segment, words + DEFINE_HEAD + 2 * i);
    segment.words = segment.addresses + ending_words[ending];
    // A call stores its return address last; that access has the pc of the call.
    uint64_t call = accesses ? pc_of(words + count - 2) : words[0] + (words[1] >> LAST_SHIFT);
    if (!err && (segment.ending == DJ_ENDING_CALL || segment.ending == DJ_ENDING_CALL_INDIRECT))
        err = dj_live_sites_find(sites, context, batch, call, &segment.call_site);
    if (!err)
        s->list[id] = segment;
    return err;
}

const uint64_t *dj_segments_expand(dj_segments *s, const dj_segment *segment, const uint64_t *words)
{
    const uint16_t *source = s->column.source + segment->first;
    const int16_t *delta = s->column.delta + segment->first;
    uint64_t *to = s->expanded;
    for (uint32_t i = 0; i < segment->count; i++)
        to[i] = words[source[i]] + (uint64_t)(int64_t)delta[i];
    // A copy of four at a time includes a few more, which must not look like skipped ones.
    memset(to + segment->count, 0, DJ_SEGMENT_STEP * sizeof *to);
    return to;
}
