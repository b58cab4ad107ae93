// SPDX-License-Identifier: MIT
#include "session/annotations.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/file.h"
#include "base/text.h"
#include "base/text_stream.h"
#include "base/tracers.h"
#include "engine/choice.h"
#include "measure/spatial.h"

// The recorder counts elements, whose size in bytes does not matter.
static void write_blocks(const dj_spatial_request *spatial, FILE *to)
{
    uint64_t first, last;
    fprintf(to, "blocks=");
    for (size_t i = 0; i < spatial->element_block_count; i++)
        fprintf(to, "%s%" PRIu64, i ? "," : "", spatial->element_blocks[i]);
    dj_spatial_default_blocks(&dj_tracer_elements, &first, &last);
    for (uint64_t block = first; spatial->element_block_count == 0 && block <= last; block *= 2)
        fprintf(to, "%s%" PRIu64, block > first ? "," : "", block);
    fprintf(to, "\n");
}

int dj_annotations_settings(dj_context *context, const dj_request *r, char **out)
{
    dj_text_stream stream;
    if (!dj_text_stream_open(&stream))
        return dj_fail_memory(context, "settings", 0);
    FILE *to = stream.file;
    if (!r->places)
        fprintf(to, "by=none\n");
    if (r->statements)
        fprintf(to, "statements=1\n");
    if (r->start_at)
        fprintf(to, "start-at=%s\n", r->start_at);
    if (r->within)
        fprintf(to, "within=%s\n", r->within);
    if (r->skip)
        fprintf(to, "skip=%" PRIu64 "\n", r->skip);
    if (r->stop_after)
        fprintf(to, "stop-after=%" PRIu64 "\n", r->stop_after);
    if (dj_engine_is_named(r->engine))
        fprintf(to, "engine=%s\n", r->engine);
    if (r->spatial)
        write_blocks(r->spatial, to);
    *out = dj_text_stream_close(&stream, NULL);
    return *out ? DJ_OK : dj_fail_memory(context, "settings", 0);
}

static int load(dj_context *context, const char *path, dj_profile **out)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return dj_fail_open(context, path, errno);
    int err = dj_profile_load(context, file, path, out);
    fclose(file);
    return err;
}

int dj_annotations_collect(dj_session *session, dj_worker *worker, const char *path)
{
    dj_profile *profile = NULL;
    int err = load(worker->context, path, &profile);
    if (err || !profile)
        return err;
    err = dj_copy_text(worker->context, profile->provenance.command, &worker->command);
    if (err) {
        dj_profile_destroy(profile);
        return err;
    }
    worker->unstreamed.killed = profile->provenance.partial;
    return dj_spill_keep(&session->spill, worker, profile);
}
