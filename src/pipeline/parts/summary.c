// SPDX-License-Identifier: MIT
// Joins summaries that are adjacent and were made in the same way.
#include "pipeline/parts/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "pipeline/parts/summary_file.h"
#include "pipeline/state.h"
#include "profile/provenance.h"

int dj_summary_create(dj_context *context, dj_pipeline *pipeline, dj_part part, dj_summary **out)
{
    dj_summary *s = calloc(1, sizeof *s);
    if (!s) {
        dj_pipeline_destroy(pipeline);
        return dj_fail_memory(context, "a summary", sizeof *s);
    }
    s->pipeline = pipeline;
    s->part = part;
    int err = dj_pipeline_provenance(pipeline, context, &s->provenance);
    if (!err)
        err = dj_copy_text(context, "a part of the trace", &s->name);
    if (err)
        dj_summary_destroy(s);
    else
        *out = s;
    return err;
}

void dj_summary_destroy(dj_summary *summary)
{
    if (!summary)
        return;
    dj_pipeline_destroy(summary->pipeline);
    if (summary->release)
        summary->release(summary->observer_data);
    dj_provenance_free(&summary->provenance);
    free(summary->observers);
    free(summary->names);
    free(summary->name);
    free(summary);
}

void dj_part_describe(dj_part part, char text[DJ_PART_TEXT])
{
    if (part.of == 0)
        snprintf(text, DJ_PART_TEXT, "a part without a number");
    else if (part.first == part.last)
        snprintf(text, DJ_PART_TEXT, "part %" PRIu64 " of %" PRIu64, part.first, part.of);
    else
        snprintf(text, DJ_PART_TEXT, "parts %" PRIu64 "-%" PRIu64 " of %" PRIu64, part.first, part.last,
                 part.of);
}

static int check_order(dj_context *context, const dj_summary *s, const dj_summary *later)
{
    char here[DJ_PART_TEXT], there[DJ_PART_TEXT], missing[DJ_PART_TEXT];
    dj_part a = s->part, b = later->part;
    dj_part_describe(a, here);
    dj_part_describe(b, there);
    if (a.of != b.of)
        return dj_fail(context, DJ_ERR_INPUT,
                       "%s is %s, but %s is %s; all must be parts of one trace, numbered in the same way",
                       s->name, here, later->name, there);
    if (a.of == 0 || b.first == a.last + 1)
        return DJ_OK;
    if (b.first > a.last) {
        dj_part_describe((dj_part){a.last + 1, b.first - 1, a.of}, missing);
        return dj_fail(context, DJ_ERR_INPUT, "missing between %s (%s) and %s (%s): %s", s->name, here,
                       later->name, there, missing);
    }
    if (b.last < a.first)
        return dj_fail(context, DJ_ERR_INPUT, "%s (%s) comes before %s (%s); name the parts in order",
                       later->name, there, s->name, here);
    return dj_fail(context, DJ_ERR_INPUT, "%s (%s) overlaps %s (%s); name each part once", later->name, there,
                   s->name, here);
}

static int differ(dj_context *context, const dj_summary *s, const dj_summary *later, const char *what,
                  const char *here, const char *there)
{
    return dj_fail(
        context, DJ_ERR_INPUT,
        "%s and %s cannot be joined: %s: %s in the first, %s in the second; analyze one of them again",
        s->name, later->name, what, *here ? here : "none", *there ? there : "none");
}

enum { LIST_TEXT = 512 };

static void list_blocks(const dj_pipeline *p, char text[LIST_TEXT])
{
    text[0] = 0;
    for (uint32_t i = 0; i < p->lane_count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, LIST_TEXT - used, "%s%" PRIu64, i ? ", " : "", p->ids[i].block_bytes);
    }
}

// Lists the filter of each group; there are several groups only in comparisons.
static void list_filters(const dj_pipeline *p, char text[LIST_TEXT])
{
    text[0] = 0;
    for (uint32_t i = 0; i < p->group_count; i++) {
        size_t used = strlen(text);
        const char *words = dj_group_request(p->groups[i]);
        snprintf(text + used, LIST_TEXT - used, "%s%s", i ? "; " : "", *words ? words : "all");
    }
}

static void list_observers(const dj_pipeline *p, char text[LIST_TEXT])
{
    text[0] = 0;
    for (size_t i = 0; i < p->config.observer_count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, LIST_TEXT - used, "%s%s", i ? ", " : "", p->observers[i].ops->name);
    }
}

static bool same_inputs(const dj_provenance *a, const dj_provenance *b)
{
    bool same = a->input_count == b->input_count;
    for (size_t i = 0; same && i < a->input_count; i++)
        same = strcmp(a->inputs[i], b->inputs[i]) == 0;
    return same;
}

static int check_alike(dj_context *context, const dj_summary *s, const dj_summary *later)
{
    const dj_provenance *a = &s->provenance, *b = &later->provenance;
    const struct {
        const char *what, *here, *there;
    } texts[] = {{"version of deja", a->version, b->version},
                 {"format", a->format, b->format},
                 {"unit", a->unit, b->unit},
                 {"statements", a->statements, b->statements},
                 {"selection", a->selection, b->selection}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(texts[i].here, texts[i].there) != 0)
            return differ(context, s, later, texts[i].what, texts[i].here, texts[i].there);
    char here[LIST_TEXT], there[LIST_TEXT];
    list_blocks(s->pipeline, here);
    list_blocks(later->pipeline, there);
    if (strcmp(here, there) != 0)
        return differ(context, s, later, "block size", here, there);
    list_filters(s->pipeline, here);
    list_filters(later->pipeline, there);
    if (strcmp(here, there) != 0)
        return differ(context, s, later, "which accesses count", here, there);
    if (a->split != b->split)
        return differ(context, s, later, "accesses that cross blocks", a->split ? "split" : "not split",
                      b->split ? "split" : "not split");
    list_observers(s->pipeline, here);
    list_observers(later->pipeline, there);
    if (strcmp(here, there) != 0)
        return differ(context, s, later, "what was observed", here, there);
    if (a->unit_bytes != b->unit_bytes || s->no_bytes != later->no_bytes ||
        s->pipeline->config.tag != later->pipeline->config.tag)
        return dj_fail(context, DJ_ERR_INPUT,
                       "%s and %s cannot be joined: their addresses are in different units", s->name,
                       later->name);
    if (s->numbers_devices && !same_inputs(a, b))
        return dj_fail(context, DJ_ERR_INPUT,
                       "%s and %s cannot be joined: format %s numbers devices in order of appearance, so the "
                       "numbers differ between files; analyze the parts of such a trace from the "
                       "same files, with --skip and --stop-after",
                       s->name, later->name, a->format);
    return DJ_OK;
}

// Names each input once.
static int join_inputs(dj_context *context, dj_provenance *to, const dj_provenance *from)
{
    if (same_inputs(to, from))
        return DJ_OK;
    size_t capacity = to->input_count;
    int err = dj_grow(context, "the names of inputs", &to->inputs, &capacity,
                      to->input_count + from->input_count, sizeof *to->inputs);
    for (size_t i = 0; !err && i < from->input_count; i++) {
        bool again = to->input_count > 0 && strcmp(to->inputs[to->input_count - 1], from->inputs[i]) == 0;
        if (!again)
            err = dj_copy_text(context, from->inputs[i], &to->inputs[to->input_count]);
        to->input_count += !err && !again;
    }
    return err;
}

static bool names(const char *list, const char *engine)
{
    size_t length = strlen(engine);
    for (const char *at = list; (at = strstr(at, engine)) != NULL; at++)
        if ((at == list || at[-1] == ' ') && (at[length] == 0 || at[length] == ','))
            return true;
    return false;
}

static int join_engines(dj_context *context, dj_provenance *to, const dj_provenance *from)
{
    if (names(to->engine, from->engine))
        return DJ_OK;
    size_t bytes = strlen(to->engine) + strlen(from->engine) + sizeof ", ";
    char *both = malloc(bytes);
    if (!both)
        return dj_fail_memory(context, "a summary", bytes);
    snprintf(both, bytes, "%s, %s", to->engine, from->engine);
    free(to->engine);
    to->engine = both;
    return DJ_OK;
}

int dj_summary_join(dj_context *context, dj_summary *s, dj_summary *later)
{
    // Numbers of places agree between parts only if they were loaded from files.
    if (s->pipeline->config.tag == DJ_TAG_PLACE && (s->observer_data || later->observer_data))
        return dj_fail(context, DJ_ERR_USAGE,
                       "parts that were measured with places can only be joined from files");
    int err = check_order(context, s, later);
    if (!err)
        err = check_alike(context, s, later);
    if (err)
        return err;
    if (s->pipeline->accesses + later->pipeline->accesses > DJ_SUMMARY_ACCESSES_MOST)
        return dj_fail(context, DJ_ERR_INPUT, "%s: there are too many accesses to count", later->name);
    err = dj_pipeline_join(s->pipeline, context, later->pipeline);
    if (err)
        return dj_fail_within(context, err, "%s and %s cannot be joined", s->name, later->name);
    err = join_inputs(context, &s->provenance, &later->provenance);
    if (!err)
        err = join_engines(context, &s->provenance, &later->provenance);
    s->part.last = later->part.last;
    // The names of the later part include those of the earlier one.
    free(s->names);
    s->names = later->names;
    s->name_bytes = later->name_bytes;
    later->names = NULL;
    free(s->name);
    s->name = later->name;
    later->name = NULL;
    return err;
}
