// SPDX-License-Identifier: MIT
// The part of the provenance that the pipeline itself knows.
#include "pipeline/state.h"

#include <deja/version.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option/option.h"
#include "base/text.h"
#include "base/text_stream.h"

static void write_value(FILE *out, const dj_option *option, const void *value)
{
    switch (dj_option_get_type(option)) {
    case DJ_OPTION_UINT:
        fprintf(out, "=%" PRIu64, *(const uint64_t *)value);
        break;
    case DJ_OPTION_REAL:
    case DJ_OPTION_SHARE:
        fprintf(out, "=%g", *(const double *)value);
        break;
    case DJ_OPTION_TEXT:
        fprintf(out, "=%s", *(const char *const *)value ? *(const char *const *)value : "");
        break;
    case DJ_OPTION_CHOICE:
        fprintf(out, "=%s", option->choices[*(const int *)value]);
        break;
    default:
        break;
    }
}

int dj_engine_options_text(dj_context *context, const dj_engine_ops *engine, const void *options, char **out)
{
    dj_text_stream words;
    bool any = false;
    if (!dj_text_stream_open(&words))
        return dj_fail_memory(context, "the pipeline", 0);
    const char *values = options, *defaults = engine->default_options;
    for (const dj_option *o = engine->options; o && values && defaults && o->name; o++) {
        if (memcmp(values + o->offset, defaults + o->offset, dj_option_value_bytes(o)) == 0)
            continue;
        fprintf(words.file, "%s%s", any ? " " : "", o->name);
        write_value(words.file, o, values + o->offset);
        any = true;
    }
    *out = dj_text_stream_close(&words, NULL);
    return *out ? DJ_OK : dj_fail_memory(context, "the pipeline", 0);
}

void dj_pipeline_note_events(dj_pipeline *p, const dj_batch *batch)
{
    for (uint32_t i = 0; i < batch->event_count; i++) {
        const dj_event *event = &batch->events[i];
        if (event->type == DJ_EVENT_OUTSIDE)
            p->outside += event->a;
        if (event->type != DJ_EVENT_THREAD)
            continue;
        p->several_threads |= p->thread_known && event->a != p->thread;
        p->thread_known = true;
        p->thread = event->a;
    }
}

void dj_pipeline_join_threads(dj_pipeline *p, const dj_pipeline *later)
{
    if (!later->thread_known)
        return;
    p->several_threads |= later->several_threads || (p->thread_known && p->thread != later->thread);
    p->thread_known = true;
    p->thread = later->thread;
}

int dj_pipeline_provenance(const dj_pipeline *p, dj_context *context, dj_provenance *v)
{
    const struct {
        char **to;
        const char *text;
    } texts[] = {
        {&v->version, DJ_VERSION},
        {&v->engine, p->config.engine->name},
        {&v->engine_options, p->engine_options_text ? p->engine_options_text : ""},
        {&v->filter, p->ids[0].filter ? p->ids[0].filter : ""},
        {&v->partial_reason, p->partial_reason ? p->partial_reason : ""},
        {&v->command, ""},
        {&v->format, ""},
        {&v->unit, "block"},
        {&v->statements, ""},
        {&v->selection, ""},
        {&v->missing, ""},
        {&v->thread_order, p->several_threads ? "as recorded" : ""},
    };
    int err = DJ_OK;
    for (size_t i = 0; !err && i < sizeof texts / sizeof *texts; i++)
        err = dj_copy_text(context, texts[i].text, texts[i].to);
    v->exact = (p->config.engine->can & DJ_CAN_EXACT) != 0 && p->ids[0].sampling == 1;
    if (p->config.engine->distance_error)
        v->distance_error = p->config.engine->distance_error(p->config.engine_options);
    v->split = p->config.split;
    v->partial = p->partial_reason != NULL;
    v->sampling = p->ids[0].sampling;
    return err;
}
