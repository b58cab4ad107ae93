// SPDX-License-Identifier: MIT
#include "cli/collected.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/saved.h"

int dj_collected_settings(dj_context *context, const dj_attribute_options *a, const dj_reading *reading,
                          const char *more, char **out)
{
    size_t bytes;
    FILE *to = open_memstream(out, &bytes);
    if (!to)
        return dj_fail_memory(context, "settings", 0);
    if (dj_attribute_is_refused(a))
        fprintf(to, "by=none\n");
    if (a->statements)
        fprintf(to, "statements=1\n");
    if (a->start_at)
        fprintf(to, "start-at=%s\n", a->start_at);
    if (a->within)
        fprintf(to, "within=%s\n", a->within);
    if (a->skip)
        fprintf(to, "skip=%" PRIu64 "\n", a->skip);
    if (a->stop_after)
        fprintf(to, "stop-after=%" PRIu64 "\n", a->stop_after);
    if (dj_reading_engine(reading))
        fprintf(to, "engine=%s\n", reading->engine);
    fputs(more ? more : "", to);
    return fclose(to) == 0 ? DJ_OK : dj_fail_memory(context, "settings", 0);
}

// The library within the program has no part for devices.
static bool takes_device(const dj_reading *reading)
{
    const char *name = dj_reading_engine(reading);
    const dj_engine_ops *engine = name ? dj_engine_find(name) : NULL;
    return engine && engine->find;
}

const char *dj_collected_unfit(const dj_attribute_options *attribute, const dj_reading *reading,
                               const dj_cache_options *caches, bool paused)
{
    return reading->block                        ? "--block"
           : reading->split || reading->no_split ? "--split"
           : caches->caches                      ? "--caches"
           : takes_device(reading)               ? "an --engine on a GPU"
           : attribute->fresh_heap               ? "--fresh-heap"
           : paused                              ? "--paused"
                                                 : NULL;
}

int dj_collected_take(dj_worker *worker, const char *path, dj_profile **out, bool *killed)
{
    int err = dj_saved_load(worker->context, NULL, path, out);
    if (!err)
        err = dj_copy_text(worker->context, (*out)->provenance.command, &worker->command);
    if (!err)
        *killed = (*out)->provenance.partial;
    return err;
}
