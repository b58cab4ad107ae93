// SPDX-License-Identifier: MIT
// The line table of a compilation unit, reduced to what is needed.
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbols/code.h"

enum { PATH_CAPACITY = 4096, COLUMN_MOST = UINT16_MAX, LIBDW_ROW_BYTES = 48 };

const char *dj_line_path(dj_symbols *symbols, const char *folder, const char *path)
{
    char text[PATH_CAPACITY], joined[PATH_CAPACITY];
    size_t used = 0;
    if (!path || !*path)
        return "";
    if (!folder || folder[0] != '/' || path[0] == '/')
        folder = NULL;
    if (snprintf(joined, sizeof joined, "%s%s%s", folder ? folder : "", folder ? "/" : "", path) >=
        PATH_CAPACITY)
        return "";
    for (const char *at = joined; *at;) {
        if (at[0] == '/' && at[1] == '.' && at[2] == '/')
            at += 2;
        else if (at[0] == '/' && at[1] == '/')
            at++;
        else
            text[used++] = *at++;
    }
    text[used] = 0;
    return dj_symbols_keep(symbols, text);
}

static bool same_line(const dj_line_row *a, const dj_line_row *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column && b->to_first == 0;
}

// Rows are sorted by address; the last one at an address counts.
static void add_row(dj_unit *unit, dj_line_row row)
{
    if (unit->row_count > 0 && unit->rows[unit->row_count - 1].address == row.address) {
        const dj_line_row *before = &unit->rows[--unit->row_count];
        int64_t back = (int64_t)before->line + before->to_first - row.line;
        if (before->file == row.file && back >= INT16_MIN && back <= INT16_MAX)
            row.to_first = (int16_t)back;
    }
    if (unit->row_count > 0 && same_line(&unit->rows[unit->row_count - 1], &row))
        return;
    unit->rows[unit->row_count++] = row;
}

// The name of a file from libdw, and the path derived from it.
typedef struct last_path {
    const char *folder, *source, *kept;
} last_path;

static bool read_row(dj_symbols *symbols, Dwarf_Line *line, last_path *path, dj_line_row *row)
{
    bool end = false;
    int number = 0, column = 0;
    Dwarf_Addr address = 0;
    if (dwarf_lineaddr(line, &address) != 0)
        return false;
    *row = (dj_line_row){.address = address};
    if (dwarf_lineendsequence(line, &end) != 0 || end)
        return true;
    const char *source = dwarf_linesrc(line, NULL, NULL);
    if (source != path->source || !path->kept) {
        path->source = source;
        path->kept = dj_line_path(symbols, path->folder, source);
    }
    row->file = path->kept;
    row->line = dwarf_lineno(line, &number) == 0 && number > 0 ? (uint32_t)number : 0;
    row->column =
        dwarf_linecol(line, &column) == 0 && column > 0 && column <= COLUMN_MOST ? (uint16_t)column : 0;
    return true;
}

int dj_unit_read_rows(dj_symbols *symbols, dj_line_tables *lines, dj_unit *unit, Dwarf_Die *die)
{
    Dwarf_Lines *table = NULL;
    size_t count = 0;
    Dwarf_Attribute folder;
    last_path path = {.folder = dwarf_formstring(dwarf_attr(die, DW_AT_comp_dir, &folder))};
    if (dwarf_getsrclines(die, &table, &count) != 0 || count == 0 || count > lines->row_budget)
        return DJ_OK;
    lines->row_budget -= count;
    lines->read_bytes += count * LIBDW_ROW_BYTES;
    unit->rows = calloc(count, sizeof *unit->rows);
    if (!unit->rows)
        return dj_fail_memory(symbols->quiet, "line numbers", count * sizeof *unit->rows);
    for (size_t i = 0; i < count; i++) {
        dj_line_row row;
        if (read_row(symbols, dwarf_onesrcline(table, i), &path, &row))
            add_row(unit, row);
    }
    dj_line_row *fitting = realloc(unit->rows, (unit->row_count ? unit->row_count : 1) * sizeof *fitting);
    if (fitting)
        unit->rows = fitting;
    return DJ_OK;
}

const dj_line_row *dj_unit_row(const dj_unit *unit, uint64_t address)
{
    size_t lo = 0, hi = unit->row_count;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (unit->rows[middle].address <= address)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo > 0 && unit->rows[lo - 1].file ? &unit->rows[lo - 1] : NULL;
}
