// SPDX-License-Identifier: MIT
// vscsi: SCSI commands to a virtual disk, as recorded by VMware's vscsiStats. Little-endian records; the high
// byte of `ver`, or a bare number, gives the layout:
//   1: u32 serial, u32 bytes, u32 segments, u16 cmd, u16 ver, u64 lbn, u64 time
//   2: u16 cmd, u16 ver, u32 serial, u32 bytes, u32 segments, u64 lbn, u64 time, u64 response time
// lbn counts sectors of 512 bytes.
#include <stdlib.h>

#include "base/little_endian.h"
#include "trace/input/input.h"
#include "trace/parse/fields.h"
#include "trace/registry.h"

typedef struct layout {
    uint8_t version, width, at_command, at_version, at_bytes, at_block;
} layout;

static const layout layouts[] = {
    {2, 40, 0, 2, 8, 16}, // first: its version field is where layout 1 has half of a serial number
    {1, 32, 12, 14, 4, 16},
};

typedef struct vscsi {
    const layout *layout;
    bool timed;
} vscsi;

enum { AT_TIME = 24 }; // in both layouts; microseconds

static bool is_version(const layout *l, const uint8_t *record)
{
    uint16_t version = dj_read_le16(record + l->at_version);
    return version >> 8 == l->version || version == l->version;
}

// The layout of the first two records (or the only one); NULL: unknown.
static const layout *find_layout(const uint8_t *data, size_t bytes)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const layout *l = &layouts[i];
        if (bytes >= l->width && is_version(l, data) &&
            (bytes < 2u * l->width || is_version(l, data + l->width)))
            return l;
    }
    return NULL;
}

static uint8_t kind_of(uint16_t command)
{
    switch (command) {
    case 0x08:
    case 0x28:
    case 0xa8:
    case 0x88:
        return DJ_KIND_READ;
    case 0x0a:
    case 0x2a:
    case 0xaa:
    case 0x8a:
        return DJ_KIND_WRITE;
    default:
        return DJ_KIND_OTHER;
    }
}

static int vscsi_probe(const dj_head *head)
{
    const layout *l = find_layout(head->data, head->bytes);
    if (!l || (head->whole && head->bytes % l->width))
        return 0;
    size_t count = head->bytes / l->width;
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *record = head->data + i * l->width;
        if (!is_version(l, record) || dj_read_le64(record + l->at_block) >> 48)
            return 0;
        known += kind_of(dj_read_le16(record + l->at_command)) != DJ_KIND_OTHER;
    }
    return known * 2 < count ? 0 : count < 4 ? 40 : 85;
}

static int vscsi_open(dj_context *context, dj_input *input, const dj_source_options *options, void **state)
{
    dj_span span;
    int err = dj_input_peek(context, input, 2u * layouts[0].width, &span);
    if (err && span.bytes < layouts[1].width)
        return err;
    const layout *found = find_layout(span.data, span.bytes);
    if (!found && span.bytes >= layouts[1].width)
        return dj_input_fail(context, input, 0,
                             "neither version 1 nor version 2 of vscsi; is this another format?");
    vscsi *v = malloc(sizeof *v);
    if (!v)
        return dj_fail_memory(context, "a trace reader", sizeof *v);
    *v = (vscsi){found ? found : &layouts[1], options->clock};
    *state = v;
    return DJ_OK;
}

static int decode(dj_context *context, const layout *l, const uint8_t *record, uint64_t *address,
                  uint64_t *size, uint8_t *kind)
{
    *address = dj_read_le64(record + l->at_block);
    *size = dj_read_le32(record + l->at_bytes);
    *kind = kind_of(dj_read_le16(record + l->at_command));
    if (!is_version(l, record))
        return dj_fail(context, DJ_ERR_INPUT, "the record is not of version %u, unlike the first one",
                       l->version);
    if (!dj_sectors_to_bytes(address) || !dj_range_fits(*address, *size))
        return dj_fail(context, DJ_ERR_INPUT, "the request ends beyond 2^64 bytes");
    return DJ_OK;
}

static int vscsi_read(void *state, dj_context *context, dj_input *input, dj_batch *batch)
{
    const vscsi *v = state;
    const layout *l = v->layout;
    dj_batch_buffers to = dj_batch_writable(batch);
    dj_batch_set_columns(batch, DJ_COLUMN_SIZE | DJ_COLUMN_KIND | (v->timed ? DJ_COLUMN_CLOCK : 0u));
    while (batch->count < DJ_BATCH_CAPACITY) {
        dj_span span;
        int err = dj_input_peek_records(context, input, l->width, DJ_BATCH_CAPACITY - batch->count, &span);
        if (err || span.bytes == 0)
            return err;
        for (size_t at = 0; at < span.bytes; at += l->width) {
            uint32_t i = batch->count;
            err = decode(context, l, span.data + at, &to.address[i], &to.size[i], &to.kind[i]);
            if (err)
                return dj_input_locate(context, input, dj_input_offset(input) + at, err);
            if (v->timed)
                to.clock[i] = dj_read_le64(span.data + at + AT_TIME) * DJ_CLOCK_US;
            batch->count++;
        }
        dj_input_consume(input, span.bytes);
    }
    return DJ_OK;
}

static void vscsi_close(void *state)
{
    free(state);
}

const dj_format dj_format_vscsi = {
    .info = {"vscsi", "VMware vscsiStats: SCSI commands of a virtual disk, versions 1 and 2",
             ".vscsi .vscsitrace", DJ_CLASS_BLOCK_IO, true},
    .default_block = 4096,
    .unit_bytes = 1,
    .columns = DJ_COLUMN_SIZE | DJ_COLUMN_KIND,
    .provides = DJ_COLUMN_CLOCK,
    .default_split = true,
    .probe = vscsi_probe,
    .open = vscsi_open,
    .read = vscsi_read,
    .close = vscsi_close,
};
