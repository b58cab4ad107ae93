// SPDX-License-Identifier: MIT
// The JSON schema of a profile, generated from the tables of its sections.
#include <string.h>

#include "profile/fields.h"
#include "profile/json.h"

static void write_type(dj_json_writer *json, const char *key, const char *type)
{
    dj_json_begin_row(json, key);
    dj_json_text(json, "type", type);
    dj_json_end_object(json);
}

static void write_reference(dj_json_writer *json, const char *key, const char *to)
{
    dj_json_begin_row(json, key);
    dj_json_text(json, "$ref", to);
    dj_json_end_object(json);
}

static void write_row(dj_json_writer *json, const char *key, const dj_table *table);
static void write_field(dj_json_writer *json, const char *key, const dj_field *field);

static void write_list(dj_json_writer *json, const char *key, const dj_field *field)
{
    dj_json_begin_object(json, key);
    dj_json_text(json, "type", "array");
    if (field->about)
        dj_json_text(json, "description", field->about);
    if (field->rows->layout == DJ_ROW_SPLICED) // all cells are integers
        dj_json_raw(json, "items", "{\"type\": [\"integer\", \"string\"]}");
    else
        write_row(json, "items", field->rows);
    dj_json_end_object(json);
}

static void write_enum(dj_json_writer *json, const char *key, const dj_field *field)
{
    dj_json_begin_row(json, key);
    dj_json_begin_list(json, "enum");
    for (const char *const *name = field->names; *name; name++)
        dj_json_text(json, NULL, *name);
    dj_json_end_list(json);
    dj_json_end_object(json);
}

// For fields with their own `write`: the table contains their schema as text.
static void write_own(dj_json_writer *json, const char *key, const dj_field *field)
{
    dj_json_raw(json, key, field->schema);
}

static void write_field(dj_json_writer *json, const char *key, const dj_field *field)
{
    static const char *const references[] = {
        [DJ_FIELD_U32] = "count",     [DJ_FIELD_U64] = "count",           [DJ_FIELD_HEX] = "hash",
        [DJ_FIELD_SKETCH] = "sketch", [DJ_FIELD_HISTOGRAM] = "histogram", [DJ_FIELD_MOMENTS] = "moments"};
    static const char *const types[] = {[DJ_FIELD_I64] = "integer",
                                        [DJ_FIELD_BOOL] = "boolean",
                                        [DJ_FIELD_REAL] = "number",
                                        [DJ_FIELD_TEXT] = "string"};
    char to[32];
    switch (field->type) {
    case DJ_FIELD_I64:
    case DJ_FIELD_BOOL:
    case DJ_FIELD_REAL:
    case DJ_FIELD_TEXT:
        write_type(json, key, types[field->type]);
        break;
    case DJ_FIELD_ENUM:
        write_enum(json, key, field);
        break;
    case DJ_FIELD_INDEX:
        write_reference(json, key,
                        dj_field_flag(field, DJ_FIELD_OPTIONAL) ? "#/$defs/optional_index" : "#/$defs/index");
        break;
    case DJ_FIELD_OBJECT:
    case DJ_FIELD_POINTER:
        write_row(json, key, field->rows);
        break;
    case DJ_FIELD_LIST:
        write_list(json, key, field);
        break;
    case DJ_FIELD_JSON:
        if (field->rows)
            write_list(json, key, field);
        else
            write_own(json, key, field);
        break;
    default:
        snprintf(to, sizeof to, "#/$defs/%s", references[field->type]);
        write_reference(json, key, to);
        break;
    }
}

static bool stands(const dj_field *field)
{
    return !dj_field_flag(field, DJ_FIELD_NOT_JSON);
}

static void write_properties(dj_json_writer *json, const dj_field *fields)
{
    for (const dj_field *f = fields; f->type != DJ_FIELD_END; f++)
        if (stands(f))
            write_field(json, f->name, f);
}

static void write_required(dj_json_writer *json, const dj_field *fields)
{
    for (const dj_field *f = fields; f->type != DJ_FIELD_END; f++)
        if (stands(f) && dj_field_flag(f, DJ_FIELD_REQUIRED))
            dj_json_text(json, NULL, f->name);
}

static void write_object(dj_json_writer *json, const char *key, const dj_field *fields)
{
    dj_json_begin_object(json, key);
    dj_json_text(json, "type", "object");
    dj_json_begin_object(json, "properties");
    write_properties(json, fields);
    dj_json_end_object(json);
    dj_json_begin_flat_list(json, "required");
    write_required(json, fields);
    dj_json_end_list(json);
    dj_json_end_object(json);
}

// A cell that may be absent, and that others may follow: null in that case.
static void write_optional(dj_json_writer *json, const dj_field *field)
{
    dj_json_begin_object(json, NULL);
    dj_json_begin_list(json, "anyOf");
    write_type(json, NULL, "null");
    write_field(json, NULL, field);
    dj_json_end_list(json);
    dj_json_end_object(json);
}

// A row that is a list of its cells; those at the end may be absent.
static void write_cells(dj_json_writer *json, const char *key, const dj_field *fields)
{
    uint64_t least = 0;
    dj_json_begin_object(json, key);
    dj_json_text(json, "type", "array");
    dj_json_begin_list(json, "prefixItems");
    for (const dj_field *f = fields; f->type != DJ_FIELD_END; f++) {
        if (!stands(f))
            continue;
        least += !dj_field_flag(f, DJ_FIELD_LATER);
        if (f->type == DJ_FIELD_POINTER && f[1].type != DJ_FIELD_END)
            write_optional(json, f);
        else
            write_field(json, NULL, f);
    }
    dj_json_end_list(json);
    dj_json_uint(json, "minItems", least);
    dj_json_end_object(json);
}

static void write_row(dj_json_writer *json, const char *key, const dj_table *table)
{
    if (table->layout == DJ_ROW_CELL)
        write_field(json, key, table->fields);
    else if (table->layout == DJ_ROW_CELLS)
        write_cells(json, key, table->fields);
    else
        write_object(json, key, table->fields);
}

static bool is_of(const dj_section_ops *ops, bool lane)
{
    return lane ? ops->scope == DJ_SCOPE_LANE : ops->scope == DJ_SCOPE_PROFILE;
}

static void write_sections(dj_json_writer *json, bool lane)
{
    for (size_t i = 0; i < dj_section_count(); i++) {
        const dj_section_ops *ops = dj_section_get(i);
        if (is_of(ops, lane) && ops->spread)
            write_properties(json, ops->table.fields);
        else if (is_of(ops, lane))
            write_object(json, ops->name, ops->table.fields);
    }
}

// Members that are always present.
static void write_core(dj_json_writer *json, bool lane)
{
    for (size_t i = 0; i < dj_section_count(); i++)
        if (is_of(dj_section_get(i), lane) && dj_section_get(i)->table.bytes == 0)
            write_required(json, dj_section_get(i)->table.fields);
}

static void write_definitions(dj_json_writer *json)
{
    static const char *const definitions[][2] = {
        {"count", "{\"anyOf\": [{\"type\": \"integer\", \"minimum\": 0}, {\"type\": \"string\", \"pattern\": "
                  "\"^[0-9]+$\"}], \"description\": \"above 2^63 - 1 as a string of digits\"}"},
        {"hash", "{\"type\": \"string\", \"pattern\": \"^[0-9a-f]{16}$\"}"},
        {"index", "{\"type\": \"integer\", \"minimum\": 0}"},
        {"optional_index", "{\"type\": [\"integer\", \"null\"], \"minimum\": 0}"},
        {"sketch", "{\"type\": [\"string\", \"null\"]}"},
        {"histogram",
         "{\"type\": \"array\", \"items\": {\"type\": \"object\", \"properties\": {\"lo\": {\"$ref\": "
         "\"#/$defs/count\"}, \"hi\": {\"$ref\": \"#/$defs/count\"}, \"count\": {\"$ref\": "
         "\"#/$defs/count\"}}, \"required\": [\"lo\", \"hi\", \"count\"]}}"},
        {"moments",
         "{\"type\": [\"object\", \"null\"], \"properties\": {\"min\": {\"$ref\": \"#/$defs/count\"}, "
         "\"max\": {\"$ref\": \"#/$defs/count\"}, \"mean\": {\"type\": \"number\"}, \"median\": {\"type\": "
         "\"number\"}, \"std\": {\"type\": \"number\"}}, \"required\": [\"min\", \"max\", \"mean\", "
         "\"median\", \"std\"]}"},
    };
    dj_json_begin_object(json, "$defs");
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++)
        dj_json_raw(json, definitions[i][0], definitions[i][1]);
    dj_json_begin_object(json, "lane");
    dj_json_text(json, "type", "object");
    dj_json_begin_object(json, "properties");
    write_reference(json, "accesses", "#/$defs/count");
    write_sections(json, true);
    dj_json_end_object(json);
    dj_json_begin_flat_list(json, "required");
    write_core(json, true);
    dj_json_end_list(json);
    dj_json_end_object(json);
    dj_json_end_object(json);
}

int dj_profile_schema(dj_context *context, FILE *out)
{
    dj_json_writer json = {.out = out};
    dj_json_begin_object(&json, NULL);
    dj_json_text(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    dj_json_text(&json, "title", "A Deja profile in JSON");
    dj_json_text(
        &json, "description",
        "Generated from the tables of the sections. Reports add members that are not described here.");
    write_definitions(&json);
    dj_json_text(&json, "type", "object");
    // The first lane is at the top level.
    dj_json_begin_list(&json, "allOf");
    write_reference(&json, NULL, "#/$defs/lane");
    dj_json_end_list(&json);
    dj_json_begin_object(&json, "properties");
    write_sections(&json, false);
    dj_json_begin_object(&json, "blocks");
    dj_json_text(&json, "type", "array");
    write_reference(&json, "items", "#/$defs/lane");
    dj_json_end_object(&json);
    dj_json_begin_object(&json, "processes");
    dj_json_text(&json, "type", "array");
    write_type(&json, "items", "object");
    dj_json_end_object(&json);
    dj_json_end_object(&json);
    dj_json_begin_flat_list(&json, "required");
    write_core(&json, false);
    dj_json_end_list(&json);
    dj_json_end_object(&json);
    dj_json_finish(&json);
    return ferror(out) ? dj_fail(context, DJ_ERR_IO, "cannot write the schema") : DJ_OK;
}
