// SPDX-License-Identifier: MIT
// The format is described in docs/formats.md.
#include <string.h>

#include "base/json/writer.h"
#include "profile/json.h"
#include "report/crossings.h"
#include "report/diff.h"

// Whole numbers as such; per element of work, they are not whole.
static void write_run(dj_json_writer *json, const char *key, const dj_diff *diff, const dj_diff_count *count,
                      int run)
{
    if (diff->work[run] == 1)
        dj_json_uint(json, key, count->runs[run]);
    else
        dj_json_real(json, key, dj_diff_value(diff, count, run));
}

static void write_count(dj_json_writer *json, const dj_diff *diff, const dj_diff_count *count)
{
    write_run(json, "before", diff, count, DJ_BEFORE);
    write_run(json, "after", diff, count, DJ_AFTER);
    if (dj_diff_error(count) > 0)
        dj_json_real(json, "error", dj_diff_error(count));
}

static void write_total(dj_json_writer *json, const dj_diff *diff, const char *name, const char *suffix,
                        const dj_diff_count *count)
{
    char full[256];
    snprintf(full, sizeof full, "%s%s", name, suffix);
    dj_json_begin_row(json, NULL);
    dj_json_text(json, "name", full);
    write_count(json, diff, count);
    dj_json_end_object(json);
}

static void write_totals(dj_json_writer *json, const dj_diff *diff)
{
    dj_json_begin_list(json, "totals");
    write_total(json, diff, "accesses", "", &diff->accesses);
    write_total(json, diff, "distinct", "", &diff->distinct);
    write_total(json, diff, "cold", "", &diff->cold);
    for (size_t c = 0; c < diff->cache_count; c++)
        write_total(json, diff, diff->caches[c].name, ".misses", &diff->misses[c]);
    dj_json_end_list(json);
}

static void write_points(dj_json_writer *json, const dj_diff *diff)
{
    dj_json_begin_list(json, "points");
    for (size_t i = 0; i < diff->point_count; i++) {
        const dj_diff_point *point = &diff->points[i];
        dj_json_begin_row(json, NULL);
        dj_json_uint(json, "size", point->size);
        dj_json_real(json, "before", point->ratios[DJ_BEFORE]);
        dj_json_real(json, "after", point->ratios[DJ_AFTER]);
        dj_json_begin_row(json, "misses");
        write_count(json, diff, &point->misses);
        dj_json_end_object(json);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static void write_row(dj_json_writer *json, const dj_diff *diff, const dj_diff_row *row)
{
    dj_json_begin_row(json, NULL);
    dj_json_text(json, "name", row->name);
    if (row->was)
        dj_json_text(json, "was", row->was);
    if (row->function)
        dj_json_text(json, "function", row->function);
    dj_json_text(json, "in",
                 row->in[DJ_BEFORE] && row->in[DJ_AFTER] ? "both"
                 : row->in[DJ_AFTER]                     ? "after"
                                                         : "before");
    write_count(json, diff, dj_diff_ranked(diff, row));
    dj_json_begin_row(json, "accesses");
    write_count(json, diff, &row->accesses);
    dj_json_end_object(json);
    dj_json_begin_list(json, "misses");
    for (size_t c = 0; c < diff->cache_count; c++) {
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "cache", diff->caches[c].name);
        write_count(json, diff, &row->misses[c]);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
    dj_json_end_object(json);
}

static void write_head(dj_json_writer *json, const dj_diff_view *view, const char *verdict)
{
    const dj_diff *diff = view->diff;
    dj_json_text(json, "schema", "deja-diff");
    dj_json_uint(json, "version", 1);
    dj_json_begin_flat_list(json, "profiles");
    for (int run = 0; run < DJ_SIDES; run++)
        dj_json_text(json, NULL, view->names[run]);
    dj_json_end_list(json);
    dj_json_provenance(json, &view->profiles[DJ_AFTER]->provenance);
    dj_json_uint(json, "block_bytes", view->profiles[DJ_AFTER]->lanes[0].id.block_bytes);
    dj_json_begin_flat_list(json, "work");
    for (int run = 0; run < DJ_SIDES; run++)
        dj_json_real(json, NULL, diff->work[run]);
    dj_json_end_list(json);
    dj_json_text(json, "verdict", verdict);
    dj_json_text(json, "measure", diff->ranked < 0 ? "accesses" : diff->caches[diff->ranked].name);
}

void dj_diff_json(const dj_diff_view *view, const char *verdict, FILE *out)
{
    const dj_diff *diff = view->diff;
    dj_json_writer json = {.out = out};
    dj_json_begin_object(&json, NULL);
    write_head(&json, view, verdict);
    write_totals(&json, diff);
    if (view->crossings)
        dj_crossings_json(&json, view->crossings);
    write_points(&json, diff);
    for (size_t i = 0; i < diff->row_lists; i++) {
        dj_json_begin_list(&json, dj_by_plural(diff->rows[i].by));
        for (size_t r = 0; r < diff->rows[i].count; r++)
            write_row(&json, diff, &diff->rows[i].list[r]);
        dj_json_end_list(&json);
    }
    dj_json_end_object(&json);
    dj_json_finish(&json);
}
