// SPDX-License-Identifier: MIT
// The annotated source as JSON; docs/formats.md describes the format.
#include "profile/json.h"
#include "report/json/entity_json.h"
#include "report/listing.h"

static void write_numbers(dj_json_writer *json, const dj_annotated *listing, const dj_tally *tally)
{
    dj_json_uint(json, "accesses", tally->accesses);
    dj_json_uint(json, "reads", tally->accesses - tally->writes);
    dj_json_uint(json, "writes", tally->writes);
    dj_json_uint(json, "cold", tally->cold);
    dj_json_tally(json, listing->attribution, tally, NULL);
}

static void write_inlined(dj_json_writer *json, const dj_annotated *listing, const dj_annotated_row *row)
{
    const dj_attribution *a = listing->attribution;
    const dj_function_row *f = &a->functions[row->inlined];
    dj_json_begin_object(json, NULL);
    dj_json_text(json, "name", f->name);
    if (f->file != DJ_NOWHERE)
        dj_json_text(json, "file", a->files[f->file]);
    if (f->line > 0)
        dj_json_uint(json, "line", f->line);
    write_numbers(json, listing, &row->tally);
    dj_json_end_object(json);
}

// The line of rows[0]; its own code comes first, if it has any.
static void write_line(dj_json_writer *json, const dj_annotated *listing, const dj_annotated_text *text,
                       const dj_annotated_row *rows, size_t count)
{
    static const dj_tally none = {.accesses = 0};
    size_t own = rows[0].inlined == DJ_NOWHERE;
    dj_json_begin_row(json, NULL);
    dj_json_uint(json, "line", rows[0].line);
    if (rows[0].line > 0 && rows[0].line <= text->line_count)
        dj_json_text(json, "text", text->lines[rows[0].line - 1]);
    write_numbers(json, listing, own ? &rows[0].tally : &none);
    if (own < count) {
        dj_json_begin_list(json, "inlined");
        for (size_t i = own; i < count; i++)
            write_inlined(json, listing, &rows[i]);
        dj_json_end_list(json);
    }
    dj_json_end_object(json);
}

static void write_file(dj_json_writer *json, const dj_annotated *listing, const dj_annotated_file *file,
                       const dj_annotated_text *text, bool only_hot)
{
    dj_json_begin_object(json, NULL);
    dj_json_text(json, "name", listing->attribution->files[file->file]);
    dj_json_text(json, "source", text->path);
    dj_json_bool(json, "found", !text->fault);
    dj_json_bool(json, "newer", text->newer);
    dj_json_begin_list(json, "lines");
    for (size_t i = 0, end; i < file->row_count; i = end) {
        bool hot = false;
        for (end = i; end < file->row_count && file->rows[end].line == file->rows[i].line; end++)
            hot |= dj_annotated_is_hot(listing, file->rows[end].heat);
        if (hot || !only_hot)
            write_line(json, listing, text, &file->rows[i], end - i);
    }
    dj_json_end_list(json);
    dj_json_end_object(json);
}

void dj_annotated_json(const dj_profile *profile, const dj_annotated *listing,
                       const dj_annotated_file *const *files, const dj_annotated_text *texts, size_t count,
                       bool only_hot, FILE *out)
{
    const dj_attribution *a = listing->attribution;
    dj_json_writer json = {.out = out};
    dj_json_begin_object(&json, NULL);
    dj_json_text(&json, "schema", "deja-annotate");
    dj_json_uint(&json, "version", 1);
    dj_json_provenance(&json, &profile->provenance);
    if (listing->cut < a->cut_count)
        dj_json_text(&json, "hot_by", a->cuts[listing->cut].name);
    else
        dj_json_text(&json, "hot_by", "accesses");
    dj_json_begin_list(&json, "files");
    for (size_t i = 0; i < count; i++)
        write_file(&json, listing, files[i], &texts[i], only_hot);
    dj_json_end_list(&json);
    dj_json_end_object(&json);
    dj_json_finish(&json);
}
