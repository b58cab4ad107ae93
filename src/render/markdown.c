// SPDX-License-Identifier: MIT
// Documents as Markdown in GitHub's dialect: the conclusion first, then facts and tables; details are
// collapsed, and provenance comes last.
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"
#include "render/render.h"
#include "render/table.h"
#include "render/text.h"

typedef struct sheet {
    FILE *out;
    const dj_render_options *options;
    dj_arena arena;
    bool folded;  // within <details>
    bool items;   // within a list
    bool at_once; // several titles: the provenance is below each
    bool failed;
} sheet;

// Names are written as code, in which nothing is markup, no name a mention and no address a link.
static void put_code(sheet *s, const char *text)
{
    const char *plain = dj_plain(&s->arena, text + strspn(text, " "), true);
    size_t longest = 0, run = 0;
    for (const char *at = plain; *at; at++) {
        run = *at == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    if (!*plain)
        return;
    for (size_t i = 0; i <= longest; i++)
        fputc('`', s->out);
    fputs(longest ? " " : "", s->out);
    for (; *plain; plain++)
        fputs(*plain == '|' ? "\\|" : (char[]){*plain, 0}, s->out);
    fputs(longest ? " " : "", s->out);
    for (size_t i = 0; i <= longest; i++)
        fputc('`', s->out);
}

// Escapes markup, and what GitHub would turn into a mention or a link.
static void put_text(sheet *s, const char *text)
{
    const char *plain = dj_plain(&s->arena, text, true);
    for (const char *at = plain; *at; at++) {
        bool word = at > plain && dj_plain_is_word(at[-1]) && dj_plain_is_word(at[1]);
        if (*at == '<' || *at == '>' || *at == '&')
            fputs(*at == '<' ? "&lt;" : *at == '>' ? "&gt;" : "&amp;", s->out);
        else if (strchr("\\`*[]|~#!$", *at) || (*at == '_' && !word))
            fprintf(s->out, "\\%c", *at);
        else if (*at == '@')
            fputs("`@`", s->out);
        else if ((*at == ':' && strncmp(at, "://", 3) == 0) ||
                 (*at == '.' && at >= plain + 3 && strncasecmp(at - 3, "www", 3) == 0))
            fputs(*at == ':' ? "&#58;" : "&#46;", s->out);
        else
            fputc(*at, s->out);
    }
}

static void put_part(sheet *s, const dj_text_part *part)
{
    bool strong =
        part->style == DJ_STYLE_STRONG || part->style == DJ_STYLE_ALARM || part->style == DJ_STYLE_MARK;
    size_t lead = strspn(part->text, " "), length = strlen(part->text);
    size_t tail = 0;
    while (tail + lead < length && part->text[length - tail - 1] == ' ')
        tail++;
    char *inner = strndup(part->text + lead, length - lead - tail);
    if (!inner) {
        s->failed = true;
        return;
    }
    fputs(lead ? " " : "", s->out);
    fputs(strong && *inner ? "**" : "", s->out);
    if (part->fit != DJ_FIT_WHOLE && part->style != DJ_STYLE_PLAIN)
        put_code(s, inner);
    else
        put_text(s, inner);
    fputs(strong && *inner ? "**" : "", s->out);
    fputs(tail ? " " : "", s->out);
    free(inner);
}

static void put_parts(sheet *s, const dj_text *text)
{
    for (size_t i = 0; i < text->part_count; i++)
        put_part(s, &text->parts[i]);
}

static void end_items(sheet *s)
{
    fputs(s->items ? "\n" : "", s->out);
    s->items = false;
}

static void put_small(sheet *s, const dj_text *text)
{
    fputs("<sub>", s->out);
    for (size_t i = 0; i < text->part_count; i++)
        put_text(s, text->parts[i].text);
    fputs("</sub>\n\n", s->out);
}

static void put_node_text(sheet *s, const dj_text *text)
{
    if (text->part_count == 0)
        return;
    bool of_item = s->items && text->role == DJ_TEXT_SENTENCES;
    if (!of_item && text->role != DJ_TEXT_ITEM)
        end_items(s);
    switch ((enum dj_text_role)text->role) {
    case DJ_TEXT_TITLE:
    case DJ_TEXT_HEADING:
        fputs(text->role == DJ_TEXT_TITLE ? "### " : "#### ", s->out);
        put_text(s, text->parts[0].text);
        for (size_t i = 1; i < text->part_count; i++)
            put_part(s, &text->parts[i]);
        fputs("\n\n", s->out);
        break;
    case DJ_TEXT_PROVENANCE:
    case DJ_TEXT_COMMAND:
    case DJ_TEXT_LEGEND:
        put_small(s, text);
        break;
    case DJ_TEXT_ALARM:
        fputs("> ", s->out);
        put_parts(s, text);
        fputs("\n\n", s->out);
        break;
    case DJ_TEXT_ITEM:
        fputs("- ", s->out);
        put_parts(s, text);
        fputs("\n", s->out);
        s->items = true;
        break;
    case DJ_TEXT_SENTENCES:
    case DJ_TEXT_LINE:
        // At the start of a line these would start a list or underline a heading.
        fputs(of_item ? "  <br>" : strchr("+-=", *text->parts[0].text) ? "\\" : "", s->out);
        put_parts(s, text);
        fputs(of_item ? "\n" : "\n\n", s->out);
        break;
    }
}

static void put_facts(sheet *s, const dj_facts *facts)
{
    fputs("| | | |\n|:--|--:|:--|\n", s->out);
    for (size_t i = 0; i < facts->count; i++) {
        const dj_fact *fact = &facts->list[i];
        const char *name = fact->name + strspn(fact->name, " ");
        fputs(name > fact->name ? "| &emsp;" : "| ", s->out);
        put_text(s, name);
        fputs(" | ", s->out);
        put_text(s, dj_datum_show(&s->arena, &fact->value, true));
        fputs(" | ", s->out);
        put_text(s, fact->note);
        fputs(" |\n", s->out);
    }
    fputs("\n", s->out);
}

// The first column, with the notes of the row.
static void put_name(sheet *s, const dj_sheet_row *row, const dj_datum *cell)
{
    for (unsigned i = 0; i < row->depth; i++)
        fputs("&emsp;", s->out);
    if (cell->kind == DJ_DATUM_TEXT)
        put_code(s, cell->text);
    else
        put_text(s, dj_datum_show(&s->arena, cell, true));
    for (size_t i = 0; i < row->note_count; i++) {
        fputs("<br>", s->out);
        put_parts(s, &row->notes[i]);
    }
}

static bool has_titles(const dj_sheet *table)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].title && *table->columns[i].title)
            return true;
    return false;
}

// Returns the first shown column.
static size_t put_head(sheet *s, const dj_sheet *table)
{
    size_t first = 0;
    while (first < table->column_count && !dj_column_is_shown(&table->columns[first]))
        first++;
    bool titled = has_titles(table),
         own = !titled || (first < table->column_count && *table->columns[first].title);
    if (own && *table->title && !s->folded) {
        fputs("#### ", s->out);
        put_text(s, table->title);
        fputs("\n\n", s->out);
    }
    for (size_t i = first; i < table->column_count; i++) {
        const dj_sheet_column *column = &table->columns[i];
        if (!dj_column_is_shown(column))
            continue;
        fputs("| ", s->out);
        put_text(s, i == first && !own ? table->title
                    : titled           ? column->title
                    : column->name     ? column->name
                                       : "");
        fputs(" ", s->out);
    }
    fputs("|\n", s->out);
    return first;
}

static void put_table(sheet *s, const dj_sheet *table)
{
    dj_datum *made = dj_arena_alloc(&s->arena, table->column_count + 1, sizeof *made);
    size_t first = made ? put_head(s, table) : table->column_count;
    for (size_t i = first; i < table->column_count; i++)
        if (dj_column_is_shown(&table->columns[i]))
            fputs(i == first || table->columns[i].left ? "|:--" : "|--:", s->out);
    fputs("|\n", s->out);
    for (size_t r = 0; made && r < table->row_count; r++) {
        dj_sheet_row row = dj_sheet_get(table, r, made);
        for (size_t i = first; !row.hidden && i < table->column_count; i++) {
            if (!dj_column_is_shown(&table->columns[i]))
                continue;
            fputs("| ", s->out);
            if (i == first)
                put_name(s, &row, &row.cells[i]);
            else
                put_text(s, dj_datum_show(&s->arena, &row.cells[i], true));
            fputs(" ", s->out);
        }
        fputs(row.hidden ? "" : "|\n", s->out);
    }
    fputs("\n", s->out);
    if (table->rest) {
        put_text(s, table->rest);
        fputs("\n\n", s->out);
    }
}

// Drawn as in a terminal, between fences longer than any inside.
static void put_drawing(sheet *s, const dj_node *node)
{
    size_t bytes = 0, longest = 2, run = 0;
    dj_text_stream to;
    if (!dj_text_stream_open(&to)) {
        s->failed = true;
        return;
    }
    dj_page page = {.out = to.file, .width = dj_render_width(s->options), .unicode = true};
    dj_page_node(&page, node);
    bool whole = dj_page_free(&page);
    char *drawn = dj_text_stream_close(&to, &bytes);
    s->failed |= !whole || !drawn;
    for (size_t i = 0; drawn && i < bytes; i++) {
        run = drawn[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (unsigned side = 0; side < 2; side++) {
        for (size_t i = 0; i <= longest; i++)
            fputc('`', s->out);
        fputs(side == 0 ? "text\n" : "\n\n", s->out);
        if (side == 0 && drawn)
            fwrite(drawn, 1, bytes, s->out);
    }
    free(drawn);
}

static void put_node(sheet *s, const dj_node *node)
{
    if (node->kind != DJ_NODE_TEXT)
        end_items(s);
    if (node->kind == DJ_NODE_TEXT)
        put_node_text(s, &node->text);
    else if (node->kind == DJ_NODE_FACTS)
        put_facts(s, &node->facts);
    else if (node->kind == DJ_NODE_TABLE)
        put_table(s, &node->table);
    else
        put_drawing(s, node);
    dj_arena_free(&s->arena);
}

static const char *title_of(const dj_node *node)
{
    return node->kind == DJ_NODE_TABLE   ? node->table.title
           : node->kind == DJ_NODE_CHART ? node->chart.title
           : node->kind == DJ_NODE_BARS  ? node->bars.title
           : node->kind == DJ_NODE_HEAT  ? node->heat.title
                                         : NULL;
}

// A detail with a title is collapsed under it, with what follows.
static void fold(sheet *s, const dj_node *node)
{
    const char *title = node->detail ? title_of(node) : NULL;
    if (s->folded && (title || !node->detail)) {
        fputs("</details>\n\n", s->out);
        s->folded = false;
    }
    if (!title)
        return;
    end_items(s);
    fputs("<details><summary>", s->out);
    put_text(s, title);
    fputs("</summary>\n\n", s->out);
    s->folded = true;
}

static bool is_provenance(const dj_node *node)
{
    return node->kind == DJ_NODE_TEXT &&
           (node->text.role == DJ_TEXT_PROVENANCE || node->text.role == DJ_TEXT_COMMAND);
}

static void put_provenance(sheet *s, const dj_document *document)
{
    bool any = false;
    for (size_t i = 0; i < document->count; i++) {
        if (!is_provenance(document->nodes[i]))
            continue;
        fputs(any ? "<br>" : "<sub>", s->out);
        for (size_t k = 0; k < document->nodes[i]->text.part_count; k++)
            put_text(s, document->nodes[i]->text.parts[k].text);
        any = true;
    }
    fputs(any ? "</sub>\n" : "", s->out);
}

int dj_render_markdown(dj_context *context, const dj_document *document, const dj_render_options *options,
                       FILE *out)
{
    sheet s = {.out = out, .options = options};
    size_t titles = 0;
    for (size_t i = 0; i < document->count; i++)
        titles += document->nodes[i]->kind == DJ_NODE_TEXT && document->nodes[i]->text.role == DJ_TEXT_TITLE;
    s.at_once = titles > 1;
    if (document->summary) {
        fputs("**", out);
        put_text(&s, document->summary);
        fputs("**\n\n", out);
    }
    for (size_t i = 0; i < document->count; i++) {
        const dj_node *node = document->nodes[i];
        if (node->hidden || (!s.at_once && is_provenance(node)))
            continue;
        fold(&s, node);
        put_node(&s, node);
    }
    end_items(&s);
    fputs(s.folded ? "</details>\n\n" : "", out);
    if (!s.at_once)
        put_provenance(&s, document);
    dj_arena_free(&s.arena);
    return s.failed || s.arena.failed ? dj_fail_memory(context, "a page", 0) : DJ_OK;
}
