// SPDX-License-Identifier: MIT
// drmemtrace (DynamoRIO): 12 bytes, little-endian: u16 type, u16 size, u64 address. Reads, writes and
// instruction fetches are references; the other records describe threads, encodings and the trace. The
// program counter of the last instruction is the site of the data accesses that follow it.
#include <stdlib.h>

#include "base/little_endian.h"
#include "trace/input/input.h"
#include "trace/registry.h"
#include "trace/sites.h"

enum { RECORD = 12, AT_SIZE = 2, AT_ADDRESS = 4 };

// trace_type_t of DynamoRIO's trace_entry.h.
enum type {
    TYPE_READ = 0,
    TYPE_WRITE = 1,
    TYPE_INSTR = 10,
    TYPE_INSTR_RETURN = 16,
    TYPE_INSTR_BUNDLE = 17,
    TYPE_THREAD = 22,
    TYPE_HEADER = 25,
    TYPE_MARKER = 28,
    TYPE_INSTR_NO_FETCH = 29,
    TYPE_INSTR_MAYBE_FETCH = 30,
    TYPE_INSTR_SYSENTER = 31,
    TYPE_INSTR_TAKEN_JUMP = 48,
    TYPE_INSTR_UNTAKEN_JUMP = 49,
    TYPE_END = 50,
};

enum { MARKER_VERSION = 12, VERSION_NEWEST = 7, BUNDLE_MOST = 8 };

// A batch ends early instead of collecting events without bound.
enum { EVENTS_MOST = 4 * DJ_BATCH_CAPACITY };

typedef struct drmemtrace {
    bool instructions; // keep fetches
    bool thread_known, fetched;
    uint64_t thread;
    uint64_t next_pc;
    uint64_t fetched_pc; // of the last instruction with a size
    dj_sites sites;      // the current site is that of the last instruction
} drmemtrace;

typedef struct record {
    uint16_t type, size;
    uint64_t address;
    const uint8_t *bytes; // of the address field
} record;

static record load(const uint8_t *at)
{
    return (record){dj_read_le16(at), dj_read_le16(at + AT_SIZE), dj_read_le64(at + AT_ADDRESS),
                    at + AT_ADDRESS};
}

static int drmemtrace_probe(const dj_head *head)
{
    if (head->bytes < 2 * RECORD)
        return 0;
    record first = load(head->data), second = load(head->data + RECORD);
    bool header = first.type == TYPE_HEADER && first.size <= sizeof(uint64_t) && first.address <= UINT16_MAX;
    return header && (second.type == TYPE_THREAD || second.type == TYPE_MARKER) ? 95 : 0;
}

static int check_version(dj_context *context, uint64_t version)
{
    if (version >> 32)
        return dj_fail(context, DJ_ERR_INPUT,
                       "the header is that of a 32-bit drmemtrace, which is not supported");
    if (version > VERSION_NEWEST)
        return dj_fail(context, DJ_ERR_INPUT,
                       "version %llu of drmemtrace is newer than %d, the newest supported version",
                       (unsigned long long)version, (int)VERSION_NEWEST);
    return DJ_OK;
}

static int check_header(dj_context *context, dj_input *input)
{
    dj_span span;
    int err = dj_input_peek(context, input, RECORD, &span);
    if (err)
        return err;
    if (span.bytes > 0 && (span.bytes < RECORD || load(span.data).type != TYPE_HEADER))
        return dj_input_fail(context, input, 0,
                             "no drmemtrace header; convert raw traces with drraw2trace first");
    return DJ_OK;
}

static int drmemtrace_resume(void *state, dj_context *context, dj_input *input)
{
    drmemtrace *d = state;
    d->thread_known = d->fetched = false;
    d->next_pc = 0;
    dj_sites_move(&d->sites, 0);
    return check_header(context, input);
}

static void drmemtrace_close(void *state)
{
    drmemtrace *d = state;
    dj_sites_destroy(&d->sites);
    free(d);
}

static int drmemtrace_open(dj_context *context, dj_input *input, const dj_source_options *options,
                           void **state)
{
    drmemtrace *d = calloc(1, sizeof *d);
    if (!d)
        return dj_fail_memory(context, "a drmemtrace reader", 0);
    d->instructions = options->instructions;
    int err = dj_sites_create(&d->sites, context);
    if (!err)
        err = drmemtrace_resume(d, context, input);
    if (err)
        drmemtrace_close(d);
    else
        *state = d;
    return err;
}

static int add_access(drmemtrace *d, dj_context *context, dj_batch *batch, uint8_t kind, uint64_t address,
                      uint64_t size)
{
    dj_batch_buffers to = dj_batch_writable(batch);
    int err = dj_sites_current(&d->sites, context, batch, batch->count, &to.site[batch->count]);
    if (err)
        return err;
    to.address[batch->count] = address;
    to.size[batch->count] = size;
    to.kind[batch->count] = kind;
    batch->count++;
    return DJ_OK;
}

static int add_instruction(drmemtrace *d, dj_context *context, dj_batch *batch, record r)
{
    dj_sites_move(&d->sites, r.address);
    if (r.size == 0) // only gives the site of what follows, without a fetch
        return DJ_OK;
    bool again = d->fetched && d->fetched_pc == r.address;
    bool fetch = r.type != TYPE_INSTR_NO_FETCH && !(r.type == TYPE_INSTR_MAYBE_FETCH && again);
    d->fetched = true;
    d->fetched_pc = r.address;
    d->next_pc = r.address + r.size;
    if (!fetch || !d->instructions)
        return DJ_OK;
    return add_access(d, context, batch, DJ_KIND_FETCH, r.address, r.size);
}

// Up to eight instructions that follow the last one, given by their lengths.
static int add_bundle(drmemtrace *d, dj_context *context, dj_batch *batch, record r)
{
    if (!d->fetched || r.size == 0 || r.size > BUNDLE_MOST)
        return dj_fail(context, DJ_ERR_INPUT, "a bundle of %u instructions is impossible", r.size);
    for (unsigned i = 0; i < r.size; i++) {
        record one = {TYPE_INSTR, r.bytes[i], d->next_pc, NULL};
        int err = add_instruction(d, context, batch, one);
        if (err)
            return err;
    }
    return DJ_OK;
}

static int set_thread(drmemtrace *d, dj_context *context, dj_batch *batch, uint64_t thread)
{
    if (d->thread_known && d->thread == thread)
        return DJ_OK;
    d->thread_known = true;
    d->thread = thread;
    return dj_batch_add_event(context, batch,
                              &(dj_event){.index = batch->count, .type = DJ_EVENT_THREAD, .a = thread});
}

static int take(drmemtrace *d, dj_context *context, dj_batch *batch, record r)
{
    switch (r.type) {
    case TYPE_READ:
        return add_access(d, context, batch, DJ_KIND_READ, r.address, r.size);
    case TYPE_WRITE:
        return add_access(d, context, batch, DJ_KIND_WRITE, r.address, r.size);
    case TYPE_INSTR ... TYPE_INSTR_RETURN:
    case TYPE_INSTR_NO_FETCH:
    case TYPE_INSTR_MAYBE_FETCH:
    case TYPE_INSTR_SYSENTER:
    case TYPE_INSTR_TAKEN_JUMP:
    case TYPE_INSTR_UNTAKEN_JUMP:
        return add_instruction(d, context, batch, r);
    case TYPE_INSTR_BUNDLE:
        return add_bundle(d, context, batch, r);
    case TYPE_THREAD:
        return set_thread(d, context, batch, r.address);
    case TYPE_HEADER:
        return check_version(context, r.address);
    case TYPE_MARKER:
        return r.size == MARKER_VERSION ? check_version(context, r.address) : DJ_OK;
    default:
        return r.type < TYPE_END ? DJ_OK : dj_fail(context, DJ_ERR_INPUT, "unknown record type %u", r.type);
    }
}

static int drmemtrace_read(void *state, dj_context *context, dj_input *input, dj_batch *batch)
{
    drmemtrace *d = state;
    dj_batch_set_columns(batch, DJ_COLUMN_SIZE | DJ_COLUMN_KIND | DJ_COLUMN_SITE);
    for (;;) {
        dj_span span;
        int err = dj_input_peek_records(context, input, RECORD, SIZE_MAX / RECORD, &span);
        if (err || span.bytes == 0)
            return err;
        size_t at = 0;
        while (at < span.bytes && batch->count + BUNDLE_MOST <= DJ_BATCH_CAPACITY &&
               batch->event_count < EVENTS_MOST) {
            err = take(d, context, batch, load(span.data + at));
            if (err)
                return dj_input_locate(context, input, dj_input_offset(input) + at, err);
            at += RECORD;
        }
        dj_input_consume(input, at);
        if (at < span.bytes)
            return DJ_OK;
    }
}

const dj_format dj_format_drmemtrace = {
    .info = {"drmemtrace", "DynamoRIO drmemtrace: a program's accesses, with program counters",
             ".trace .memtrace", DJ_CLASS_MEMORY, true},
    .default_block = 64,
    .unit_bytes = 1,
    .columns = DJ_COLUMN_SIZE | DJ_COLUMN_KIND | DJ_COLUMN_SITE,
    .provides = DJ_COLUMN_THREAD,
    .probe = drmemtrace_probe,
    .open = drmemtrace_open,
    .resume = drmemtrace_resume,
    .read = drmemtrace_read,
    .close = drmemtrace_close,
};
