// SPDX-License-Identifier: MIT
#include "report/json/stall_json.h"

void dj_json_seconds(dj_json_writer *json, const char *key, const dj_seconds *seconds)
{
    dj_json_begin_row(json, key);
    dj_json_real(json, "low", seconds->low);
    dj_json_real(json, "estimate", seconds->estimate);
    dj_json_real(json, "high", seconds->high);
    dj_json_end_object(json);
}

void dj_json_stall(dj_json_writer *json, const dj_tally *tally, const dj_seconds *stall)
{
    dj_json_seconds(json, "stall_seconds", stall);
    dj_json_begin_row(json, "miss_classes");
    for (unsigned k = 0; tally->missed && k < DJ_MISS_CLASSES; k++) {
        uint64_t count = 0;
        for (unsigned bin = 0; dj_miss_count_at(bin, 0, false) < tally->missed->count; bin++)
            for (unsigned w = 0; w < 2 && bin != DJ_MISS_HITS; w++)
                count += tally->missed->counts[dj_miss_count_at(bin, (enum dj_miss_class)k, w)];
        dj_json_uint(json, dj_stall_part_name(k), count);
    }
    dj_json_end_object(json);
}

void dj_json_time(dj_json_writer *json, const dj_attribution *a, const dj_stall_model *model)
{
    const dj_time time = dj_attribution_time(a, model);
    dj_json_begin_object(json, "time");
    dj_json_bool(json, "calibrated", model->costs->measured);
    dj_json_seconds(json, "seconds", &time.all);
    dj_json_seconds(json, "stall_seconds", &time.stall);
    dj_json_begin_list(json, "classes");
    for (size_t i = 0; i < DJ_STALL_PARTS; i++) {
        dj_json_begin_object(json, NULL);
        dj_json_text(json, "name", dj_stall_part_name(i));
        dj_json_seconds(json, "stall_seconds", &time.parts[i]);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
    dj_json_end_object(json);
}
