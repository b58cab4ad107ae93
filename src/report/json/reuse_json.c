// SPDX-License-Identifier: MIT
// Long reuses as a list in JSON; docs/formats.md describes it.
#include <deja/reuse.h>

#include "profile/json.h"
#include "report/json/entity_json.h"

static void write_reuse(dj_json_writer *json, const dj_attribution *a, const dj_reuse *reuse)
{
    static const char *const from_keys[] = {"from", "from_file", "from_line"};
    static const char *const to_keys[] = {"to", "to_file", "to_line"};
    dj_json_begin_row(json, NULL);
    dj_json_place(json, a, from_keys, reuse->from_name, reuse->from);
    dj_json_place(json, a, to_keys, reuse->to_name, reuse->to);
    dj_json_text(json, "object", a->objects[reuse->object].name);
    if (reuse->from_object != reuse->object)
        dj_json_text(json, "from_object", a->objects[reuse->from_object].name);
    dj_json_text(json, "data", reuse->data_name);
    if (reuse->loop != DJ_NOWHERE) {
        dj_json_text(json, "loop", reuse->loop_name);
        dj_json_bool(json, "next_iteration", reuse->next_iteration);
    } else {
        dj_json_null(json, "loop");
    }
    dj_json_text(json, "carried", dj_carried_kinds[reuse->carried]);
    dj_json_carrier(json, a, reuse->carried == DJ_CARRIED_UNKNOWN ? DJ_NOWHERE : reuse->carrier);
    dj_json_uint(json, "count", reuse->tally.accesses);
    dj_json_tally(json, a, &reuse->tally, reuse->misses);
    dj_json_text(json, "advice", dj_advice_name(reuse->advice));
    dj_json_text(json, "text", reuse->text);
    dj_json_end_object(json);
}

// More than anyone reads; programs have hundreds of thousands.
enum { LISTED_MOST = 1000 };

int dj_json_reuses(dj_json_writer *json, dj_context *context, const dj_profile *profile)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    dj_reuses *reuses = NULL;
    int err = dj_reuses_of_profile(context, profile, &reuses);
    if (err)
        return err;
    dj_json_begin_list(json, "reuse_pairs");
    for (size_t i = 0; i < reuses->count && i < LISTED_MOST; i++)
        write_reuse(json, a, &reuses->list[i]);
    dj_json_end_list(json);
    dj_json_uint(json, "reuse_pairs_left_out", reuses->count > LISTED_MOST ? reuses->count - LISTED_MOST : 0);
    err = dj_json_advice(json, context, profile, reuses);
    dj_reuses_destroy(reuses);
    return err;
}
