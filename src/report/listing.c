// SPDX-License-Identifier: MIT
#include "report/listing.h"

#include <string.h>

#include "report/ink.h"

// A name of this many columns can still be told from another.
enum { NAME_LEAST = 12, NAME_GOOD = 24, INDENT = 2 };

void dj_listing_add(dj_listing *listing, const char *title, unsigned width, unsigned rank)
{
    if (listing->count == DJ_LISTING_COLUMNS)
        return;
    dj_listing_column *column = &listing->columns[listing->count++];
    *column = (dj_listing_column){.width = width, .rank = rank};
    char fitted[DJ_FIT];
    snprintf(column->title, sizeof column->title, "%s", dj_fit(fitted, listing->style, title, 12));
    unsigned columns = dj_fit_columns(column->title);
    column->width = columns > width ? columns : width;
}

static unsigned columns_used(const dj_listing *listing)
{
    unsigned used = INDENT;
    for (unsigned i = 0; i < listing->count; i++)
        used += listing->columns[i].left_out ? 0 : listing->columns[i].width + 1;
    return used;
}

static bool leave_one_out(dj_listing *listing)
{
    dj_listing_column *worst = NULL;
    for (unsigned i = 0; i < listing->count; i++) {
        dj_listing_column *column = &listing->columns[i];
        if (!column->left_out && column->rank > 0 && (!worst || column->rank >= worst->rank))
            worst = column;
    }
    if (worst)
        worst->left_out = true;
    return worst != NULL;
}

void dj_listing_lay_out(dj_listing *listing, unsigned name_columns)
{
    unsigned width = dj_style_width(listing->style), title = dj_fit_columns(listing->name_title);
    if (title > INDENT && name_columns < title - INDENT)
        name_columns = title - INDENT;
    unsigned wanted = name_columns < NAME_GOOD ? name_columns : NAME_GOOD;
    while (columns_used(listing) + wanted > width && leave_one_out(listing))
        continue;
    unsigned used = columns_used(listing), room = used + NAME_LEAST > width ? NAME_LEAST : width - used;
    listing->name_width = name_columns < room ? name_columns : room;
}

static void print_padded(const dj_listing *listing, const char *text, unsigned width, bool left)
{
    int pad = (int)width - (int)dj_fit_columns(text);
    pad = pad < 0 ? 0 : pad;
    if (left)
        fprintf(listing->out, "%s%*s", text, pad, "");
    else
        fprintf(listing->out, "%*s%s", pad, "", text);
}

void dj_listing_print_head(const dj_listing *listing)
{
    char fitted[DJ_FIT];
    dj_ink(listing->out, listing->style, DJ_INK_TITLE);
    unsigned width = INDENT + listing->name_width;
    print_padded(listing, dj_fit(fitted, listing->style, listing->name_title, width), width, true);
    dj_ink(listing->out, listing->style, DJ_INK_PLAIN);
    dj_ink(listing->out, listing->style, DJ_INK_FAINT);
    for (unsigned i = 0; i < listing->count; i++)
        if (!listing->columns[i].left_out) {
            fputc(' ', listing->out);
            print_padded(listing, listing->columns[i].title, listing->columns[i].width, false);
        }
    dj_ink(listing->out, listing->style, DJ_INK_PLAIN);
    fputc('\n', listing->out);
}

void dj_listing_print_row(const dj_listing *listing, const char *name, char (*cells)[DJ_CELL])
{
    char fitted[DJ_FIT];
    fprintf(listing->out, "%*s", INDENT, "");
    unsigned last = 0;
    for (unsigned i = 0; i < listing->count; i++)
        if (!listing->columns[i].left_out && *cells[i])
            last = i + 1;
    print_padded(listing, dj_fit(fitted, listing->style, name, listing->name_width),
                 last > 0 ? listing->name_width : 0, true);
    for (unsigned i = 0; i < last; i++)
        if (!listing->columns[i].left_out) {
            fputc(' ', listing->out);
            print_padded(listing, cells[i], listing->columns[i].width, false);
        }
    fputc('\n', listing->out);
}
