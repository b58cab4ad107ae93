// SPDX-License-Identifier: MIT
// Writes values as JSON, by their tables. Output goes directly to the stream, so lists of any length need
// no memory.
#include <stdlib.h>

#include "profile/fields.h"
#include "profile/json.h"
#include "profile/json_sketch.h"

static void write_bin(dj_json_writer *json, uint64_t lo, uint64_t hi, uint64_t count)
{
    dj_json_begin_row(json, NULL);
    dj_json_uint(json, "lo", lo);
    dj_json_uint(json, "hi", hi);
    dj_json_uint(json, "count", count);
    dj_json_end_object(json);
}

// Exact bins are written while iterating, since there may be millions.
static int write_histogram(dj_fields_writer *w, const char *key, const dj_field *field,
                           const dj_histogram *histogram)
{
    enum dj_binning binning = dj_field_flag(field, DJ_FIELD_EXACT) ? DJ_BINS_EXACT : w->binning;
    dj_bin *bins = NULL;
    size_t count = 0;
    int err = DJ_OK;
    if (binning != DJ_BINS_EXACT)
        err = dj_histogram_bins(histogram, w->context, binning, w->width, &bins, &count);
    if (err != DJ_OK)
        return err;
    dj_json_begin_list(w->json, key);
    if (binning == DJ_BINS_EXACT)
        for (uint64_t value = 0, n; (n = dj_histogram_next(histogram, &value)) != 0; value++)
            write_bin(w->json, value, value, n);
    for (size_t i = 0; i < count; i++)
        write_bin(w->json, bins[i].lo, bins[i].hi, bins[i].count);
    dj_json_end_list(w->json);
    free(bins);
    return DJ_OK;
}

void dj_json_moments(dj_json_writer *json, const char *key, const dj_moments *moments)
{
    if (moments->count == 0) {
        dj_json_null(json, key);
        return;
    }
    dj_json_begin_row(json, key);
    dj_json_uint(json, "min", moments->min);
    dj_json_uint(json, "max", moments->max);
    dj_json_real(json, "mean", moments->mean);
    dj_json_real(json, "median", moments->median);
    dj_json_real(json, "std", moments->std);
    dj_json_end_object(json);
}

static void write_moments(dj_json_writer *json, const char *key, const dj_field *field, const char *row)
{
    const dj_histogram *histogram = *(dj_histogram *const *)(const void *)(row + field->histogram_at);
    bool binned = field->binned_at && *(const bool *)(row + field->binned_at);
    dj_moments moments = {0};
    if (binned)
        moments = *(const dj_moments *)(const void *)(row + field->offset);
    else if (histogram)
        moments = dj_histogram_moments(histogram);
    dj_json_moments(json, key, &moments);
}

static void write_sketch(dj_json_writer *json, const char *key, const dj_sketch *sketch)
{
    char text[DJ_SKETCH_TEXT];
    if (sketch)
        dj_json_text(json, key, dj_sketch_print(sketch, text));
    else
        dj_json_null(json, key);
}

static int write_field(dj_fields_writer *w, const char *key, const dj_field *field, const char *row);

static bool is_absent(const dj_field *field, const char *row)
{
    return field->type == DJ_FIELD_POINTER && dj_field_rows(field, row).count == 0;
}

// Cells at the end of a row may be absent. One that others follow is null instead.
static int write_cells(dj_fields_writer *w, const dj_table *table, const char *row)
{
    const dj_field *end = table->fields;
    int err = DJ_OK;
    for (const dj_field *f = table->fields; f->type != DJ_FIELD_END; f++)
        if (!is_absent(f, row))
            end = f + 1;
    for (const dj_field *f = table->fields; !err && f != end; f++) {
        if (dj_field_flag(f, DJ_FIELD_NOT_JSON))
            continue;
        if (is_absent(f, row))
            dj_json_null(w->json, NULL);
        else
            err = write_field(w, NULL, f, row);
    }
    return err;
}

static int write_row(dj_fields_writer *w, const char *key, const dj_table *table, const char *row)
{
    int err;
    switch (table->layout) {
    case DJ_ROW_OBJECT:
    case DJ_ROW_LINE:
        if (table->layout == DJ_ROW_OBJECT)
            dj_json_begin_object(w->json, key);
        else
            dj_json_begin_row(w->json, key);
        err = dj_fields_write(w, table->fields, row);
        dj_json_end_object(w->json);
        return err;
    case DJ_ROW_CELLS:
        dj_json_begin_flat_list(w->json, key);
        err = write_cells(w, table, row);
        dj_json_end_list(w->json);
        return err;
    case DJ_ROW_SPLICED:
        return write_cells(w, table, row);
    default:
        return write_field(w, key, table->fields, row);
    }
}

static int write_list(dj_fields_writer *w, const char *key, const dj_field *field, const char *row)
{
    dj_rows rows = dj_field_rows(field, row);
    int err = DJ_OK;
    if (dj_field_flag(field, DJ_FIELD_FLAT))
        dj_json_begin_flat_list(w->json, key);
    else
        dj_json_begin_list(w->json, key);
    for (size_t i = 0; !err && i < rows.count; i++)
        err = write_row(w, NULL, field->rows, rows.at + i * field->rows->bytes);
    dj_json_end_list(w->json);
    return err;
}

static int write_pointer(dj_fields_writer *w, const char *key, const dj_field *field, const char *row)
{
    dj_rows rows = dj_field_rows(field, row);
    return rows.count ? write_row(w, key, field->rows, rows.at) : DJ_OK;
}

static void write_leaf(dj_json_writer *json, const char *key, const dj_field *field, const void *at)
{
    const char *text;
    switch (field->type) {
    case DJ_FIELD_U32:
        dj_json_uint(json, key, *(const uint32_t *)at);
        break;
    case DJ_FIELD_U64:
        dj_json_uint(json, key, *(const uint64_t *)at);
        break;
    case DJ_FIELD_I64:
        dj_json_int(json, key, *(const int64_t *)at);
        break;
    case DJ_FIELD_BOOL:
        dj_json_bool(json, key, *(const bool *)at);
        break;
    case DJ_FIELD_REAL:
        dj_json_real(json, key, *(const double *)at);
        break;
    case DJ_FIELD_HEX:
        dj_json_hex(json, key, *(const uint64_t *)at);
        break;
    case DJ_FIELD_TEXT:
        text = *(const char *const *)at;
        dj_json_text(json, key, text ? text : "");
        break;
    case DJ_FIELD_ENUM:
        dj_json_text(json, key, field->names[*(const unsigned *)at]);
        break;
    default:
        if (*(const uint32_t *)at == DJ_NOWHERE)
            dj_json_null(json, key);
        else
            dj_json_uint(json, key, *(const uint32_t *)at);
        break;
    }
}

static int write_field(dj_fields_writer *w, const char *key, const dj_field *field, const char *row)
{
    const void *at = row + field->offset;
    if (field->write) {
        field->write(w, field, row);
        return w->err ? *w->err : DJ_OK;
    }
    switch (field->type) {
    case DJ_FIELD_HISTOGRAM:
        return write_histogram(w, key, field, *(dj_histogram *const *)at);
    case DJ_FIELD_LIST:
        return write_list(w, key, field, row);
    case DJ_FIELD_OBJECT:
        return write_row(w, key, field->rows, at);
    case DJ_FIELD_POINTER:
        return write_pointer(w, key, field, row);
    case DJ_FIELD_MOMENTS:
        write_moments(w->json, key, field, row);
        return DJ_OK;
    case DJ_FIELD_SKETCH:
        write_sketch(w->json, key, *(const dj_sketch *const *)at);
        return DJ_OK;
    default:
        write_leaf(w->json, key, field, at);
        return DJ_OK;
    }
}

static bool is_empty(const dj_field *field, const char *row)
{
    const void *at = row + field->offset;
    const char *text;
    switch (field->type) {
    case DJ_FIELD_TEXT:
        text = *(const char *const *)at;
        return !text || !*text;
    case DJ_FIELD_U64:
        return *(const uint64_t *)at == 0;
    case DJ_FIELD_BOOL:
        return !*(const bool *)at;
    case DJ_FIELD_REAL:
        return *(const double *)at == 0;
    case DJ_FIELD_HISTOGRAM:
        return !*(dj_histogram *const *)at;
    case DJ_FIELD_LIST:
    case DJ_FIELD_POINTER:
        return dj_field_rows(field, row).count == 0;
    default:
        return false;
    }
}

int dj_fields_write(dj_fields_writer *writer, const dj_field *fields, const void *value)
{
    int err = DJ_OK;
    for (const dj_field *f = fields; !err && f && f->type != DJ_FIELD_END; f++) {
        bool left_out = dj_field_flag(f, DJ_FIELD_NOT_JSON) || (f->when && !f->when(value)) ||
                        (dj_field_flag(f, DJ_FIELD_OMIT) && is_empty(f, value)) ||
                        (f->type == DJ_FIELD_JSON && !f->write);
        if (!left_out)
            err = write_field(writer, f->name, f, value);
    }
    return err;
}
