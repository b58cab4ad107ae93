// SPDX-License-Identifier: MIT
// Access frames: by site if there are sites and they predict well, otherwise every column in byte planes.
#include "base/little_endian.h"
#include "trace/stream/write.h"

enum {
    PAUSE = 31,          // frames after which a coding that did not pay is tried again
    LEAST_JUDGED = 4096, // accesses that a frame needs to be judged
    REPEATS = 8,         // accesses per slot at which coding by site pays
};

int dj_access_writer_create(dj_context *context, dj_access_writer *writer)
{
    int err = dj_sites_encoder_create(context, DJ_WRITER_ACCESSES, &writer->sites);
    for (unsigned f = 0; !err && f < DJ_FRAME_FIELD_COLUMNS; f++)
        err = dj_planes_create(context, &writer->planes[f], dj_field_width(f), DJ_WRITER_ACCESSES);
    return err;
}

void dj_access_writer_free(dj_access_writer *writer)
{
    for (unsigned f = 0; f < DJ_FRAME_FIELD_COLUMNS; f++)
        dj_planes_destroy(&writer->planes[f]);
    dj_sites_encoder_destroy(writer->sites);
}

static bool has_huge_sizes(const dj_batch *batch)
{
    uint64_t any = 0;
    for (uint32_t i = 0; batch->column.size && i < batch->count; i++)
        any |= batch->column.size[i];
    return any >> DJ_PROPERTY_SIZE_BITS != 0;
}

bool dj_access_writer_fits(const dj_access_writer *writer, const dj_batch *batch)
{
    return writer->columns == (dj_batch_columns(batch) & DJ_STREAM_COLUMNS);
}

void dj_access_writer_begin(dj_access_writer *writer, const dj_batch *batch)
{
    writer->columns = dj_batch_columns(batch) & DJ_STREAM_COLUMNS;
    writer->sited = writer->columns & DJ_COLUMN_SITE && writer->sited_pause == 0;
    writer->properties = writer->sited && writer->columns & (DJ_COLUMN_SIZE | DJ_COLUMN_KIND) &&
                         writer->properties_pause == 0 && !has_huge_sizes(batch);
    writer->sited_pause -= writer->sited_pause > 0;
    writer->properties_pause -= writer->properties_pause > 0;
    for (unsigned f = 0; f < DJ_FRAME_FIELD_COLUMNS; f++)
        dj_planes_restart(&writer->planes[f]);
    dj_sites_encoder_restart(writer->sites);
}

uint32_t dj_access_writer_add(dj_access_writer *writer, const dj_batch *batch, uint32_t from, uint32_t to)
{
    const dj_columns *c = &batch->column;
    const void *field[DJ_FRAME_FIELD_COLUMNS] = {c->address, c->size, c->device, c->site,
                                                 c->place,   NULL,    c->time,   c->kind};
    if (to - from > DJ_WRITER_ACCESSES - writer->count)
        to = from + DJ_WRITER_ACCESSES - writer->count;
    if (writer->sited) {
        to = dj_sites_encode(writer->sites, c, from, to, writer->properties);
        field[DJ_FRAME_FIELD_ADDRESS] = field[DJ_FRAME_FIELD_SITE] = NULL;
    }
    if (writer->properties)
        field[DJ_FRAME_FIELD_SIZE] = field[DJ_FRAME_FIELD_KIND] = NULL;
    for (unsigned f = 0; f < DJ_FRAME_FIELD_COLUMNS; f++)
        if (field[f])
            dj_planes_add(&writer->planes[f], (const char *)field[f] + (size_t)from * writer->planes[f].width,
                          to - from);
    writer->count += to - from;
    return to;
}

static void judge(dj_access_writer *writer)
{
    const dj_sites_encoder *s = writer->sites;
    if (!writer->sited || writer->count < LEAST_JUDGED)
        return;
    if (s->slot_count > writer->count / REPEATS)
        *(writer->properties ? &writer->properties_pause : &writer->sited_pause) = PAUSE;
}

// Packs two steps per byte, the first in the lower half.
static uint32_t pack_steps(uint8_t *steps, uint32_t count)
{
    if (count % 2)
        steps[count - 1] &= 0xf;
    for (uint32_t i = 0; i < count / 2; i++)
        steps[i] = (uint8_t)(steps[(size_t)2 * i] | steps[(size_t)2 * i + 1] << 4);
    if (count % 2)
        steps[count / 2] = steps[count - 1];
    return count / 2 + count % 2;
}

static int add_sited(dj_context *context, dj_access_writer *writer, dj_frame_writer *frame)
{
    dj_sites_encoder *s = writer->sites;
    uint8_t slot_count[4];
    dj_write_le32(slot_count, s->slot_count);
    const struct {
        dj_frame_section section;
        const void *data;
    } plain[] = {
        {{.field = DJ_FRAME_FIELD_SLOT_COUNT, .plain_bytes = sizeof slot_count}, slot_count},
        {{.field = DJ_FRAME_FIELD_STEPS, .plain_bytes = pack_steps(s->steps, writer->count)}, s->steps},
        {{.field = DJ_FRAME_FIELD_RESIDUALS, .plain_bytes = (uint32_t)s->residual_bytes}, s->residuals},
        {{.field = DJ_FRAME_FIELD_JUMPS, .plain_bytes = 2 * s->jump_count}, s->jumps},
    };
    int err = DJ_OK;
    for (size_t i = 0; !err && i < sizeof plain / sizeof plain[0]; i++)
        err = dj_frame_add(frame, context, &plain[i].section, plain[i].data);
    if (!err)
        err = dj_frame_add_numbers(frame, context, DJ_FRAME_FIELD_SLOT_SITE, s->slot_site, s->slot_count);
    if (!err)
        err = dj_frame_add_numbers(frame, context, DJ_FRAME_FIELD_SLOT_PROPERTY, s->slot_property,
                                   s->slot_count);
    return err;
}

int dj_access_writer_end(dj_context *context, dj_access_writer *writer, dj_frame_writer *frame,
                         dj_frame_header *header)
{
    header->count = writer->count;
    header->columns = writer->columns;
    header->flags =
        (uint8_t)((writer->sited ? DJ_FRAME_SITED : 0) | (writer->properties ? DJ_FRAME_PROPERTIES : 0));
    int err = writer->sited ? add_sited(context, writer, frame) : DJ_OK;
    for (unsigned f = 0; !err && f < DJ_FRAME_FIELD_COLUMNS; f++)
        err = dj_frame_add_planes(frame, context, (enum dj_frame_field)f, &writer->planes[f]);
    judge(writer);
    writer->count = 0;
    return err;
}
