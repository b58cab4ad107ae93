// SPDX-License-Identifier: MIT
#include "model/predict/program.h"

#include "model/predict/named.h"

// Other inputs may call other functions, but not mostly others.
static const double LEAST_SHARED = 0.5;

// The share of the accesses of one that are in functions of the other.
static double shared(const dj_named_parts *one, const dj_named_parts *other)
{
    double all = 0, same = 0;
    for (size_t i = 0; i < one->count; i++) {
        const double accesses = (double)one->list[i].tally.accesses;
        all += accesses;
        same += dj_named_find(other, one->list[i].name) ? accesses : 0;
    }
    return all > 0 ? same / all : 1;
}

int dj_predict_check_program(dj_context *context, const dj_predict_inputs *inputs)
{
    const size_t last = inputs->count - 1;
    dj_named_parts largest, other;
    int err = dj_named_entities(context, inputs->profiles[last], DJ_BY_LINE, &largest);
    for (size_t i = 0; !err && i < last; i++) {
        err = dj_named_entities(context, inputs->profiles[i], DJ_BY_LINE, &other);
        if (err)
            break;
        if (largest.count > 0 && other.count > 0 && shared(&largest, &other) < LEAST_SHARED)
            err =
                dj_fail(context, DJ_ERR_USAGE,
                        "%s and %s have only %.0f%% of the accesses on the same lines: they are of different "
                        "programs, or the program does something else at other inputs",
                        inputs->names[i], inputs->names[last], 100 * shared(&largest, &other));
        dj_named_free(&other);
    }
    dj_named_free(&largest);
    return err;
}
