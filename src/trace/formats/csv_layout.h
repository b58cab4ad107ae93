// SPDX-License-Identifier: MIT
// Lines of separated values: which column plays which role, and the fields of
// a line by role. A field may stand in double quotes, with "" for a quote; a
// record is one line.
#ifndef DEJA_TRACE_FORMATS_CSV_LAYOUT_H
#define DEJA_TRACE_FORMATS_CSV_LAYOUT_H

#include "trace/parse/fields.h"

enum {
    DJ_CSV_COLUMNS = 256, // columns that can be named
    DJ_CSV_ROLES = 16,
};

// How a format calls its columns; role 0 is a column nobody wants. Several
// names may mean one role. The table ends with a NULL name.
typedef struct dj_csv_name {
    const char *name;
    uint8_t role;
} dj_csv_name;

typedef struct dj_csv_layout {
    char separator; // ' ': runs of blanks
    uint32_t count; // columns up to the last one that has a role
    uint32_t roles; // bit r: a column has role r
    uint8_t role[DJ_CSV_COLUMNS];
} dj_csv_layout;

typedef struct dj_csv_field {
    dj_text_field text; // without the quotes around it and the blanks around them
    bool doubled;       // there are "" in it that stand for "
} dj_csv_field;

// The commonest of tab, semicolon and comma; ' ' when there is none of them.
char dj_csv_separator(dj_text_field line);

// Finds the roles of the columns that a header names; of two columns with one
// role, the first has it. Names that are not in the table have none.
void dj_csv_read_header(dj_csv_layout *layout, dj_text_field line, const dj_csv_name *names);

// The same, but leaves the layout alone and returns false unless the line
// names all roles of which `required` has the bits. Cheap for lines that begin
// with a digit, as no header does.
bool dj_csv_take_header(dj_csv_layout *layout, dj_text_field line, const dj_csv_name *names,
                        uint32_t required);

// The same for names of the user's, separated by commas. Returns the first
// name that is not in the table ("-" is in every table), or one that is there
// twice, or has no place; an empty field when all is well.
dj_text_field dj_csv_read_columns(dj_csv_layout *layout, dj_text_field names, const dj_csv_name *table);

// Cuts a line into the fields that have roles: out[role]. On false, `line`
// stands at the fault and *expected tells what should be there.
bool dj_csv_pick(const dj_csv_layout *layout, dj_text_field *line, dj_csv_field out[DJ_CSV_ROLES],
                 const char **expected);

static inline bool dj_csv_has(const dj_csv_layout *layout, uint8_t role)
{
    return layout->roles >> role & 1;
}

// dj_field_hash of what the field means.
uint64_t dj_csv_hash(dj_csv_field field);

// A whole field as a number.
bool dj_csv_number(dj_csv_field field, uint64_t *out);
// A whole field as a time, in units of so many nanoseconds.
bool dj_csv_clock(dj_csv_field field, uint64_t unit, uint64_t *clock);

#endif
