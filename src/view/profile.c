// SPDX-License-Identifier: MIT
// The sections of a profile as they are, except for what only other tools need, and very long histograms.
#include "base/fine_bins.h"
#include "profile/fields.h"
#include "view/parts.h"
#include "view/windows.h"

// A lane with more different distances than DISTANCES_MOST has bins: 2^FINE_BITS for each doubling.
enum { DISTANCES_MOST = 1 << 16, FINE_BITS = 9 };

static bool is_long(const dj_histogram *histogram)
{
    size_t count = 0;
    for (uint64_t at = 0; dj_histogram_next(histogram, &at) != 0 && count <= DISTANCES_MOST; at++)
        count++;
    return count > DISTANCES_MOST;
}

// Whether a cache of a size above `from`, up to `to`, would be inside of a bin: its misses are to be exact.
static bool is_divided(const dj_attribution *a, uint64_t from, uint64_t to)
{
    for (size_t i = 0; a && i < a->cut_count; i++)
        if (a->cuts[i].blocks > from && a->cuts[i].blocks <= to)
            return true;
    return false;
}

// Each distance becomes the longest one in its bin, as in a profile with bins.
static int bin(dj_context *context, const dj_histogram *from, const dj_attribution *a, dj_histogram **out)
{
    dj_histogram *to = NULL;
    uint64_t sum = 0, last = 0;
    int err = dj_histogram_create(context, &to);
    for (uint64_t at = 0, n; !err && (n = dj_histogram_next(from, &at)) != 0; at++) {
        const bool same =
            dj_fine_bin(at, FINE_BITS) == dj_fine_bin(last, FINE_BITS) && !is_divided(a, last, at);
        if (sum > 0 && !same) {
            err = dj_histogram_add(to, context, last, sum);
            sum = 0;
        }
        sum += n;
        last = at;
    }
    if (!err && sum > 0)
        err = dj_histogram_add(to, context, last, sum);
    if (err)
        dj_histogram_destroy(to);
    else
        *out = to;
    return err;
}

static int add_lane(dj_view_sections *sections, const dj_profile *profile, const dj_section_ops *ops,
                    unsigned number)
{
    dj_lane_profile lane = profile->lanes[number];
    dj_histogram *binned = NULL;
    int err = DJ_OK;
    if (is_long(lane.distance))
        err = bin(sections->context, lane.distance, dj_profile_attribution(profile), &binned);
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
    int err = is_long(time->distance) ? bin(sections->context, time->distance, NULL, &binned) : DJ_OK;
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
