// SPDX-License-Identifier: MIT
// Advice, a paragraph for each of the worst lines.
#include <string.h>

#include "report/spatial/spatial.h"

enum { INDENT = 7 };

static bool in_one_loop(const dj_rank_row *a, const dj_rank_row *b)
{
    return a->loop == b->loop && a->loop != DJ_NOWHERE;
}

// Advice about data applies to all code that accesses it.
static bool on_same_data(const dj_rank_row *a, const dj_rank_row *b)
{
    bool of_data = a->advice && a->advice->of_data;
    return of_data && strcmp(a->object_name, b->object_name) == 0;
}

// Whether the same advice applies to both.
static bool are_alike(const dj_rank_row *a, const dj_rank_row *b)
{
    return *b->text && !b->weak && a->advice == b->advice && (in_one_loop(a, b) || on_same_data(a, b));
}

// Mentioned in the paragraph of an earlier row. Few rows have a text, so the recursion is short.
static bool is_mentioned(const dj_ranking *ranking, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (are_alike(&ranking->rows[i], &ranking->rows[row]) && !is_mentioned(ranking, i))
            return true;
    return false;
}

static void add_head(const dj_spatial_page *page, const dj_rank_row *row, size_t number)
{
    dj_document *document = page->document;
    dj_text *head = &dj_document_say(document, DJ_TEXT_ITEM, 2, "%3zu. ", number)->text;
    dj_text_add(document, head, DJ_STYLE_STRONG, DJ_FIT_MIDDLE, "%s", row->object_name);
    dj_text_add(document, head, DJ_STYLE_STRONG, DJ_FIT_WHOLE, " at ");
    dj_text_add(document, head, DJ_STYLE_STRONG, DJ_FIT_MIDDLE, "%s", row->name);
    dj_text_add(document, head, DJ_STYLE_PLAIN, DJ_FIT_WHOLE, ": ");
    dj_text_add(document, head, DJ_STYLE_MARK, DJ_FIT_WHOLE, "%s", dj_spatial_advice_name(row->advice));
}

static void add_alike(const dj_spatial_page *page, const dj_ranking *ranking, size_t row, size_t rows)
{
    const char *text = NULL;
    const dj_rank_row *first = &ranking->rows[row];
    for (size_t i = row + 1; i < rows; i++) {
        const dj_rank_row *other = &ranking->rows[i];
        if (are_alike(first, other))
            text = dj_document_format(page->document, "%s%s %zu (%s)", text ? text : "The same applies to",
                                      text ? "," : "", i + 1,
                                      on_same_data(first, other) ? other->name : other->object_name);
    }
    if (text)
        dj_document_say(page->document, DJ_TEXT_SENTENCES, INDENT, "%s.", text);
}

// Rows of an estimate that are too uncertain for advice, in one sentence.
static void add_weak(const dj_spatial_page *page, const dj_ranking *ranking, size_t rows)
{
    const char *list = NULL;
    for (size_t i = 0; i < rows; i++)
        if (ranking->rows[i].weak)
            list = dj_document_format(page->document, "%s%s%zu", list ? list : "", list ? ", " : "", i + 1);
    if (list)
        dj_document_say(page->document, DJ_TEXT_SENTENCES, 2,
                        "No advice for %s: the ranges are too wide. Use a larger --sample, or a longer run.",
                        list)
            ->gap = true;
}

void dj_add_spatial_advice(const dj_spatial_page *page, const dj_ranking *ranking, size_t rows)
{
    bool titled = false;
    for (size_t i = 0; i < rows; i++) {
        if (!*ranking->rows[i].text || ranking->rows[i].weak || is_mentioned(ranking, i))
            continue;
        if (!titled)
            dj_document_say(page->document, DJ_TEXT_HEADING, 0, "what may help");
        titled = true;
        add_head(page, &ranking->rows[i], i + 1);
        dj_document_say(page->document, DJ_TEXT_SENTENCES, INDENT, "%s", ranking->rows[i].text);
        add_alike(page, ranking, i, rows);
    }
    add_weak(page, ranking, rows);
}
