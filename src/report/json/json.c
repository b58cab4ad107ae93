// SPDX-License-Identifier: MIT
// A profile as JSON, with the results of models in addition to what is loaded again.
#include <deja/report.h>
#include <deja/sharing.h>

#include "profile/json.h"
#include "report/json/entity_json.h"
#include "report/json/json.h"
#include "report/json/stall_json.h"
#include "report/spatial/spatial.h"

int dj_json_begin_report(dj_json_writer *json, dj_context *context, const dj_profile *profile,
                         const dj_json_view *view)
{
    static const enum dj_by all[] = {DJ_BY_OBJECT, DJ_BY_FUNCTION,        DJ_BY_LOOP,
                                     DJ_BY_LINE,   DJ_BY_CALLING_CONTEXT, DJ_BY_THREAD};
    const enum dj_by *by = view->by_count ? view->by : all;
    size_t by_count = view->by_count ? view->by_count : sizeof all / sizeof all[0];
    dj_ranking_options ranked = {0};
    const dj_stall_model stall = {view->costs, dj_profile_hierarchy(profile)};
    int err =
        dj_profile_spatial(profile) ? dj_spatial_view_find(context, profile, view->spatial, &ranked) : DJ_OK;
    if (!err)
        err = dj_json_begin_profile(json, context, profile, view->binning, view->bin_width,
                                    &dj_section_spatial);
    if (!err)
        err = dj_json_phases(json, context, profile);
    if (!err)
        dj_json_traffic(json, profile);
    if (!err && dj_profile_attribution(profile) && view->costs)
        dj_json_time(json, dj_profile_attribution(profile), &stall);
    for (size_t i = 0; !err && dj_profile_attribution(profile) && i < by_count; i++)
        err =
            dj_json_breakdown(json, context, profile, by[i], &ranked, view->costs ? &stall : NULL, view->own);
    if (!err && dj_profile_attribution(profile))
        err = dj_json_reuses(json, context, profile);
    if (!err && dj_profile_attribution(profile) && dj_profile_sharing(profile))
        err = dj_json_false_sharing(json, context, profile);
    if (!err && dj_profile_spatial(profile)) {
        dj_json_begin_object(json, "spatial");
        dj_json_spatial(json, dj_profile_spatial(profile));
        err = dj_json_spatial_models(json, context, profile, &ranked);
        dj_json_end_object(json);
    }
    return err;
}

int dj_report_json(dj_context *context, const dj_profile *profile, const dj_json_view *view, FILE *out)
{
    dj_json_writer json = {.out = out};
    int err = dj_json_begin_report(&json, context, profile, view);
    if (err)
        return err;
    dj_json_end_object(&json);
    dj_json_finish(&json);
    return ferror(out) ? dj_fail(context, DJ_ERR_IO, "cannot write the profile") : DJ_OK;
}
