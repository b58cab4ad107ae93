// SPDX-License-Identifier: MIT
// Which profiles are a basis for a prediction.
#include <math.h>
#include <string.h>

#include "model/comparable.h"
#include "model/predict/predict.h"
#include "model/predict/program.h"

// The largest input has to be this many times the smallest.
static const double LEAST_RANGE = 2;

static int check_profile(dj_context *context, const dj_profile *p, const char *name)
{
    if (p->lane_count == 0 || p->lanes[0].accesses == 0)
        return dj_fail(context, DJ_ERR_USAGE, "%s: the profile has no accesses to predict from", name);
    if (p->provenance.partial)
        return dj_fail(context, DJ_ERR_USAGE,
                       "%s: the profile is partial (%s); a prediction needs complete runs", name,
                       p->provenance.partial_reason ? p->provenance.partial_reason : "unknown reason");
    if (dj_histogram_moments(p->lanes[0].distance).count == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "%s: the profile has no reuse, so there is no distance to predict", name);
    return DJ_OK;
}

// Sorts by size, the smallest first.
static void insert(dj_predict_inputs *to, const dj_profile *profile, const char *name, double input)
{
    size_t at = to->count++;
    for (; at > 0 && to->inputs[at - 1] > input; at--) {
        to->profiles[at] = to->profiles[at - 1];
        to->names[at] = to->names[at - 1];
        to->inputs[at] = to->inputs[at - 1];
    }
    to->profiles[at] = profile;
    to->names[at] = name;
    to->inputs[at] = input;
}

static int check_sizes(dj_context *context, dj_predict_inputs *in)
{
    const size_t last = in->count - 1;
    bool grows = true;
    for (size_t i = 0; i < in->count; i++)
        in->sizes[i] = (double)in->profiles[i]->lanes[0].distinct;
    for (size_t i = 1; i < in->count; i++) {
        grows &= in->sizes[i] > in->sizes[i - 1];
        in->shrinks = in->sizes[i] < in->sizes[i - 1] ? i : in->shrinks;
        if (!(in->inputs[i] > in->inputs[i - 1]))
            return dj_fail(
                context, DJ_ERR_USAGE,
                "%s and %s have the same size (%.15g); a prediction needs inputs of different sizes",
                in->names[i - 1], in->names[i], in->inputs[i]);
    }
    // A program that streams through a buffer touches the same data at every input.
    in->in_data = grows && in->sizes[last] >= LEAST_RANGE * in->sizes[0];
    if (in->in_data)
        return DJ_OK;
    memcpy(in->sizes, in->inputs, sizeof in->sizes);
    if (in->inputs[last] < LEAST_RANGE * in->inputs[0])
        return dj_fail(
            context, DJ_ERR_USAGE,
            "the largest input (%.15g) is only %.2f times the smallest (%.15g); measure inputs that "
            "differ by a factor of at least %.0f",
            in->inputs[last], in->inputs[last] / in->inputs[0], in->inputs[0], LEAST_RANGE);
    return DJ_OK;
}

int dj_predict_check(dj_context *context, const dj_predict_request *request, dj_predict_inputs *out)
{
    *out = (dj_predict_inputs){0};
    if (request->count < DJ_PREDICT_LEAST || request->count > DJ_PREDICT_INPUTS)
        return dj_fail(context, DJ_ERR_USAGE,
                       "%zu profiles; a prediction needs %d to %d, each of the same program at another input",
                       request->count, DJ_PREDICT_LEAST, DJ_PREDICT_INPUTS);
    if (!(request->to > 0) || !isfinite(request->to))
        return dj_fail(context, DJ_ERR_USAGE, "the size to predict for is not a positive number");
    for (size_t i = 0; i < request->count; i++) {
        const dj_profile *profile = request->profiles[i];
        int err = check_profile(context, profile, request->names[i]);
        if (err)
            return err;
        const char *differs = dj_measured_differently(request->profiles[0], profile);
        if (!differs && dj_selected_differently(request->profiles[0], profile))
            differs = "parts of the run";
        if (differs)
            return dj_fail(context, DJ_ERR_USAGE,
                           "%s and %s have different %s; measure all inputs in the same way",
                           request->names[0], request->names[i], differs);
        const double input = request->inputs ? request->inputs[i] : (double)profile->lanes[0].distinct;
        if (!(input > 0) || !isfinite(input))
            return dj_fail(context, DJ_ERR_USAGE, "%s: the size of its input is not a positive number",
                           request->names[i]);
        insert(out, profile, request->names[i], input);
    }
    int err = check_sizes(context, out);
    return err ? err : dj_predict_check_program(context, out);
}
