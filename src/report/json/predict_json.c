// SPDX-License-Identifier: MIT
// The format is described in docs/formats.md.
#include <math.h>
#include <stdlib.h>

#include "base/json/writer.h"
#include "profile/json.h"
#include "report/predict.h"

// Nine digits: the others depend on the compiler.
static void write_real(dj_json_writer *json, const char *key, double value)
{
    static const double NOTHING = 1e-12;
    char text[32];
    snprintf(text, sizeof text, "%.9g", fabs(value) < NOTHING ? 0 : value);
    dj_json_real(json, key, strtod(text, NULL));
}

static void write_bin(dj_json_writer *json, unsigned bin, double share)
{
    dj_json_begin_row(json, NULL);
    dj_json_uint(json, "lo", bin == 0 ? 0 : UINT64_C(1) << (bin - 1));
    dj_json_uint(json, "hi", bin == 0 ? 0 : UINT64_MAX >> (64 - bin));
    write_real(json, "share", share);
    dj_json_end_object(json);
}

static void write_histogram(dj_json_writer *json, const dj_growth_prediction *p)
{
    unsigned last = 0;
    for (unsigned bin = 0; bin < DJ_PREDICT_BINS; bin++)
        last = p->bins[bin] > 0 ? bin : last;
    dj_json_begin_list(json, "histogram");
    for (unsigned bin = 0; bin <= last; bin++)
        write_bin(json, bin, p->bins[bin]);
    dj_json_end_list(json);
}

static void write_points(dj_json_writer *json, const dj_growth_prediction *p)
{
    dj_json_begin_list(json, "points");
    for (size_t i = 0; i < p->point_count; i++) {
        dj_json_begin_row(json, NULL);
        dj_json_uint(json, "size", p->points[i].size);
        write_real(json, "ratio", p->points[i].ratio);
        write_real(json, "low", p->points[i].low);
        write_real(json, "high", p->points[i].high);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static void write_groups(dj_json_writer *json, const dj_growth_prediction *p)
{
    dj_json_begin_list(json, "groups");
    for (size_t i = 0; i < p->group_count; i++) {
        const dj_predict_group *group = &p->groups[i];
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "growth", dj_growth_name(group->growth));
        write_real(json, "share", group->share);
        dj_json_bool(json, "evadable", group->evadable);
        write_real(json, "first", group->first);
        write_real(json, "last", group->last);
        write_real(json, "to_first", group->to_first);
        write_real(json, "to_last", group->to_last);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static void write_rows(dj_json_writer *json, const char *key, const dj_growth_prediction *p,
                       enum dj_predict_by by)
{
    const dj_predict_rows *rows = &p->rows[by];
    dj_json_begin_list(json, key);
    for (size_t i = 0; i < rows->count; i++) {
        const dj_predict_row *row = &rows->list[i];
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "name", row->name);
        write_real(json, "accesses", row->accesses);
        write_real(json, "evadable", row->evadable);
        dj_json_text(json, "growth", dj_growth_name(row->growth));
        write_real(json, "error", row->error);
        dj_json_uint(json, "inputs", row->inputs);
        dj_json_begin_flat_list(json, "misses");
        for (size_t k = 0; k < p->point_count; k++)
            write_real(json, NULL, row->misses[k]);
        dj_json_end_list(json);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

void dj_prediction_json(const dj_prediction_view *view, FILE *out)
{
    const dj_growth_prediction *p = view->prediction;
    dj_json_writer json = {.out = out};
    dj_json_begin_object(&json, NULL);
    dj_json_text(&json, "schema", "deja-prediction");
    dj_json_uint(&json, "version", 1);
    dj_json_provenance(&json, &view->profile->provenance);
    dj_json_uint(&json, "block_bytes", view->profile->lanes[0].id.block_bytes);
    dj_json_begin_flat_list(&json, "profiles");
    for (size_t i = 0; i < view->count; i++)
        dj_json_text(&json, NULL, view->names[i]);
    dj_json_end_list(&json);
    write_real(&json, "to", p->to);
    write_real(&json, "distinct", p->data);
    write_real(&json, "accesses", p->accesses);
    write_real(&json, "accesses_error", p->count_error);
    write_real(&json, "cold", p->cold);
    write_real(&json, "largest", p->largest);
    write_real(&json, "times_largest", p->beyond);
    write_real(&json, "held_out_error", p->error);
    write_real(&json, "held_out_largest", p->held_out);
    write_real(&json, "sampling_error", p->sampled);
    dj_json_bool(&json, "weak", p->weak);
    write_real(&json, "evadable", p->evadable);
    write_points(&json, p);
    write_groups(&json, p);
    write_histogram(&json, p);
    write_rows(&json, "objects", p, DJ_PREDICT_OBJECTS);
    write_rows(&json, "lines", p, DJ_PREDICT_LINES);
    write_rows(&json, "pairs", p, DJ_PREDICT_PAIRS);
    dj_json_end_object(&json);
    dj_json_finish(&json);
}

static void write_parts(dj_json_writer *json, const char *key, const dj_hill_part *parts, size_t count)
{
    dj_json_begin_list(json, key);
    for (size_t i = 0; i < count; i++) {
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "name", parts[i].name);
        write_real(json, "share", parts[i].share);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static void write_concentration(dj_json_writer *json, const char *key, const dj_concentration *list)
{
    dj_json_begin_list(json, key);
    for (size_t i = 0; i < DJ_CONCENTRATIONS; i++) {
        dj_json_begin_row(json, NULL);
        write_real(json, "share", list[i].share);
        dj_json_uint(json, "bins", list[i].bins);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

void dj_hills_json(const dj_profile *profile, const dj_hills *hills, FILE *out)
{
    dj_json_writer json = {.out = out};
    dj_json_begin_object(&json, NULL);
    dj_json_text(&json, "schema", "deja-hills");
    dj_json_uint(&json, "version", 1);
    dj_json_provenance(&json, &profile->provenance);
    dj_json_uint(&json, "accesses", profile->lanes[0].accesses);
    dj_json_uint(&json, "reuses", hills->reuses);
    dj_json_uint(&json, "long_reuses", hills->long_reuses);
    dj_json_uint(&json, "bins", hills->bins);
    dj_json_uint(&json, "long_bins", hills->long_bins);
    write_concentration(&json, "concentration", hills->all);
    write_concentration(&json, "long_concentration", hills->longs);
    dj_json_begin_list(&json, "hills");
    for (size_t i = 0; i < hills->count; i++) {
        const dj_hill *hill = &hills->list[i];
        dj_json_begin_object(&json, NULL);
        dj_json_uint(&json, "first_bin", hill->first_bin);
        dj_json_uint(&json, "last_bin", hill->last_bin);
        dj_json_uint(&json, "lo", hill->lo);
        dj_json_uint(&json, "hi", hill->hi);
        dj_json_uint(&json, "reuses", hill->reuses);
        write_real(&json, "share", (double)hill->reuses / (double)hills->reuses);
        write_real(&json, "middle", hill->middle);
        write_parts(&json, "objects", hill->objects, hill->object_count);
        write_parts(&json, "lines", hill->lines, hill->line_count);
        dj_json_end_object(&json);
    }
    dj_json_end_list(&json);
    dj_json_end_object(&json);
    dj_json_finish(&json);
}
