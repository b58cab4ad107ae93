// SPDX-License-Identifier: MIT
// Predictions for parts of a program. Each has its own signature at every input, and is predicted like a
// program.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/predict/named.h"

enum { ROWS_MOST = 100, GROUPS = 100, LAYERS = 4, INPUTS_LEAST = 3 };
static const double SHARE_LEAST = 0.002; // of the accesses at the largest input

void dj_predict_rows_free(dj_predict_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->list[i].name);
        free(rows->list[i].misses);
    }
    free(rows->list);
    *rows = (dj_predict_rows){0};
}

static int find_named(dj_context *context, const dj_profile *profile, enum dj_predict_by by,
                      dj_named_parts *out)
{
    if (by == DJ_PREDICT_PAIRS)
        return dj_named_pairs(context, profile, out);
    return dj_named_entities(context, profile, by == DJ_PREDICT_LINES ? DJ_BY_LINE : DJ_BY_OBJECT, out);
}

// The inputs at which a part has accesses.
static int collect(dj_context *context, const dj_predict_inputs *in, const dj_named_parts *lists,
                   const char *name, dj_study *out)
{
    int err = DJ_OK;
    *out = (dj_study){0};
    for (size_t i = 0; !err && i < in->count; i++) {
        const dj_named_part *row = dj_named_find(&lists[i], name);
        if (!row || row->tally.accesses == 0)
            continue;
        out->inputs[out->count] = in->inputs[i];
        out->sizes[out->count] = in->sizes[i];
        err = dj_signature_of_tally(context, &row->tally, dj_profile_attribution(in->profiles[i]),
                                    &out->signatures[out->count]);
        out->count += !err;
    }
    return err;
}

static int predict_row(dj_context *context, const dj_study *study, const dj_predict_request *request,
                       dj_predict_row *row)
{
    dj_extrapolation x;
    dj_predict_group classes[DJ_GROWTHS];
    row->misses = calloc(request->size_count + 1, sizeof *row->misses);
    if (!row->misses)
        return dj_fail_memory(context, "a prediction", 0);
    int err =
        dj_extrapolate(context, study, request->to, LAYERS, GROUPS, request->sizes, request->size_count, &x);
    if (err)
        return err;
    row->accesses = x.at.reuses + x.at.cold;
    row->error = fmin(x.error + x.count_error, 1);
    row->inputs = study->count;
    row->evadable =
        x.at.reuses * dj_forecast_classes(&x.forecast, study->sizes[study->count - 1], x.size, classes);
    for (size_t g = DJ_GROWTH_CONSTANT + 1, most = 0; g < DJ_GROWTHS; g++)
        if (classes[g].share > 0 && (most == 0 || classes[g].share > classes[most].share))
            row->growth = classes[most = g].growth;
    for (size_t i = 0; i < request->size_count; i++)
        row->misses[i] = row->accesses * dj_signature_ratio(&x.at, (double)request->sizes[i]);
    dj_extrapolation_free(&x);
    return DJ_OK;
}

static int by_evadable(const void *left, const void *right)
{
    const dj_predict_row *a = left, *b = right;
    if (a->evadable < b->evadable || a->evadable > b->evadable)
        return a->evadable < b->evadable ? 1 : -1;
    if (a->accesses < b->accesses || a->accesses > b->accesses)
        return a->accesses < b->accesses ? 1 : -1;
    return strcmp(a->name, b->name);
}

static double accesses_of(const dj_named_parts *list)
{
    double sum = 0;
    for (size_t i = 0; i < list->count; i++)
        sum += (double)list->list[i].tally.accesses;
    return sum;
}

// Predicts the parts that have a share of the accesses at the largest input, and enough inputs.
static int predict_all(dj_context *context, const dj_predict_inputs *in, const dj_predict_request *request,
                       const dj_named_parts *lists, double size, dj_predict_rows *out)
{
    const dj_named_parts *largest = &lists[in->count - 1];
    const double all = accesses_of(largest);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < largest->count && out->count < ROWS_MOST; i++) {
        const dj_named_part *named = &largest->list[i];
        dj_study study;
        if ((double)named->tally.accesses < SHARE_LEAST * all)
            continue;
        err = collect(context, in, lists, named->name, &study);
        if (!err && study.count >= INPUTS_LEAST) {
            dj_predict_row *row = &out->list[out->count++];
            study.to_size = size;
            row->name = strdup(named->name);
            err = row->name ? predict_row(context, &study, request, row)
                            : dj_fail_memory(context, "a prediction", 0);
            out->covered += (double)named->tally.accesses / all;
        }
        dj_study_free(&study);
    }
    return err;
}

int dj_predict_rows_create(dj_context *context, const dj_predict_inputs *inputs,
                           const dj_predict_request *request, double size, enum dj_predict_by by,
                           dj_predict_rows *out)
{
    dj_named_parts lists[DJ_PREDICT_INPUTS] = {{0}};
    int err = DJ_OK;
    *out = (dj_predict_rows){.list = calloc(ROWS_MOST, sizeof *out->list)};
    if (!out->list)
        return dj_fail_memory(context, "a prediction", ROWS_MOST * sizeof *out->list);
    for (size_t i = 0; !err && i < inputs->count; i++)
        err = find_named(context, inputs->profiles[i], by, &lists[i]);
    if (!err)
        err = predict_all(context, inputs, request, lists, size, out);
    for (size_t i = 0; i < inputs->count; i++)
        dj_named_free(&lists[i]);
    if (err)
        dj_predict_rows_free(out);
    else
        qsort(out->list, out->count, sizeof *out->list, by_evadable);
    return err;
}
