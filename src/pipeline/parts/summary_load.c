// SPDX-License-Identifier: MIT
#include "pipeline/parts/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/little_endian.h"
#include "base/pack.h"
#include "base/sample.h"
#include "base/text.h"
#include "engine/choice.h"
#include "pipeline/parts/boundaries.h"
#include "pipeline/parts/summary_file.h"
#include "pipeline/state.h"

enum { WITH_SAMPLES = 5, WITH_SELECTION = 6 }; // the first version

// The file contains, in this order: provenance, config, observer states, counts, pending first
// accesses, and the last accesses of each lane.
typedef struct loading {
    dj_context *context;
    dj_unpacker *from;
    uint32_t version; // of the file
    dj_summary *summary;
    uint64_t blocks[DJ_SUMMARY_LANES_MOST];
    size_t block_count;
    dj_lane_group groups[DJ_SUMMARY_LANES_MOST];
    dj_saved_group saved[DJ_SUMMARY_LANES_MOST]; // by group
    uint64_t counted[DJ_SUMMARY_LANES_MOST];
    dj_pipeline_config config;
} loading;

static int number(loading *l, uint64_t most, const char *what, uint64_t *out)
{
    return dj_unpack_below(l->from, l->context, most, what, out);
}

static int text(loading *l, char **out)
{
    return dj_unpack_text(l->from, l->context, out);
}

static int read_part(loading *l)
{
    dj_part *part = &l->summary->part;
    int err = number(l, DJ_PARTS_MOST, "the number of a part", &part->first);
    if (!err)
        err = number(l, DJ_PARTS_MOST, "the number of a part", &part->last);
    if (!err)
        err = number(l, DJ_PARTS_MOST, "the number of parts", &part->of);
    bool numbered = part->first >= 1 && part->first <= part->last && part->last <= part->of;
    if (!err && !numbered && (part->first || part->last || part->of))
        err =
            dj_fail(l->context, DJ_ERR_INPUT, "the numbers of its parts are impossible; the file is damaged");
    return err;
}

static int read_inputs(loading *l)
{
    dj_provenance *v = &l->summary->provenance;
    uint64_t count = 0;
    size_t capacity = 0;
    int err = number(l, DJ_SUMMARY_INPUTS_MOST, "the number of inputs", &count);
    while (!err && v->input_count < count) {
        err = dj_grow(l->context, "the names of inputs", &v->inputs, &capacity, v->input_count + 1,
                      sizeof *v->inputs);
        if (!err)
            err = text(l, &v->inputs[v->input_count]);
        v->input_count += !err;
    }
    return err;
}

static int read_switch(loading *l, bool *out)
{
    uint64_t value = 0;
    int err = number(l, 1, "a flag", &value);
    *out = value;
    return err;
}

static int read_provenance(loading *l)
{
    dj_summary *s = l->summary;
    dj_provenance *v = &s->provenance;
    int err = text(l, &v->version);
    if (!err)
        err = read_part(l);
    if (!err)
        err = text(l, &v->engine);
    if (!err)
        err = text(l, &v->format);
    if (!err)
        err = text(l, &v->unit);
    if (!err)
        err = text(l, &v->statements);
    if (!err)
        err = l->version >= WITH_SELECTION ? text(l, &v->selection)
                                           : dj_copy_text(l->context, "", &v->selection);
    if (!err)
        err = text(l, &v->thread_order);
    if (!err)
        err = dj_unpack_number(l->from, l->context, &v->unit_bytes);
    if (!err)
        err = read_switch(l, &v->split);
    if (!err)
        err = read_switch(l, &s->no_bytes);
    if (!err)
        err = read_switch(l, &s->numbers_devices);
    if (!err)
        err = read_inputs(l);
    if (!err)
        err = dj_copy_text(l->context, "", &v->partial_reason);
    return err;
}

static int read_observer(loading *l, size_t at)
{
    char *name = NULL;
    int err = text(l, &name);
    if (err)
        return err;
    const dj_observer_ops *ops = dj_observer_find(name);
    if (!ops || !ops->load || !ops->merge)
        err = dj_fail(l->context, DJ_ERR_INPUT,
                      "it contains the results of an observer '%.64s', which this deja cannot join", name);
    for (size_t i = 0; !err && i < at; i++)
        if (l->summary->observers[i].ops == ops)
            err = dj_fail(l->context, DJ_ERR_INPUT, "observer %s occurs twice; the file is damaged", name);
    l->summary->observers[at].ops = ops;
    free(name);
    return err;
}

static int read_memory(loading *l, size_t at, uint64_t largest_block)
{
    if (largest_block == 0)
        return dj_fail(l->context, DJ_ERR_INPUT, "a block has 0 bytes; the file is damaged");
    int err = dj_saved_group_load(&l->saved[at], l->context, largest_block, l->from);
    if (!err && l->saved[at].memory > 0 && !*l->saved[at].description)
        err = dj_fail(l->context, DJ_ERR_INPUT, "fixed memory counts all accesses; the file is damaged");
    return err;
}

static int read_group(loading *l, size_t at)
{
    uint64_t lanes = 0, weight_log2 = 0;
    int err = text(l, &l->saved[at].description);
    if (!err)
        err = number(l, DJ_SUMMARY_ACCESSES_MOST, "the number of accesses", &l->counted[at]);
    if (!err && l->version >= WITH_SAMPLES)
        err = number(l, DJ_SAMPLE_LOG2_MOST, "the rate of a sample", &weight_log2);
    if (!err && weight_log2 > 0 && !*l->saved[at].description)
        err = dj_fail(l->context, DJ_ERR_INPUT, "a sample counts all accesses; the file is damaged");
    l->saved[at].weight_log2 = (unsigned)weight_log2;
    if (!err)
        err = number(l, DJ_SUMMARY_LANES_MOST - l->block_count, "the number of block sizes", &lanes);
    l->groups[at] = (dj_lane_group){.blocks = l->blocks + l->block_count, .block_count = lanes};
    for (uint64_t i = 0; !err && i < lanes; i++)
        err = dj_unpack_number(l->from, l->context, &l->blocks[l->block_count++]);
    if (!err && l->version >= WITH_SAMPLES && lanes > 0)
        err = read_memory(l, at, l->blocks[l->block_count - 1]);
    return err;
}

static int read_config(loading *l)
{
    uint64_t groups = 0, observers = 0, tag = 0;
    int err = number(l, DJ_SUMMARY_LANES_MOST, "the number of groups of lanes", &groups);
    if (!err && groups == 0)
        err = dj_fail(l->context, DJ_ERR_INPUT, "no block size was given; the file is damaged");
    for (uint64_t i = 0; !err && i < groups; i++)
        err = read_group(l, i);
    if (!err)
        err = number(l, DJ_TAG_PLACE, "a tag", &tag);
    if (!err)
        err = number(l, dj_observer_count(), "the number of observers", &observers);
    if (!err && !(l->summary->observers = calloc(observers + 1, sizeof *l->summary->observers)))
        err = dj_fail_memory(l->context, "a summary", 0);
    for (uint64_t i = 0; !err && i < observers; i++)
        err = read_observer(l, i);
    l->config = (dj_pipeline_config){.groups = l->groups,
                                     .group_count = groups,
                                     .split = l->summary->provenance.split,
                                     .tag = (enum dj_tag)tag,
                                     .observers = l->summary->observers,
                                     .observer_count = observers,
                                     .summarize = true};
    return err;
}

// The engine will not be used; it only has to be compatible.
static void choose_engine(dj_pipeline_config *config)
{
    uint32_t needs = DJ_CAN_SUMMARY;
    for (size_t i = 0; i < config->observer_count; i++)
        needs |= dj_need_of_engine(config->observers[i].ops->needs);
    config->engine = dj_engine_first(needs);
}

static int read_body(loading *l)
{
    int err = read_provenance(l);
    if (!err)
        err = read_config(l);
    if (err)
        return err;
    choose_engine(&l->config);
    const dj_saved_pipeline saved = {l->from, l->saved};
    err = dj_pipeline_make(l->context, &l->config, &saved, &l->summary->pipeline);
    if (err)
        return err;
    dj_pipeline *p = l->summary->pipeline;
    p->sealed = true;
    err = number(l, DJ_SUMMARY_ACCESSES_MOST, "the number of accesses", &p->accesses);
    for (uint32_t i = 0; !err && i < p->group_count; i++) {
        if (l->counted[i] > p->accesses)
            err =
                dj_fail(l->context, DJ_ERR_INPUT, "more accesses count than there are; the file is damaged");
        dj_group_counted(p->groups[i])->counted = l->counted[i];
    }
    if (!err)
        err = number(l, p->accesses, "the number of requests", &p->requests);
    if (!err)
        err = read_switch(l, &p->several_threads);
    if (!err)
        err = read_switch(l, &p->thread_known);
    if (!err)
        err = dj_unpack_number(l->from, l->context, &p->thread);
    if (!err)
        err = dj_boundaries_load(l->context, l->from, p);
    if (!err && p->config.tag == DJ_TAG_PLACE)
        err = dj_unpack_bytes(l->from, l->context, &l->summary->names, &l->summary->name_bytes);
    return err ? err : dj_unpack_end(l->from, l->context);
}

static int read_head(dj_context *context, FILE *from, uint32_t *version)
{
    uint8_t head[DJ_SUMMARY_HEAD_BYTES];
    const bool whole = fread(head, 1, sizeof head, from) == sizeof head;
    if (ferror(from))
        return dj_fail(context, DJ_ERR_IO, "cannot read: %s", strerror(errno));
    if (!whole || memcmp(head, DJ_SUMMARY_MAGIC, DJ_SUMMARY_MAGIC_BYTES) != 0)
        return dj_fail(
            context, DJ_ERR_INPUT,
            "it is not a summary written by 'deja analyze --summary'; 'deja analyze' reads traces, "
            "'deja report' profiles");
    *version = dj_read_le32(head + DJ_SUMMARY_MAGIC_BYTES);
    if (*version < DJ_SUMMARY_VERSION_OLDEST || *version > DJ_SUMMARY_VERSION)
        return dj_fail(context, DJ_ERR_INPUT,
                       "it is a summary of version %" PRIu32
                       ", and this deja reads versions %d to %d; analyze that part "
                       "again with this deja, or join it with the one that wrote it",
                       *version, DJ_SUMMARY_VERSION_OLDEST, DJ_SUMMARY_VERSION);
    return DJ_OK;
}

int dj_summary_load(dj_context *context, FILE *from, const char *name, dj_summary **out)
{
    loading l = {.context = context};
    l.summary = calloc(1, sizeof *l.summary);
    int err = l.summary ? dj_copy_text(context, name, &l.summary->name)
                        : dj_fail_memory(context, "a summary", sizeof *l.summary);
    if (!err)
        err = read_head(context, from, &l.version);
    if (!err)
        err = dj_unpacker_create(context, from, &l.from);
    if (!err)
        err = read_body(&l);
    uint64_t offset = l.from ? DJ_SUMMARY_HEAD_BYTES + dj_unpacker_offset(l.from) : 0;
    dj_unpacker_destroy(l.from);
    for (size_t i = 0; i < DJ_SUMMARY_LANES_MOST; i++)
        dj_saved_group_free(&l.saved[i]);
    if (!err) {
        *out = l.summary;
        return DJ_OK;
    }
    dj_summary_destroy(l.summary);
    // If no pipeline can be created from it, the file is bad.
    if (err == DJ_ERR_USAGE || err == DJ_ERR_UNSUPPORTED)
        err = DJ_ERR_INPUT;
    return dj_fail_within(context, err, "%s: byte %" PRIu64, name, offset);
}
