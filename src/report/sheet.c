// SPDX-License-Identifier: MIT
#include "report/sheet.h"

#include <string.h>

#include "report/ink.h"

// A name of this many columns can still be told from another.
enum { NAME_LEAST = 12, NAME_GOOD = 24, INDENT = 2 };

void dj_sheet_add(dj_sheet *sheet, const char *title, unsigned width, unsigned rank)
{
    if (sheet->count == DJ_SHEET_COLUMNS)
        return;
    dj_sheet_column *column = &sheet->columns[sheet->count++];
    *column = (dj_sheet_column){.width = width, .rank = rank};
    char fitted[DJ_FIT];
    snprintf(column->title, sizeof column->title, "%s", dj_fit(fitted, sheet->style, title, 12));
    unsigned columns = dj_fit_columns(column->title);
    column->width = columns > width ? columns : width;
}

static unsigned columns_used(const dj_sheet *sheet)
{
    unsigned used = INDENT;
    for (unsigned i = 0; i < sheet->count; i++)
        used += sheet->columns[i].left_out ? 0 : sheet->columns[i].width + 1;
    return used;
}

static bool leave_one_out(dj_sheet *sheet)
{
    dj_sheet_column *worst = NULL;
    for (unsigned i = 0; i < sheet->count; i++) {
        dj_sheet_column *column = &sheet->columns[i];
        if (!column->left_out && column->rank > 0 && (!worst || column->rank >= worst->rank))
            worst = column;
    }
    if (worst)
        worst->left_out = true;
    return worst != NULL;
}

void dj_sheet_lay_out(dj_sheet *sheet, unsigned name_columns)
{
    unsigned width = dj_style_width(sheet->style), title = dj_fit_columns(sheet->name_title);
    if (title > INDENT && name_columns < title - INDENT)
        name_columns = title - INDENT;
    unsigned good = sheet->name_good ? sheet->name_good : NAME_GOOD;
    unsigned wanted = name_columns < good ? name_columns : good;
    while (columns_used(sheet) + wanted > width && leave_one_out(sheet))
        continue;
    unsigned used = columns_used(sheet), room = used + NAME_LEAST > width ? NAME_LEAST : width - used;
    sheet->name_width = name_columns < room ? name_columns : room;
}

static void print_padded(const dj_sheet *sheet, const char *text, unsigned width, bool left)
{
    int pad = (int)width - (int)dj_fit_columns(text);
    pad = pad < 0 ? 0 : pad;
    if (left)
        fprintf(sheet->out, "%s%*s", text, pad, "");
    else
        fprintf(sheet->out, "%*s%s", pad, "", text);
}

void dj_sheet_print_head(const dj_sheet *sheet)
{
    char fitted[DJ_FIT];
    dj_ink(sheet->out, sheet->style, DJ_INK_TITLE);
    unsigned width = INDENT + sheet->name_width;
    print_padded(sheet, dj_fit(fitted, sheet->style, sheet->name_title, width), width, true);
    dj_ink(sheet->out, sheet->style, DJ_INK_PLAIN);
    dj_ink(sheet->out, sheet->style, DJ_INK_FAINT);
    for (unsigned i = 0; i < sheet->count; i++)
        if (!sheet->columns[i].left_out) {
            fputc(' ', sheet->out);
            print_padded(sheet, sheet->columns[i].title, sheet->columns[i].width, false);
        }
    dj_ink(sheet->out, sheet->style, DJ_INK_PLAIN);
    fputc('\n', sheet->out);
}

void dj_sheet_print_row(const dj_sheet *sheet, const char *name, char (*cells)[DJ_CELL])
{
    char fitted[DJ_FIT];
    fprintf(sheet->out, "%*s", INDENT, "");
    unsigned last = 0;
    for (unsigned i = 0; i < sheet->count; i++)
        if (!sheet->columns[i].left_out && *cells[i])
            last = i + 1;
    print_padded(sheet, dj_fit(fitted, sheet->style, name, sheet->name_width),
                 last > 0 ? sheet->name_width : 0, true);
    for (unsigned i = 0; i < last; i++)
        if (!sheet->columns[i].left_out) {
            fputc(' ', sheet->out);
            print_padded(sheet, cells[i], sheet->columns[i].width, false);
        }
    fputc('\n', sheet->out);
}
