// SPDX-License-Identifier: MIT
// Reports of --follow as JSON, one line each; docs/formats.md describes the format.
#include "profile/json.h"
#include "report/follow.h"

static void write_curve(dj_json_writer *json, const char *key, const dj_follow_report *r,
                        const dj_follow_curve *curve)
{
    dj_json_begin_object(json, key);
    dj_json_real(json, "seconds", curve->seconds);
    dj_json_uint(json, "accesses", curve->accesses);
    dj_json_begin_list(json, "points");
    for (size_t i = 0; i < r->count; i++) {
        dj_json_begin_object(json, NULL);
        dj_json_uint(json, "size", curve->points[i].size);
        if (r->names[i])
            dj_json_text(json, "cache", r->names[i]);
        dj_json_uint(json, "misses", curve->points[i].misses);
        dj_json_real(json, "ratio", curve->points[i].ratio);
        if (curve->bands) {
            dj_json_real(json, "low", curve->bands[i].low);
            dj_json_real(json, "high", curve->bands[i].high);
        }
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
    if (curve->bands) {
        dj_json_begin_object(json, "sampling");
        dj_json_real(json, "rate", r->origin.rate);
        dj_json_uint(json, "keys", r->origin.keys);
        dj_json_real(json, "max_error", dj_band_widest(curve->bands, r->count));
        dj_json_bool(json, "certified", r->origin.certified);
        dj_json_end_object(json);
    }
    dj_json_end_object(json);
}

void dj_follow_json(const dj_follow_report *r, FILE *out)
{
    dj_json_writer json = {.out = out};
    const dj_lane_profile *lane = &r->profile->lanes[0];
    dj_json_begin_row(&json, NULL);
    dj_json_text(&json, "schema", "deja-follow");
    dj_json_uint(&json, "version", 1);
    dj_json_provenance(&json, &r->profile->provenance);
    dj_json_uint(&json, "number", r->number);
    dj_json_uint(&json, "block_bytes", lane->id.block_bytes);
    dj_json_uint(&json, "distinct", lane->distinct);
    dj_json_uint(&json, "cold", lane->cold);
    write_curve(&json, "window", r, &r->window);
    write_curve(&json, "all", r, &r->all);
    dj_json_end_object(&json);
    dj_json_finish(&json);
}
