// SPDX-License-Identifier: MIT
#define XXH_STATIC_LINKING_ONLY // for a state on the stack
#include "trace/formats/csv_layout.h"

#include <string.h>
#include <xxhash.h>

char dj_csv_separator(dj_text_field line)
{
    static const char candidates[] = {'\t', ';', ','};
    size_t best = 0;
    char separator = ' ';
    for (size_t i = 0; i < sizeof candidates; i++) {
        size_t count = 0;
        for (const char *at = line.at; at < line.end; at++)
            count += *at == candidates[i];
        if (count > best) {
            best = count;
            separator = candidates[i];
        }
    }
    return separator;
}

static bool quoted(dj_text_field *line, dj_csv_field *out)
{
    line->at++;
    out->text.at = line->at;
    for (; line->at < line->end; line->at++) {
        if (*line->at != '"')
            continue;
        if (line->at + 1 == line->end || line->at[1] != '"') {
            out->text.end = line->at++;
            return true;
        }
        out->doubled = true;
        line->at++;
    }
    return false;
}

static void skip_blanks(dj_text_field *line, char separator)
{
    while (line->at < line->end && dj_is_blank(*line->at) && (*line->at != separator || separator == ' '))
        line->at++;
}

// Reads the next field of a line; *more says whether another one follows (true before the first). Returns
// false if quotes do not match.
static bool next_field(dj_text_field *line, char separator, bool *more, dj_csv_field *out)
{
    *out = (dj_csv_field){0};
    skip_blanks(line, separator);
    if (line->at < line->end && *line->at == '"') {
        dj_text_field from = *line;
        if (!quoted(line, out)) {
            *line = from;
            return false;
        }
    } else if (separator == ' ') {
        dj_field_word(line, &out->text);
    } else {
        dj_field_until(line, separator, &out->text);
    }
    const char *end = line->at;
    skip_blanks(line, separator);
    if (line->at == line->end)
        *more = false;
    else if (separator == ' ')
        return line->at > end;
    else
        return dj_field_skip(line, separator);
    return true;
}

static bool find_role(dj_text_field name, const dj_csv_name *names, uint8_t *role)
{
    for (; names->name; names++) {
        if (dj_field_is(name, names->name)) {
            *role = names->role;
            return true;
        }
    }
    *role = 0;
    return dj_field_is(name, "-");
}

static void set_role(dj_csv_layout *layout, uint32_t column, uint8_t role)
{
    layout->role[column] = role;
    if (role == 0)
        return;
    layout->roles |= UINT32_C(1) << role;
    layout->count = column + 1;
}

void dj_csv_read_header(dj_csv_layout *layout, dj_text_field line, const dj_csv_name *names)
{
    *layout = (dj_csv_layout){.separator = dj_csv_separator(line)};
    bool more = true;
    dj_csv_field field;
    for (uint32_t i = 0; more && i < DJ_CSV_COLUMNS; i++) {
        uint8_t role;
        if (!next_field(&line, layout->separator, &more, &field))
            return;
        if (find_role(field.text, names, &role) && !dj_csv_has(layout, role))
            set_role(layout, i, role);
    }
}

bool dj_csv_take_header(dj_csv_layout *layout, dj_text_field line, const dj_csv_name *names,
                        uint32_t required)
{
    dj_csv_layout found;
    if (line.at < line.end && *line.at >= '0' && *line.at <= '9')
        return false;
    dj_csv_read_header(&found, line, names);
    if ((found.roles & required) != required)
        return false;
    *layout = found;
    return true;
}

dj_text_field dj_csv_read_columns(dj_csv_layout *layout, dj_text_field names, const dj_csv_name *table)
{
    dj_text_field name = {names.end, names.end};
    *layout = (dj_csv_layout){0};
    for (uint32_t i = 0; names.at < names.end; i++) {
        uint8_t role;
        dj_field_until(&names, ',', &name);
        if (!find_role(name, table, &role) || i == DJ_CSV_COLUMNS || (role && dj_csv_has(layout, role)))
            return name;
        set_role(layout, i, role);
        dj_field_skip(&names, ',');
    }
    return (dj_text_field){names.end, names.end};
}

bool dj_csv_pick(const dj_csv_layout *layout, dj_text_field *line, dj_csv_field out[DJ_CSV_ROLES],
                 const char **expected)
{
    bool more = true;
    dj_csv_field field;
    for (uint32_t i = 0; i < layout->count; i++) {
        if (!more) {
            *expected = "more columns";
            return false;
        }
        if (!next_field(line, layout->separator, &more, &field)) {
            *expected = "a field with matching quotes and a separator after it";
            return false;
        }
        out[layout->role[i]] = field;
    }
    return true;
}

uint64_t dj_csv_hash(dj_csv_field field)
{
    if (!field.doubled)
        return dj_field_hash(field.text);
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    while (field.text.at < field.text.end) {
        const char *quote = memchr(field.text.at, '"', dj_field_bytes(field.text));
        const char *end = quote ? quote + 1 : field.text.end;
        XXH3_64bits_update(&state, field.text.at, (size_t)(end - field.text.at));
        field.text.at = quote ? end + 1 : end;
    }
    return XXH3_64bits_digest(&state);
}

bool dj_csv_number(dj_csv_field field, uint64_t *out)
{
    return dj_field_number(&field.text, out) && field.text.at == field.text.end;
}

bool dj_csv_clock(dj_csv_field field, uint64_t unit, uint64_t *clock)
{
    return dj_field_clock(&field.text, unit, clock) && field.text.at == field.text.end;
}
