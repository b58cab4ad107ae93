// SPDX-License-Identifier: MIT
#include "engine/hprda/shared.h"

#include "base/grow.h"
#include "engine/team.h"

#include <stdlib.h>

const char *const dj_hprda_adjust_names[] = {"never", "paper", "always", NULL};

int dj_hprda_check_options(dj_context *context, const dj_hprda_options *o)
{
    int err = dj_threads_check(context, o->threads);
    if (err)
        return err;
    if (o->st < 1 || o->st > DJ_HPRDA_MOST_ST)
        return dj_fail(context, DJ_ERR_USAGE, "--st %llu: must be 1 to %d", (unsigned long long)o->st,
                       DJ_HPRDA_MOST_ST);
    if (o->fragment < 1 || o->fragment > INT32_MAX)
        return dj_fail(context, DJ_ERR_USAGE, "--fragment %llu: must be 1 to %d",
                       (unsigned long long)o->fragment, INT32_MAX);
    return DJ_OK;
}

void dj_hprda_parts_free(dj_hprda_parts *parts)
{
    free(parts->part);
    parts->part = NULL;
}

int dj_hprda_parts_end(dj_hprda_parts *parts, dj_context *context, const dj_hprda_steps *steps)
{
    int err = steps->end(parts, context);
    for (size_t p = 0; p < parts->count; p++)
        if (parts->part[p].from + parts->part[p].count == parts->part[p].work->count)
            dj_work_queue_put(&parts->answered, parts->part[p].work);
    parts->ended = parts->ended || parts->accesses > 0;
    parts->count = 0;
    parts->accesses = 0;
    return err;
}

static int hold(dj_hprda_parts *parts, dj_context *context, const dj_hprda_part *part)
{
    if (parts->returns_early)
        return DJ_OK;
    int err = dj_grow(context, "the work of engine hprda", &parts->part, &parts->capacity, parts->count + 1,
                      sizeof *parts->part);
    if (!err)
        parts->part[parts->count++] = *part;
    return err;
}

int dj_hprda_parts_push(dj_hprda_parts *parts, dj_context *context, const dj_hprda_steps *steps,
                        uint64_t fragment, dj_work *work)
{
    size_t from = 0;
    do {
        uint64_t capacity = fragment - parts->accesses;
        dj_hprda_part part = {work, from, work->count - from < capacity ? work->count - from : capacity};
        int err = DJ_OK;
        if (part.count > 0 && parts->accesses == 0) {
            err = steps->begin(parts, context, &part);
            parts->ended = false;
        }
        if (!err)
            err = hold(parts, context, &part);
        if (err)
            return err;
        parts->accesses += part.count;
        from += part.count;
        err = steps->add(parts, context, &part);
        if (!err && parts->accesses == fragment)
            err = dj_hprda_parts_end(parts, context, steps);
        if (err)
            return err;
    } while (from < work->count);
    if (parts->returns_early)
        dj_work_queue_put(&parts->answered, work);
    return DJ_OK;
}
