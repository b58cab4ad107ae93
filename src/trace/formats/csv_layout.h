// SPDX-License-Identifier: MIT
// Lines of separated values: the role of each column, and the fields of a line by role. A field may be in
// double quotes, with "" for a quote; a record is one line.
#ifndef DEJA_TRACE_FORMATS_CSV_LAYOUT_H
#define DEJA_TRACE_FORMATS_CSV_LAYOUT_H

#include "trace/parse/fields.h"

enum {
    DJ_CSV_COLUMNS = 256, // columns that can be named
    DJ_CSV_ROLES = 16,
};

// The names of a format's columns; role 0 is an unused column. Several names may have one role. A NULL name
// ends the table.
typedef struct dj_csv_name {
    const char *name;
    uint8_t role;
} dj_csv_name;

typedef struct dj_csv_layout {
    char separator; // ' ': runs of blanks
    uint32_t count; // columns up to the last one with a role
    uint32_t roles; // bit r: a column has role r
    uint8_t role[DJ_CSV_COLUMNS];
} dj_csv_layout;

typedef struct dj_csv_field {
    dj_text_field text; // without its quotes and the blanks around them
    bool doubled;       // contains "" for "
} dj_csv_field;

// The most frequent of tab, semicolon and comma; ' ' if there is none of them.
char dj_csv_separator(dj_text_field line);

// Assigns roles to the columns that a header names; of two columns with one role, the first one has it. Names
// that are not in the table have none.
void dj_csv_read_header(dj_csv_layout *layout, dj_text_field line, const dj_csv_name *names);

// The same, but returns false and does not change the layout unless the line names all roles in the bit set
// `required`. Cheap for lines that begin with a digit, as no header does.
bool dj_csv_take_header(dj_csv_layout *layout, dj_text_field line, const dj_csv_name *names,
                        uint32_t required);

// The same for names from the user, separated by commas. Returns the first name that is not in the table ("-"
// is in every table), appears twice or exceeds the number of columns; an empty field on success.
dj_text_field dj_csv_read_columns(dj_csv_layout *layout, dj_text_field names, const dj_csv_name *table);

// Splits a line into the fields that have roles: out[role]. On failure, `line` is at the error and *expected
// says what should be there.
bool dj_csv_pick(const dj_csv_layout *layout, dj_text_field *line, dj_csv_field out[DJ_CSV_ROLES],
                 const char **expected);

static inline bool dj_csv_has(const dj_csv_layout *layout, uint8_t role)
{
    return layout->roles >> role & 1;
}

// dj_field_hash of the field's unquoted text.
uint64_t dj_csv_hash(dj_csv_field field);

// The entire field as a number.
bool dj_csv_number(dj_csv_field field, uint64_t *out);
// The entire field as a time, in units of `unit` nanoseconds.
bool dj_csv_clock(dj_csv_field field, uint64_t unit, uint64_t *clock);

#endif
