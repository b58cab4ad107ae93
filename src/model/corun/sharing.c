// SPDX-License-Identifier: MIT
// Predictions for the sharers of a profile.
#include <deja/corun.h>
#include <deja/model.h>

#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/text.h"

bool dj_sharer_is_predictable(const dj_sharer_profile *sharer, const dj_prediction *prediction)
{
    const double reuses = (double)(sharer->standalone.lane.accesses - sharer->standalone.lane.cold);
    return prediction->correlation < DJ_SAME_ORDER &&
           fabs(prediction->broken - (double)sharer->counts.broken) <= DJ_BROKEN_OTHERWISE * reuses;
}

// Takes over the prediction, unless it fails.
static int add_prediction(dj_context *context, dj_prediction *made, const char *model, dj_sharer_profile *to)
{
    size_t capacity = to->prediction_count;
    int err = dj_copy_text(context, model, &made->model);
    if (!err)
        err = dj_grow(context, "predictions", &to->predictions, &capacity, to->prediction_count + 1,
                      sizeof *made);
    if (err)
        return err;
    double fine = dj_prediction_accuracy(made, to->concurrent.lane.distance, 0),
           coarse = dj_prediction_accuracy(made, to->concurrent.lane.distance, 0.01);
    made->accuracy = isnan(fine) ? 0 : fine;
    made->accuracy_coarse = isnan(coarse) ? 0 : coarse;
    to->predictions[to->prediction_count++] = *made;
    *made = (dj_prediction){0};
    return DJ_OK;
}

static int predict(dj_context *context, const dj_corun *corun, const dj_corun_model *model, dj_sharing *to)
{
    dj_prediction *made = calloc(corun->count + 1, sizeof *made);
    int err = made ? model->predict(context, corun, made) : dj_fail_memory(context, "predictions", 0);
    for (size_t i = 0; !err && i < corun->count; i++)
        err = add_prediction(context, &made[i], model->name, &to->sharers[i]);
    for (size_t i = 0; made && i < corun->count; i++)
        dj_prediction_free(&made[i]);
    free(made);
    return err;
}

int dj_sharing_predict(dj_context *context, dj_profile *profile, const dj_corun_model *model)
{
    dj_sharing *sharing = dj_profile_sharing(profile);
    const dj_joint *joint =
        profile->lane_count > DJ_LANE_OWN ? dj_lane_joint(&profile->lanes[DJ_LANE_OWN]) : NULL;
    if (!sharing || !joint || joint->count != sharing->count)
        return dj_fail(
            context, DJ_ERR_USAGE,
            "the profile lacks section joint, from which sharing is predicted; measure it with a model");
    dj_corun_sharer *sharers = calloc(sharing->count + 1, sizeof *sharers);
    if (!sharers)
        return dj_fail_memory(context, "predictions", 0);
    bool recorded = false;
    for (size_t i = 0; i < joint->count; i++) {
        size_t number = (size_t)joint->rows[i].id; // rows are in the order of first accesses
        if (number >= sharing->count) {
            free(sharers);
            return dj_fail(context, DJ_ERR_INPUT,
                           "section joint has a sharer that section sharing lacks; measure again");
        }
        sharers[number] = (dj_corun_sharer){&joint->rows[i], sharing->sharers[number].speed};
        if (sharers[number].speed == 0) {
            sharers[number].speed = (double)joint->rows[i].accesses;
            recorded = true;
        }
    }
    const dj_corun corun = {.sharers = sharers,
                            .count = sharing->count,
                            .classes = sharing->classes,
                            .class_count = sharing->class_count,
                            .order = sharing->random ? DJ_CORUN_RANDOM
                                     : recorded      ? DJ_CORUN_RECORDED
                                                     : DJ_CORUN_STEADY};
    int err = predict(context, &corun, model, sharing);
    free(sharers);
    return err;
}

int dj_sharer_misses(dj_context *context, const dj_sharer_distances *d, uint64_t blocks, uint64_t *out)
{
    dj_mrc_point point = {.misses = d->lane.accesses};
    int err = blocks > 0 ? dj_mrc_lru(context, &d->lane, &blocks, 1, &point) : DJ_OK;
    *out = point.misses;
    return err;
}
