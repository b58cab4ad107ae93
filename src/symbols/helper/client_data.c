// SPDX-License-Identifier: MIT
// Data symbols from the helper.
#include "symbols/helper/remote.h"

#include "base/grow.h"

dj_extent dj_client_get_extent(dj_client *client)
{
    dj_message *in = &client->in;
    int64_t lo = (int64_t)dj_message_get(in), hi = (int64_t)dj_message_get(in);
    return (dj_extent){lo, hi, (uint32_t)dj_message_get(in)};
}

// The first extent of the answer is the one that was asked for.
static bool get_globals(dj_client *client, dj_ranges *known, dj_extent *out)
{
    uint64_t count = dj_message_get(&client->in);
    for (uint64_t i = 0; i < count && !client->in.failed; i++) {
        dj_extent extent = dj_client_get_extent(client);
        if (i == 0)
            *out = extent;
        if (!client->in.failed && dj_ranges_insert(known, client->symbols->quiet, (uint64_t)extent.lo,
                                                   (uint64_t)extent.hi, extent.variable) != DJ_OK)
            return dj_client_check(client, false);
    }
    return dj_client_check(client, true);
}

bool dj_client_global(dj_client *client, uint32_t id, uint64_t offset, dj_extent *out)
{
    *out = (dj_extent){.lo = 0, .hi = INT64_MAX};
    dj_remote_module *module = dj_client_begin(client, id);
    if (!module)
        return false;
    const dj_range *known = dj_ranges_find(&module->globals, offset);
    dj_extent answer = *out;
    if (known) {
        answer = (dj_extent){(int64_t)known->lo, (int64_t)known->hi, known->item};
    } else {
        dj_client_put(client, DJ_REQUEST_GLOBAL, id);
        dj_message_put(&client->out, offset);
        if (!dj_client_ask(client) || !get_globals(client, &module->globals, &answer))
            return false;
    }
    *out = answer;
    return answer.variable != 0;
}

static bool get_frame(dj_client *client, dj_ranges *known, uint64_t lo, uint64_t hi)
{
    dj_context *quiet = client->symbols->quiet;
    uint64_t count = dj_message_get(&client->in);
    if (client->in.failed || count > DJ_FRAME_EXTENTS_MOST)
        return false;
    dj_extent *extents = dj_arena_alloc(&client->arena, count, sizeof *extents);
    if ((!extents && count > 0) || dj_grow(quiet, "symbols", &client->frames, &client->frame_capacity,
                                           client->frame_count + 1, sizeof *client->frames) != DJ_OK)
        return false;
    for (uint64_t i = 0; i < count; i++)
        extents[i] = dj_client_get_extent(client);
    client->frames[client->frame_count] = (dj_remote_frame){count, extents};
    return dj_ranges_insert(known, quiet, lo, hi, (uint32_t)client->frame_count++) == DJ_OK;
}

static dj_ranges *find_frames(dj_client *client, uint32_t function)
{
    int err = dj_grow(client->symbols->quiet, "symbols", &client->framed, &client->framed_capacity,
                      (size_t)function + 1, sizeof *client->framed);
    if (!dj_client_check(client, !err))
        return NULL;
    for (; client->framed_count <= function; client->framed_count++)
        client->framed[client->framed_count] = (dj_ranges){0};
    return &client->framed[function];
}

bool dj_client_get_frames(dj_client *client, uint32_t function)
{
    bool valid = function == 0 || dj_symbols_function_info(client->symbols, function);
    dj_ranges *known = dj_client_check(client, valid) ? find_frames(client, function) : NULL;
    if (!known)
        return false;
    for (;;) {
        uint64_t lo = dj_message_get(&client->in), hi = dj_message_get(&client->in);
        if (hi == 0 || client->in.failed)
            return dj_client_check(client, true);
        if (!dj_client_check(client, get_frame(client, known, lo, hi)))
            return false;
    }
}

// The frame of a function at an offset; NULL: unknown.
static const dj_remote_frame *find_frame(dj_client *client, uint32_t function, uint64_t pc)
{
    const dj_ranges *known =
        dj_symbols_function_info(client->symbols, function) ? find_frames(client, function) : NULL;
    if (!known)
        return NULL;
    const dj_range *found = dj_ranges_find(known, pc);
    if (!found) {
        dj_message_clear(&client->out);
        dj_client_put(client, DJ_REQUEST_FRAME, function);
        dj_message_put(&client->out, pc);
        if (dj_client_ask(client) && dj_client_get_frames(client, function))
            found = dj_ranges_find(known, pc);
    }
    return found ? &client->frames[found->item] : NULL;
}

static bool ask_local(dj_client *client, uint32_t function, uint64_t pc, int64_t cfa_offset, dj_extent *out)
{
    dj_message_clear(&client->out);
    dj_client_put(client, DJ_REQUEST_LOCAL, function);
    dj_message_put(&client->out, pc);
    dj_message_put(&client->out, (uint64_t)cfa_offset);
    if (!dj_client_ask(client))
        return false;
    *out = dj_client_get_extent(client);
    return dj_client_check(client, true);
}

bool dj_client_local(dj_client *client, uint32_t function, uint64_t pc, int64_t cfa_offset, dj_extent *out)
{
    dj_extent answer = {0};
    const dj_remote_frame *frame = find_frame(client, function, pc);
    bool known = frame && frame->count > 0;
    *out = (dj_extent){.lo = INT64_MIN, .hi = INT64_MAX};
    for (size_t i = 0; known && i < frame->count; i++)
        if (frame->extents[i].lo <= cfa_offset)
            answer = frame->extents[i];
    if (!frame || (!known && !ask_local(client, function, pc, cfa_offset, &answer)))
        return false;
    *out = answer;
    return answer.variable != 0;
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
