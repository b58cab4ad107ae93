// SPDX-License-Identifier: MIT
// Internals of the client: what it keeps, and how it asks.
#ifndef DEJA_SYMBOLS_HELPER_REMOTE_H
#define DEJA_SYMBOLS_HELPER_REMOTE_H

#include "symbols/helper/client.h"
#include "symbols/helper/process.h"
#include "symbols/module/module.h"

// The latches of one function.
typedef struct dj_remote_latches {
    bool known;
    dj_ranges ranges;
} dj_remote_latches;

// The control flow of one function.
typedef struct dj_remote_flow {
    bool known;
    size_t count;
    uint64_t *words; // NULL: unknown
} dj_remote_flow;

// What is in the frame of a function, in part of its code.
typedef struct dj_remote_frame {
    size_t count; // 0: too much to be sent at once
    const dj_extent *extents;
} dj_remote_frame;

// What was answered about a module.
struct dj_remote_module {
    bool described;
    dj_module_info info;

    bool listed; // its functions are known
    uint64_t base;
    dj_ranges functions;
    uint32_t item_count;
    uint32_t *numbers;          // of each item; 0: not asked yet
    dj_remote_latches *latches; // of each item

    dj_remote_flow *flows; // of each item

    dj_map codes;      // offset → dj_remote_code
    dj_map statements; // offset / DJ_WINDOW_BYTES → dj_remote_run
    dj_map pointers;   // offset → variable + 1, or DJ_REMOTE_RETURNED
    dj_footprint footprint;

    dj_ranges globals; // variables, 0: none
};

#define DJ_REMOTE_RETURNED UINT64_MAX

struct dj_client {
    dj_symbols *symbols;
    char *path;
    const dj_context *context; // that created it
    bool started, failed, flow_only_sent;
    size_t folders_sent;
    dj_helper helper;
    dj_message out, in;
    dj_arena arena;    // of codes, statements, frames and elements
    dj_ranges *framed; // of each function, by number: indices of frames
    size_t framed_count, framed_capacity;
    dj_remote_frame *frames;
    size_t frame_count, frame_capacity;
    dj_map elements; // hash of a query → dj_remote_element
    dj_footprint footprint;
};

// The module; NULL: there is none, or no memory. Begins a request, which introduces the module to the helper
// if it is new.
dj_remote_module *dj_client_begin(dj_client *client, uint32_t id);
// Likewise, within a request.
dj_remote_module *dj_client_add(dj_client *client, uint32_t id);

void dj_client_put(dj_client *client, enum dj_symbols_request request, uint64_t first);
// Sends the request; then `in` holds the answer, whose rows have been read. False: there is none.
bool dj_client_ask(dj_client *client);
void dj_client_fail(dj_client *client);
// Whether the answer was complete and there was memory for it; otherwise the client has failed.
static inline bool dj_client_check(dj_client *client, bool good)
{
    bool whole = good && !client->in.failed;
    if (!whole)
        dj_client_fail(client);
    return whole;
}

// Each from the answer. A string is kept; NULL: none, or out of memory, and the client has failed.
const char *dj_client_get_text(dj_client *client);
bool dj_client_get_ranges(dj_client *client, dj_ranges *out);
dj_extent dj_client_get_extent(dj_client *client);
// The frames of a function; false: out of memory, and the client has failed.
bool dj_client_get_frames(dj_client *client, uint32_t function);

#endif
