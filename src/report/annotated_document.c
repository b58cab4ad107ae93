// SPDX-License-Identifier: MIT
// Source files with costs in the margin.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/human.h"
#include "report/listing.h"
#include "report/parts.h"

enum { AROUND = 3, RANK_CUT = 1, RANK_ACCESSES, RANK_MEAN, RANK_FURTHER };

typedef struct page {
    const dj_profile *profile;
    const dj_annotated *listing;
    const dj_annotated_file *file;
    const dj_annotated_text *text;
    dj_document *document;
    dj_sheet *table;
    bool *near; // by line: shown with the hot ones; NULL: all are
    bool begun; // a line was added
    bool gap;   // lines were left out since
} page;

static void add_columns(const page *p)
{
    const dj_annotated *l = p->listing;
    const dj_attribution *a = l->attribution;
    dj_sheet_add_column(p->table, (dj_sheet_column){.name = "file"});
    dj_sheet_add_column(p->table, (dj_sheet_column){.name = "inlined"});
    dj_sheet_add_column(p->table, (dj_sheet_column){.title = "share", .name = "share"});
    dj_sheet_add_column(p->table,
                        (dj_sheet_column){.title = "accesses", .name = "accesses", .rank = RANK_ACCESSES});
    for (size_t i = 0; i < a->cut_count; i++)
        dj_sheet_add_column(
            p->table,
            (dj_sheet_column){
                .title = dj_document_format(p->document, "%s%s", i == l->cut ? "*" : "", a->cuts[i].name),
                .name = dj_document_format(p->document, "misses_%s", a->cuts[i].name),
                .rank = i == l->cut ? RANK_CUT : RANK_FURTHER + (unsigned)(a->cut_count - i)});
    dj_sheet_add_column(p->table,
                        (dj_sheet_column){.title = "mean dist", .name = "mean_distance", .rank = RANK_MEAN});
    dj_sheet_add_column(p->table, (dj_sheet_column){.title = "line", .name = "line"});
    dj_sheet_add_column(p->table, (dj_sheet_column){.title = "", .name = "text"});
}

static dj_datum real_if(bool known, double value)
{
    return known ? dj_datum_real(DJ_DATUM_REAL, value, 1) : dj_datum_none("-");
}

// A row with the costs of `from`, or without any; `line` 0: unknown, or of inlined code.
static void add_row(const page *p, const dj_annotated_row *from, const char *inlined, dj_datum line,
                    const char *text)
{
    const dj_attribution *a = p->listing->attribution;
    dj_sheet_row *row = dj_sheet_add_row(p->table);
    dj_row_put(p->table, row, dj_datum_text(a->files[p->file->file]));
    dj_row_put(p->table, row, inlined ? dj_datum_text(inlined) : dj_datum_none(""));
    if (from) {
        double share = p->listing->heat > 0 ? (double)from->heat / (double)p->listing->heat : 0;
        row->style = share >= 10 * DJ_ANNOTATED_HOT ? DJ_STYLE_ALARM
                     : share >= DJ_ANNOTATED_HOT    ? DJ_STYLE_WARM
                                                    : DJ_STYLE_PLAIN;
        dj_moments moments = dj_tally_moments(&from->tally, a);
        dj_row_put(p->table, row,
                   dj_datum_part(DJ_DATUM_SHARE, (double)from->heat, (double)p->listing->heat));
        dj_row_put(p->table, row, dj_datum_whole(DJ_DATUM_SHORT, from->tally.accesses));
        for (size_t i = 0; i < a->cut_count; i++)
            dj_row_put(
                p->table, row,
                dj_datum_real(DJ_DATUM_SHORT_REAL, dj_tally_misses(&from->tally, a, a->cuts[i].blocks), 0));
        dj_row_put(p->table, row, real_if(moments.count > 0, moments.mean));
    }
    while (row->used > 0 && row->used + 2 < p->table->column_count)
        dj_row_put(p->table, row, dj_datum_none(""));
    dj_row_put(p->table, row, line);
    dj_row_put(p->table, row, dj_datum_text(text ? text : ""));
}

// What a line expands to: "↳ get (grid.c:5)".
static void add_inlined(const page *p, const dj_annotated_row *row)
{
    const dj_attribution *a = p->listing->attribution;
    const dj_function_row *f = &a->functions[row->inlined];
    const char *text = f->file != DJ_NOWHERE && f->line > 0
                           ? dj_document_format(p->document, "↳ %s (%s:%" PRIu32 ")", f->name,
                                                dj_file_name(a->files[f->file]), f->line)
                           : dj_document_format(p->document, "↳ %s", f->name);
    add_row(p, row, f->name, dj_datum_none(""), text);
}

// A line and the rows `first` to `end` that it has; `source` may be NULL.
static void add_line(page *p, uint32_t line, const char *source, size_t first, size_t end)
{
    const dj_annotated_row *rows = p->file->rows;
    bool own = first < end && rows[first].inlined == DJ_NOWHERE;
    if (p->gap && p->begun)
        (void)dj_sheet_add_row(p->table);
    p->gap = false;
    p->begun = true;
    add_row(p, own ? &rows[first] : NULL, NULL,
            line > 0 ? dj_datum_whole(DJ_DATUM_NUMBER, line) : dj_datum_none("?"), source);
    for (size_t i = first + own; i < end; i++)
        add_inlined(p, &rows[i]);
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
static void add_bare(page *p, size_t first, size_t end)
{
    if (p->near && !any_hot(p, first, end)) {
        p->gap = true;
        return;
    }
    uint32_t line = p->file->rows[first].line;
    const char *note = line == 0 ? "(line unknown)" : p->text->fault ? NULL : "(past the end of the file)";
    add_line(p, line, note, first, end);
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

static void add_lines(page *p)
{
    size_t row = 0;
    if (p->file->row_count > 0 && p->file->rows[0].line == 0) {
        row = end_of_line(p, 0);
        add_bare(p, 0, row);
    }
    for (size_t line = 1; line <= p->text->line_count; line++) {
        bool has = row < p->file->row_count && p->file->rows[row].line == line;
        size_t end = has ? end_of_line(p, row) : row;
        if (!p->near || p->near[line])
            add_line(p, (uint32_t)line, p->text->lines[line - 1], row, end);
        else
            p->gap = true;
        row = end;
    }
    for (size_t end; row < p->file->row_count; row = end) {
        end = end_of_line(p, row);
        add_bare(p, row, end);
    }
}

static void add_title(const page *p, bool first)
{
    const dj_annotated *l = p->listing;
    const dj_attribution *a = l->attribution;
    char share[DJ_HUMAN_BYTES];
    dj_node *title = dj_document_say(p->document, first ? DJ_TEXT_TITLE : DJ_TEXT_HEADING, 0, "%s",
                                     a->files[p->file->file]);
    dj_human_percent(share, (double)p->file->heat, (double)l->heat);
    if (l->cut < a->cut_count)
        dj_text_add(p->document, &title->text, DJ_STYLE_PLAIN, DJ_FIT_WHOLE,
                    ": %s of the misses in %s (%" PRIu64 " blocks)", share, a->cuts[l->cut].name,
                    a->cuts[l->cut].blocks);
    else
        dj_text_add(p->document, &title->text, DJ_STYLE_PLAIN, DJ_FIT_WHOLE, ": %s of the accesses", share);
    if (!p->text->fault && strcmp(p->text->path, a->files[p->file->file]) != 0)
        dj_text_add(p->document, &dj_document_say(p->document, DJ_TEXT_LINE, 0, "%s", "")->text,
                    DJ_STYLE_PLAIN, DJ_FIT_WHOLE, "source: %s", p->text->path);
    if (p->text->fault)
        dj_document_say(p->document, DJ_TEXT_ALARM, 0, "NO SOURCE %s: %s%s", p->text->path, p->text->fault,
                        p->text->unfit ? "" : "; pass its folder with --source");
    else if (p->text->newer)
        dj_document_say(p->document, DJ_TEXT_ALARM, 0,
                        "CHANGED %s is newer than the profile: lines may have moved", p->text->path);
}

static int add_file(dj_context *context, page *p, bool only_hot, bool first)
{
    p->near = only_hot ? calloc(p->text->line_count + 1, sizeof *p->near) : NULL;
    if (only_hot && !p->near)
        return dj_fail_memory(context, "a listing", p->text->line_count);
    if (only_hot)
        mark_near(p);
    add_title(p, first);
    if (first)
        dj_add_alarms(p->document, p->profile);
    p->table = dj_document_table(p->document, DJ_NODE_SOURCE, "");
    dj_sheet_node(p->table)->gap = false;
    dj_sheet_node(p->table)->data = true;
    add_columns(p);
    add_lines(p);
    free(p->near);
    return DJ_OK;
}

// The share of the files that are not listed, and of code without line numbers.
static void add_rest(dj_document *document, const dj_annotated *listing,
                     const dj_annotated_file *const *files, size_t count)
{
    char share[DJ_HUMAN_BYTES];
    size_t left = listing->file_count - count;
    uint64_t in_files = 0, listed = 0;
    for (size_t i = 0; i < listing->file_count; i++)
        in_files += listing->files[i].heat;
    for (size_t i = 0; i < count; i++)
        listed += files[i]->heat;
    const char *what = listing->cut < listing->attribution->cut_count ? "misses" : "accesses";
    if (left > 0)
        dj_document_say(document, DJ_TEXT_SENTENCES, 0, "%zu %sfile%s without a hot line: %s of the %s", left,
                        count > 0 ? "more " : "", left == 1 ? "" : "s",
                        dj_human_percent(share, (double)(in_files - listed), (double)listing->heat), what)
            ->gap = true;
    if (in_files < listing->heat)
        dj_document_say(document, DJ_TEXT_SENTENCES, 0, "code without line numbers: %s of the %s",
                        dj_human_percent(share, (double)(listing->heat - in_files), (double)listing->heat),
                        what)
            ->gap = left == 0;
}

static void add_legend(dj_document *document, const dj_annotated *listing)
{
    const dj_attribution *a = listing->attribution;
    const char *caches = "", *sorted = listing->cut < a->cut_count ? a->cuts[listing->cut].name : NULL;
    for (size_t i = 0; i < a->cut_count; i++)
        caches = dj_document_format(document, "%s%s%s", caches, *caches ? ", " : "", a->cuts[i].name);
    dj_text *legend = &dj_document_say(document, DJ_TEXT_LEGEND, 0, "share: of all %s%s%s",
                                       sorted ? "misses in " : "accesses", sorted ? sorted : "",
                                       sorted ? ", the column marked *" : "")
                           ->text;
    if (*caches)
        dj_text_add(document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE, "; %s: misses in caches of that size",
                    caches);
    dj_text_add(document, legend, DJ_STYLE_FAINT, DJ_FIT_WHOLE,
                "; mean dist: mean reuse distance; ↳: code of another function, inlined here");
}

int dj_document_annotated(dj_context *context, const dj_profile *profile, const dj_annotated *listing,
                          const dj_annotated_file *const *files, const dj_annotated_text *texts, size_t count,
                          bool only_hot, bool rest, dj_document **out)
{
    dj_document *document = NULL;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    for (size_t i = 0; !err && i < count; i++) {
        page p = {.profile = profile,
                  .listing = listing,
                  .file = files[i],
                  .text = &texts[i],
                  .document = document};
        err = add_file(context, &p, only_hot, i == 0);
    }
    if (!err && rest)
        add_rest(document, listing, files, count);
    if (!err && count > 0)
        add_legend(document, listing);
    return dj_document_finish(context, err, document, out);
}
