// SPDX-License-Identifier: MIT
// Writes a profile as JSON; docs/formats.md describes the format.
#include "profile/json.h"

#include "profile/fields.h"

static int write_section(dj_fields_writer *w, const dj_section_ops *ops, const void *value)
{
    if (!value)
        return DJ_OK;
    w->section = value;
    if (!ops->spread)
        dj_json_begin_object(w->json, ops->name);
    int err = dj_fields_write(w, ops->table.fields, value);
    if (!ops->spread)
        dj_json_end_object(w->json);
    return err;
}

static int write_lane(dj_fields_writer *w, const dj_lane_profile *lane)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < dj_section_count(); i++) {
        const dj_section_ops *ops = dj_section_get(i);
        if (ops->scope == DJ_SCOPE_LANE)
            err = write_section(w, ops, dj_lane_section(lane, ops));
    }
    return err;
}

// Direct members of the profile come first, then the lanes, then the other sections. `except` is not
// written.
static int write_whole(dj_fields_writer *w, const dj_profile *profile, bool spread,
                       const dj_section_ops *except)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < dj_section_count(); i++) {
        const dj_section_ops *ops = dj_section_get(i);
        if (ops->scope == DJ_SCOPE_PROFILE && ops->spread == spread && ops != except)
            err = write_section(w, ops, dj_profile_section(profile, ops));
    }
    return err;
}

static int write_further_lanes(dj_fields_writer *w, const dj_profile *profile)
{
    int err = DJ_OK;
    dj_json_begin_list(w->json, "blocks");
    for (size_t i = 1; !err && i < profile->lane_count; i++) {
        const dj_lane_profile *lane = &profile->lanes[i];
        dj_json_begin_object(w->json, NULL);
        if (lane->accesses != profile->lanes[0].accesses)
            dj_json_uint(w->json, "accesses", lane->accesses);
        err = write_lane(w, lane);
        dj_json_end_object(w->json);
    }
    dj_json_end_list(w->json);
    return err;
}

static int check(dj_context *context, const dj_profile *profile, enum dj_binning binning, uint64_t width)
{
    if (profile->lane_count == 0)
        return dj_fail(context, DJ_ERR_USAGE, "the profile is empty");
    if (binning == DJ_BINS_LINEAR && width == 0)
        return dj_fail(context, DJ_ERR_USAGE, "linear bins need a width of at least 1");
    for (size_t i = 0; i < profile->lane_count; i++)
        if (profile->lanes[i].binned && binning != DJ_BINS_LOG2)
            return dj_fail(context, DJ_ERR_USAGE,
                           "the profile was loaded from bins and cannot be saved with finer ones; analyze "
                           "the trace again with --bins exact");
    return DJ_OK;
}

int dj_json_begin_profile(dj_json_writer *json, dj_context *context, const dj_profile *profile,
                          enum dj_binning binning, uint64_t width, const dj_section_ops *except)
{
    int failed = DJ_OK;
    dj_fields_writer w = {
        .context = context, .json = json, .binning = binning, .width = width, .err = &failed};
    int err = check(context, profile, binning, width);
    if (err != DJ_OK)
        return err;
    dj_json_begin_object(json, NULL);
    err = write_whole(&w, profile, true, except);
    if (!err)
        err = write_lane(&w, &profile->lanes[0]);
    if (!err && profile->lane_count > 1)
        err = write_further_lanes(&w, profile);
    return err ? err : write_whole(&w, profile, false, except);
}

int dj_profile_save(dj_context *context, const dj_profile *profile, enum dj_binning binning, uint64_t width,
                    FILE *out)
{
    dj_json_writer json = {.out = out};
    int err = dj_json_begin_profile(&json, context, profile, binning, width, NULL);
    if (err != DJ_OK)
        return err;
    dj_json_end_object(&json);
    dj_json_finish(&json);
    return ferror(out) ? dj_fail(context, DJ_ERR_IO, "cannot write the profile") : DJ_OK;
}
