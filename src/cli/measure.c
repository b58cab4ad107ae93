// SPDX-License-Identifier: MIT
#include "cli/measure.h"

#include "cli/progress.h"

static void stop_meter(void *meter)
{
    dj_meter_stop(meter);
}

static dj_request add_meter(const dj_request *request, dj_meter *meter)
{
    dj_request shown = *request;
    shown.on_progress = dj_meter_update;
    shown.after_reading = stop_meter;
    shown.user = meter;
    dj_meter_start(meter);
    return shown;
}

int dj_measure_with_progress(dj_context *context, dj_source *source, const dj_request *request,
                             dj_profile **out)
{
    dj_meter meter;
    dj_request shown = add_meter(request, &meter);
    return dj_measure_source(context, source, &shown, out);
}

int dj_measure_part_with_progress(dj_context *context, dj_source *source, const dj_request *request,
                                  dj_part part, dj_summary **out)
{
    dj_meter meter;
    dj_request shown = add_meter(request, &meter);
    return dj_measure_part(context, source, &shown, part, out);
}
