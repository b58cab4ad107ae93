// SPDX-License-Identifier: MIT
// Steps, and how much of each block is used, are measured. The cause is inferred, so the texts say "may".
#include "model/spatial/advice.h"
#include "base/human.h"
#include "base/text_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The first rule that applies wins.
static const dj_spatial_rule *const builtin[] = {
    &dj_rule_go_along, &dj_rule_reorder_fields, &dj_rule_pad,  &dj_rule_split,
    &dj_rule_regroup,  &dj_rule_shrink,         &dj_rule_sort,
};

enum { BUILTIN = sizeof builtin / sizeof *builtin };

size_t dj_spatial_rule_count(void)
{
    return BUILTIN;
}

const dj_spatial_rule *dj_spatial_rule_get(size_t index)
{
    return index < BUILTIN ? builtin[index] : NULL;
}

const dj_spatial_rule *dj_spatial_rule_find(const char *name)
{
    for (size_t i = 0; i < BUILTIN; i++)
        if (strcmp(builtin[i]->name, name) == 0)
            return builtin[i];
    return NULL;
}

const char *dj_spatial_advice_name(const dj_spatial_rule *rule)
{
    return rule ? rule->name : "none";
}

bool dj_spatial_is_used_up(const dj_spatial_evidence *e)
{
    return e->used > 0.75 * (double)e->block;
}

// A single variable, or data accessed once, has no order to improve.
static bool is_single(const dj_spatial_evidence *e)
{
    const dj_object_row *object = &e->attribution->objects[e->row->object];
    bool small = object->bytes > 0 && object->bytes <= e->block;
    return e->usage.steps == 0 || (small && object->blocks <= 1);
}

static bool has_something_to_gain(const dj_spatial_evidence *e)
{
    return e->usage.fetched > 0 && !dj_spatial_is_used_up(e) && dj_spatial_is_data(e->work, e->row->object) &&
           !is_single(e);
}

static const dj_spatial_rule *choose(const dj_spatial_evidence *e)
{
    const dj_ranking_options *options = e->work->options;
    const dj_spatial_rule *const *rules = options->rules ? options->rules : builtin;
    size_t count = options->rules ? options->rule_count : BUILTIN;
    if (!has_something_to_gain(e))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (rules[i]->applies(e))
            return rules[i];
    return NULL;
}

static void say_none(const dj_spatial_evidence *e, FILE *out)
{
    if (dj_spatial_is_used_up(e))
        fputs("That is most of it: the blocks are just reused late, and another layout would gain little.",
              out);
    else
        fputs("No better layout is apparent.", out);
}

// Instead of advice, if the row is too uncertain.
static void say_weak(const dj_rank_row *row, FILE *out)
{
    char low[DJ_HUMAN_BYTES], high[DJ_HUMAN_BYTES];
    fprintf(out,
            "No advice: the estimate is too uncertain, with %s to %s poor reuses. Use a larger --sample, or "
            "a longer run.",
            dj_human_short(low, fmax(row->far_range.poor.low, 0)),
            dj_human_short(high, row->far_range.poor.high));
}

static void say(const dj_spatial_evidence *e, FILE *out)
{
    if (e->usage.fetched == 0 || !dj_spatial_is_data(e->work, e->row->object))
        return;
    dj_spatial_say_steps(e, out);
    if (!e->row->advice) {
        say_none(e, out);
        return;
    }
    e->row->advice->say(e, out);
    dj_spatial_say_saved(e, out);
}

static int advise(dj_context *context, const dj_spatial_evidence *e, dj_rank_row *row)
{
    dj_text_stream out;
    if (!dj_text_stream_open(&out))
        return dj_fail_memory(context, "advice", 0);
    if (row->weak) {
        say_weak(row, out.file);
    } else {
        row->advice = choose(e);
        say(e, out.file);
    }
    char *text = dj_text_stream_close(&out, NULL);
    if (!text)
        return dj_fail_memory(context, "advice", 0);
    free(row->text);
    row->text = text;
    return DJ_OK;
}

int dj_ranking_advise(dj_context *context, const dj_ranking_work *w)
{
    size_t most = w->options->advise ? w->options->advise : 10;
    int err = DJ_OK;
    if (dj_profile_spatial(w->profile)->usage_block == 0)
        return DJ_OK;
    for (size_t i = 0; i < w->out->count && i < most && !err; i++) {
        dj_rank_row *row = &w->out->rows[i];
        dj_spatial_evidence evidence;
        if (row->poor <= 0)
            break;
        err = dj_spatial_evidence_find(context, w, row, &evidence);
        if (!err)
            err = advise(context, &evidence, row);
    }
    return err;
}
