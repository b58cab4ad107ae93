// SPDX-License-Identifier: MIT
// Data symbols from the helper.
#include "symbols/helper/remote.h"

#include <string.h>

#include "base/grow.h"
#include "symbols/data/data.h"

// The index of the first extent that ends after an offset.
static size_t extent_from(const dj_remote_module *module, int64_t offset)
{
    size_t lo = 0, hi = module->extent_count;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (module->extents[middle].extent.hi <= offset)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static bool get_extent(dj_client *client, dj_frame_extent *out)
{
    dj_message *in = &client->in;
    out->found = dj_message_get(in);
    out->extent.lo = (int64_t)dj_message_get(in);
    out->extent.hi = (int64_t)dj_message_get(in);
    out->extent.variable = (uint32_t)dj_message_get(in);
    return dj_client_check(client, true);
}

static void keep_extent(dj_client *client, dj_remote_module *module, size_t at, const dj_frame_extent *extent)
{
    int err = dj_grow(client->symbols->quiet, "symbols", &module->extents, &module->extent_capacity,
                      module->extent_count + 1, sizeof *module->extents);
    if (!dj_client_check(client, !err))
        return;
    memmove(module->extents + at + 1, module->extents + at,
            (module->extent_count++ - at) * sizeof *module->extents);
    module->extents[at] = *extent;
}

bool dj_client_global(dj_client *client, uint32_t id, uint64_t offset, dj_extent *out)
{
    *out = (dj_extent){.lo = 0, .hi = INT64_MAX};
    dj_remote_module *module = dj_client_begin(client, id);
    if (!module)
        return false;
    size_t at = offset <= INT64_MAX ? extent_from(module, (int64_t)offset) : module->extent_count;
    dj_frame_extent answer;
    if (at < module->extent_count && module->extents[at].extent.lo <= (int64_t)offset) {
        answer = module->extents[at];
    } else {
        dj_client_put(client, DJ_REQUEST_GLOBAL, id);
        dj_message_put(&client->out, offset);
        if (!dj_client_ask(client) || !get_extent(client, &answer))
            return false;
        if (offset < INT64_MAX)
            keep_extent(client, module, at, &answer);
    }
    *out = answer.extent;
    return answer.found;
}

// The index of the first frame that ends after an offset.
static size_t frame_from(const dj_remote_frames *frames, uint64_t pc)
{
    size_t lo = 0, hi = frames->count;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (frames->rows[middle].hi <= pc)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static bool get_frame(dj_client *client, dj_remote_frame *out)
{
    dj_message *in = &client->in;
    out->lo = dj_message_get(in);
    out->hi = dj_message_get(in);
    out->count = (size_t)dj_message_get(in);
    if (in->failed || out->count > DJ_FRAME_EXTENTS_MOST)
        return dj_client_check(client, false);
    dj_frame_extent *extents = dj_arena_alloc(&client->arena, out->count, sizeof *extents);
    if (!dj_client_check(client, extents || out->count == 0))
        return false;
    out->extents = extents;
    for (size_t i = 0; i < out->count; i++)
        if (!get_extent(client, &extents[i]))
            return false;
    return true;
}

static dj_remote_frames *find_frames(dj_client *client, uint32_t function)
{
    int err = dj_grow(client->symbols->quiet, "symbols", &client->frames, &client->frame_capacity,
                      (size_t)function + 1, sizeof *client->frames);
    if (!dj_client_check(client, !err))
        return NULL;
    for (; client->frame_count <= function; client->frame_count++)
        client->frames[client->frame_count] = (dj_remote_frames){0};
    return &client->frames[function];
}

// The frame of a function at an offset; NULL: unknown.
static const dj_remote_frame *find_frame(dj_client *client, uint32_t function, uint64_t pc)
{
    dj_remote_frames *frames =
        dj_symbols_function_info(client->symbols, function) ? find_frames(client, function) : NULL;
    if (!frames)
        return NULL;
    size_t at = frame_from(frames, pc);
    if (at < frames->count && frames->rows[at].lo <= pc)
        return &frames->rows[at];
    dj_message_clear(&client->out);
    dj_client_put(client, DJ_REQUEST_FRAME, function);
    dj_message_put(&client->out, pc);
    dj_remote_frame frame;
    if (!dj_client_ask(client) || !get_frame(client, &frame))
        return NULL;
    int err = dj_grow(client->symbols->quiet, "symbols", &frames->rows, &frames->capacity, frames->count + 1,
                      sizeof *frames->rows);
    if (!dj_client_check(client, !err))
        return NULL;
    memmove(frames->rows + at + 1, frames->rows + at, (frames->count++ - at) * sizeof *frames->rows);
    frames->rows[at] = frame;
    return &frames->rows[at];
}

static bool ask_local(dj_client *client, uint32_t function, uint64_t pc, int64_t cfa_offset,
                      dj_frame_extent *out)
{
    dj_message_clear(&client->out);
    dj_client_put(client, DJ_REQUEST_LOCAL, function);
    dj_message_put(&client->out, pc);
    dj_message_put(&client->out, (uint64_t)cfa_offset);
    return dj_client_ask(client) && get_extent(client, out);
}

bool dj_client_local(dj_client *client, uint32_t function, uint64_t pc, int64_t cfa_offset, dj_extent *out)
{
    dj_frame_extent answer = {0};
    const dj_remote_frame *frame = find_frame(client, function, pc);
    bool known = frame && frame->count > 0;
    *out = (dj_extent){.lo = INT64_MIN, .hi = INT64_MAX};
    for (size_t i = 0; known && i < frame->count; i++)
        if (frame->extents[i].extent.lo <= cfa_offset)
            answer = frame->extents[i];
    if (!frame || (!known && !ask_local(client, function, pc, cfa_offset, &answer)))
        return false;
    *out = answer.extent;
    return answer.found;
}

void dj_client_elements(dj_client *client, const dj_element_query *queries, size_t count,
                        char (*text)[DJ_ELEMENT_CAPACITY])
{
    uint64_t asked = 0;
    for (size_t i = 0; i < count; i++) {
        text[i][0] = 0;
        asked += queries[i].variable != 0;
    }
    dj_message_clear(&client->out);
    dj_client_put(client, DJ_REQUEST_ELEMENTS, asked);
    for (size_t i = 0; i < count; i++) {
        if (queries[i].variable == 0)
            continue;
        dj_message_put(&client->out, queries[i].variable);
        dj_message_put(&client->out, queries[i].offset);
        dj_message_put(&client->out, queries[i].bytes);
        dj_message_put(&client->out, queries[i].any_index);
    }
    bool good = asked > 0 && dj_client_ask(client);
    for (size_t i = 0; good && i < count; i++) {
        if (queries[i].variable == 0)
            continue;
        size_t length;
        const char *answer = dj_message_get_text(&client->in, &length);
        good = dj_client_check(client, answer);
        dj_string_builder builder = dj_string_builder_begin(text[i], DJ_ELEMENT_CAPACITY);
        dj_string_builder_add(&builder, good ? answer : "");
    }
}

uint32_t dj_client_pointer(dj_client *client, uint32_t id, uint64_t offset, bool *returned)
{
    dj_remote_module *module = dj_client_begin(client, id);
    uint64_t known = module ? dj_map_get(&module->pointers, offset) : 0;
    *returned = false;
    if (module && !known) {
        dj_client_put(client, DJ_REQUEST_POINTER, id);
        dj_message_put(&client->out, offset);
        if (!dj_client_ask(client))
            return 0;
        uint32_t variable = (uint32_t)dj_message_get(&client->in);
        known = dj_message_get(&client->in) ? DJ_REMOTE_RETURNED : 1 + (uint64_t)variable;
        uint64_t *place = dj_map_at(&module->pointers, client->symbols->quiet, offset);
        if (!dj_client_check(client, place))
            return 0;
        *place = known;
    }
    *returned = known == DJ_REMOTE_RETURNED;
    return known == 0 || *returned ? 0 : (uint32_t)(known - 1);
}
