// SPDX-License-Identifier: MIT
#include "view/plain.h"

#include "base/plain.h"
#include "profile/fields.h"

static void clean(const dj_field *fields, void *value);

static void clean_rows(const dj_field *field, void *row)
{
    const dj_rows rows = dj_field_rows(field, row);
    for (size_t i = 0; i < rows.count; i++)
        clean(field->rows->fields, rows.at + i * field->rows->bytes);
}

static void clean(const dj_field *fields, void *value)
{
    for (const dj_field *f = fields; f->type != DJ_FIELD_END; f++) {
        char *text = NULL;
        switch (f->type) {
        case DJ_FIELD_TEXT:
            text = *(char **)(void *)((char *)value + f->offset);
            if (text)
                dj_plain_clean(text);
            break;
        case DJ_FIELD_OBJECT:
        case DJ_FIELD_POINTER:
        case DJ_FIELD_LIST:
            clean_rows(f, value);
            break;
        default:
            break;
        }
    }
}

void dj_view_clean_profile(dj_profile *profile)
{
    for (size_t i = 0; i < dj_section_count(); i++) {
        const dj_section_ops *ops = dj_section_get(i);
        const bool whole = ops->scope == DJ_SCOPE_PROFILE;
        for (size_t lane = 0; lane < (whole ? 1 : profile->lane_count); lane++) {
            void *value =
                whole ? dj_profile_section(profile, ops) : dj_lane_section(&profile->lanes[lane], ops);
            if (value)
                clean(ops->table.fields, value);
        }
    }
}
