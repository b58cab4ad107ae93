// SPDX-License-Identifier: MIT
// Documents for terminals: sentences and facts, and the page that everything is written to.
#include "render/text.h"

#include <stdlib.h>
#include <string.h>

#include "render/render.h"

static void put_bytes(dj_page *page, const char *bytes, size_t count)
{
    if (count == 0) // the line may not be allocated yet
        return;
    if (page->used + count > page->capacity) {
        size_t capacity = 2 * (page->used + count) + 256;
        char *grown = realloc(page->line, capacity);
        if (!grown) {
            page->failed = true;
            return;
        }
        page->line = grown;
        page->capacity = capacity;
    }
    memcpy(page->line + page->used, bytes, count);
    page->used += count;
}

void dj_page_put(dj_page *page, const char *plain)
{
    put_bytes(page, plain, strlen(plain));
    page->columns += dj_plain_columns(plain);
}

void dj_page_pad(dj_page *page, unsigned columns)
{
    for (; columns > 0; columns--)
        dj_page_put(page, " ");
}

void dj_page_cell(dj_page *page, const char *plain, unsigned width, bool left)
{
    unsigned columns = dj_plain_columns(plain), pad = width > columns ? width - columns : 0;
    dj_page_pad(page, left ? 0 : pad);
    dj_page_put(page, plain);
    dj_page_pad(page, left ? pad : 0);
}

void dj_page_ink(dj_page *page, enum dj_style style)
{
    static const char *const escapes[] = {
        [DJ_STYLE_PLAIN] = "\033[0m",    [DJ_STYLE_STRONG] = "\033[1m", [DJ_STYLE_FAINT] = "\033[2m",
        [DJ_STYLE_ALARM] = "\033[1;31m", [DJ_STYLE_WARM] = "\033[33m",  [DJ_STYLE_MARK] = "\033[35m"};
    if (page->color)
        put_bytes(page, escapes[style], strlen(escapes[style]));
}

void dj_page_ink_series(dj_page *page, size_t series)
{
    static const char *const escapes[] = {"\033[36m", "\033[33m", "\033[32m",
                                          "\033[35m", "\033[31m", "\033[34m"};
    if (page->color)
        put_bytes(page, escapes[series % 6], 5);
}

void dj_page_end(dj_page *page)
{
    while (page->used > 0 && page->line[page->used - 1] == ' ')
        page->used--;
    if (page->used > 0)
        fwrite(page->line, 1, page->used, page->out);
    fputc('\n', page->out);
    page->used = page->columns = 0;
}

bool dj_page_free(dj_page *page)
{
    if (page->used > 0)
        fwrite(page->line, 1, page->used, page->out); // an escape that ends a colour
    free(page->line);
    dj_arena_free(&page->arena);
    return !page->failed && !page->arena.failed;
}

const char *dj_page_plain(dj_page *page, const char *text)
{
    return dj_plain(&page->arena, text, page->unicode);
}

const char *dj_page_fit(dj_page *page, const char *plain, unsigned columns, enum dj_fit fit)
{
    return dj_plain_fit(&page->arena, plain, columns, fit, page->unicode);
}

void dj_page_words(dj_page *page, const char *plain, unsigned indent, unsigned width)
{
    unsigned space = width > indent + 10 ? width - indent : 10;
    while (*plain) {
        size_t blanks = strspn(plain, " \n"), bytes = strcspn(plain + blanks, " \n");
        const char *word = dj_arena_copy(&page->arena, plain + blanks, bytes);
        word = word ? dj_page_fit(page, word, space, DJ_FIT_MIDDLE) : "";
        unsigned columns = dj_plain_columns(word);
        bool begun = page->columns > indent;
        if (begun && page->columns + (blanks > 0) + columns > indent + space) {
            dj_page_end(page);
            dj_page_pad(page, indent);
        } else if (begun && blanks > 0) {
            dj_page_put(page, " ");
        }
        dj_page_put(page, word);
        plain += blanks + bytes;
    }
}

void dj_page_wrap(dj_page *page, const char *plain, unsigned indent, unsigned width)
{
    dj_page_words(page, plain, indent, width);
    dj_page_end(page);
}

// The maximum width of each part that may be shortened: parts that need less leave the rest to the others.
static unsigned fair_share(const char *const *plain, const dj_text *text, unsigned space)
{
    unsigned share = 0;
    for (unsigned next = 1; next > share;) {
        unsigned left = space, open = 0;
        share = next;
        for (size_t i = 0; i < text->part_count; i++) {
            unsigned wanted = text->parts[i].fit != DJ_FIT_WHOLE ? dj_plain_columns(plain[i]) : 0;
            open += wanted > share;
            left -= wanted > share ? 0 : wanted;
        }
        next = open ? left / open : share;
    }
    return share;
}

static void put_line(dj_page *page, const dj_text *text)
{
    const char **plain = dj_arena_alloc(&page->arena, text->part_count, sizeof *plain);
    unsigned fixed = text->indent;
    for (size_t i = 0; plain && i < text->part_count; i++) {
        plain[i] = dj_page_plain(page, text->parts[i].text);
        fixed += text->parts[i].fit == DJ_FIT_WHOLE ? dj_plain_columns(plain[i]) : 0;
    }
    unsigned share = plain ? fair_share(plain, text, page->width > fixed + 10 ? page->width - fixed : 10) : 0;
    dj_page_pad(page, text->indent);
    for (size_t i = 0; plain && i < text->part_count; i++) {
        const dj_text_part *part = &text->parts[i];
        if (part->style != DJ_STYLE_PLAIN)
            dj_page_ink(page, part->style);
        dj_page_put(page,
                    part->fit == DJ_FIT_WHOLE ? plain[i] : dj_page_fit(page, plain[i], share, part->fit));
        if (part->style != DJ_STYLE_PLAIN)
            dj_page_ink(page, DJ_STYLE_PLAIN);
    }
    dj_page_end(page);
}

// Whether what must not be shortened exceeds the line. A command stays on one line, so that it can be copied.
static bool is_too_long(dj_page *page, const dj_text *text)
{
    enum { SHORTENED_LEAST = 10 };
    unsigned fixed = text->indent;
    for (size_t i = 0; i < text->part_count; i++)
        fixed += text->parts[i].fit == DJ_FIT_WHOLE
                     ? dj_plain_columns(dj_page_plain(page, text->parts[i].text))
                     : SHORTENED_LEAST;
    return text->role != DJ_TEXT_COMMAND && fixed > page->width;
}

static bool wraps(dj_page *page, const dj_text *text)
{
    if (is_too_long(page, text))
        return true;
    return text->role == DJ_TEXT_SENTENCES || text->role == DJ_TEXT_LEGEND || text->role == DJ_TEXT_ALARM ||
           text->role == DJ_TEXT_PROVENANCE;
}

void dj_page_text(dj_page *page, const dj_text *text)
{
    unsigned width = page->width < DJ_SENTENCE_MOST ? page->width : DJ_SENTENCE_MOST;
    if (text->part_count == 0)
        return;
    if (!wraps(page, text)) {
        put_line(page, text);
        return;
    }
    dj_page_pad(page, text->indent);
    for (size_t i = 0; i < text->part_count; i++) {
        bool inked = text->parts[i].style != DJ_STYLE_PLAIN;
        if (inked)
            dj_page_ink(page, text->parts[i].style);
        dj_page_words(page, dj_page_plain(page, text->parts[i].text), text->indent, width);
        if (inked)
            dj_page_ink(page, DJ_STYLE_PLAIN);
    }
    dj_page_end(page);
}

void dj_page_heading(dj_page *page, const char *title, const char *subtitle)
{
    dj_text_part parts[] = {{title, DJ_STYLE_STRONG, DJ_FIT_MIDDLE},
                            {"  ", DJ_STYLE_PLAIN, DJ_FIT_WHOLE},
                            {subtitle, DJ_STYLE_FAINT, DJ_FIT_END}};
    put_line(page, &(dj_text){.role = DJ_TEXT_HEADING, .parts = parts, .part_count = 3});
}

void dj_page_facts(dj_page *page, const dj_facts *facts)
{
    enum { INDENT = 2, NAME = 16, VALUE = 18, VALUE_LEAST = 14 };
    unsigned name_width = facts->width ? facts->width : NAME, value_width = VALUE;
    if (INDENT + name_width + 1 + VALUE > page->width) {
        value_width = VALUE_LEAST;
        name_width = page->width - INDENT - 1 - VALUE_LEAST;
    }
    for (size_t i = 0; i < facts->count; i++) {
        const dj_fact *fact = &facts->list[i];
        const char *value = dj_datum_show(&page->arena, &fact->value, page->unicode);
        dj_page_pad(page, INDENT);
        dj_page_cell(page, dj_page_fit(page, dj_page_plain(page, fact->name), name_width, DJ_FIT_MIDDLE),
                     name_width + 1, true);
        if (fact->value.kind == DJ_DATUM_TEXT) {
            dj_page_wrap(page, value, INDENT + name_width + 1, page->width);
            continue;
        }
        dj_page_cell(page, value, value_width, false);
        if (*fact->note)
            dj_page_put(page, "   ");
        dj_page_wrap(page, dj_page_plain(page, fact->note), page->columns, page->width);
    }
}

void dj_page_node(dj_page *page, const dj_node *node)
{
    switch ((enum dj_node_kind)node->kind) {
    case DJ_NODE_TEXT:
        dj_page_text(page, &node->text);
        break;
    case DJ_NODE_FACTS:
        dj_page_facts(page, &node->facts);
        break;
    case DJ_NODE_TABLE:
        dj_page_table(page, &node->table);
        break;
    case DJ_NODE_SOURCE:
        dj_page_source(page, &node->table);
        break;
    case DJ_NODE_CHART:
        dj_page_chart(page, &node->chart);
        break;
    case DJ_NODE_BARS:
        dj_page_bars(page, &node->bars);
        break;
    case DJ_NODE_HEAT:
        dj_page_heat(page, &node->heat);
        break;
    }
    dj_arena_free(&page->arena);
}

static bool is_title(const dj_node *node)
{
    return node->kind == DJ_NODE_TEXT &&
           (node->text.role == DJ_TEXT_TITLE || node->text.role == DJ_TEXT_PROVENANCE ||
            node->text.role == DJ_TEXT_COMMAND || node->text.role == DJ_TEXT_ALARM);
}

// The verdict follows the title, between empty lines.
static void put_summary(dj_page *page, const char *summary, bool begun)
{
    unsigned width = page->width < DJ_SENTENCE_MOST ? page->width : DJ_SENTENCE_MOST;
    if (begun)
        dj_page_end(page);
    dj_page_ink(page, DJ_STYLE_STRONG);
    dj_page_words(page, dj_page_plain(page, summary), 0, width);
    dj_page_ink(page, DJ_STYLE_PLAIN);
    dj_page_end(page);
    dj_arena_free(&page->arena);
}

int dj_render_text(dj_context *context, const dj_document *document, const dj_render_options *options,
                   FILE *out)
{
    dj_page page = {
        .out = out, .width = dj_render_width(options), .unicode = options->unicode, .color = options->color};
    const char *summary = document->summary;
    bool begun = false;
    for (size_t i = 0; i < document->count; i++) {
        const dj_node *node = document->nodes[i];
        if (node->hidden || node->detail)
            continue;
        const bool now = summary && !is_title(node);
        if (now)
            put_summary(&page, summary, begun);
        if (now || (node->gap && begun))
            dj_page_end(&page);
        summary = now ? NULL : summary;
        dj_page_node(&page, node);
        begun = true;
    }
    if (summary)
        put_summary(&page, summary, begun);
    return dj_page_free(&page) ? DJ_OK : dj_fail_memory(context, "a page", 0);
}
