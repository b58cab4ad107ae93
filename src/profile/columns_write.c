// SPDX-License-Identifier: MIT
// Writes values in columns, by their tables: each field of all rows of a list is one column, whose numbers
// are stored as differences to the previous one. A list within rows is a column of counts, followed by the
// columns of all its rows together.
#include <stdlib.h>
#include <string.h>

#include "base/zigzag.h"
#include "profile/fields.h"

// Rows of one table, anywhere in memory; the structure starts at `shift` within each.
typedef struct rows {
    const dj_rows *spans;
    size_t span_count;
    size_t bytes, shift;
} rows;

typedef struct column {
    dj_packer *to;
    uint64_t before;
} column;

static void put(column *c, uint64_t number)
{
    dj_pack_number(c->to, dj_zigzag(number - c->before));
    c->before = number;
}

static uint64_t number_of(const dj_field *field, const void *at)
{
    uint64_t bits;
    switch (field->type) {
    case DJ_FIELD_U32:
    case DJ_FIELD_ENUM:
        return *(const uint32_t *)at;
    case DJ_FIELD_INDEX: // 0 means none
        return (uint32_t)(*(const uint32_t *)at + 1);
    case DJ_FIELD_BOOL:
        return *(const bool *)at;
    default:
        memcpy(&bits, at, sizeof bits);
        return bits;
    }
}

static const char *row_at(const rows *of, size_t span, size_t row)
{
    return of->spans[span].at + of->shift + row * of->bytes;
}

#define FOR_EACH_ROW(rows_, at_)                                                                             \
    for (size_t span_ = 0; span_ < (rows_)->span_count; span_++)                                             \
        for (size_t row_ = 0; row_ < (rows_)->spans[span_].count; row_++)                                    \
            for (const char *at_ = row_at(rows_, span_, row_); at_; at_ = NULL)

static void write_numbers(dj_packer *to, const dj_field *field, const rows *of)
{
    column c = {.to = to};
    FOR_EACH_ROW(of, at) put(&c, number_of(field, at + field->offset));
}

static const char *text_at(const char *at)
{
    const char *text = *(const char *const *)(const void *)at;
    return text ? text : "";
}

static void write_texts(dj_packer *to, const dj_field *field, const rows *of)
{
    column lengths = {.to = to};
    FOR_EACH_ROW(of, at) put(&lengths, strlen(text_at(at + field->offset)));
    FOR_EACH_ROW(of, at)
    {
        const char *text = text_at(at + field->offset);
        dj_pack_raw(to, text, strlen(text));
    }
}

static uint64_t entries(const dj_histogram *histogram)
{
    uint64_t count = 0;
    for (uint64_t v = 0; histogram && dj_histogram_next(histogram, &v) != 0; v++)
        count++;
    return count;
}

// The number of values of each plus 1; 0 means none.
static void write_histograms(dj_packer *to, const dj_field *field, const rows *of)
{
    column sizes = {.to = to}, values = {.to = to}, counts = {.to = to};
#define HISTOGRAM(at_) (*(dj_histogram *const *)(const void *)((at_) + field->offset))
    FOR_EACH_ROW(of, at) put(&sizes, HISTOGRAM(at) ? entries(HISTOGRAM(at)) + 1 : 0);
    FOR_EACH_ROW(of, at)
    for (uint64_t v = 0; HISTOGRAM(at) && dj_histogram_next(HISTOGRAM(at), &v) != 0; v++)
        put(&values, v);
    FOR_EACH_ROW(of, at)
    for (uint64_t v = 0, n; HISTOGRAM(at) && (n = dj_histogram_next(HISTOGRAM(at), &v)) != 0; v++)
        put(&counts, n);
#undef HISTOGRAM
}

// The number of registers in use of each plus 1; their indexes; their ranks.
static void write_sketches(dj_packer *to, const dj_field *field, const rows *of)
{
    column sizes = {.to = to}, registers = {.to = to}, ranks = {.to = to};
    for (int step = 0; step < 3; step++)
        FOR_EACH_ROW(of, at)
        {
            const dj_sketch *sketch = *(dj_sketch *const *)(const void *)(at + field->offset);
            uint64_t used = 0;
            for (unsigned i = 0; sketch && i < DJ_SKETCH_REGISTERS; i++) {
                if (sketch->rank[i] == 0)
                    continue;
                used++;
                if (step > 0)
                    put(step == 1 ? &registers : &ranks, step == 1 ? i : sketch->rank[i]);
            }
            if (step == 0)
                put(&sizes, sketch ? used + 1 : 0);
        }
}

static int write_fields(dj_context *context, dj_packer *to, const dj_field *fields, const rows *of);

static bool writes_counts(const dj_field *field)
{
    return !dj_field_flag(field, DJ_FIELD_SHARED) &&
           !(dj_field_flag(field, DJ_FIELD_IN_PLACE) && !field->count);
}

static int write_lists(dj_context *context, dj_packer *to, const dj_field *field, const rows *of)
{
    size_t count = 0, at_span = 0;
    for (size_t i = 0; i < of->span_count; i++)
        count += of->spans[i].count;
    dj_rows *spans = calloc(count + 1, sizeof *spans);
    if (!spans)
        return dj_fail_memory(context, "saving a profile", count * sizeof *spans);
    column counts = {.to = to};
    FOR_EACH_ROW(of, at)
    {
        spans[at_span] = dj_field_rows(field, at);
        if (writes_counts(field))
            put(&counts, spans[at_span].count);
        at_span++;
    }
    const rows children = {.spans = spans, .span_count = at_span, .bytes = field->rows->bytes};
    int err = write_fields(context, to, field->rows->fields, &children);
    free(spans);
    return err;
}

// A structure embedded in each row.
static int write_within(dj_context *context, dj_packer *to, const dj_field *field, const dj_table *table,
                        const rows *of)
{
    rows within = *of;
    within.shift += field->offset;
    return write_fields(context, to, table->fields, &within);
}

static int write_fields(dj_context *context, dj_packer *to, const dj_field *fields, const rows *of)
{
    int err = DJ_OK;
    for (const dj_field *f = fields; !err && f->type != DJ_FIELD_END; f++) {
        switch (f->type) {
        case DJ_FIELD_TEXT:
            write_texts(to, f, of);
            break;
        case DJ_FIELD_SKETCH:
            write_sketches(to, f, of);
            break;
        case DJ_FIELD_HISTOGRAM:
            write_histograms(to, f, of);
            break;
        case DJ_FIELD_MOMENTS:
            err = f->binned_at ? write_within(context, to, f, &dj_moments_table, of) : DJ_OK;
            break;
        case DJ_FIELD_OBJECT:
            err = write_within(context, to, f, f->rows, of);
            break;
        case DJ_FIELD_POINTER:
        case DJ_FIELD_LIST:
            err = write_lists(context, to, f, of);
            break;
        case DJ_FIELD_JSON:
            break;
        default:
            write_numbers(to, f, of);
            break;
        }
    }
    return err;
}

int dj_columns_write(dj_context *context, dj_packer *to, const dj_field *fields, const void *value)
{
    const dj_rows one = {(char *)(uintptr_t)value, 1};
    const rows of = {.spans = &one, .span_count = 1, .bytes = 1};
    return write_fields(context, to, fields, &of);
}
