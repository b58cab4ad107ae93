// SPDX-License-Identifier: MIT
#include "base/little_endian.h"
#include "trace/stream/read.h"

void dj_access_reader_free(dj_access_reader *reader)
{
    dj_sites_decoder_free(&reader->sites);
}

static int load_lists(dj_context *context, dj_sites_decoder *sites, const dj_frame *frame)
{
    const struct {
        enum dj_frame_field field;
        uint32_t count;
        void *numbers;
    } lists[] = {{DJ_FRAME_FIELD_SLOT_SITE, sites->slot_count, sites->slot_site},
                 {DJ_FRAME_FIELD_SLOT_PROPERTY, sites->slot_count, sites->slot_property}};
    int err = DJ_OK;
    for (size_t i = 0; !err && i < sizeof lists / sizeof lists[0]; i++) {
        dj_planes_reader planes;
        err = dj_frame_planes(context, frame, lists[i].field, lists[i].count, &planes);
        if (!err)
            dj_planes_read(&planes, lists[i].numbers, lists[i].count);
    }
    return err;
}

static int load_sites(dj_context *context, dj_sites_decoder *sites, const dj_frame *frame)
{
    static const uint8_t nothing[DJ_SITES_MARGIN]; // for empty fields
    const struct dj_frame_part *residuals = &frame->part[DJ_FRAME_FIELD_RESIDUALS][0];
    const struct dj_frame_part *jumps = &frame->part[DJ_FRAME_FIELD_JUMPS][0];
    const uint8_t *slots = NULL, *steps = NULL;
    uint32_t count = frame->header.count;
    int err = dj_frame_plain(context, frame, DJ_FRAME_FIELD_SLOT_COUNT, 4, &slots);
    if (!err)
        err = dj_frame_plain(context, frame, DJ_FRAME_FIELD_STEPS, count / 2 + count % 2, &steps);
    if (err)
        return err;
    uint32_t slot_count = dj_read_le32(slots);
    if (slot_count == 0 || slot_count > DJ_FRAME_SLOTS_MOST)
        return dj_fail(context, DJ_ERR_INPUT, "a frame has an impossible number of sites");
    err = dj_sites_decoder_begin(context, sites, slot_count);
    if (err)
        return err;
    sites->steps = steps;
    sites->residuals = residuals->data ? residuals->data : nothing;
    sites->residuals_end = sites->residuals + residuals->bytes;
    sites->jumps = jumps->data ? jumps->data : nothing;
    sites->jumps_end = sites->jumps + jumps->bytes;
    return load_lists(context, sites, frame);
}

int dj_access_reader_begin(dj_context *context, dj_access_reader *reader, const dj_frame *frame)
{
    const dj_frame_header *header = &frame->header;
    reader->columns = header->columns;
    reader->sited = header->flags & DJ_FRAME_SITED;
    reader->properties = header->flags & DJ_FRAME_PROPERTIES;
    if (header->columns & ~(uint32_t)DJ_STREAM_COLUMNS ||
        header->flags & ~(DJ_FRAME_SITED | DJ_FRAME_PROPERTIES) || (reader->properties && !reader->sited) ||
        (reader->sited && !(header->columns & DJ_COLUMN_SITE)))
        return dj_fail(context, DJ_ERR_INPUT, "the columns and flags of a frame are contradictory");
    int err = reader->sited ? load_sites(context, &reader->sites, frame) : DJ_OK;
    for (unsigned f = 0; !err && f < DJ_FRAME_FIELD_COLUMNS; f++)
        err = dj_frame_planes(context, frame, (enum dj_frame_field)f, header->count, &reader->planes[f]);
    reader->left = err ? 0 : header->count;
    return err;
}

int dj_access_reader_read(dj_context *context, dj_access_reader *reader, dj_batch *batch, uint32_t count)
{
    dj_batch_buffers to = dj_batch_writable(batch);
    uint32_t columns = reader->columns;
    void *field[DJ_FRAME_FIELD_COLUMNS] = {to.address, to.size, to.device, to.site,
                                           to.place,   NULL,    to.time,   to.kind};
    for (unsigned f = DJ_FRAME_FIELD_SIZE; f < DJ_FRAME_FIELD_COLUMNS; f++)
        if (!(columns >> (f - 1) & 1))
            field[f] = NULL;
    if (reader->sited) {
        dj_batch_buffers by_site = {.address = to.address, .site = to.site};
        if (reader->properties) {
            by_site.size = field[DJ_FRAME_FIELD_SIZE];
            by_site.kind = field[DJ_FRAME_FIELD_KIND];
            field[DJ_FRAME_FIELD_SIZE] = field[DJ_FRAME_FIELD_KIND] = NULL;
        }
        field[DJ_FRAME_FIELD_ADDRESS] = field[DJ_FRAME_FIELD_SITE] = NULL;
        int err = dj_sites_decode(context, &reader->sites, count, &by_site);
        if (err)
            return err;
    }
    for (unsigned f = 0; f < DJ_FRAME_FIELD_COLUMNS; f++)
        if (field[f])
            dj_planes_read(&reader->planes[f], field[f], count);
    if (columns & DJ_COLUMN_KIND && !dj_kinds_exist(to.kind, count))
        return dj_fail(context, DJ_ERR_INPUT,
                       "a frame has accesses of an unknown kind; use a newer version of deja");
    dj_batch_set_columns(batch, columns);
    batch->count = count;
    reader->left -= count;
    return DJ_OK;
}
