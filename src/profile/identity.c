// SPDX-License-Identifier: MIT
#include "profile/identity.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

void dj_lane_id_free(dj_lane_id *id)
{
    free(id->filter);
    free(id->partition);
    *id = (dj_lane_id){0};
}

int dj_lane_id_copy(dj_context *context, const dj_lane_id *id, dj_lane_id *out)
{
    *out = (dj_lane_id){.block_bytes = id->block_bytes, .sampling = id->sampling};
    int err = dj_copy_text(context, or_empty(id->filter), &out->filter);
    return err ? err : dj_copy_text(context, or_empty(id->partition), &out->partition);
}

bool dj_lane_id_same(const dj_lane_id *a, const dj_lane_id *b)
{
    return a->block_bytes == b->block_bytes && a->sampling == b->sampling &&
           strcmp(or_empty(a->filter), or_empty(b->filter)) == 0 &&
           strcmp(or_empty(a->partition), or_empty(b->partition)) == 0;
}
