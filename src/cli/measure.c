// SPDX-License-Identifier: MIT
#include "cli/measure.h"

#include "cli/progress.h"

static void stop_meter(void *meter)
{
    dj_meter_stop(meter);
}

static dj_measurement show(const dj_measurement *measurement, dj_meter *meter)
{
    dj_measurement shown = *measurement;
    shown.on_progress = dj_meter_update;
    shown.after_reading = stop_meter;
    shown.user = meter;
    dj_meter_start(meter);
    return shown;
}

int dj_measure_shown(dj_context *context, const dj_measurement *measurement, dj_profile **out)
{
    dj_meter meter;
    dj_measurement shown = show(measurement, &meter);
    return dj_measure(context, &shown, out);
}

int dj_measure_part_shown(dj_context *context, const dj_measurement *measurement, dj_part part,
                          dj_summary **out)
{
    dj_meter meter;
    dj_measurement shown = show(measurement, &meter);
    return dj_measure_part(context, &shown, part, out);
}
