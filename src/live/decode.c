// SPDX-License-Identifier: MIT
#include "live/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum {
    // Beside the accesses of a record a batch must have room for strings that
    // end and for those written in vain by a copy.
    SLACK = DJ_STRINGS_MOST + DJ_SEGMENT_STEP,
    EVENTS_MOST = 1 << 16, // of a batch, about
    MESSAGE_MOST = 4096,
    CHILDREN_MOST = 1 << 16,
};

int dj_decoder_create(dj_decoder *d, dj_context *context)
{
    *d = (dj_decoder){.status = -1};
    int err = dj_segments_create(&d->segments, context);
    if (!err)
        err = dj_threads_create(&d->threads, context);
    if (!err)
        err = dj_blocks_create(&d->blocks, context);
    if (!err)
        err = dj_threads_find(&d->threads, context, 0, &d->thread);
    if (err)
        dj_decoder_destroy(d);
    return err;
}

void dj_decoder_forget(dj_decoder *d)
{
    dj_segments_destroy(&d->segments);
    dj_threads_destroy(&d->threads);
    dj_blocks_destroy(&d->blocks);
    d->thread = NULL;
}

void dj_decoder_destroy(dj_decoder *d)
{
    dj_decoder_forget(d);
    free(d->command);
    free(d->message);
    free(d->children);
    *d = (dj_decoder){0};
}

void dj_decoder_prepare(dj_batch *batch)
{
    dj_batch_set_columns(batch, DJ_LIVE_COLUMNS);
}

bool dj_decoder_has_room(const dj_batch *batch)
{
    return batch->count + SLACK <= DJ_BATCH_CAPACITY && batch->event_count < EVENTS_MOST;
}

static int tell(dj_context *context, dj_batch *batch, uint32_t type, uint64_t a, uint64_t b, uint64_t c)
{
    dj_event event = {batch->count, type, a, b, c, ""};
    return dj_batch_add_event(context, batch, &event);
}

// --- segments -----------------------------------------------------------------

// Accesses one by one: some were predicated away, are steps of strings, or
// stand at the end of the frame.
static void copy_slowly(dj_decoder *d, const dj_segment *segment, const uint64_t *words, dj_batch *batch)
{
    const dj_segment_columns *from = &d->segments.column;
    for (uint32_t i = 0, k = segment->first; i < segment->count; i++, k++) {
        if (words[i] == DJ_RING_SKIPPED)
            continue;
        if (from->string[k]) {
            dj_strings_step(&d->strings, batch,
                            &(dj_string_run){words[i], words[i] + from->size[k], from->site[k], from->kind[k],
                                             from->string[k]});
            continue;
        }
        dj_strings_flush(&d->strings, batch);
        dj_batch_append(batch, words[i], from->size[k], from->site[k], from->kind[k]);
    }
}

// Copies by fours, a little too much at the end. Returns false when an address
// may mean "skipped", and then has copied nothing that counts.
static inline bool copy_quickly(const dj_segments *segments, const dj_segment *segment, const uint64_t *words,
                                const dj_batch *batch)
{
    // Each in a variable of its own, since a store of bytes might else change any of them.
    uint64_t *address = (uint64_t *)(uintptr_t)batch->column.address + batch->count;
    uint64_t *size = (uint64_t *)(uintptr_t)batch->column.size + batch->count;
    uint32_t *site = (uint32_t *)(uintptr_t)batch->column.site + batch->count;
    uint8_t *kind = (uint8_t *)(uintptr_t)batch->column.kind + batch->count;
    const uint64_t *from_size = segments->column.size + segment->first;
    const uint32_t *from_site = segments->column.site + segment->first;
    const uint8_t *from_kind = segments->column.kind + segment->first;
    uint64_t any = 0;
    for (size_t i = 0, count = segment->count; i < count; i += DJ_SEGMENT_STEP) {
        any |= words[i] | words[i + 1] | words[i + 2] | words[i + 3];
        memcpy(address + i, words + i, DJ_SEGMENT_STEP * sizeof *address);
        memcpy(size + i, from_size + i, DJ_SEGMENT_STEP * sizeof *size);
        memcpy(site + i, from_site + i, DJ_SEGMENT_STEP * sizeof *site);
        memcpy(kind + i, from_kind + i, DJ_SEGMENT_STEP * sizeof *kind);
    }
    return any >> 63 == 0;
}

static int end_segment(dj_decoder *d, dj_context *context, const dj_segment *segment, const uint64_t *words,
                       dj_batch *batch)
{
    if (segment->ending == DJ_ENDING_CALL)
        return tell(context, batch, DJ_EVENT_CALL, segment->call_site, segment->target, words[0]);
    if (segment->ending == DJ_ENDING_CALL_INDIRECT)
        return tell(context, batch, DJ_EVENT_CALL, segment->call_site, words[1], words[0]);
    int err = tell(context, batch, DJ_EVENT_RETURN, 0, 0, words[0]);
    if (!err && d->thread->allocation.function)
        err = dj_blocks_return(&d->blocks, context, batch, &d->thread->allocation, words[0], words[1]);
    return err;
}

static int bad_segment(const dj_decoder *d, dj_context *context, uint64_t record)
{
    uint32_t id = DJ_RECORD_ID(record);
    if (id >= d->segments.capacity || d->segments.list[id].words == UINT32_MAX)
        return dj_fail(context, DJ_ERR_INPUT, "segment %u was never described", id);
    return dj_fail(context, DJ_ERR_INPUT, "segment %u comes with %u words instead of %u", id,
                   DJ_RECORD_WORDS(record), d->segments.list[id].words);
}

// `safe`: so many words may be read from `words` on.
static inline int feed_segment(dj_decoder *d, dj_context *context, const dj_segment *segment,
                               const uint64_t *words, size_t safe, dj_batch *batch)
{
    const uint64_t *ending = words + segment->addresses;
    if (segment->addresses < segment->count) {
        words = dj_segments_expand(&d->segments, segment, words);
        safe = segment->count + DJ_SEGMENT_STEP;
    }
    if (__builtin_expect(d->thread->allocation.function == DJ_ALLOCATOR_POSIX, 0))
        dj_blocks_look(&d->thread->allocation, words, d->segments.column.kind + segment->first,
                       segment->count);
    if (__builtin_expect(d->paused, 0)) {
        d->left_out += segment->count;
    } else if (segment->strings) {
        copy_slowly(d, segment, words, batch);
    } else if (segment->count) {
        if (d->strings.count)
            dj_strings_flush(&d->strings, batch);
        if (segment->count + DJ_SEGMENT_STEP <= safe && copy_quickly(&d->segments, segment, words, batch))
            batch->count += segment->count;
        else
            copy_slowly(d, segment, words, batch);
    }
    if (segment->ending == DJ_ENDING_NONE)
        return DJ_OK;
    if (d->strings.count)
        dj_strings_flush(&d->strings, batch);
    return end_segment(d, context, segment, ending, batch);
}

// How far all operands stay within their lines.
static uint64_t next_piece(const uint64_t *words, uint32_t operands, uint64_t done, uint64_t bytes)
{
    uint64_t piece = bytes - done;
    for (uint32_t i = 0; i < operands; i++) {
        uint64_t left = DJ_STRING_LINE - (words[i] + done) % DJ_STRING_LINE;
        piece = left < piece ? left : piece;
    }
    return piece;
}

// Many steps of a string instruction at once, as if they came one by one.
static int feed_string(dj_decoder *d, dj_context *context, uint64_t record, const uint64_t *words,
                       dj_batch *batch)
{
    const dj_segment_columns *from = &d->segments.column;
    uint32_t id = DJ_RECORD_ID(record), length = DJ_RECORD_WORDS(record);
    if (id >= d->segments.capacity || d->segments.list[id].words == UINT32_MAX)
        return bad_segment(d, context, record);
    const dj_segment *segment = &d->segments.list[id];
    uint64_t bytes = length ? words[length - 1] : 0;
    if (segment->count == 0 || segment->count > 2 || !segment->strings || length != segment->count + 1 ||
        bytes == 0 || bytes > DJ_STRING_LINE)
        return dj_fail(context, DJ_ERR_INPUT, "a string instruction is told of in %u words, with %llu bytes",
                       length, (unsigned long long)bytes);
    uint64_t step = from->size[segment->first], steps = (bytes + step - 1) / step * segment->count;
    if (d->paused) {
        d->left_out += steps;
        return DJ_OK;
    }
    uint64_t pieces = 0;
    for (uint64_t done = 0, piece; done < bytes; done += piece) {
        piece = next_piece(words, segment->count, done, bytes);
        for (uint32_t i = 0, k = segment->first; i < segment->count; i++, k++, pieces++)
            dj_strings_step(&d->strings, batch,
                            &(dj_string_run){words[i] + done, words[i] + done + piece, from->site[k],
                                             from->kind[k], from->string[k]});
    }
    d->strings.joined += steps > pieces ? steps - pieces : 0;
    return DJ_OK;
}

// --- the rest -----------------------------------------------------------------

// Text for people: a terminal must not take it for commands.
static char *copy_text(const uint64_t *words, size_t count, bool printable)
{
    char *text = malloc(count * sizeof *words + 1);
    if (!text)
        return NULL;
    memcpy(text, words, count * sizeof *words);
    text[count * sizeof *words] = '\0';
    for (char *c = text; printable && *c; c++)
        if (dj_is_control(*c))
            *c = *c == 1 || *c == '\n' ? ' ' : '?';
    return text;
}

static int take_text(dj_context *context, char **to, const uint64_t *words, size_t count, bool printable)
{
    char *text = copy_text(words, count, printable);
    if (!text)
        return dj_fail_memory(context, "a text of the tracer", count * sizeof *words);
    free(*to);
    *to = text;
    return DJ_OK;
}

static int feed_message(dj_decoder *d, dj_context *context, const uint64_t *words, size_t count)
{
    if (!d->message)
        return take_text(context, &d->message, words, count, true);
    char *text = copy_text(words, count, true), *both = NULL;
    bool fits = text && strlen(d->message) + strlen(text) < MESSAGE_MOST;
    if (fits && asprintf(&both, "%s\n%s", d->message, text) < 0)
        both = NULL;
    free(text);
    if (!text || (fits && !both))
        return dj_fail_memory(context, "a message of the tracer", 0);
    if (both) {
        free(d->message);
        d->message = both;
    }
    return DJ_OK;
}

static int feed_module(dj_decoder *d, dj_context *context, const uint64_t *words, size_t count,
                       dj_batch *batch)
{
    if (count < 2)
        return dj_fail(context, DJ_ERR_INPUT, "an object file is told of in %zu words", count);
    char *path = copy_text(words + 2, count - 2, false);
    int err = path ? dj_segments_add_module(&d->segments, context, batch, words[0], words[1], path)
                   : dj_fail_memory(context, "the name of an object file", 0);
    free(path);
    return err;
}

static int feed_thread(dj_decoder *d, dj_context *context, uint32_t id, const uint64_t *words, size_t count,
                       dj_batch *batch)
{
    if (count < 2)
        return dj_fail(context, DJ_ERR_INPUT, "a thread is told of in %zu words", count);
    int err = dj_threads_find(&d->threads, context, id, &d->thread);
    if (err)
        return err;
    d->thread->stack_lo = words[0];
    d->thread->stack_hi = words[1];
    return dj_thread_tell(d->thread, context, batch);
}

static int feed_thread_name(dj_decoder *d, dj_context *context, uint32_t id, const uint64_t *words,
                            size_t count, dj_batch *batch)
{
    dj_live_thread *thread;
    int err = dj_threads_find(&d->threads, context, id, &thread);
    if (!err)
        err = take_text(context, &thread->name, words, count, true);
    return err || thread != d->thread ? err : dj_thread_tell(thread, context, batch);
}

static int feed_region(dj_context *context, uint32_t id, const uint64_t *words, size_t count, dj_batch *batch)
{
    char *name = copy_text(words, count, true);
    dj_event event = {batch->count, DJ_EVENT_REGION, id != 0, 0, 0, name};
    int err = name ? dj_batch_add_event(context, batch, &event)
                   : dj_fail_memory(context, "the name of a region", 0);
    free(name);
    return err;
}

static int feed_fork(dj_decoder *d, dj_context *context, uint32_t pid)
{
    uint32_t *grown = d->child_count < CHILDREN_MOST
                          ? realloc(d->children, (d->child_count + 1) * sizeof *grown)
                          : d->children;
    if (!grown)
        return dj_fail_memory(context, "the children of a process", 0);
    d->children = grown;
    if (d->child_count < CHILDREN_MOST)
        d->children[d->child_count++] = pid;
    return DJ_OK;
}

// Mappings that an allocation function makes are its affair, and those within
// an object file are its data.
static int feed_mapping(dj_decoder *d, dj_context *context, unsigned type, const uint64_t *words,
                        size_t count, dj_batch *batch)
{
    if (count < 2)
        return dj_fail(context, DJ_ERR_INPUT, "a mapping is told of in %zu words", count);
    if (type == DJ_RECORD_UNMAP)
        return dj_blocks_unmap(&d->blocks, context, batch, words[0], words[1]);
    if (d->thread->allocation.function || dj_segments_in_module(&d->segments, words[0]))
        return DJ_OK;
    return dj_blocks_map(&d->blocks, context, batch, words[0], words[1]);
}

static int feed_other(dj_decoder *d, dj_context *context, uint64_t record, const uint64_t *words,
                      dj_batch *batch)
{
    size_t count = DJ_RECORD_WORDS(record);
    uint32_t id = DJ_RECORD_ID(record);
    dj_strings_flush(&d->strings, batch);
    switch (DJ_RECORD_TYPE(record)) {
    case DJ_RECORD_DEFINE:
        return dj_segments_define(&d->segments, context, batch, id, words, count);
    case DJ_RECORD_MODULE:
        return feed_module(d, context, words, count, batch);
    case DJ_RECORD_THREAD:
        return feed_thread(d, context, id, words, count, batch);
    case DJ_RECORD_ALLOCATOR:
        if (count < 4)
            return dj_fail(context, DJ_ERR_INPUT, "an allocation is told of in %zu words", count);
        return dj_blocks_enter(&d->blocks, context, batch, &d->thread->allocation, id, words);
    case DJ_RECORD_PROCESS:
        return take_text(context, &d->command, words, count, true);
    case DJ_RECORD_END:
        d->status = (int)id;
        return DJ_OK;
    case DJ_RECORD_MESSAGE:
        return feed_message(d, context, words, count);
    case DJ_RECORD_REGION:
        return feed_region(context, id, words, count, batch);
    case DJ_RECORD_MAP:
    case DJ_RECORD_UNMAP:
        return feed_mapping(d, context, DJ_RECORD_TYPE(record), words, count, batch);
    case DJ_RECORD_THREAD_NAME:
        return feed_thread_name(d, context, id, words, count, batch);
    case DJ_RECORD_FORK:
        return feed_fork(d, context, id);
    default:
        return DJ_OK; // of a newer tracer, or for other readers
    }
}

int dj_decoder_feed(dj_decoder *d, dj_context *context, const uint64_t *words, size_t count, size_t *at,
                    dj_batch *batch, bool *full)
{
    int err = DJ_OK;
    *full = false;
    while (!err && *at < count) {
        uint64_t record = words[*at];
        size_t length = DJ_RECORD_WORDS(record), left = count - *at - 1;
        if (length > left)
            return dj_fail(context, DJ_ERR_INPUT, "a record of %zu words stands where only %zu are left",
                           length, left);
        const dj_segment *segment = NULL;
        if (DJ_RECORD_TYPE(record) == DJ_RECORD_SEGMENT) {
            uint32_t id = DJ_RECORD_ID(record);
            if (id >= d->segments.capacity || d->segments.list[id].words != length)
                return bad_segment(d, context, record);
            segment = &d->segments.list[id];
        }
        size_t accesses = segment ? segment->count : length;
        if (batch->count + accesses + SLACK > DJ_BATCH_CAPACITY || batch->event_count >= EVENTS_MOST) {
            *full = true;
            return DJ_OK;
        }
        if (segment) {
            err = feed_segment(d, context, segment, words + *at + 1, left, batch);
        } else if (DJ_RECORD_TYPE(record) == DJ_RECORD_STRING) {
            err = feed_string(d, context, record, words + *at + 1, batch);
        } else {
            err = feed_other(d, context, record, words + *at + 1, batch);
        }
        *at += length + 1;
    }
    return err;
}

int dj_decoder_pause(dj_decoder *d, dj_context *context, dj_batch *batch, bool paused)
{
    if (d->paused == paused)
        return DJ_OK;
    dj_strings_flush(&d->strings, batch);
    d->paused = paused;
    return tell(context, batch, DJ_EVENT_REGION, !paused, 0, 0);
}

void dj_decoder_finish(dj_decoder *d, dj_batch *batch)
{
    dj_strings_flush(&d->strings, batch);
}
