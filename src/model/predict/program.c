// SPDX-License-Identifier: MIT
#include "model/predict/program.h"

#include <deja/tracing.h>

#include "model/comparable.h"

// Other inputs may call other functions, but not mostly others.
static const double LEAST_SHARED = 0.5;

static bool is_traced(const dj_profile *profile)
{
    return dj_lane_tracing(&profile->lanes[0]) != NULL;
}

int dj_predict_check_program(dj_context *context, const dj_predict_inputs *inputs)
{
    const size_t last = inputs->count - 1;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < last; i++) {
        double shared = 1;
        err = dj_shared_parts(context, inputs->profiles[last], inputs->profiles[i], DJ_BY_LINE, &shared);
        if (!err && shared < LEAST_SHARED)
            err = dj_fail(
                context, DJ_ERR_USAGE, "%s and %s have only %.0f%% of the accesses on the same lines: %s",
                inputs->names[i], inputs->names[last], 100 * shared,
                is_traced(inputs->profiles[i]) || is_traced(inputs->profiles[last])
                    ? "a sample may be too small to show what the program does; use a larger --sample"
                    : "they are of different programs, or the program does something else at other "
                      "inputs");
    }
    return err;
}
