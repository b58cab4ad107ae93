// SPDX-License-Identifier: MIT
// Section `stall`: estimated time of the run, by the kinds of its misses.
#include <deja/stall.h>

#include "profile/fields.h"
#include "view/parts.h"

typedef struct part {
    const char *name;
    dj_view_stall stall;
} part;

typedef struct estimated {
    bool calibrated; // the costs were measured on this machine
    dj_view_stall stall, time;
    part parts[DJ_STALL_PARTS];
    size_t part_count;
} estimated;

#define STALL(name_, row_, member_)                                                                          \
    {                                                                                                        \
        DJ_FIELD(OBJECT, name_, row_, member_), .rows = &dj_view_stall_table                                 \
    }
static const dj_field part_fields[] = {DJ_AT(TEXT, "name", part, name), STALL("stall", part, stall), DJ_END};
static const dj_table part_table = {part_fields, sizeof(part), DJ_ROW_OBJECT};

static size_t count_parts(const void *row)
{
    return ((const estimated *)row)->part_count;
}

static const dj_field fields[] = {
    DJ_AT(BOOL, "calibrated", estimated, calibrated),
    STALL("stall", estimated, stall),
    STALL("time", estimated, time),
    DJ_AT(LIST, "parts", estimated, parts, .rows = &part_table, .flags = DJ_FIELD_IN_PLACE,
          .most = DJ_STALL_PARTS, .count = count_parts),
    DJ_END,
};

int dj_view_add_stall(dj_view_sections *sections, const dj_view_breakdowns *of)
{
    const dj_stall_model *model = &of->measured.time;
    if (!model->costs)
        return DJ_OK;
    const dj_time time = dj_attribution_time(of->a, model);
    estimated to = {.calibrated = model->costs->measured,
                    .stall = dj_view_stall_get(&time.stall),
                    .time = dj_view_stall_get(&time.all)};
    for (size_t i = 0; i < DJ_STALL_PARTS; i++)
        to.parts[to.part_count++] = (part){dj_stall_part_name(i), dj_view_stall_get(&time.parts[i])};
    return dj_view_add(sections, "stall", DJ_VIEW_VERSION, 0, fields, &to);
}
