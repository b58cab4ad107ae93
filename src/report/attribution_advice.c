// SPDX-License-Identifier: MIT
// Advice: first a line for each of the best pieces, after the verdict; on request all of them with their
// evidence and what they would save.
#include <string.h>

#include "base/human.h"
#include "report/attribution.h"

enum { INDENT = 5, FIRST_MOST = 3 };

// Without the function, so that it fits on a line.
static const char *name_where(dj_document *document, const dj_advice_item *item)
{
    const char *function = strstr(item->where, " in ");
    const size_t length = function ? (size_t)(function - item->where) : strlen(item->where);
    return length > 0 ? dj_document_format(document, " at %.*s", (int)length, item->where) : "";
}

// "would save 70% of L2 misses"; what saves none may hide them.
static const char *name_saving(const dj_attribution_page *page, const dj_advice_item *item)
{
    char share[DJ_HUMAN_BYTES];
    const bool saves = item->saved > 0;
    dj_human_share(share, saves ? item->saved : item->share, 1);
    return dj_document_format(page->document, "would %s %s%s of %s misses", saves ? "save" : "hide",
                              page->profile->provenance.exact ? "" : "about ", share,
                              page->a->cuts[item->cut].name);
}

// "1. would save 66% of L2 misses: tile at solve.c:9-20, a[*], col[*]". What is cut is the end of the
// data.
static void add_head(const dj_attribution_page *page, const dj_advice_item *item, size_t number)
{
    dj_document *document = page->document;
    dj_text *head =
        &dj_document_say(document, DJ_TEXT_ITEM, 2, "%zu. %s: ", number, name_saving(page, item))->text;
    dj_text_add(document, head, DJ_STYLE_MARK, DJ_FIT_WHOLE, "%s", item->kind);
    dj_text_add(document, head, DJ_STYLE_PLAIN, DJ_FIT_WHOLE, "%s, ", name_where(document, item));
    dj_text_add(document, head, DJ_STYLE_STRONG, DJ_FIT_END, "%s", item->data);
}

static bool has_caches(const dj_attribution_page *page)
{
    return page->a->cut_count > 0;
}

void dj_add_best_advice(const dj_attribution_page *page, const dj_advice_list *list)
{
    for (size_t i = 0; has_caches(page) && i < list->count && i < FIRST_MOST; i++)
        add_head(page, &list->items[i], i + 1);
}

static void add_evidence(const dj_attribution_page *page, const char *lines)
{
    dj_text *text = &dj_document_say(page->document, DJ_TEXT_SENTENCES, INDENT, "evidence: ")->text;
    for (bool first = true; *lines; first = false) {
        const size_t length = strcspn(lines, "\n");
        dj_text_add(page->document, text, DJ_STYLE_PLAIN, DJ_FIT_WHOLE, "%s%.*s", first ? "" : "; ",
                    (int)length, lines);
        lines += length + (lines[length] ? 1 : 0);
    }
}

static void add_saves(const dj_attribution_page *page, const dj_reuses *reuses, const dj_advice_item *item)
{
    char count[DJ_HUMAN_BYTES], share[DJ_HUMAN_BYTES];
    dj_text *text =
        &dj_document_say(page->document, DJ_TEXT_SENTENCES, INDENT, "predicted saving of misses:")->text;
    // Conflicts are no part of the misses of a fully associative cache.
    for (size_t i = 0; i < page->a->cut_count; i++) {
        const uint64_t all = reuses->all_misses[i];
        dj_text_add(page->document, text, DJ_STYLE_PLAIN, DJ_FIT_WHOLE, "%s %s %s", i > 0 ? "," : "",
                    page->a->cuts[i].name, dj_human_short(count, (double)item->saves[i]));
        if (item->saves[i] <= all)
            dj_text_add(page->document, text, DJ_STYLE_PLAIN, DJ_FIT_WHOLE, " (%s)",
                        dj_human_share(share, (double)item->saves[i], (double)all));
    }
}

void dj_add_advice(const dj_attribution_page *page, const dj_reuses *reuses, const dj_advice_list *list,
                   size_t top)
{
    if (!has_caches(page) || list->count == 0)
        return;
    dj_node *heading = dj_document_say(page->document, DJ_TEXT_HEADING, 0, "advice");
    dj_text_add(page->document, &heading->text, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
                "  what may help, its evidence, and what it would save");
    for (size_t i = 0; i < list->count && i < top; i++) {
        const dj_advice_item *item = &list->items[i];
        add_head(page, item, i + 1);
        dj_document_say(page->document, DJ_TEXT_SENTENCES, INDENT, "%s", item->text);
        add_evidence(page, item->evidence);
        add_saves(page, reuses, item);
    }
}
