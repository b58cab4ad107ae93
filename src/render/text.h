// SPDX-License-Identifier: MIT
// Parts of the text renderer.
#ifndef DEJA_RENDER_TEXT_H
#define DEJA_RENDER_TEXT_H

#include <deja/render.h>

#include "render/plain.h"

typedef struct dj_page {
    FILE *out;
    unsigned width;
    bool unicode, color;
    dj_arena arena; // freed after each node, and each row of a table
    char *line;     // the line without trailing blanks
    size_t used, capacity;
    unsigned columns; // its width
    bool failed;      // out of memory
} dj_page;

// Everything is added to a line, which dj_page_end writes. Texts are plain.
void dj_page_put(dj_page *page, const char *plain);
void dj_page_pad(dj_page *page, unsigned columns); // blanks
void dj_page_cell(dj_page *page, const char *plain, unsigned width, bool left);
void dj_page_ink(dj_page *page, enum dj_style style); // DJ_STYLE_PLAIN resets the style
void dj_page_end(dj_page *page);
bool dj_page_free(dj_page *page); // false if memory ran out at any time
// Colours of charts: bars and the first curve, then the others.
void dj_page_ink_series(dj_page *page, size_t series);

// A text in plain characters, valid until the node is written.
const char *dj_page_plain(dj_page *page, const char *text);
const char *dj_page_fit(dj_page *page, const char *plain, unsigned columns, enum dj_fit fit);
// Writes words from the cursor on, wrapped at column `width`, later lines indented by `indent`. Ends the
// line.
void dj_page_wrap(dj_page *page, const char *plain, unsigned indent, unsigned width);
// The same, but does not end the line.
void dj_page_words(dj_page *page, const char *plain, unsigned indent, unsigned width);
// Sentences are not wider than this on any page.
enum { DJ_SENTENCE_MOST = 100 };

void dj_page_text(dj_page *page, const dj_text *text);
void dj_page_heading(dj_page *page, const char *title, const char *subtitle);
void dj_page_facts(dj_page *page, const dj_facts *facts);
void dj_page_table(dj_page *page, const dj_sheet *table);
void dj_page_source(dj_page *page, const dj_sheet *table);
void dj_page_chart(dj_page *page, const dj_chart *chart);
void dj_page_bars(dj_page *page, const dj_bars *bars);
void dj_page_heat(dj_page *page, const dj_heat *heat);
void dj_page_node(dj_page *page, const dj_node *node);

// A bar of length `share` (0 to 1) of `columns`, with Unicode to an eighth of a column.
void dj_page_bar(dj_page *page, double share, unsigned columns, bool hatched);

#endif
