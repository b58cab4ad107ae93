// SPDX-License-Identifier: MIT
#include "symbols/helper/server.h"

#include "symbols/files.h"
#include "symbols/helper/message.h"
#include "symbols/helper/rows.h"
#include "symbols/module/module.h"

enum { FAILED = 4, FOUND_MOST = 256, TEXT_CAPACITY = 4096 };
// How many extents and frames an answer may contain.
enum { EXTENTS_AHEAD = 16, FRAMES_AHEAD = 16 };

typedef struct server {
    dj_symbols *symbols;
    dj_context *context;
    dj_message in, answers, out;
    dj_sent_rows sent;
} server;

static void put_flag(dj_message *to, bool flag)
{
    dj_message_put(to, flag);
}

static void put_ranges(dj_message *to, const dj_ranges *ranges)
{
    dj_message_put(to, ranges ? ranges->count : 0);
    for (size_t i = 0; ranges && i < ranges->count; i++) {
        dj_message_put(to, ranges->rows[i].lo);
        dj_message_put(to, ranges->rows[i].hi);
        dj_message_put(to, ranges->rows[i].item);
    }
}

static void answer_module(server *s, uint32_t id)
{
    dj_module_info info = dj_files_module(s->symbols, id);
    dj_message_put(&s->answers, (uint64_t)info.state);
    put_flag(&s->answers, info.has_lines);
    put_flag(&s->answers, info.has_types);
    put_flag(&s->answers, info.has_symbols);
    dj_message_put_text(&s->answers, info.reason);
}

static void answer_functions(server *s, uint32_t id)
{
    uint64_t base;
    const dj_ranges *functions = dj_files_functions(s->symbols, id, &base);
    dj_message_put(&s->answers, base);
    put_ranges(&s->answers, functions);
}

static void answer_find(server *s, uint32_t id)
{
    size_t length;
    const char *name = dj_message_get_text(&s->in, &length);
    uint32_t found[FOUND_MOST];
    size_t count = name ? dj_files_find_function(s->symbols, id, name, found, FOUND_MOST) : 0;
    dj_message_put(&s->answers, count);
    for (size_t i = 0; i < count && i < FOUND_MOST; i++)
        dj_message_put(&s->answers, found[i]);
}

static void answer_code(server *s)
{
    dj_message *to = &s->answers;
    dj_code_query query = {.module = (uint32_t)dj_message_get(&s->in)};
    query.offset = dj_message_get(&s->in);
    query.chain = dj_message_get(&s->in);
    dj_code code;
    (void)dj_files_code(s->symbols, s->context, &query, &code);
    dj_message_put(to, code.function);
    dj_message_put(to, code.loop);
    dj_message_put(to, code.chain);
    dj_message_put(to, code.frame_count);
    for (uint32_t i = 0; i < code.frame_count; i++) {
        dj_message_put_text(to, code.frames[i].function);
        dj_message_put_text(to, code.frames[i].file);
        dj_message_put(to, code.frames[i].line);
        dj_message_put(to, code.frames[i].column);
    }
}

// Runs of bytes with the same answer.
static void answer_statements(server *s, uint32_t id, uint64_t window)
{
    dj_statement_info last = {0};
    bool known = false;
    for (uint64_t i = 0; i < DJ_WINDOW_BYTES; i++) {
        dj_statement_info info = {0};
        bool found = dj_files_statement(s->symbols, id, window * DJ_WINDOW_BYTES + i, &info);
        bool same = i > 0 && found == known && info.file == last.file && info.line == last.line &&
                    info.exact == last.exact && info.repeats == last.repeats && info.stores == last.stores &&
                    info.returns_nothing == last.returns_nothing;
        if (same)
            continue;
        dj_message_put(&s->answers, i);
        dj_message_put_text(&s->answers, found ? info.file : NULL);
        dj_message_put(&s->answers, info.line);
        put_flag(&s->answers, info.exact);
        put_flag(&s->answers, info.repeats);
        put_flag(&s->answers, info.stores);
        put_flag(&s->answers, info.returns_nothing);
        last = info;
        known = found;
    }
    dj_message_put(&s->answers, DJ_WINDOW_BYTES);
}

static void put_extent(dj_message *to, const dj_extent *extent)
{
    dj_message_put(to, (uint64_t)extent->lo);
    dj_message_put(to, (uint64_t)extent->hi);
    dj_message_put(to, extent->variable);
}

// Loaders and initializers access one variable after the other.
static void answer_global(server *s, uint32_t id)
{
    dj_extent extents[EXTENTS_AHEAD];
    uint64_t count = 0, offset = dj_message_get(&s->in);
    do {
        dj_files_global(s->symbols, id, offset, &extents[count]);
        offset = (uint64_t)extents[count++].hi;
    } while (count < EXTENTS_AHEAD && offset < INT64_MAX);
    dj_message_put(&s->answers, count);
    for (uint64_t i = 0; i < count; i++)
        put_extent(&s->answers, &extents[i]);
}

static void answer_local(server *s, uint32_t function)
{
    dj_extent extent;
    uint64_t pc = dj_message_get(&s->in);
    dj_files_local(s->symbols, function, pc, (int64_t)dj_message_get(&s->in), &extent);
    put_extent(&s->answers, &extent);
}

static void end_frames(server *s)
{
    dj_message_put(&s->answers, 0);
    dj_message_put(&s->answers, 0);
}

// The frame at `pc` and some of those after it; an empty one is the last.
static void put_frames(server *s, uint32_t function, uint64_t pc)
{
    const dj_function_info *info = dj_symbols_function_info(s->symbols, function);
    for (int i = 0; i < FRAMES_AHEAD && (i == 0 || (info && pc > info->lo && pc < info->hi)); i++) {
        dj_frame_variables frame;
        dj_files_frame(s->symbols, function, pc, &frame);
        dj_message_put(&s->answers, frame.lo);
        dj_message_put(&s->answers, frame.hi);
        dj_message_put(&s->answers, frame.count);
        for (size_t k = 0; k < frame.count; k++)
            put_extent(&s->answers, &frame.extents[k]);
        pc = frame.hi;
    }
    end_frames(s);
}

// If variables of the module were asked for, the frames of this function will be asked for next.
static void answer_function(server *s, uint32_t id)
{
    uint64_t offset = dj_message_get(&s->in);
    uint32_t function = dj_files_function(s->symbols, id, offset);
    dj_message_put(&s->answers, function);
    if (function && s->symbols->modules[id]->data)
        put_frames(s, function, offset);
    else
        end_frames(s);
}

static void answer_flow(server *s, uint32_t id)
{
    size_t count;
    const uint64_t *flow = dj_files_flow(s->symbols, id, dj_message_get(&s->in), &count);
    dj_message_put(&s->answers, count);
    for (size_t i = 0; i < count; i++)
        dj_message_put(&s->answers, flow[i]);
}

static void answer_element(server *s)
{
    char text[TEXT_CAPACITY];
    uint32_t variable = (uint32_t)dj_message_get(&s->in);
    uint64_t offset = dj_message_get(&s->in), bytes = dj_message_get(&s->in);
    dj_files_element(s->symbols, variable, offset, bytes, dj_message_get(&s->in), text, sizeof text);
    dj_message_put_text(&s->answers, text);
}

static void answer_pointer(server *s, uint32_t id)
{
    uint64_t offset = dj_message_get(&s->in);
    dj_message_put(&s->answers, dj_files_pointer(s->symbols, s->context, id, offset));
    put_flag(&s->answers, dj_files_pointer_returned(s->symbols, s->context, id, offset));
}

static void add_folder(server *s)
{
    size_t length;
    const char *folder = dj_message_get_text(&s->in, &length);
    if (!folder || dj_symbols_add_folder(s->symbols, s->context, folder) != DJ_OK)
        s->in.failed = true;
}

static void add_module(server *s, uint32_t id)
{
    size_t length;
    const char *path = dj_message_get_text(&s->in, &length);
    const char *identity = dj_message_get_text(&s->in, &length);
    if (!path || !identity || dj_symbols_add_module(s->symbols, s->context, id, path, identity) != DJ_OK)
        s->in.failed = true;
}

static void answer_request(server *s, enum dj_symbols_request request)
{
    uint64_t first = dj_message_get(&s->in);
    uint32_t id = (uint32_t)first;
    switch (request) {
    case DJ_REQUEST_FOLDER:
        add_folder(s);
        break;
    case DJ_REQUEST_FLOW_ONLY:
        dj_symbols_use_flow_only(s->symbols);
        break;
    case DJ_REQUEST_ADD:
        add_module(s, id);
        break;
    case DJ_REQUEST_MODULE:
        answer_module(s, id);
        break;
    case DJ_REQUEST_FUNCTIONS:
        answer_functions(s, id);
        break;
    case DJ_REQUEST_FUNCTION:
        answer_function(s, id);
        break;
    case DJ_REQUEST_FIND:
        answer_find(s, id);
        break;
    case DJ_REQUEST_CODES:
        for (uint64_t i = 0; i < first && !s->in.failed; i++)
            answer_code(s);
        break;
    case DJ_REQUEST_STATEMENTS:
        answer_statements(s, id, dj_message_get(&s->in));
        break;
    case DJ_REQUEST_LATCHES:
        put_ranges(&s->answers, dj_files_latches(s->symbols, id, dj_message_get(&s->in)));
        break;
    case DJ_REQUEST_FLOW:
        answer_flow(s, id);
        break;
    case DJ_REQUEST_GLOBAL:
        answer_global(s, id);
        break;
    case DJ_REQUEST_LOCAL:
        answer_local(s, id);
        break;
    case DJ_REQUEST_FRAME:
        put_frames(s, id, dj_message_get(&s->in));
        break;
    case DJ_REQUEST_ELEMENTS:
        for (uint64_t i = 0; i < first && !s->in.failed; i++)
            answer_element(s);
        break;
    case DJ_REQUEST_POINTER:
        answer_pointer(s, id);
        break;
    }
}

// New rows come first, so that numbers in the answers are known.
static bool answer_message(server *s, int fd)
{
    dj_message_clear(&s->answers);
    while (!s->in.failed && s->in.at < s->in.count)
        answer_request(s, (enum dj_symbols_request)dj_message_get(&s->in));
    dj_message_clear(&s->out);
    dj_rows_put(s->symbols, &s->sent, &s->out);
    dj_message_append(&s->out, &s->answers);
    return !s->in.failed && dj_message_send(&s->out, fd) == DJ_TRANSFER_OK;
}

int dj_server_run(int fd)
{
    server s = {0};
    if (dj_context_create(&s.context) != DJ_OK || dj_symbols_create(s.context, NULL, &s.symbols) != DJ_OK)
        return FAILED;
    while (dj_message_receive(&s.in, fd) == DJ_TRANSFER_OK)
        if (!answer_message(&s, fd))
            return FAILED;
    return 0;
}
