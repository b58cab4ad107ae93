// SPDX-License-Identifier: MIT
// What is done with values by their tables of fields (deja/section.h).
#ifndef DEJA_PROFILE_FIELDS_H
#define DEJA_PROFILE_FIELDS_H

#include <deja/profile.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/pack.h"

// Short forms for the tables.
#define DJ_WRITER(name_)                                                                                     \
    static void name_(const dj_fields_writer *writer, const dj_field *field, const void *row)
#define DJ_AT(type_, name_, struct_, member_, ...)                                                           \
    {                                                                                                        \
        DJ_FIELD(type_, name_, struct_, member_), __VA_ARGS__                                                \
    }
#define DJ_NUMBER_LIST(name_, struct_, member_, count_, ...)                                                 \
    {                                                                                                        \
        DJ_FIELD_ROWS(name_, struct_, member_, count_, dj_number_cell), __VA_ARGS__                          \
    }
#define DJ_END                                                                                               \
    {                                                                                                        \
        .name = NULL, .type = DJ_FIELD_END                                                                   \
    }

// The list `longest` of a lane that stands at `lane_` in a structure; in JSON alone.
#define DJ_LONGEST(struct_, lane_)                                                                           \
    DJ_NUMBER_LIST(                                                                                          \
        "longest", struct_, lane_ longest, lane_ longest_count, .flags = DJ_FIELD_FLAT,                      \
        .write = dj_write_longest,                                                                           \
        .about = "of each bin that holds something: its longest distance; missing where that is its end")
void dj_write_longest(const struct dj_fields_writer *writer, const dj_field *field, const void *row);

// Rows of an object, a pointer or a list, one after the other.
typedef struct dj_rows {
    char *at;
    size_t count;
} dj_rows;
dj_rows dj_field_rows(const dj_field *field, const void *row);
// How many rows a list has that is not in place.
size_t dj_field_count(const dj_field *field, const void *row);
void dj_field_set_count(const dj_field *field, void *row, size_t count);
extern const dj_table dj_moments_table; // as dj_moments is in columns

static inline bool dj_field_flag(const dj_field *field, enum dj_field_flag flag)
{
    return (field->flags & (unsigned)flag) != 0;
}

// Frees what the fields own, not the value itself. NULL: no fields.
void dj_fields_free(const dj_field *fields, void *value);
// Frees all sections of a list.
void dj_section_list_free(dj_section_list *list);
// DJ_ERR_INPUT unless every index of the rows of this section's lists has its row.
int dj_fields_check_indexes(dj_context *context, const dj_field *fields, const void *section);

// How fields become JSON.
typedef struct dj_fields_writer {
    dj_context *context;
    dj_json_writer *json;
    enum dj_binning binning;
    uint64_t width;      // of linear bins
    const void *section; // that the rows are part of
} dj_fields_writer;
// The members of an object that is open.
int dj_fields_write(dj_fields_writer *writer, const dj_field *fields, const void *value);

// Reads a row of any layout but DJ_ROW_SPLICED.
int dj_fields_read(dj_json_reader *reader, const dj_table *table, void *value);
int dj_fields_read_field(dj_json_reader *reader, const dj_field *field, void *row);
// Fails when a field was there before, or a required one was not. `seen` has a bit for each.
int dj_fields_see(dj_json_reader *reader, const dj_field *field, size_t index, uint64_t *seen);
int dj_fields_check_seen(dj_json_reader *reader, const dj_field *fields, uint64_t seen);

// The columns of a value, and back (docs/formats.md). `budget` is how many numbers there can be at most.
int dj_columns_write(dj_context *context, dj_packer *to, const dj_field *fields, const void *value);
int dj_columns_read(dj_context *context, dj_unpacker *from, const dj_field *fields, unsigned version,
                    uint64_t budget, void *value);

#endif
