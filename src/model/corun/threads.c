// SPDX-License-Identifier: MIT
// Threads that run the same code.
#include <math.h>

#include "model/corun/models.h"

// Weak scaling: copies of the profile, with data of their own and some in common.
static int predict_copies(dj_context *context, const dj_corun_team *team, const dj_corun_model *model,
                          size_t threads, uint64_t blocks, double *ratio)
{
    dj_corun_sharer sharers[DJ_CORUN_MOST];
    const uint64_t common = (uint64_t)(team->shared * (double)team->profile->distinct + 0.5);
    const dj_sharing_class class = {UINT64_MAX >> (64 - threads), common};
    const dj_corun corun = {.sharers = sharers,
                            .count = threads,
                            .classes = &class,
                            .class_count = common > 0 && threads > 1,
                            .order = team->order,
                            .again = true,
                            .predicted = 1};
    dj_prediction out;
    for (size_t i = 0; i < threads; i++)
        sharers[i] = (dj_corun_sharer){team->profile, 1};
    int err = dj_corun_predict(context, model, &corun, &out);
    if (err)
        return err;
    *ratio = dj_prediction_misses(&out, blocks) / (out.cold + out.reuses);
    dj_prediction_free(&out);
    return DJ_OK;
}

int dj_corun_threads(dj_context *context, const dj_corun_team *team, const dj_corun_model *model, size_t most,
                     uint64_t blocks, dj_corun_member *out)
{
    if (most < 1 || most > DJ_CORUN_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "1 to %d threads can be predicted, not %zu", DJ_CORUN_MOST,
                       most);
    if (!(team->shared >= 0) || team->shared > 1 || (team->shared > 0 && team->scaling == DJ_CORUN_STRONG))
        return dj_fail(context, DJ_ERR_USAGE,
                       team->scaling == DJ_CORUN_STRONG
                           ? "with strong scaling the data are divided, and none are shared"
                           : "the shared part of the blocks is from 0 to 1");
    int err = DJ_OK;
    for (size_t i = 0; !err && i < most; i++) {
        err = predict_copies(context, team, model, i + 1, blocks, &out[i].ratio);
        out[i].least = out[i].ratio;
        if (err || team->scaling == DJ_CORUN_WEAK)
            continue;
        out[i].least = fmin(out[0].ratio, out[i].ratio);
        if (blocks >= team->profile->distinct) // all data fit
            out[i].ratio = out[i].least;
    }
    return err;
}

double dj_corun_throughput(const dj_corun_core *core, size_t threads, size_t cores, double ratio)
{
    const double each = core->cycles + core->penalty * ratio;
    const size_t whole = threads / cores; // threads of each core; some have one more
    const double fewer = (double)whole, more = fewer + 1, rest = (double)(threads % cores);
    return ((double)cores - rest) * fmin(1 / core->cycles, fewer / each) +
           rest * fmin(1 / core->cycles, more / each);
}
