// SPDX-License-Identifier: MIT
// Parts of a profile in JSON that other reports write too.
#include "profile/json.h"

const char *const dj_policy_names[] = {"lru", "fifo", "lfu", NULL};

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

void dj_json_provenance(dj_json_writer *json, const dj_provenance *from)
{
    dj_json_text(json, "engine", text_or_empty(from->engine));
    dj_json_bool(json, "partial", from->partial);
    dj_json_text(json, "partial_reason", text_or_empty(from->partial_reason));
    dj_json_begin_object(json, "provenance");
    dj_json_text(json, "version", text_or_empty(from->version));
    dj_json_text(json, "command", text_or_empty(from->command));
    dj_json_text(json, "format", text_or_empty(from->format));
    dj_json_begin_list(json, "inputs");
    for (size_t i = 0; i < from->input_count; i++)
        dj_json_text(json, NULL, from->inputs[i]);
    dj_json_end_list(json);
    dj_json_text(json, "unit", text_or_empty(from->unit));
    dj_json_uint(json, "unit_bytes", from->unit_bytes);
    dj_json_bool(json, "exact", from->exact);
    dj_json_real(json, "error_bound", from->error_bound);
    dj_json_bool(json, "split", from->split);
    if (*text_or_empty(from->statements))
        dj_json_text(json, "statements", from->statements);
    dj_json_end_object(json);
}

void dj_json_moments(dj_json_writer *json, const char *key, const dj_moments *moments)
{
    if (moments->count == 0) {
        dj_json_null(json, key);
        return;
    }
    dj_json_begin_row(json, key);
    dj_json_uint(json, "min", moments->min);
    dj_json_uint(json, "max", moments->max);
    dj_json_real(json, "mean", moments->mean);
    dj_json_real(json, "median", moments->median);
    dj_json_real(json, "std", moments->std);
    dj_json_end_object(json);
}

void dj_json_addresses(dj_json_writer *json, const char *key, const dj_key_profile *keys)
{
    dj_json_begin_list(json, key);
    for (size_t i = 0; i < keys->list_count; i++) {
        dj_json_begin_row(json, NULL);
        if (keys->list_device)
            dj_json_uint(json, "device", keys->list_device[i]);
        dj_json_uint(json, "key", keys->list_key[i]);
        dj_json_begin_list(json, "distances");
        for (uint64_t at = keys->list_offset[i]; at < keys->list_offset[i + 1]; at++)
            dj_json_uint(json, NULL, keys->list_distances[at]);
        dj_json_end_list(json);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}
