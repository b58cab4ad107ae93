// SPDX-License-Identifier: MIT
#include "cli/options/fail_if.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/options/output.h"
#include "report/crossings.h"

enum { CACHES_MOST = DJ_SHAPES_MAX + 64 };

int dj_fail_if_parse(dj_context *context, dj_fail_if *o, bool changes)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < o->typed.count; i++)
        err = dj_limits_parse(context, o->typed.items[i], &o->limits);
    if (!err && !changes)
        err = dj_limits_need_one_run(context, &o->limits);
    return err;
}

void dj_fail_if_free(dj_fail_if *o)
{
    dj_limits_free(&o->limits);
}

int dj_fail_if_resolve(dj_context *context, dj_fail_if *o, const dj_caches *caches,
                       const dj_attribution *attribution, uint64_t block_bytes)
{
    dj_named_cache names[CACHES_MOST];
    size_t count = 0;
    for (size_t i = 0; caches && i < caches->count; i++)
        names[count++] =
            (dj_named_cache){caches->shapes[i].name, caches->shapes[i].size_blocks, attribution == NULL};
    for (size_t i = 0; attribution && i < attribution->cut_count && count < CACHES_MOST; i++)
        names[count++] = (dj_named_cache){attribution->cuts[i].name, attribution->cuts[i].blocks, true};
    return dj_limits_resolve(context, &o->limits, names, count, block_bytes);
}

int dj_fail_if_check(dj_context *context, const dj_fail_if *o, const dj_profile *profile, const char *name,
                     dj_crossings **out)
{
    const dj_diff_request request = {.profiles = {NULL, profile}, .names = {NULL, name}};
    *out = NULL;
    return o->limits.count > 0 ? dj_limits_check(context, &o->limits, &request, out) : DJ_OK;
}

static void say(void *user, bool crossed, const char *text)
{
    (void)user;
    dj_output_message(crossed ? "" : "note: ", text);
}

int dj_fail_if_say(dj_context *context, const dj_crossings *crossings)
{
    dj_document *document = NULL;
    if (!crossings || crossings->count == 0)
        return DJ_OK;
    int err = dj_document_create(context, &document);
    if (err)
        return err;
    dj_crossings_say(document, crossings, say, NULL);
    dj_document_destroy(document);
    return crossings->crossed ? DJ_EXIT_THRESHOLD : DJ_OK;
}
