// SPDX-License-Identifier: MIT
// Writes profiles in columns: `.dejap`, described in docs/formats.md.
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/little_endian.h"
#include "base/text_stream.h"
#include "profile/columns_file.h"
#include "profile/fields.h"

static int cannot_write(dj_context *context)
{
    return dj_fail(context, DJ_ERR_IO, "cannot write the profile");
}

int dj_columns_begin(dj_context *context, FILE *out)
{
    uint8_t head[DJ_COLUMNS_FILE_BYTES];
    memcpy(head, DJ_COLUMNS_MAGIC, DJ_COLUMNS_MAGIC_BYTES);
    dj_write_le32(head + 8, DJ_COLUMNS_VERSION);
    return fwrite(head, 1, sizeof head, out) == sizeof head ? DJ_OK : cannot_write(context);
}

static int write_head(dj_context *context, const dj_columns_section *section, uint64_t bytes, FILE *out)
{
    uint8_t head[DJ_COLUMNS_HEAD_BYTES + DJ_COLUMNS_NAME_MOST + 8];
    size_t length = strlen(section->name), all = DJ_COLUMNS_HEAD_BYTES + length;
    if (length > DJ_COLUMNS_NAME_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "the name of section '%.80s' is too long", section->name);
    memcpy(head, DJ_COLUMNS_SECTION, 4);
    dj_write_le16(head + 4, (uint16_t)section->version);
    dj_write_le16(head + 6, (uint16_t)length);
    dj_write_le32(head + 8, (uint32_t)section->profile);
    dj_write_le32(head + 12, (uint32_t)section->lane);
    dj_write_le32(head + 16, (uint32_t)section->coding);
    dj_write_le64(head + 20, bytes);
    memcpy(head + DJ_COLUMNS_HEAD_BYTES, section->name, length);
    dj_write_le64(head + all, XXH3_64bits(head, all));
    return fwrite(head, 1, all + 8, out) == all + 8 ? DJ_OK : cannot_write(context);
}

// The columns are built in memory, since their length precedes them; they are compressed and small.
int dj_columns_write_section(dj_context *context, const dj_columns_section *section, const dj_field *fields,
                             const void *value, FILE *out)
{
    size_t bytes = 0;
    dj_packer *packer = NULL;
    dj_text_stream memory;
    if (!dj_text_stream_open(&memory))
        return dj_fail_memory(context, "saving a profile", 0);
    int err = dj_packer_create_coded(context, memory.file, section->coding, &packer);
    if (!err) {
        // Pages are read by the code that is in them, and need no bound.
        if (section->coding == DJ_PACK_ZSTD)
            dj_packer_bound(packer, DJ_COLUMNS_RATIO);
        err = dj_columns_write(context, packer, fields, value);
        int ended = dj_packer_end(packer, context);
        err = err ? err : ended;
    }
    char *payload = dj_text_stream_close(&memory, &bytes);
    if (!payload && !err)
        err = dj_fail_memory(context, "saving a profile", 0);
    if (!err)
        err = write_head(context, section, bytes, out);
    if (!err && fwrite(payload, 1, bytes, out) != bytes)
        err = cannot_write(context);
    free(payload);
    return err;
}

int dj_columns_add(dj_context *context, const dj_profile *profile, size_t number, FILE *out)
{
    int err = profile->lane_count ? DJ_OK : dj_fail(context, DJ_ERR_USAGE, "the profile is empty");
    for (size_t i = 0; !err && i < dj_section_count(); i++) {
        const dj_section_ops *ops = dj_section_get(i);
        const bool whole = ops->scope == DJ_SCOPE_PROFILE;
        for (size_t lane = 0; !err && lane < (whole ? 1 : profile->lane_count); lane++) {
            const void *value =
                whole ? dj_profile_section(profile, ops) : dj_lane_section(&profile->lanes[lane], ops);
            const dj_columns_section section = {
                .name = ops->name, .version = ops->version, .profile = number, .lane = whole ? 0 : lane + 1};
            if (value)
                err = dj_columns_write_section(context, &section, ops->table.fields, value, out);
        }
    }
    return err;
}

int dj_columns_end(dj_context *context, FILE *out)
{
    const dj_columns_section end = {.name = ""};
    int err = write_head(context, &end, 0, out);
    return err ? err : fflush(out) == 0 && !ferror(out) ? DJ_OK : cannot_write(context);
}

int dj_profile_save_columns(dj_context *context, const dj_profile *profile, FILE *out)
{
    int err = dj_columns_begin(context, out);
    if (!err)
        err = dj_columns_add(context, profile, 0, out);
    return err ? err : dj_columns_end(context, out);
}
