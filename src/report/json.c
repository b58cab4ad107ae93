// SPDX-License-Identifier: MIT
// A profile as JSON, with what models say of it beside what is loaded again.
#include <deja/report.h>

#include "profile/json.h"
#include "report/entity_json.h"

static int write_profile(dj_json_writer *json, dj_context *context, const dj_profile *profile,
                         enum dj_binning binning, uint64_t width)
{
    int err = dj_json_begin_profile(json, context, profile, binning, width);
    for (int by = 0; !err && profile->attribution && by < DJ_BY_COUNT; by++)
        err = dj_json_breakdown(json, context, profile->attribution, (enum dj_by)by);
    return err;
}

int dj_report_json(dj_context *context, const dj_profile *profile, const dj_profile *const *processes,
                   size_t process_count, enum dj_binning binning, uint64_t width, FILE *out)
{
    dj_json_writer json = {.out = out};
    int err = write_profile(&json, context, profile, binning, width);
    if (!err && process_count > 0) {
        dj_json_begin_list(&json, "processes");
        for (size_t i = 0; !err && i < process_count; i++) {
            err = write_profile(&json, context, processes[i], binning, width);
            if (!err)
                dj_json_end_object(&json);
        }
        dj_json_end_list(&json);
    }
    if (err)
        return err;
    dj_json_end_object(&json);
    dj_json_finish(&json);
    return ferror(out) ? dj_fail(context, DJ_ERR_IO, "cannot write the profile") : DJ_OK;
}
