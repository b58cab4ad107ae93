// SPDX-License-Identifier: MIT
// A source file with its costs in a margin.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "report/annotated.h"
#include "report/figure.h"
#include "report/ink.h"

enum { AROUND = 3, SHARE = 0, ACCESSES = 1, MISSES = 2 }; // misses at each cut, then the mean

typedef struct column {
    char title[24];
    unsigned width;
    bool shown;
} column;

typedef struct page {
    const dj_annotated *listing;
    const dj_annotated_file *file;
    const dj_annotated_text *text;
    const dj_report_style *style;
    FILE *out;
    column *columns;
    size_t column_count;
    unsigned number_width; // of line numbers
    bool *near;            // by line: shown with the hot ones; NULL: all are
    bool begun;            // a line was printed
    bool gap;              // lines were left out since
} page;

static const char *cell(const page *p, const dj_annotated_row *row, size_t index, char *to)
{
    const dj_attribution *a = p->listing->attribution;
    const dj_tally *tally = &row->tally;
    if (index == SHARE)
        return dj_figure_share(to, (double)row->heat, (double)p->listing->heat);
    if (index == ACCESSES)
        return dj_figure_short(to, (double)tally->accesses);
    if (index < p->column_count - 1)
        return dj_figure_short(to, dj_tally_misses(tally, a, a->cuts[index - MISSES].blocks));
    dj_moments moments = dj_tally_moments(tally, a);
    return moments.count > 0 ? dj_figure_real(to, moments.mean, 1) : "-";
}

static void title_columns(page *p)
{
    const dj_annotated *l = p->listing;
    const dj_attribution *a = l->attribution;
    snprintf(p->columns[SHARE].title, sizeof p->columns->title, "share");
    snprintf(p->columns[ACCESSES].title, sizeof p->columns->title, "accesses");
    for (size_t i = 0; i < a->cut_count; i++)
        snprintf(p->columns[MISSES + i].title, sizeof p->columns->title, "%s%.12s", i == l->cut ? "*" : "",
                 a->cuts[i].name);
    snprintf(p->columns[p->column_count - 1].title, sizeof p->columns->title, "mean dist");
}

static void fit(page *p, size_t index, unsigned *room)
{
    if (!p->columns[index].shown && p->columns[index].width + 1 <= *room) {
        p->columns[index].shown = true;
        *room -= p->columns[index].width + 1;
    }
}

// The source keeps three eighths of the width; what tells most is shown first.
static void fit_columns(page *p)
{
    size_t cut = p->listing->cut, cut_count = p->listing->attribution->cut_count;
    unsigned margin = dj_style_width(p->style) * 5 / 8, room = margin - p->number_width - 3;
    for (size_t i = 0; i < p->column_count; i++) {
        p->columns[i].width = (unsigned)strlen(p->columns[i].title);
        for (size_t k = 0; k < p->file->row_count; k++) {
            char figure[DJ_FIGURE];
            unsigned width = (unsigned)strlen(cell(p, &p->file->rows[k], i, figure));
            p->columns[i].width = width > p->columns[i].width ? width : p->columns[i].width;
        }
    }
    fit(p, SHARE, &room);
    if (cut < cut_count)
        fit(p, MISSES + cut, &room);
    fit(p, ACCESSES, &room);
    fit(p, p->column_count - 1, &room);
    for (size_t i = cut_count; i-- > 0;)
        fit(p, MISSES + i, &room);
}

// Tabs become blanks; no other control character reaches the terminal.
static void put_source(const page *p, const char *text)
{
    unsigned at = 0;
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '\t')
            do
                fputc(' ', p->out);
            while (++at % 8 != 0);
        else
            fputc(dj_is_control(*text) ? '?' : c, p->out);
        at += c != '\t' && (c & 0xc0) != 0x80; // not the rest of a character
    }
}

static void put_margin(const page *p, const dj_annotated_row *row)
{
    double share = row && p->listing->heat > 0 ? (double)row->heat / (double)p->listing->heat : 0;
    enum dj_ink ink = share >= 10 * DJ_ANNOTATED_HOT ? DJ_INK_ALARM
                      : share >= DJ_ANNOTATED_HOT    ? DJ_INK_COLD
                                                     : DJ_INK_PLAIN;
    if (row)
        dj_ink(p->out, p->style, ink);
    for (size_t i = 0; i < p->column_count; i++) {
        char figure[DJ_FIGURE];
        if (p->columns[i].shown)
            fprintf(p->out, "%*s ", (int)p->columns[i].width, row ? cell(p, row, i, figure) : "");
    }
    if (row)
        dj_ink(p->out, p->style, DJ_INK_PLAIN);
    fputs(p->style->unicode ? "│" : "|", p->out);
}

// What a line expands to: "↳ get (grid.c:5)".
static void put_inlined(const page *p, const dj_annotated_row *row)
{
    const dj_attribution *a = p->listing->attribution;
    const dj_function_row *f = &a->functions[row->inlined];
    put_margin(p, row);
    fprintf(p->out, "%*s  %s ", (int)p->number_width, "", p->style->unicode ? "↳" : "->");
    put_source(p, f->name);
    if (f->file != DJ_NOWHERE && f->line > 0)
        fprintf(p->out, " (%s:%" PRIu32 ")", dj_file_name(a->files[f->file]), f->line);
    fputc('\n', p->out);
}

// A line and the rows `first` to `end` that it has; `source` may be NULL.
static void put_line(page *p, uint32_t line, const char *source, size_t first, size_t end)
{
    const dj_annotated_row *rows = p->file->rows;
    bool own = first < end && rows[first].inlined == DJ_NOWHERE;
    if (p->gap && p->begun)
        fprintf(p->out, "%s\n", p->style->unicode ? "⋮" : "...");
    p->gap = false;
    p->begun = true;
    put_margin(p, own ? &rows[first] : NULL);
    if (line > 0)
        fprintf(p->out, "%*" PRIu32, (int)p->number_width, line);
    else
        fprintf(p->out, "%*s", (int)p->number_width, "?");
    if (source && *source) {
        fputs("  ", p->out);
        put_source(p, source);
    }
    fputc('\n', p->out);
    for (size_t i = first + own; i < end; i++)
        put_inlined(p, &rows[i]);
}

static size_t end_of_line(const page *p, size_t first)
{
    size_t end = first;
    while (end < p->file->row_count && p->file->rows[end].line == p->file->rows[first].line)
        end++;
    return end;
}

static bool any_hot(const page *p, size_t first, size_t end)
{
    bool hot = false;
    for (size_t i = first; i < end; i++)
        hot |= dj_annotated_is_hot(p->listing, p->file->rows[i].heat);
    return hot;
}

// Lines that have no text: unknown ones, and those past the end of the file.
static void put_bare(page *p, size_t first, size_t end)
{
    if (p->near && !any_hot(p, first, end)) {
        p->gap = true;
        return;
    }
    uint32_t line = p->file->rows[first].line;
    const char *note = line == 0 ? "(line unknown)" : p->text->fault ? NULL : "(past the end of the file)";
    put_line(p, line, note, first, end);
}

static void mark_near(page *p)
{
    for (size_t i = 0, end; i < p->file->row_count; i = end) {
        size_t line = p->file->rows[i].line;
        end = end_of_line(p, i);
        if (line == 0 || line > p->text->line_count || !any_hot(p, i, end))
            continue;
        size_t last = line + AROUND < p->text->line_count ? line + AROUND : p->text->line_count;
        for (size_t k = line > AROUND ? line - AROUND : 1; k <= last; k++)
            p->near[k] = true;
    }
}

static void put_lines(page *p)
{
    size_t row = 0;
    if (p->file->row_count > 0 && p->file->rows[0].line == 0) {
        row = end_of_line(p, 0);
        put_bare(p, 0, row);
    }
    for (size_t line = 1; line <= p->text->line_count; line++) {
        bool has = row < p->file->row_count && p->file->rows[row].line == line;
        size_t end = has ? end_of_line(p, row) : row;
        if (!p->near || p->near[line])
            put_line(p, (uint32_t)line, p->text->lines[line - 1], row, end);
        else
            p->gap = true;
        row = end;
    }
    for (size_t end; row < p->file->row_count; row = end) {
        end = end_of_line(p, row);
        put_bare(p, row, end);
    }
}

static void put_title(const page *p)
{
    const dj_annotated *l = p->listing;
    const dj_attribution *a = l->attribution;
    char share[DJ_FIGURE];
    dj_ink(p->out, p->style, DJ_INK_TITLE);
    fputs(a->files[p->file->file], p->out);
    dj_ink(p->out, p->style, DJ_INK_PLAIN);
    dj_figure_percent(share, (double)p->file->heat, (double)l->heat);
    if (l->cut < a->cut_count)
        fprintf(p->out, ": %s of the misses in %s (%" PRIu64 " blocks)\n", share, a->cuts[l->cut].name,
                a->cuts[l->cut].blocks);
    else
        fprintf(p->out, ": %s of the accesses\n", share);
    if (!p->text->fault && strcmp(p->text->path, a->files[p->file->file]) != 0)
        fprintf(p->out, "source: %s\n", p->text->path);
    if (!p->text->fault && !p->text->newer)
        return;
    dj_ink(p->out, p->style, DJ_INK_ALARM);
    if (p->text->fault)
        fprintf(p->out, "NO SOURCE %s: %s; name its folder with --source\n", p->text->path, p->text->fault);
    else
        fprintf(p->out, "CHANGED %s is newer than the profile: lines may have moved\n", p->text->path);
    dj_ink(p->out, p->style, DJ_INK_PLAIN);
}

static void put_head(const page *p)
{
    dj_ink(p->out, p->style, DJ_INK_FAINT);
    for (size_t i = 0; i < p->column_count; i++)
        if (p->columns[i].shown)
            fprintf(p->out, "%*s ", (int)p->columns[i].width, p->columns[i].title);
    fprintf(p->out, "%s%*s\n", p->style->unicode ? "│" : "|", (int)p->number_width, "line");
    dj_ink(p->out, p->style, DJ_INK_PLAIN);
}

static unsigned digits(uint64_t value)
{
    char text[24];
    return (unsigned)snprintf(text, sizeof text, "%" PRIu64, value);
}

int dj_annotated_print(dj_context *context, const dj_annotated *listing, const dj_annotated_file *file,
                       const dj_annotated_text *text, bool only_hot, const dj_report_style *style, FILE *out)
{
    page p = {.listing = listing,
              .file = file,
              .text = text,
              .style = style,
              .out = out,
              .column_count = MISSES + listing->attribution->cut_count + 1};
    uint32_t last = file->row_count > 0 ? file->rows[file->row_count - 1].line : 0;
    unsigned wide = digits(last > text->line_count ? last : text->line_count);
    p.number_width = wide > 5 ? wide : 5;
    p.columns = calloc(p.column_count, sizeof *p.columns);
    p.near = only_hot ? calloc(text->line_count + 1, sizeof *p.near) : NULL;
    int err = DJ_OK;
    if (p.columns && (p.near || !only_hot)) {
        title_columns(&p);
        fit_columns(&p);
        if (only_hot)
            mark_near(&p);
        put_title(&p);
        put_head(&p);
        put_lines(&p);
    } else {
        err = dj_fail_memory(context, "a listing", text->line_count);
    }
    free(p.columns);
    free(p.near);
    return err;
}
