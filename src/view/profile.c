// SPDX-License-Identifier: MIT
// The sections of a profile as they are, except for what only other tools need, and very long histograms.
#include "profile/fields.h"
#include "view/histograms.h"
#include "view/parts.h"
#include "view/sharers.h"
#include "view/windows.h"

static int add_lane(dj_view_sections *sections, const dj_profile *profile, const dj_section_ops *ops,
                    unsigned number)
{
    dj_lane_profile lane = profile->lanes[number];
    dj_histogram *binned = NULL;
    int err = dj_view_bin(sections->context, lane.distance, DJ_VIEW_DISTANCES_MOST,
                          dj_profile_attribution(profile), &binned);
    if (binned) {
        lane.moments = dj_lane_moments(&lane);
        lane.distance = binned;
        lane.binned = true;
    }
    if (!err)
        err = dj_view_add(sections, ops->name, ops->version, number + 1, ops->table.fields, &lane);
    dj_histogram_destroy(binned);
    return err;
}

static int add_time(dj_view_sections *sections, const dj_section_ops *ops, unsigned number, const void *value)
{
    const dj_time_profile *time = value;
    dj_histogram *binned = NULL;
    int err = dj_view_bin(sections->context, time->distance, DJ_VIEW_DISTANCES_MOST, NULL, &binned);
    const dj_time_profile shown = {.distance = binned ? binned : time->distance};
    if (!err)
        err = dj_view_add(sections, ops->name, ops->version, number + 1, ops->table.fields, &shown);
    dj_histogram_destroy(binned);
    return err;
}

// `number` of the lane; ignored for a section of the profile.
static int add_value(dj_view_sections *sections, const dj_profile *profile, const dj_section_ops *ops,
                     unsigned number, const void *value)
{
    if (ops == &dj_section_keys) { // without its lists
        dj_key_profile keys = *(const dj_key_profile *)value;
        keys.list_count = keys.device_count = keys.offset_count = keys.distance_count = 0;
        return dj_view_add(sections, ops->name, ops->version, number + 1, ops->table.fields, &keys);
    }
    if (ops == &dj_section_lane || ops == &dj_section_histogram)
        return add_lane(sections, profile, ops, number);
    if (ops == &dj_section_time)
        return add_time(sections, ops, number, value);
    if (ops == &dj_section_sharing)
        return dj_view_add_sharing(sections, value);
    if (ops == &dj_section_windows)
        return dj_view_add_windows(sections, number + 1, value);
    return dj_view_add(sections, ops->name, ops->version, ops->scope == DJ_SCOPE_PROFILE ? 0 : number + 1,
                       ops->table.fields, value);
}

int dj_view_add_profile(dj_view_sections *sections, const dj_profile *profile)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < dj_section_count(); i++) {
        const dj_section_ops *ops = dj_section_get(i);
        const bool whole = ops->scope == DJ_SCOPE_PROFILE;
        if (ops == &dj_section_attribution || ops == &dj_section_joint || ops == &dj_section_elements ||
            ops == &dj_section_partitions)
            continue;
        for (unsigned lane = 0; !err && lane < (whole ? 1 : profile->lane_count); lane++) {
            const void *value =
                whole ? dj_profile_section(profile, ops) : dj_lane_section(&profile->lanes[lane], ops);
            if (value)
                err = add_value(sections, profile, ops, lane, value);
        }
    }
    return err;
}
