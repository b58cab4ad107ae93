// SPDX-License-Identifier: MIT
#include "profile/fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const dj_field number_fields[] = {{.name = "number", .type = DJ_FIELD_U64}, DJ_END};
const dj_table dj_number_cell = {number_fields, sizeof(uint64_t), DJ_ROW_CELL};

static const dj_field text_fields[] = {{.name = "text", .type = DJ_FIELD_TEXT}, DJ_END};
const dj_table dj_text_cell = {text_fields, sizeof(char *), DJ_ROW_CELL};

static const dj_field moments_fields[] = {
    DJ_AT(U64, "count", dj_moments, count),
    DJ_AT(U64, "min", dj_moments, min),
    DJ_AT(U64, "max", dj_moments, max),
    DJ_AT(REAL, "mean", dj_moments, mean),
    DJ_AT(REAL, "median", dj_moments, median),
    DJ_AT(REAL, "std", dj_moments, std),
    DJ_END,
};
const dj_table dj_moments_table = {moments_fields, sizeof(dj_moments), DJ_ROW_OBJECT};

void dj_field_set_count(const dj_field *field, void *row, size_t count)
{
    void *at = (char *)row + field->count_at;
    if (dj_field_flag(field, DJ_FIELD_COUNT32))
        *(uint32_t *)at = (uint32_t)count;
    else
        *(size_t *)at = count;
}

size_t dj_field_count(const dj_field *field, const void *row)
{
    const char *at = (const char *)row + field->count_at;
    if (dj_field_flag(field, DJ_FIELD_COUNT32))
        return *(const uint32_t *)(const void *)at;
    return *(const size_t *)(const void *)at;
}

dj_rows dj_field_rows(const dj_field *field, const void *row)
{
    char *at = (char *)(uintptr_t)row + field->offset;
    if (field->type == DJ_FIELD_OBJECT)
        return (dj_rows){at, 1};
    if (field->type == DJ_FIELD_LIST && dj_field_flag(field, DJ_FIELD_IN_PLACE))
        return (dj_rows){at, field->count ? field->count(row) : field->most};
    char *rows = *(char **)(void *)at;
    size_t count = field->type == DJ_FIELD_POINTER ? rows != NULL : dj_field_count(field, row);
    return (dj_rows){rows, rows ? count : 0};
}

static void free_rows(const dj_field *field, void *row)
{
    dj_rows rows = dj_field_rows(field, row);
    for (size_t i = 0; i < rows.count; i++)
        dj_fields_free(field->rows->fields, rows.at + i * field->rows->bytes);
    if (field->type != DJ_FIELD_OBJECT && !dj_field_flag(field, DJ_FIELD_IN_PLACE))
        free(rows.at);
}

void dj_fields_free(const dj_field *fields, void *value)
{
    for (const dj_field *f = fields; f && f->type != DJ_FIELD_END; f++) {
        void *at = (char *)value + f->offset;
        switch (f->type) {
        case DJ_FIELD_TEXT:
        case DJ_FIELD_SKETCH:
            free(*(void **)at);
            break;
        case DJ_FIELD_HISTOGRAM:
            dj_histogram_destroy(*(dj_histogram **)at);
            break;
        case DJ_FIELD_OBJECT:
        case DJ_FIELD_POINTER:
        case DJ_FIELD_LIST:
            free_rows(f, value);
            break;
        default:
            break;
        }
    }
}

static size_t rows_named(const dj_field *fields, const void *section, const char *name)
{
    for (const dj_field *f = fields; f->type != DJ_FIELD_END; f++)
        if (f->type == DJ_FIELD_LIST && strcmp(f->name, name) == 0)
            return dj_field_rows(f, section).count;
    return 0;
}

static int check_index(dj_context *context, const dj_field *list, const dj_field *cell, size_t row,
                       uint32_t index, size_t count)
{
    if (index < count || (index == DJ_NOWHERE && dj_field_flag(cell, DJ_FIELD_OPTIONAL)))
        return DJ_OK;
    if (index == DJ_NOWHERE)
        return dj_fail(context, DJ_ERR_INPUT, "%s[%zu] has no %s", list->name, row, cell->name);
    return dj_fail(context, DJ_ERR_INPUT, "%s[%zu]: there is no %s %" PRIu32 " among %zu %s", list->name, row,
                   cell->name, index, count, cell->of);
}

static int check_list(dj_context *context, const dj_field *fields, const void *section, const dj_field *list)
{
    dj_rows rows = dj_field_rows(list, section);
    int err = DJ_OK;
    for (const dj_field *cell = list->rows->fields; !err && cell->type != DJ_FIELD_END; cell++) {
        if (cell->type != DJ_FIELD_INDEX)
            continue;
        size_t count = rows_named(fields, section, cell->of);
        for (size_t i = 0; !err && i < rows.count; i++) {
            const char *at = rows.at + i * list->rows->bytes + cell->offset;
            err = check_index(context, list, cell, i, *(const uint32_t *)(const void *)at, count);
        }
    }
    return err;
}

int dj_fields_check_indexes(dj_context *context, const dj_field *fields, const void *section)
{
    int err = DJ_OK;
    for (const dj_field *f = fields; !err && f->type != DJ_FIELD_END; f++)
        if (f->type == DJ_FIELD_LIST)
            err = check_list(context, fields, section, f);
    return err;
}
