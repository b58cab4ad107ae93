// SPDX-License-Identifier: MIT
// A profile as JSON, with what models say of it beside what is loaded again.
#include <deja/report.h>

#include "profile/json.h"
#include "report/entity_json.h"
#include "report/json.h"

int dj_json_begin_report(dj_json_writer *json, dj_context *context, const dj_profile *profile,
                         enum dj_binning binning, uint64_t width)
{
    int err = dj_json_begin_profile(json, context, profile, binning, width);
    for (int by = 0; !err && profile->attribution && by < DJ_BY_COUNT; by++)
        err = dj_json_breakdown(json, context, profile->attribution, (enum dj_by)by);
    if (!err && profile->attribution)
        err = dj_json_reuses(json, context, profile->attribution);
    return err;
}

int dj_report_json(dj_context *context, const dj_profile *profile, enum dj_binning binning, uint64_t width,
                   FILE *out)
{
    dj_json_writer json = {.out = out};
    int err = dj_json_begin_report(&json, context, profile, binning, width);
    if (err)
        return err;
    dj_json_end_object(&json);
    dj_json_finish(&json);
    return ferror(out) ? dj_fail(context, DJ_ERR_IO, "cannot write the profile") : DJ_OK;
}
