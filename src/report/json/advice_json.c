// SPDX-License-Identifier: MIT
// Advice as a list in JSON; docs/formats.md describes it.
#include <stdio.h>
#include <string.h>

#include "report/json/entity_json.h"

void dj_json_carrier(dj_json_writer *json, const dj_attribution *a, uint32_t carrier)
{
    if (carrier == DJ_NOWHERE) {
        dj_json_null(json, "carrier");
        return;
    }
    const dj_loop_row *loop = &a->loops[carrier];
    dj_json_begin_object(json, "carrier");
    if (loop->file == DJ_NOWHERE)
        dj_json_null(json, "file");
    else
        dj_json_text(json, "file", a->files[loop->file]);
    dj_json_uint(json, "line", loop->first_line);
    dj_json_uint(json, "last_line", loop->last_line);
    dj_json_text(json, "function", a->functions[loop->function].name);
    dj_json_end_object(json);
}

// A fact per line.
static void write_evidence(dj_json_writer *json, const char *lines)
{
    char line[512];
    dj_json_begin_list(json, "evidence");
    while (*lines) {
        const size_t length = strcspn(lines, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, lines);
        dj_json_text(json, NULL, line);
        lines += length + (lines[length] ? 1 : 0);
    }
    dj_json_end_list(json);
}

static void write_levels(dj_json_writer *json, const dj_attribution *a, const char *key,
                         const uint64_t *misses)
{
    dj_json_begin_list(json, key);
    for (size_t i = 0; i < a->cut_count; i++) {
        dj_json_begin_row(json, NULL);
        dj_json_text(json, "name", a->cuts[i].name);
        dj_json_uint(json, "misses", misses[i]);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static void write_item(dj_json_writer *json, const dj_attribution *a, const dj_advice_item *item)
{
    dj_json_begin_row(json, NULL);
    dj_json_text(json, "kind", item->kind);
    dj_json_text(json, "object", a->objects[item->object].name);
    dj_json_text(json, "data", item->data);
    if (a->cut_count > 0)
        dj_json_text(json, "level", a->cuts[item->cut].name);
    else
        dj_json_null(json, "level");
    dj_json_real(json, "share", item->share);
    dj_json_carrier(json, a, item->carrier);
    dj_json_bool(json, "measured", item->measured);
    dj_json_text(json, "text", item->text);
    write_evidence(json, item->evidence);
    write_levels(json, a, "misses", item->misses);
    write_levels(json, a, "saves", item->saves);
    dj_json_end_object(json);
}

int dj_json_advice(dj_json_writer *json, dj_context *context, const dj_profile *profile,
                   const dj_reuses *reuses)
{
    dj_advice_list *list = NULL;
    int err = dj_advice_list_create(context, profile, reuses, &list);
    if (err)
        return err;
    dj_json_begin_list(json, "advice");
    for (size_t i = 0; i < list->count; i++)
        write_item(json, dj_profile_attribution(profile), &list->items[i]);
    dj_json_end_list(json);
    dj_advice_list_destroy(list);
    return DJ_OK;
}
