// SPDX-License-Identifier: MIT
// Section `windows` of a lane: its accesses in windows of accesses or time.
#include <deja/windows.h>

#include <inttypes.h>

#include "profile/fields.h"

enum { BINS_MOST = 65 };

#define REQUIRED .flags = DJ_FIELD_REQUIRED
static const dj_field row_fields[] = {
    DJ_AT(U64, "first", dj_window, first, REQUIRED, .about = "position in the trace of its first access"),
    DJ_AT(U64, "time", dj_window, time, .flags = DJ_FIELD_OMIT,
          .about = "its start, in nanoseconds since the first access of the trace"),
    DJ_AT(U64, "accesses", dj_window, accesses, REQUIRED, .about = "counted by the lane"),
    DJ_AT(U64, "cold", dj_window, cold, REQUIRED,
          .about = "first accesses, with respect to the complete trace"),
    DJ_AT(U64, "distinct", dj_window, distinct, REQUIRED, .about = "distinct blocks accessed in the window"),
    DJ_NUMBER_LIST("bins", dj_window, bins, bin_count, .flags = DJ_FIELD_REQUIRED | DJ_FIELD_COUNT32,
                   .most = BINS_MOST, .about = "of the reuse distances: 0, 1, 2 to 3, 4 to 7, ..."),
    DJ_END,
};
static const dj_table row = {row_fields, sizeof(dj_window), DJ_ROW_LINE};

static const dj_field fields[] = {
    DJ_AT(U64, "length", dj_windows, length, REQUIRED, .about = "accesses of each; the last may have fewer"),
    DJ_AT(U64, "duration", dj_windows, duration, .flags = DJ_FIELD_OMIT,
          .about = "nanoseconds of each; length is 0 then"),
    DJ_AT(LIST, "rows", dj_windows, rows, .rows = &row, .count_at = offsetof(dj_windows, count), REQUIRED),
    DJ_END,
};

static int check(dj_context *context, void *value)
{
    const dj_windows *w = value;
    for (size_t i = 0; i < w->count; i++) {
        const dj_window *window = &w->rows[i];
        uint64_t left = window->accesses;
        bool fits = window->cold <= left;
        left -= fits ? window->cold : 0;
        for (uint32_t k = 0; fits && k < window->bin_count; k++) {
            fits = window->bins[k] <= left;
            left -= fits ? window->bins[k] : 0;
        }
        bool too_long = w->length > 0 && (window->accesses > w->length || window->distinct > w->length);
        if (!fits || left != 0 || too_long || (i > 0 && window->first <= window[-1].first) ||
            (i > 0 && w->duration > 0 && window->time <= window[-1].time))
            return dj_fail(context, DJ_ERR_INPUT, "windows: the counts of rows[%zu] do not add up", i);
    }
    return DJ_OK;
}

static int settle(dj_context *context, dj_profile *profile, dj_lane_profile *lane, void *value)
{
    (void)profile;
    const dj_windows *w = value;
    uint64_t accesses = 0, cold = 0;
    for (size_t i = 0; i < w->count; i++) {
        accesses += w->rows[i].accesses;
        cold += w->rows[i].cold;
    }
    return accesses == lane->accesses && cold == lane->cold
               ? DJ_OK
               : dj_fail(context, DJ_ERR_INPUT,
                         "windows: they have %" PRIu64 " accesses, %" PRIu64
                         " of them cold, instead of %" PRIu64 " and %" PRIu64,
                         accesses, cold, lane->accesses, lane->cold);
}

const dj_windows *dj_lane_windows(const dj_lane_profile *lane)
{
    return dj_lane_section(lane, &dj_section_windows);
}

const dj_section_ops dj_section_windows = {
    .name = "windows",
    .summary = "reuse distances and distinct data in each window of time",
    .version = 1,
    .scope = DJ_SCOPE_LANE,
    .table = {fields, sizeof(dj_windows), DJ_ROW_OBJECT},
    .check = check,
    .settle = settle,
};
