// SPDX-License-Identifier: MIT
#include "model/corun/models.h"

#include <math.h>
#include <string.h>

static const dj_corun_model *const models[] = {&dj_corun_joint, &dj_corun_jiang};

size_t dj_corun_model_count(void)
{
    return sizeof models / sizeof models[0];
}

const dj_corun_model *dj_corun_model_get(size_t index)
{
    return index < dj_corun_model_count() ? models[index] : NULL;
}

const dj_corun_model *dj_corun_model_find(const char *name)
{
    for (size_t i = 0; i < dj_corun_model_count(); i++)
        if (strcmp(models[i]->name, name) == 0)
            return models[i];
    return NULL;
}

// Bars begin where bins of the prediction do, so that each bin belongs to one bar. Where nothing is
// predicted, all that was measured is error.
double dj_prediction_accuracy(const dj_prediction *prediction, const dj_histogram *measured, double relative)
{
    const double reuses = (double)dj_histogram_moments(measured).count;
    if (reuses == 0 || prediction->reuses <= 0)
        return NAN;
    double error = 0;
    uint64_t from = 0;
    size_t at = 0;
    while (at < prediction->bin_count) {
        error += (double)dj_histogram_sum(measured, from, prediction->bins[at].lo) / reuses;
        from = prediction->bins[at].lo;
        const double width = relative * (double)from;
        uint64_t next = from + (width > 1 ? (uint64_t)width : 1);
        double predicted = 0;
        for (; at < prediction->bin_count && prediction->bins[at].lo < next; at++) {
            predicted += prediction->bins[at].count;
            next = prediction->bins[at].hi + 1 > next ? prediction->bins[at].hi + 1 : next;
        }
        error +=
            fabs(predicted / prediction->reuses - (double)dj_histogram_sum(measured, from, next) / reuses);
        from = next;
    }
    error += (double)dj_histogram_sum(measured, from, UINT64_MAX) / reuses;
    return 1 - error / 2;
}

int dj_corun_predict(dj_context *context, const dj_corun_model *model, const dj_corun *corun,
                     dj_prediction *out)
{
    return dj_context_stopped(context) ? dj_fail(context, DJ_ERR_STOPPED, "interrupted; nothing is predicted")
                                       : model->predict(context, corun, out);
}
