// SPDX-License-Identifier: MIT
// The layout of a section: names and types of its fields (docs/formats.md).
#include "profile/fields.h"
#include "view/sections.h"

static const char *type_of(const dj_field *field)
{
    static const char *const types[] = {
        [DJ_FIELD_U32] = "u",    [DJ_FIELD_U64] = "u",       [DJ_FIELD_I64] = "i",
        [DJ_FIELD_BOOL] = "b",   [DJ_FIELD_REAL] = "r",      [DJ_FIELD_HEX] = "h",
        [DJ_FIELD_TEXT] = "s",   [DJ_FIELD_ENUM] = "e",      [DJ_FIELD_INDEX] = "x",
        [DJ_FIELD_SKETCH] = "k", [DJ_FIELD_HISTOGRAM] = "H", [DJ_FIELD_MOMENTS] = "M",
        [DJ_FIELD_OBJECT] = "o", [DJ_FIELD_POINTER] = "p",   [DJ_FIELD_LIST] = "l",
    };
    return types[field->type];
}

static bool has_columns(const dj_field *field)
{
    return field->type != DJ_FIELD_JSON && (field->type != DJ_FIELD_MOMENTS || field->binned_at);
}

static void write_names(dj_json_writer *json, const dj_field *field)
{
    dj_json_begin_list(json, "names");
    for (const char *const *name = field->names; *name; name++)
        dj_json_text(json, NULL, *name);
    dj_json_end_list(json);
}

// A list without a column of counts has a fixed number of rows, or that of the list before it.
static void write_list(dj_json_writer *json, const dj_field *field)
{
    const bool shared = dj_field_flag(field, DJ_FIELD_SHARED);
    const bool fixed = dj_field_flag(field, DJ_FIELD_IN_PLACE) && !field->count;
    if (shared || fixed)
        dj_json_uint(json, "nc", 1);
    if (shared)
        dj_json_uint(json, "shared", 1);
    else if (fixed)
        dj_json_uint(json, "count", field->most);
}

static void write_field(dj_json_writer *json, const dj_field *field)
{
    dj_json_begin_object(json, NULL);
    dj_json_text(json, "n", field->name);
    dj_json_text(json, "t", type_of(field));
    if (field->type == DJ_FIELD_ENUM)
        write_names(json, field);
    if (field->type == DJ_FIELD_LIST)
        write_list(json, field);
    if (field->type == DJ_FIELD_MOMENTS)
        dj_view_layout(json, "of", dj_moments_table.fields);
    else if (field->rows)
        dj_view_layout(json, "of", field->rows->fields);
    dj_json_end_object(json);
}

void dj_view_layout(dj_json_writer *json, const char *key, const dj_field *fields)
{
    dj_json_begin_flat_list(json, key);
    for (const dj_field *f = fields; f->type != DJ_FIELD_END; f++)
        if (has_columns(f))
            write_field(json, f);
    dj_json_end_list(json);
}
