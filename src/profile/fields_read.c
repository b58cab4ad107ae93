// SPDX-License-Identifier: MIT
// Reads values from JSON, by their tables. A hostile file costs no more memory than the rows it contains.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/fields.h"
#include "profile/json_sketch.h"

#define ROWS_MOST ((size_t)DJ_NOWHERE)

static int read_u32(dj_json_reader *reader, uint32_t *out)
{
    uint64_t value = 0;
    int err = dj_json_read_uint(reader, &value);
    if (err == DJ_OK && value > UINT32_MAX)
        return dj_json_fail(reader, "%" PRIu64 " is more than 2^32 - 1", value);
    *out = (uint32_t)value;
    return err;
}

static int read_index(dj_json_reader *reader, uint32_t *out)
{
    bool nowhere;
    int err = dj_json_read_null(reader, &nowhere);
    *out = DJ_NOWHERE;
    return err != DJ_OK || nowhere ? err : read_u32(reader, out);
}

static int read_enum(dj_json_reader *reader, const dj_field *field, unsigned *out)
{
    char *name = NULL;
    unsigned at = 0;
    int err = dj_json_read_text(reader, &name);
    if (err != DJ_OK)
        return err;
    while (field->names[at] && strcmp(field->names[at], name) != 0)
        at++;
    if (field->names[at])
        *out = at;
    else
        err = dj_json_fail(reader, "there is no %s \"%.32s\"", field->name, name);
    free(name);
    return err;
}

static int read_sketch(dj_json_reader *reader, dj_sketch **out)
{
    bool none;
    char *text = NULL;
    int err = dj_json_read_null(reader, &none);
    if (err != DJ_OK || none)
        return err;
    err = dj_json_read_text(reader, &text);
    if (err != DJ_OK)
        return err;
    *out = malloc(sizeof **out);
    if (!*out)
        err = dj_fail_memory(dj_json_context(reader), "a sketch", sizeof **out);
    else if (!dj_sketch_parse(text, *out))
        err = dj_json_fail(reader, "\"%.32s\" is not a sketch", text);
    free(text);
    return err;
}

// A list of bins while it is read into a histogram.
typedef struct bins {
    dj_histogram *histogram;
    uint64_t least; // the minimum start of the next bin
    uint64_t total;
    bool any, wide;
    bool other; // than the bins of DJ_BINS_LOG2
} bins;

static bool is_log2_bin(const dj_bin *bin)
{
    return bin->lo == 0 ? bin->hi == 0 : (bin->lo & (bin->lo - 1)) == 0 && bin->hi - bin->lo == bin->lo - 1;
}

static int read_bin(dj_json_reader *reader, void *target)
{
    static const dj_field fields[] = {
        DJ_AT(U64, "lo", dj_bin, lo, .flags = DJ_FIELD_REQUIRED),
        DJ_AT(U64, "hi", dj_bin, hi, .flags = DJ_FIELD_REQUIRED),
        DJ_AT(U64, "count", dj_bin, count, .flags = DJ_FIELD_REQUIRED),
        DJ_END,
    };
    static const dj_table table = {fields, sizeof(dj_bin), DJ_ROW_LINE};
    bins *b = target;
    dj_bin bin;
    int err = dj_fields_read(reader, &table, &bin);
    if (err != DJ_OK)
        return err;
    if (bin.lo > bin.hi || bin.hi == UINT64_MAX || (b->any && bin.lo < b->least))
        return dj_json_fail(reader,
                            "the bin %" PRIu64 " to %" PRIu64
                            " does not follow the previous one, or ends before it begins",
                            bin.lo, bin.hi);
    if (__builtin_add_overflow(b->total, bin.count, &b->total))
        return dj_json_fail(reader, "the counts of a histogram add up to more than 2^64 - 1");
    b->any = true;
    b->wide |= bin.lo != bin.hi;
    b->other |= !is_log2_bin(&bin);
    b->least = bin.hi + 1;
    return dj_histogram_add(b->histogram, dj_json_context(reader), bin.hi, bin.count);
}

static int read_histogram(dj_json_reader *reader, const dj_field *field, char *row)
{
    dj_histogram **out = (dj_histogram **)(void *)(row + field->offset);
    int err = dj_histogram_create(dj_json_context(reader), out);
    if (err != DJ_OK)
        return err;
    bins b = {.histogram = *out};
    err = dj_json_read_list(reader, read_bin, &b);
    if (field->binned_at)
        *(bool *)(row + field->binned_at) = b.wide;
    if (field->log2_at)
        *(bool *)(row + field->log2_at) = b.wide && !b.other;
    return err;
}

static int read_moments(dj_json_reader *reader, const dj_field *field, char *row)
{
    static const dj_field fields[] = {
        DJ_AT(U64, "min", dj_moments, min, .flags = DJ_FIELD_REQUIRED),
        DJ_AT(U64, "max", dj_moments, max, .flags = DJ_FIELD_REQUIRED),
        DJ_AT(REAL, "mean", dj_moments, mean, .flags = DJ_FIELD_REQUIRED),
        DJ_AT(REAL, "median", dj_moments, median, .flags = DJ_FIELD_REQUIRED),
        DJ_AT(REAL, "std", dj_moments, std, .flags = DJ_FIELD_REQUIRED),
        DJ_END,
    };
    static const dj_table table = {fields, sizeof(dj_moments), DJ_ROW_LINE};
    bool none;
    if (!field->binned_at)
        return dj_json_skip(reader);
    int err = dj_json_read_null(reader, &none);
    return err != DJ_OK || none ? err : dj_fields_read(reader, &table, row + field->offset);
}

static int ends_early(dj_json_reader *reader, const dj_field *field)
{
    return dj_json_fail(reader, "a row ends before its %s", field->name);
}

// Reads the cells of a row. The enclosing list is open, and `first` says whether nothing was read of it
// yet. *more: the list continues.
static int read_cells(dj_json_reader *reader, const dj_table *table, char *row, bool first)
{
    for (const dj_field *f = table->fields; f->type != DJ_FIELD_END; f++) {
        bool more = true;
        if (dj_field_flag(f, DJ_FIELD_NOT_JSON))
            continue;
        int err = dj_json_step(reader, ']', first, &more);
        if (err == DJ_OK && !more)
            return dj_field_flag(f, DJ_FIELD_LATER) ? 1 : ends_early(reader, f);
        if (err == DJ_OK)
            err = dj_fields_read_field(reader, f, row);
        if (err != DJ_OK)
            return err;
        first = false;
    }
    return DJ_OK;
}

// Skips cells that a later version may have added.
static int read_rest(dj_json_reader *reader)
{
    for (;;) {
        bool more;
        int err = dj_json_step(reader, ']', false, &more);
        if (err == DJ_OK && more)
            err = dj_json_skip(reader);
        if (err != DJ_OK || !more)
            return err;
    }
}

int dj_fields_see(dj_json_reader *reader, const dj_field *field, size_t index, uint64_t *seen)
{
    if (*seen >> index & 1)
        return dj_json_fail(reader, "\"%s\" appears twice", field->name);
    *seen |= UINT64_C(1) << index;
    return DJ_OK;
}

int dj_fields_check_seen(dj_json_reader *reader, const dj_field *fields, uint64_t seen)
{
    for (size_t i = 0; fields[i].type != DJ_FIELD_END; i++)
        if (dj_field_flag(&fields[i], DJ_FIELD_REQUIRED) && !(seen >> i & 1))
            return dj_json_fail(reader, "\"%s\" is missing", fields[i].name);
    return DJ_OK;
}

static int read_member(dj_json_reader *reader, const dj_field *fields, char *row, uint64_t *seen)
{
    const char *key;
    int err = dj_json_read_key(reader, &key);
    if (err != DJ_OK)
        return err;
    for (size_t i = 0; fields[i].type != DJ_FIELD_END; i++) {
        if (strcmp(fields[i].name, key) != 0 || dj_field_flag(&fields[i], DJ_FIELD_NOT_JSON))
            continue;
        err = dj_fields_see(reader, &fields[i], i, seen);
        return err != DJ_OK ? err : dj_fields_read_field(reader, &fields[i], row);
    }
    return dj_json_skip(reader);
}

static int read_members(dj_json_reader *reader, const dj_field *fields, char *row)
{
    uint64_t seen = 0;
    int err = dj_json_enter(reader, '{');
    for (bool first = true, more; err == DJ_OK; first = false) {
        err = dj_json_step(reader, '}', first, &more);
        if (err != DJ_OK || !more)
            break;
        err = read_member(reader, fields, row, &seen);
    }
    return err != DJ_OK ? err : dj_fields_check_seen(reader, fields, seen);
}

int dj_fields_read(dj_json_reader *reader, const dj_table *table, void *value)
{
    if (table->layout == DJ_ROW_CELL)
        return dj_fields_read_field(reader, table->fields, value);
    if (table->layout != DJ_ROW_CELLS)
        return read_members(reader, table->fields, value);
    int err = dj_json_enter(reader, '[');
    if (err == DJ_OK)
        err = read_cells(reader, table, value, true);
    return err == 1 ? DJ_OK : err != DJ_OK ? err : read_rest(reader);
}

// A list while it is read.
typedef struct list {
    const dj_field *field;
    char *row; // the row of which it is a field
    size_t count;
} list;

// Adds a zeroed row, which counts from then on.
static int add_row(dj_json_reader *reader, list *l, char **out)
{
    const dj_field *f = l->field;
    const size_t most = f->most ? f->most : ROWS_MOST, bytes = f->rows->bytes;
    char **rows = (char **)(void *)(l->row + f->offset);
    if (l->count == most)
        return most == ROWS_MOST ? dj_json_fail(reader, "%s: more than 2^32 - 1 rows", f->name)
                                 : dj_json_fail(reader, "%s: more than %zu", f->name, most);
    if (dj_field_flag(f, DJ_FIELD_IN_PLACE)) {
        *out = l->row + f->offset + l->count++ * bytes;
        return DJ_OK;
    }
    if ((l->count & (l->count - 1)) == 0) { // 0 or a power of two
        size_t capacity = l->count == 0 ? 1 : 2 * l->count;
        char *larger = reallocarray(*rows, capacity, bytes);
        if (!larger)
            return dj_fail_memory(dj_json_context(reader), "a list of a profile", capacity * bytes);
        *rows = larger;
    }
    *out = *rows + l->count++ * bytes;
    memset(*out, 0, bytes);
    dj_field_set_count(f, l->row, l->count);
    return DJ_OK;
}

static int read_row(dj_json_reader *reader, void *target)
{
    list *l = target;
    char *row = NULL;
    int err = add_row(reader, l, &row);
    return err != DJ_OK || !row ? err : dj_fields_read(reader, l->field->rows, row);
}

// The cells of all rows are in one list.
static int read_spliced(dj_json_reader *reader, list *l)
{
    const dj_field *first = l->field->rows->fields;
    const dj_table rest = {first + 1, l->field->rows->bytes, DJ_ROW_SPLICED};
    int err = dj_json_enter(reader, '[');
    for (bool more; err == DJ_OK;) {
        char *row = NULL;
        err = dj_json_step(reader, ']', l->count == 0, &more);
        if (err != DJ_OK || !more)
            break;
        err = add_row(reader, l, &row);
        if (err == DJ_OK && row)
            err = dj_fields_read_field(reader, first, row);
        if (err == DJ_OK && row)
            err = read_cells(reader, &rest, row, false);
    }
    return err;
}

static int read_list(dj_json_reader *reader, const dj_field *field, char *row)
{
    list l = {.field = field, .row = row};
    return field->rows->layout == DJ_ROW_SPLICED ? read_spliced(reader, &l)
                                                 : dj_json_read_list(reader, read_row, &l);
}

static int read_pointer(dj_json_reader *reader, const dj_field *field, char *row)
{
    bool none = false;
    int err = dj_field_flag(field, DJ_FIELD_LATER) ? dj_json_read_null(reader, &none) : DJ_OK;
    if (err != DJ_OK || none)
        return err;
    char *value = calloc(1, field->rows->bytes);
    if (!value)
        return dj_fail_memory(dj_json_context(reader), "a profile", field->rows->bytes);
    *(char **)(void *)(row + field->offset) = value;
    return dj_fields_read(reader, field->rows, value);
}

int dj_fields_read_field(dj_json_reader *reader, const dj_field *field, void *row)
{
    void *at = (char *)row + field->offset;
    if (field->read)
        return field->read(reader, row);
    switch (field->type) {
    case DJ_FIELD_U32:
        return read_u32(reader, at);
    case DJ_FIELD_U64:
        return dj_json_read_uint(reader, at);
    case DJ_FIELD_I64:
        return dj_json_read_int(reader, at);
    case DJ_FIELD_BOOL:
        return dj_json_read_bool(reader, at);
    case DJ_FIELD_REAL:
        return dj_json_read_real(reader, at);
    case DJ_FIELD_HEX:
        return dj_json_read_hex(reader, at);
    case DJ_FIELD_TEXT:
        return dj_json_read_text(reader, at);
    case DJ_FIELD_ENUM:
        return read_enum(reader, field, at);
    case DJ_FIELD_INDEX:
        return read_index(reader, at);
    case DJ_FIELD_SKETCH:
        return read_sketch(reader, at);
    case DJ_FIELD_HISTOGRAM:
        return read_histogram(reader, field, row);
    case DJ_FIELD_MOMENTS:
        return read_moments(reader, field, row);
    case DJ_FIELD_OBJECT:
        return dj_fields_read(reader, field->rows, at);
    case DJ_FIELD_POINTER:
        return read_pointer(reader, field, row);
    case DJ_FIELD_LIST:
        return read_list(reader, field, row);
    default:
        return dj_json_skip(reader);
    }
}
