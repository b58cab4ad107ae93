// SPDX-License-Identifier: MIT
// The table of sinks, and what they share: counting, and refusing what would be lost.
#include "trace/sink/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const dj_sink_ops *const sinks[] = {
    &dj_sink_deja,  &dj_sink_text,  &dj_sink_csv,   &dj_sink_u64le,
    &dj_sink_u64be, &dj_sink_u32le, &dj_sink_u32be,
};

struct dj_sink {
    const dj_sink_ops *ops;
    void *state;
    dj_sink_output output;
    dj_sink_stats stats;
    bool lossy;
    bool has_device;
    uint32_t device; // of the first access
};

size_t dj_sink_count(void)
{
    return sizeof sinks / sizeof sinks[0];
}

const dj_sink_info *dj_sink_get(size_t index)
{
    return &sinks[index]->info;
}

static const dj_sink_ops *find(const char *name)
{
    for (size_t i = 0; i < dj_sink_count(); i++)
        if (strcmp(sinks[i]->info.name, name) == 0)
            return sinks[i];
    return NULL;
}

const dj_sink_info *dj_sink_find(const char *name)
{
    const dj_sink_ops *ops = find(name);
    return ops ? &ops->info : NULL;
}

static bool ends_in(const char *path, const char *extensions)
{
    size_t path_length = strlen(path);
    for (const char *at = extensions; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        if (length < path_length && strncasecmp(path + path_length - length, at, length) == 0)
            return true;
        at += length;
    }
    return false;
}

const dj_sink_info *dj_sink_find_path(const char *path)
{
    for (size_t i = 0; i < dj_sink_count(); i++)
        if (ends_in(path, sinks[i]->info.extensions))
            return &sinks[i]->info;
    return NULL;
}

static int write_file(void *user, dj_context *context, const void *data, size_t bytes)
{
    if (fwrite(data, 1, bytes, user) == bytes && fflush(user) == 0)
        return DJ_OK;
    return dj_fail(context, DJ_ERR_IO, "cannot write: %s", strerror(errno));
}

dj_sink_output dj_sink_output_file(FILE *file)
{
    return (dj_sink_output){write_file, file};
}

static int write_counted(void *user, dj_context *context, const void *data, size_t bytes)
{
    dj_sink *sink = user;
    int err = bytes ? sink->output.write(sink->output.user, context, data, bytes) : DJ_OK;
    if (!err)
        sink->stats.bytes += bytes;
    return err;
}

int dj_sink_create(dj_context *context, const char *format, const dj_sink_output *output,
                   const dj_source_info *info, const dj_sink_options *options, dj_sink **out)
{
    static const dj_sink_options defaults = {0};
    const dj_sink_ops *ops = find(format);
    if (!ops)
        return dj_fail(context, DJ_ERR_USAGE, "traces cannot be written as '%s'", format);
    dj_sink *sink = calloc(1, sizeof *sink);
    if (!sink)
        return dj_fail_memory(context, "a sink", 0);
    sink->ops = ops;
    sink->output = *output;
    sink->lossy = options && options->lossy;
    dj_sink_setup setup = {{write_counted, sink}, info, options ? options : &defaults};
    int err = ops->create(context, &setup, &sink->state);
    if (err) {
        free(sink);
        return err;
    }
    *out = sink;
    return DJ_OK;
}

// The device is part of the key: merging two devices would change distances.
static int check_devices(dj_sink *sink, dj_context *context, const dj_batch *batch)
{
    const uint32_t *device = batch->column.device;
    if (!device || batch->count == 0 || sink->lossy || sink->ops->info.columns & DJ_COLUMN_DEVICE)
        return DJ_OK;
    if (!sink->has_device)
        sink->device = device[0];
    sink->has_device = true;
    for (uint32_t i = 0; i < batch->count; i++)
        if (device[i] != sink->device)
            return dj_fail(context, DJ_ERR_USAGE,
                           "access %llu is on another device (%u) than the first (%u), and format %s has no "
                           "devices; write format deja, or use --lossy",
                           (unsigned long long)(sink->stats.accesses + i), device[i], sink->device,
                           sink->ops->info.name);
    return DJ_OK;
}

static uint64_t count_dropped_events(const dj_sink *sink, const dj_batch *batch)
{
    uint64_t kept = 0;
    if (sink->ops->info.keeps_events)
        return 0;
    for (uint32_t i = 0; sink->ops->info.columns & DJ_COLUMN_THREAD && i < batch->event_count; i++)
        kept += batch->events[i].type == DJ_EVENT_THREAD;
    return batch->event_count - kept;
}

int dj_sink_write(dj_sink *sink, dj_context *context, const dj_batch *batch)
{
    int err = check_devices(sink, context, batch);
    if (!err)
        err = sink->ops->write(sink->state, context, batch);
    if (err)
        return err;
    sink->stats.accesses += batch->count;
    sink->stats.events += batch->event_count;
    if (batch->count)
        sink->stats.dropped_columns |= dj_batch_columns(batch) & ~sink->ops->info.columns;
    sink->stats.dropped_events += count_dropped_events(sink, batch);
    return DJ_OK;
}

int dj_sink_finish(dj_sink *sink, dj_context *context)
{
    return sink->ops->finish(sink->state, context);
}

int dj_sink_leave(dj_sink *sink, dj_context *context)
{
    return (sink->ops->flush ? sink->ops->flush : sink->ops->finish)(sink->state, context);
}

void dj_sink_destroy(dj_sink *sink)
{
    if (!sink)
        return;
    sink->ops->destroy(sink->state);
    free(sink);
}

void dj_sink_get_stats(const dj_sink *sink, dj_sink_stats *out)
{
    *out = sink->stats;
}

int dj_sink_copy(dj_sink *sink, dj_context *context, dj_source *source,
                 void (*on_progress)(void *user, const dj_progress *progress, uint64_t accesses), void *user)
{
    dj_batch *batch = NULL;
    int err = DJ_OK;
    do {
        err = dj_source_next(source, context, &batch);
        if (!err && batch)
            err = dj_sink_write(sink, context, batch);
        dj_batch_release(batch);
        if (!err && batch && on_progress) {
            dj_progress progress;
            dj_sink_stats stats;
            dj_source_progress(source, &progress);
            dj_sink_get_stats(sink, &stats);
            on_progress(user, &progress, stats.accesses);
        }
        if (!err && batch && dj_context_stopped(context))
            err = dj_fail(context, DJ_ERR_STOPPED, "stopped before the end of the trace");
    } while (!err && batch);
    return err;
}
