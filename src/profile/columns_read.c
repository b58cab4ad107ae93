// SPDX-License-Identifier: MIT
// Reads values from columns, by their tables; the inverse of columns_write.c. Files are untrusted: memory
// is allocated only for rows that the rest of the section can fill, and indexes are checked at the end.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/zigzag.h"
#include "profile/fields.h"
#include "profile/json_sketch.h"

enum { TEXT_MOST = 16 << 20 };

typedef struct rows {
    dj_rows *spans;
    size_t span_count;
    size_t bytes, shift;
} rows;

typedef struct loader {
    dj_context *context;
    dj_unpacker *from;
    unsigned version;
    uint64_t budget; // numbers that the section can still contain
} loader;

typedef struct column {
    loader *loader;
    uint64_t before;
} column;

static int get(column *c, uint64_t *out)
{
    uint64_t step = 0;
    int err = dj_unpack_number(c->loader->from, c->loader->context, &step);
    c->before += dj_unzigzag(step);
    c->loader->budget -= c->loader->budget > 0;
    *out = c->before;
    return err;
}

static int wrong(loader *l, const dj_field *field, const char *what, uint64_t number)
{
    return dj_fail(l->context, DJ_ERR_INPUT, "column '%s' has %s %" PRIu64 "; the file is damaged",
                   field->name, what, number);
}

static int put_number(loader *l, const dj_field *field, uint64_t number, void *at)
{
    unsigned names = 0;
    switch (field->type) {
    case DJ_FIELD_ENUM:
        while (field->names[names])
            names++;
        if (number >= names)
            return wrong(l, field, "no name for", number);
        *(uint32_t *)at = (uint32_t)number;
        return DJ_OK;
    case DJ_FIELD_U32:
    case DJ_FIELD_INDEX:
        if (number > UINT32_MAX)
            return wrong(l, field, "a number above 2^32 - 1,", number);
        *(uint32_t *)at = (uint32_t)(field->type == DJ_FIELD_INDEX ? number - 1 : number);
        return DJ_OK;
    case DJ_FIELD_BOOL:
        if (number > 1)
            return wrong(l, field, "a boolean of", number);
        *(bool *)at = number != 0;
        return DJ_OK;
    default:
        memcpy(at, &number, sizeof number);
        return DJ_OK;
    }
}

static char *row_at(const rows *of, size_t span, size_t row)
{
    return of->spans[span].at + of->shift + row * of->bytes;
}

// Iterates over all rows: `at_` is the start of each structure. Ends early on `err_`.
#define FOR_EACH_ROW(rows_, at_, err_)                                                                       \
    for (size_t span_ = 0; !(err_) && span_ < (rows_)->span_count; span_++)                                  \
        for (size_t row_ = 0; !(err_) && row_ < (rows_)->spans[span_].count; row_++)                         \
            for (char *at_ = row_at(rows_, span_, row_); at_; at_ = NULL)

static size_t count_rows(const rows *of)
{
    size_t count = 0;
    for (size_t i = 0; i < of->span_count; i++)
        count += of->spans[i].count;
    return count;
}

static int read_numbers(loader *l, const dj_field *field, const rows *to)
{
    column c = {.loader = l};
    int err = DJ_OK;
    FOR_EACH_ROW(to, at, err)
    {
        uint64_t number = 0;
        err = get(&c, &number);
        if (!err)
            err = put_number(l, field, number, at + field->offset);
    }
    return err;
}

// A column of sizes, which must fit the rest of the section: `each` numbers for each.
static int read_sizes(loader *l, const dj_field *field, const rows *to, uint64_t most, uint64_t each,
                      uint64_t **out)
{
    size_t count = count_rows(to);
    column c = {.loader = l};
    uint64_t sum = 0;
    int err = DJ_OK;
    *out = calloc(count + 1, sizeof **out);
    if (!*out)
        return dj_fail_memory(l->context, "loading a profile", count * sizeof **out);
    for (size_t i = 0; !err && i < count; i++) {
        err = get(&c, &(*out)[i]);
        uint64_t size = (*out)[i], capacity = l->budget / (each ? each : 1);
        if (!err && size > most)
            err = wrong(l, field, "an impossible length,", size);
        else if (!err && (size > capacity || (sum += size) > capacity))
            err = wrong(l, field, "more than fits the section,", size);
    }
    return err;
}

static int read_text(loader *l, uint64_t bytes, char **out)
{
    char *text = malloc(bytes + 1);
    if (!text)
        return dj_fail_memory(l->context, "loading a profile", bytes);
    int err = dj_unpack_raw(l->from, l->context, text, bytes);
    text[err ? 0 : bytes] = 0;
    if (!err && strlen(text) != bytes)
        err = dj_fail(l->context, DJ_ERR_INPUT, "a text contains a zero byte; the file is damaged");
    free(*out);
    *out = text;
    return err;
}

static int read_texts(loader *l, const dj_field *field, const rows *to)
{
    uint64_t *lengths = NULL;
    size_t i = 0;
    int err = read_sizes(l, field, to, TEXT_MOST, 1, &lengths);
    FOR_EACH_ROW(to, at, err)
    {
        uint64_t bytes = lengths[i++];
        err = read_text(l, bytes, (char **)(void *)(at + field->offset));
        l->budget -= bytes < l->budget ? bytes : l->budget;
    }
    free(lengths);
    return err;
}

// The values of all histograms, each increasing, then the counts.
static int read_bins(loader *l, const dj_field *field, const rows *to, const uint64_t *sizes)
{
    uint64_t total = 0;
    size_t row = 0, next = 0;
    for (size_t i = 0, count = count_rows(to); i < count; i++)
        total += sizes[i] ? sizes[i] - 1 : 0;
    uint64_t *values = calloc(total + 1, sizeof *values);
    if (!values)
        return dj_fail_memory(l->context, "loading a profile", total * sizeof *values);
    column c = {.loader = l}, counts = {.loader = l};
    int err = DJ_OK;
    for (uint64_t i = 0; !err && i < total; i++)
        err = get(&c, &values[i]);
    FOR_EACH_ROW(to, at, err)
    {
        dj_histogram *histogram = *(dj_histogram **)(void *)(at + field->offset);
        uint64_t sum = 0, count = 0;
        for (uint64_t i = 0, end = sizes[row] ? sizes[row] - 1 : 0; !err && i < end; i++, next++) {
            err = get(&counts, &count);
            if (!err &&
                (count == 0 || values[next] == UINT64_MAX || (i > 0 && values[next] <= values[next - 1]) ||
                 __builtin_add_overflow(sum, count, &sum)))
                err =
                    wrong(l, field, "a histogram that does not increase, or exceeds 2^64, at", values[next]);
            if (!err)
                err = dj_histogram_add(histogram, l->context, values[next], count);
        }
        row++;
    }
    free(values);
    return err;
}

static int read_histograms(loader *l, const dj_field *field, const rows *to)
{
    uint64_t *sizes = NULL;
    size_t i = 0;
    int err = read_sizes(l, field, to, UINT64_MAX, 2, &sizes);
    FOR_EACH_ROW(to, at, err)
    if (sizes[i++])
        err = dj_histogram_create(l->context, (dj_histogram **)(void *)(at + field->offset));
    else if (dj_field_flag(field, DJ_FIELD_REQUIRED))
        err = wrong(l, field, "no histogram in row", i - 1);
    if (!err)
        err = read_bins(l, field, to, sizes);
    free(sizes);
    return err;
}

// First the indexes of the registers, increasing, then their ranks.
static int read_registers(loader *l, const dj_field *field, const rows *to, const uint64_t *sizes)
{
    column registers = {.loader = l}, ranks = {.loader = l};
    int err = DJ_OK;
    for (int step = 0; step < 2; step++) {
        size_t row = 0;
        FOR_EACH_ROW(to, at, err)
        {
            dj_sketch *sketch = *(dj_sketch **)(void *)(at + field->offset);
            uint64_t number = 0, size = sizes[row++], used = 0;
            for (unsigned k = 0; !err && step == 1 && sketch && k < DJ_SKETCH_REGISTERS; k++) {
                if (sketch->rank[k] == 0)
                    continue;
                err = get(&ranks, &number);
                if (!err && (number == 0 || number > DJ_SKETCH_RANK_MOST))
                    err = wrong(l, field, "a rank of", number);
                sketch->rank[k] = (uint8_t)number;
            }
            for (; !err && step == 0 && used + 1 < size; used++) {
                uint64_t before = number;
                err = get(&registers, &number);
                if (!err && (number >= DJ_SKETCH_REGISTERS || (used > 0 && number <= before)))
                    err = wrong(l, field, "a register", number);
                if (!err)
                    sketch->rank[number] = 1;
            }
        }
    }
    return err;
}

static int read_sketches(loader *l, const dj_field *field, const rows *to)
{
    uint64_t *sizes = NULL;
    size_t i = 0;
    int err = read_sizes(l, field, to, DJ_SKETCH_REGISTERS + 1, 1, &sizes);
    FOR_EACH_ROW(to, at, err)
    {
        dj_sketch **sketch = (dj_sketch **)(void *)(at + field->offset);
        if (sizes[i++] && !(*sketch = calloc(1, sizeof **sketch)))
            err = dj_fail_memory(l->context, "loading a profile", 0);
    }
    if (!err)
        err = read_registers(l, field, to, sizes);
    free(sizes);
    return err;
}

static int read_fields(loader *l, const dj_field *fields, const rows *to);

// The minimum number of numbers in a row.
static uint64_t numbers_of(const dj_field *fields)
{
    uint64_t sum = 0;
    for (const dj_field *f = fields; f->type != DJ_FIELD_END; f++)
        sum += f->type == DJ_FIELD_OBJECT ? numbers_of(f->rows->fields) : f->type != DJ_FIELD_JSON;
    return sum;
}

static int make_rows(loader *l, const dj_field *field, char *row, size_t count, dj_rows *out)
{
    char *made = field->offset + row;
    if (!dj_field_flag(field, DJ_FIELD_IN_PLACE)) {
        char **list = (char **)(void *)(row + field->offset);
        if (count > 0 && !(*list = calloc(count, field->rows->bytes)))
            return dj_fail_memory(l->context, "loading a profile", count * field->rows->bytes);
        made = *list;
        if (field->type == DJ_FIELD_LIST)
            dj_field_set_count(field, row, count);
    }
    *out = (dj_rows){made, count};
    return DJ_OK;
}

static int read_lists(loader *l, const dj_field *field, const rows *to)
{
    const uint64_t most = field->type == DJ_FIELD_POINTER ? 1 : field->most ? field->most : DJ_NOWHERE - 1;
    const bool known =
        dj_field_flag(field, DJ_FIELD_SHARED) || (dj_field_flag(field, DJ_FIELD_IN_PLACE) && !field->count);
    uint64_t *sizes = NULL;
    size_t i = 0;
    int err = known ? DJ_OK : read_sizes(l, field, to, most, numbers_of(field->rows->fields), &sizes);
    dj_rows *spans = err ? NULL : calloc(count_rows(to) + 1, sizeof *spans);
    if (!err && !spans)
        err = dj_fail_memory(l->context, "loading a profile", 0);
    FOR_EACH_ROW(to, at, err)
    {
        err = make_rows(l, field, at,
                        !known                                    ? (size_t)sizes[i]
                        : dj_field_flag(field, DJ_FIELD_IN_PLACE) ? field->most
                                                                  : dj_field_count(field, at),
                        &spans[i]);
        i++;
    }
    const rows children = {.spans = spans, .span_count = i, .bytes = field->rows->bytes};
    if (!err)
        err = read_fields(l, field->rows->fields, &children);
    free(spans);
    free(sizes);
    return err;
}

// A structure embedded in each row.
static int read_within(loader *l, const dj_field *field, const dj_table *table, const rows *to)
{
    rows within = *to;
    within.shift += field->offset;
    return read_fields(l, table->fields, &within);
}

static int read_fields(loader *l, const dj_field *fields, const rows *to)
{
    int err = DJ_OK;
    for (const dj_field *f = fields; !err && f->type != DJ_FIELD_END; f++) {
        if (f->since > l->version)
            continue;
        switch (f->type) {
        case DJ_FIELD_TEXT:
            err = read_texts(l, f, to);
            break;
        case DJ_FIELD_SKETCH:
            err = read_sketches(l, f, to);
            break;
        case DJ_FIELD_HISTOGRAM:
            err = read_histograms(l, f, to);
            break;
        case DJ_FIELD_MOMENTS:
            err = f->binned_at ? read_within(l, f, &dj_moments_table, to) : DJ_OK;
            break;
        case DJ_FIELD_OBJECT:
            err = read_within(l, f, f->rows, to);
            break;
        case DJ_FIELD_POINTER:
        case DJ_FIELD_LIST:
            err = read_lists(l, f, to);
            break;
        case DJ_FIELD_JSON:
            break;
        default:
            err = read_numbers(l, f, to);
            break;
        }
    }
    return err;
}

int dj_columns_read(dj_context *context, dj_unpacker *from, const dj_field *fields, unsigned version,
                    uint64_t budget, void *value)
{
    loader l = {.context = context, .from = from, .version = version, .budget = budget};
    dj_rows one = {value, 1};
    const rows to = {.spans = &one, .span_count = 1, .bytes = 1};
    return read_fields(&l, fields, &to);
}
