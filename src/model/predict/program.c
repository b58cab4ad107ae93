// SPDX-License-Identifier: MIT
#include "model/predict/program.h"

#include "model/comparable.h"

// Other inputs may call other functions, but not mostly others.
static const double LEAST_SHARED = 0.5;

int dj_predict_check_program(dj_context *context, const dj_predict_inputs *inputs)
{
    const size_t last = inputs->count - 1;
    int err = DJ_OK;
    for (size_t i = 0; !err && i < last; i++) {
        double shared = 1;
        err = dj_shared_parts(context, inputs->profiles[last], inputs->profiles[i], DJ_BY_LINE, &shared);
        if (!err && shared < LEAST_SHARED)
            err =
                dj_fail(context, DJ_ERR_USAGE,
                        "%s and %s have only %.0f%% of the accesses on the same lines: they are of different "
                        "programs, or the program does something else at other inputs",
                        inputs->names[i], inputs->names[last], 100 * shared);
    }
    return err;
}
