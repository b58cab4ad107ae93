// SPDX-License-Identifier: MIT
#include <deja/diff.h>

#include <deja/model.h>
#include <deja/tracing.h>

#include <math.h>
#include <stdlib.h>

#include "model/comparable.h"
#include "model/diff/rows.h"
#include "model/diff/totals.h"

double dj_diff_value(const dj_diff *diff, const dj_diff_count *count, int run)
{
    return (double)count->runs[run] / diff->work[run];
}

double dj_diff_change(const dj_diff *diff, const dj_diff_count *count)
{
    const uint64_t before = count->runs[DJ_BEFORE], after = count->runs[DJ_AFTER];
    if (diff->work[DJ_BEFORE] == diff->work[DJ_AFTER])
        return (after >= before ? (double)(after - before) : -(double)(before - after)) /
               diff->work[DJ_AFTER];
    return dj_diff_value(diff, count, DJ_AFTER) - dj_diff_value(diff, count, DJ_BEFORE);
}

double dj_diff_error(const dj_diff_count *count)
{
    return count->errors[DJ_BEFORE] + count->errors[DJ_AFTER];
}

bool dj_diff_differs(const dj_diff *diff, const dj_diff_count *count)
{
    return fabs(dj_diff_change(diff, count)) > dj_diff_error(count);
}

const dj_diff_count *dj_diff_ranked(const dj_diff *diff, const dj_diff_row *row)
{
    if (diff->ranked >= 0)
        return row ? &row->misses[diff->ranked] : &diff->misses[diff->ranked];
    if (diff->ranked == DJ_DIFF_CURVE && !row)
        return &diff->points[diff->worst].misses;
    return row ? &row->accesses : &diff->accesses;
}

// An estimate whose error is not known says nothing about a difference.
static bool has_error(const dj_profile *profile)
{
    const dj_lane_profile *lane = &profile->lanes[0];
    return profile->provenance.exact || dj_lane_band_origin(profile, lane).known || dj_lane_tracing(lane);
}

static int check_profile(dj_context *context, const dj_profile *profile, const char *name)
{
    if (profile->lane_count == 0 || profile->lanes[0].accesses == 0)
        return dj_fail(context, DJ_ERR_USAGE, "%s: the profile has no accesses to compare", name);
    if (!has_error(profile))
        return dj_fail(context, DJ_ERR_USAGE,
                       "%s: engine %s estimates with an unknown error, so differences mean nothing; measure "
                       "with another engine",
                       name, profile->provenance.engine);
    return DJ_OK;
}

static const char *name_selection(const dj_profile *profile)
{
    const char *selection = profile->provenance.selection;
    return selection && *selection ? selection : "the whole run";
}

static void warn_of_selection(dj_context *context, const dj_diff_request *request)
{
    const dj_profile *before = request->profiles[DJ_BEFORE], *after = request->profiles[DJ_AFTER];
    if (dj_selected_differently(before, after))
        dj_warn(context, "they count different parts of a run: %s counts %s, %s counts %s",
                request->names[DJ_BEFORE], name_selection(before), request->names[DJ_AFTER],
                name_selection(after));
}

static int check(dj_context *context, const dj_diff_request *request)
{
    const dj_profile *before = request->profiles[DJ_BEFORE], *after = request->profiles[DJ_AFTER];
    int err = DJ_OK;
    for (int run = 0; !err && run < DJ_SIDES; run++)
        err = check_profile(context, request->profiles[run], request->names[run]);
    if (err)
        return err;
    const char *differs = dj_measured_differently(before, after);
    if (differs)
        return dj_fail(context, DJ_ERR_USAGE, "%s and %s have different %s; measure both in the same way",
                       request->names[DJ_BEFORE], request->names[DJ_AFTER], differs);
    const bool attributed[DJ_SIDES] = {dj_profile_attribution(before) != NULL,
                                       dj_profile_attribution(after) != NULL};
    if (attributed[DJ_BEFORE] != attributed[DJ_AFTER])
        return dj_fail(
            context, DJ_ERR_USAGE,
            "only %s says which code and data the accesses belong to; measure both in the same way",
            request->names[attributed[DJ_AFTER]]);
    for (int run = 0; run < DJ_SIDES; run++)
        if (request->work[run] < 0 || !isfinite(request->work[run]))
            return dj_fail(context, DJ_ERR_USAGE, "the work of %s is not a positive number",
                           request->names[run]);
    return DJ_OK;
}

int dj_diff_profiles(dj_context *context, const dj_diff_request *request, dj_diff **out)
{
    *out = NULL;
    int err = check(context, request);
    if (err)
        return err;
    warn_of_selection(context, request);
    dj_diff *diff = calloc(1, sizeof *diff);
    if (!diff)
        return dj_fail_memory(context, "a comparison", sizeof *diff);
    diff->shared = 1;
    for (int run = 0; run < DJ_SIDES; run++)
        diff->work[run] = request->work[run] > 0 ? request->work[run] : 1;
    err = dj_diff_find_caches(context, request, diff);
    if (!err)
        err = dj_diff_count_totals(context, request, diff);
    if (!err)
        err = dj_diff_compare_curves(context, request, diff);
    if (!err)
        dj_diff_rank(diff);
    if (!err && dj_profile_attribution(request->profiles[DJ_AFTER]))
        err = dj_diff_rows_create(context, request, diff);
    for (size_t i = 0; !err && i < diff->row_lists; i++)
        err = dj_diff_rows_sort(context, diff, &diff->rows[i]);
    if (err)
        dj_diff_destroy(diff);
    else
        *out = diff;
    return err;
}

void dj_diff_destroy(dj_diff *diff)
{
    if (!diff)
        return;
    for (size_t c = 0; c < diff->cache_count; c++)
        free(diff->caches[c].name);
    for (size_t i = 0; i < diff->row_lists; i++)
        dj_diff_rows_free(&diff->rows[i]);
    free(diff->caches);
    free(diff->misses);
    free(diff->points);
    free(diff->not_compared);
    free(diff);
}
