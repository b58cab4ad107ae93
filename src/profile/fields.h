// SPDX-License-Identifier: MIT
// Operations on values, driven by their tables of fields (deja/section.h).
#ifndef DEJA_PROFILE_FIELDS_H
#define DEJA_PROFILE_FIELDS_H

#include <deja/profile.h>

#include "base/json/reader.h"
#include "base/json/writer.h"
#include "base/pack.h"

// Shorthands for tables.
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

// The list `longest` of a lane at `lane_` in a structure; in JSON only.
#define DJ_LONGEST(struct_, lane_)                                                                           \
    DJ_NUMBER_LIST("longest", struct_, lane_ longest, lane_ longest_count, .flags = DJ_FIELD_FLAT,           \
                   .write = dj_write_longest,                                                                \
                   .about = "longest distance of each non-empty bin; missing if that is the end of the bin")
void dj_write_longest(const struct dj_fields_writer *writer, const dj_field *field, const void *row);

// Consecutive rows of an object, a pointer or a list.
typedef struct dj_rows {
    char *at;
    size_t count;
} dj_rows;
dj_rows dj_field_rows(const dj_field *field, const void *row);
// The number of rows of a list that is not in place.
size_t dj_field_count(const dj_field *field, const void *row);
void dj_field_set_count(const dj_field *field, void *row, size_t count);
extern const dj_table dj_moments_table; // layout of dj_moments in columns

static inline bool dj_field_flag(const dj_field *field, enum dj_field_flag flag)
{
    return (field->flags & (unsigned)flag) != 0;
}

// Frees what the fields own, not the value itself. NULL: no fields.
void dj_fields_free(const dj_field *fields, void *value);
// Frees all sections of a list.
void dj_section_list_free(dj_section_list *list);
// DJ_ERR_INPUT unless every index in the lists of this section is valid.
int dj_fields_check_indexes(dj_context *context, const dj_field *fields, const void *section);

// Writes fields as JSON.
typedef struct dj_fields_writer {
    dj_context *context;
    dj_json_writer *json;
    enum dj_binning binning;
    uint64_t width;      // of linear bins
    const void *section; // the section that contains the rows
    int *err;            // of the fields with a function of their own; NULL: they cannot fail
} dj_fields_writer;
// Writes the members of an open object.
int dj_fields_write(dj_fields_writer *writer, const dj_field *fields, const void *value);

// Reads a row of any layout but DJ_ROW_SPLICED.
int dj_fields_read(dj_json_reader *reader, const dj_table *table, void *value);
int dj_fields_read_field(dj_json_reader *reader, const dj_field *field, void *row);
// Fails on a duplicate field, or a missing required one. `seen` has a bit for each.
int dj_fields_see(dj_json_reader *reader, const dj_field *field, size_t index, uint64_t *seen);
int dj_fields_check_seen(dj_json_reader *reader, const dj_field *fields, uint64_t seen);

// Writes and reads the columns of a value (docs/formats.md). `budget` is the maximum number of numbers.
int dj_columns_write(dj_context *context, dj_packer *to, const dj_field *fields, const void *value);
int dj_columns_read(dj_context *context, dj_unpacker *from, const dj_field *fields, unsigned version,
                    uint64_t budget, void *value);

#endif
