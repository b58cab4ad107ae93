// SPDX-License-Identifier: MIT
// The phases of a profile with windows. The format is described in docs/formats.md.
#include <deja/phases.h>

#include "report/json/json.h"

static void write_phase(dj_json_writer *json, const dj_profile *profile, const dj_locality_phase *p,
                        size_t number)
{
    dj_json_begin_row(json, NULL);
    dj_json_uint(json, "phase", number);
    dj_json_uint(json, "stretches", p->stretches);
    dj_json_uint(json, "windows", p->windows);
    dj_json_uint(json, "accesses", p->accesses);
    dj_json_uint(json, "cold", p->cold);
    dj_json_real(json, "distinct", p->distinct);
    if (p->best)
        dj_json_uint(json, "best_size", p->best);
    else
        dj_json_null(json, "best_size");
    const uint64_t block = profile->lanes[0].id.block_bytes;
    if (p->best && profile->provenance.unit_bytes > 0 && block > 0 && p->best <= UINT64_MAX / block)
        dj_json_uint(json, "best_bytes", p->best * block);
    dj_json_real(json, "best_ratio", p->best_ratio);
    dj_json_real(json, "least_ratio", p->least);
    dj_json_end_object(json);
}

static void write_stretch(dj_json_writer *json, const dj_windows *windows, const dj_stretch *s)
{
    dj_json_begin_row(json, NULL);
    dj_json_uint(json, "phase", s->phase + 1);
    dj_json_uint(json, "window", s->first);
    dj_json_uint(json, "windows", s->count);
    dj_json_uint(json, "first", windows->rows[s->first].first);
    if (windows->duration)
        dj_json_uint(json, "time", windows->rows[s->first].time);
    dj_json_uint(json, "accesses", s->accesses);
    dj_json_uint(json, "cold", s->cold);
    dj_json_end_object(json);
}

int dj_json_phases(dj_json_writer *json, dj_context *context, const dj_profile *profile)
{
    const dj_windows *windows = dj_lane_windows(&profile->lanes[0]);
    dj_phase_list list;
    if (!windows || windows->count == 0)
        return DJ_OK;
    int err = dj_phases_find(context, windows, &list);
    if (err)
        return err;
    dj_json_begin_object(json, "phases");
    dj_json_real(json, "tolerance", DJ_PHASE_TOLERANCE);
    dj_json_begin_list(json, "list");
    for (size_t i = 0; i < list.phase_count; i++)
        write_phase(json, profile, &list.phases[i], i + 1);
    dj_json_end_list(json);
    dj_json_begin_list(json, "stretches");
    for (size_t i = 0; i < list.stretch_count; i++)
        write_stretch(json, windows, &list.stretches[i]);
    dj_json_end_list(json);
    dj_json_end_object(json);
    dj_phase_list_free(&list);
    return DJ_OK;
}
