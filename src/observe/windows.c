// SPDX-License-Identifier: MIT
// Reuse distances and distinct data in windows of a number of accesses or a duration. The distance alone
// shows whether an access is the first to its block in a window: all D blocks that the window has touched
// are above a block it has not touched, and at most D - 1 are above one it has.
#include <deja/windows.h>

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "observe/counted.h"
#include "observe/observers.h"

enum { BINS = 65, DEFAULT_LENGTH = 1 << 20 };

// The windows of a lane; the last one is open.
typedef struct lane_windows {
    dj_window *rows; // the completed ones
    size_t count, capacity;
    dj_window open;
    uint64_t passed; // accesses of the open window that are not absent
    uint64_t bins[BINS];
} lane_windows;

typedef struct windows {
    uint64_t length, duration; // one of them is 0
    uint32_t lane_count;
    lane_windows lanes[];
} windows;

static void destroy(void *state)
{
    windows *w = state;
    for (uint32_t i = 0; w && i < w->lane_count; i++) {
        for (size_t k = 0; k < w->lanes[i].count; k++)
            free(w->lanes[i].rows[k].bins);
        free(w->lanes[i].rows);
    }
    free(w);
}

static int create(dj_context *context, const dj_setup *setup, void **state)
{
    const dj_windows_options *options = setup->options;
    int err = dj_refuse_partitions(context, setup, "a window of accesses");
    if (err)
        return err;
    if (options && (options->length == 0) == (options->duration == 0))
        return dj_fail(context, DJ_ERR_USAGE,
                       "observer windows: set either the length or the duration of a window");
    windows *w = calloc(1, sizeof *w + setup->lane_count * sizeof w->lanes[0]);
    if (!w)
        return dj_fail_memory(context, "the windows", 0);
    w->length = options ? options->length : DEFAULT_LENGTH;
    w->duration = options ? options->duration : 0;
    w->lane_count = setup->lane_count;
    *state = w;
    return DJ_OK;
}

// A copy of the open window, with the bins in use.
static int copy_open(const lane_windows *lane, dj_context *context, dj_window *out)
{
    *out = lane->open;
    out->bin_count = BINS;
    while (out->bin_count > 0 && lane->bins[out->bin_count - 1] == 0)
        out->bin_count--;
    out->bins = malloc((out->bin_count + 1) * sizeof *out->bins);
    if (!out->bins)
        return dj_fail_memory(context, "the windows", 0);
    memcpy(out->bins, lane->bins, out->bin_count * sizeof *out->bins);
    return DJ_OK;
}

static int close_window(lane_windows *lane, dj_context *context)
{
    int err =
        dj_grow(context, "the windows", &lane->rows, &lane->capacity, lane->count + 1, sizeof *lane->rows);
    if (!err)
        err = copy_open(lane, context, &lane->rows[lane->count]);
    if (err)
        return err;
    lane->count++;
    lane->open = (dj_window){0};
    lane->passed = 0;
    memset(lane->bins, 0, sizeof lane->bins);
    return DJ_OK;
}

// A clock that steps back is ignored: late accesses belong to the open window.
static int begin_access(const windows *w, lane_windows *lane, dj_context *context, const dj_batch *batch,
                        uint32_t i)
{
    const uint64_t time = w->duration ? batch->column.clock[i] / w->duration * w->duration : 0;
    int err = DJ_OK;
    if (lane->passed > 0 && (w->duration ? time > lane->open.time : lane->passed == w->length))
        err = close_window(lane, context);
    if (!err && lane->passed++ == 0) {
        lane->open.first = dj_batch_time(batch, i);
        lane->open.time = time;
    }
    return err;
}

static int see_lane(const windows *w, lane_windows *lane, dj_context *context, const dj_view *view,
                    const dj_lane_view *answers)
{
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < view->batch->count; i++) {
        uint64_t distance = answers->distance[i];
        const bool counts = distance != DJ_ABSENT;
        if (!counts && answers->verdict && answers->verdict[i] == DJ_VERDICT_FILL)
            distance = answers->filled[i];
        if (distance == DJ_ABSENT)
            continue;
        err = begin_access(w, lane, context, view->batch, i);
        lane->open.distinct += distance >= lane->open.distinct; // cold is beyond all
        lane->open.accesses += counts;
        lane->open.cold += counts && distance == DJ_COLD;
        if (counts && distance != DJ_COLD)
            lane->bins[dj_log2_bin(distance)]++;
    }
    return err;
}

static int see(void *state, dj_context *context, const dj_view *view)
{
    windows *w = state;
    int err = DJ_OK;
    if (w->duration && !view->batch->column.clock && view->batch->count > 0)
        return dj_fail(context, DJ_ERR_UNSUPPORTED,
                       "windows of time: the trace does not record when accesses were made");
    for (uint32_t i = 0; !err && i < w->lane_count; i++)
        err = see_lane(w, &w->lanes[i], context, view, &view->lanes[i]);
    return err;
}

static int finish_lane(const windows *w, const lane_windows *lane, dj_context *context, dj_windows *out)
{
    out->length = w->length;
    out->duration = w->duration;
    out->rows = calloc(lane->count + 1, sizeof *out->rows);
    if (!out->rows)
        return dj_fail_memory(context, "the windows", lane->count * sizeof *out->rows);
    int err = DJ_OK;
    for (; !err && out->count < lane->count; out->count++) {
        dj_window *to = &out->rows[out->count], *from = &lane->rows[out->count];
        *to = *from;
        to->bins = malloc((from->bin_count + 1) * sizeof *to->bins);
        if (!to->bins)
            return dj_fail_memory(context, "the windows", 0);
        memcpy(to->bins, from->bins, from->bin_count * sizeof *to->bins);
    }
    if (!err && lane->passed > 0)
        err = copy_open(lane, context, &out->rows[out->count++]);
    return err;
}

static int finish(void *state, dj_context *context, dj_profile *profile)
{
    const windows *w = state;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < w->lane_count; i++) {
        dj_windows *out = NULL;
        err = dj_lane_add_section(context, &profile->lanes[i], &dj_section_windows, &out);
        if (!err)
            err = finish_lane(w, &w->lanes[i], context, out);
    }
    return err;
}

// No merge: where a window of the complete trace begins within a part, and what it has touched, is only
// known in order.
const dj_observer_ops dj_observer_windows = {
    .name = "windows",
    .summary = "reuse distances and distinct data in windows of time",
    .needs = DJ_NEED_EXACT | DJ_NEED_PER_ACCESS,
    .fills = &dj_section_windows,
    .create = create,
    .destroy = destroy,
    .see = see,
    .finish = finish,
};
