// SPDX-License-Identifier: MIT
#include <deja/model.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/predict/predict.h"

enum { GROUPS = 1000 };
// What a good prediction is off: ranges of distances that lie at the border of two bins.
static const double FLOOR = 0.01;
static const double WEAK = 0.15;
// Beyond these, a prediction is a guess.
static const double HELD_OUT_MOST = 0.15, ERROR_MOST = 0.5, COUNT_MOST = 0.2;

void dj_growth_prediction_destroy(dj_growth_prediction *prediction)
{
    if (!prediction)
        return;
    for (size_t by = 0; by < DJ_PREDICT_BYS; by++)
        dj_predict_rows_free(&prediction->rows[by]);
    free(prediction->points);
    free(prediction);
}

static int collect(dj_context *context, const dj_predict_inputs *in, enum dj_within_bin within, dj_study *out)
{
    int err = DJ_OK;
    *out = (dj_study){.count = in->count};
    memcpy(out->inputs, in->inputs, sizeof out->inputs);
    memcpy(out->sizes, in->sizes, sizeof out->sizes);
    for (size_t i = 0; !err && i < in->count; i++) {
        const dj_lane_profile *lane = &in->profiles[i]->lanes[0];
        const dj_attribution *a = dj_profile_attribution(in->profiles[i]);
        err = lane->binned && a && a->place_count > 0
                  ? dj_signature_of_places(context, a, &out->signatures[i])
                  : dj_signature_of_lane(context, lane, within, &out->signatures[i]);
    }
    return err;
}

// What the sample that the largest input comes from adds to the error: half of its widest band. How much
// samples differ from each other is in the error already.
static int find_sampled(dj_context *context, const dj_predict_inputs *in, double *out)
{
    const dj_profile *profile = in->profiles[in->count - 1];
    double widest = 2 * profile->provenance.error_bound;
    int err = DJ_OK;
    if (dj_lane_band_origin(profile, &profile->lanes[0]).known)
        err = dj_mrc_band_widest(context, profile, &profile->lanes[0], &widest);
    *out = widest / 2;
    return err;
}

static bool is_binned(const dj_predict_inputs *in)
{
    bool binned = false;
    for (size_t i = 0; i < in->count; i++)
        binned |= in->profiles[i]->lanes[0].binned;
    return binned;
}

static int refuse(dj_context *context, const dj_predict_inputs *in, const dj_extrapolation *x)
{
    static const double COUNTABLE = 0x1p63;
    const char *largest = in->names[in->count - 1];
    if (in->shrinks > 0 && (x->disagreement > HELD_OUT_MOST || x->forecast.reuses.trend.error > COUNT_MOST))
        return dj_fail(context, DJ_ERR_USAGE,
                       "%s, the largest input, is not predicted by the others, and %s has less data than %s "
                       "though its input is larger; give --inputs in the order of the profiles",
                       largest, in->names[in->shrinks], in->names[in->shrinks - 1]);
    if (x->disagreement > HELD_OUT_MOST)
        return dj_fail(
            context, DJ_ERR_USAGE,
            "%s, the largest input, is not predicted by the others: %.0f%% of its accesses have another "
            "distance than they should; its phases may depend on more than its size, or %s",
            largest, 100 * x->disagreement,
            is_binned(in) ? "the profiles are too coarse: save them as FILE.dejap, or use --bins exact"
                          : "the inputs are too small: measure larger ones");
    if (x->forecast.reuses.trend.error > COUNT_MOST)
        return dj_fail(
            context, DJ_ERR_USAGE,
            "the number of accesses is no function of the size of the input: each predicted from the "
            "others is off by %.0f%%; what the program does may depend on more than the size",
            100 * x->forecast.reuses.trend.error);
    if (!(x->size < COUNTABLE) || !(x->at.reuses + x->at.cold < COUNTABLE))
        return dj_fail(context, DJ_ERR_USAGE,
                       "the input to predict for has 2^63 accesses or more; predict for a smaller one");
    if (x->error > ERROR_MOST)
        return dj_fail(
            context, DJ_ERR_USAGE,
            "these inputs do not determine the locality at that size: without one of them, %.0f%% of the "
            "accesses are predicted elsewhere; measure larger or more inputs, or predict for less",
            100 * x->error);
    return DJ_OK;
}

// What is below depends on the compiler.
static double rounded(double ratio)
{
    static const double DIGITS = 1e12;
    return round(ratio * DIGITS) / DIGITS;
}

static void fill_in(const dj_predict_inputs *in, const dj_predict_request *request, const dj_extrapolation *x,
                    dj_growth_prediction *out)
{
    double bins[DJ_SIGNATURE_BINS];
    dj_predict_group classes[DJ_GROWTHS];
    const size_t last = in->count - 1;
    out->to = request->to;
    out->accesses = x->at.reuses + x->at.cold;
    out->cold = x->at.cold;
    out->data = in->in_data ? x->size : x->at.cold;
    out->largest = in->inputs[last];
    out->largest_data = (double)in->profiles[last]->lanes[0].distinct;
    out->beyond = out->data / out->largest_data;
    out->held_out = x->held_out;
    out->error = fmin(x->error + x->held_out + FLOOR + out->sampled, 1);
    out->count_error = x->count_error + FLOOR;
    out->weak = out->error > WEAK;
    dj_signature_bins(&x->at, bins);
    memcpy(out->bins, bins, sizeof out->bins);
    for (size_t i = 0; i < request->size_count; i++) {
        const double ratio = dj_signature_ratio(&x->at, (double)request->sizes[i]),
                     off = x->off[i] + FLOOR + out->sampled;
        out->points[i] = (dj_predict_point){request->sizes[i], rounded(ratio), rounded(fmax(ratio - off, 0)),
                                            rounded(fmin(ratio + off, 1))};
    }
    out->point_count = request->size_count;
    out->evadable = dj_forecast_classes(&x->forecast, in->sizes[last], x->size, classes);
    for (size_t i = 0; i < DJ_GROWTHS; i++)
        if (classes[i].share > 0)
            out->groups[out->group_count++] = classes[i];
}

// Extrapolates in one way, and keeps the result if it predicts the largest input clearly better than *best.
static int try_one(dj_context *context, const dj_predict_inputs *in, enum dj_within_bin within,
                   const dj_predict_request *request, dj_extrapolation *best, bool *better)
{
    static const double CLEARLY = 0.8;
    dj_extrapolation x = {0};
    dj_study *study = malloc(sizeof *study);
    if (!study)
        return dj_fail_memory(context, "a prediction", sizeof *study);
    int err = collect(context, in, within, study);
    if (!err)
        err = dj_extrapolate(context, study, request->to, DJ_ALIGNED_MAX, GROUPS, request->sizes,
                             request->size_count, &x);
    *better = !err && x.disagreement < CLEARLY * best->disagreement;
    if (*better) {
        dj_extrapolation_free(best);
        *best = x;
    } else {
        dj_extrapolation_free(&x);
    }
    dj_study_free(study);
    free(study);
    return err;
}

// Wide bins can be understood in two ways, and a program that streams large inputs through little data has
// distances that are functions of the input rather than of the data.
static int extrapolate(dj_context *context, dj_predict_inputs *in, const dj_predict_request *request,
                       dj_extrapolation *out)
{
    const bool binned = is_binned(in);
    dj_predict_inputs by_input = *in;
    int err = DJ_OK;
    *out = (dj_extrapolation){.disagreement = INFINITY};
    by_input.in_data = false;
    memcpy(by_input.sizes, in->inputs, sizeof by_input.sizes);
    for (int way = 0; !err && way < 4; way++) {
        dj_predict_inputs *of = way < 2 ? in : &by_input;
        bool better = false;
        if ((way % 2 && !binned) || (way >= 2 && (!request->inputs || !in->in_data)))
            continue;
        err = try_one(context, of, way % 2 ? DJ_SPREAD_OUT : DJ_AT_LONGEST, request, out, &better);
        if (!err && better && way >= 2)
            *in = by_input;
    }
    if (err)
        dj_extrapolation_free(out);
    return err;
}

int dj_predict(dj_context *context, const dj_predict_request *request, dj_growth_prediction **out)
{
    dj_predict_inputs in;
    dj_extrapolation x = {0};
    int err = dj_predict_check(context, request, &in);
    if (err)
        return err;
    dj_growth_prediction *prediction = calloc(1, sizeof *prediction);
    if (prediction)
        prediction->points = calloc(request->size_count + 1, sizeof *prediction->points);
    if (!prediction || !prediction->points)
        err = dj_fail_memory(context, "a prediction", 0);
    if (!err)
        err = find_sampled(context, &in, &prediction->sampled);
    if (!err)
        err = extrapolate(context, &in, request, &x);
    if (!err)
        err = refuse(context, &in, &x);
    if (!err)
        fill_in(&in, request, &x, prediction);
    for (int by = 0; !err && by < DJ_PREDICT_BYS; by++)
        err = dj_predict_rows_create(context, &in, request, x.size, (enum dj_predict_by)by,
                                     &prediction->rows[by]);
    dj_extrapolation_free(&x);
    if (err)
        dj_growth_prediction_destroy(prediction);
    else
        *out = prediction;
    return err;
}
