// SPDX-License-Identifier: MIT
#include "pipeline/parts/summary.h"

#include "base/little_endian.h"
#include "base/pack.h"
#include "pipeline/parts/boundaries.h"
#include "pipeline/parts/summary_file.h"
#include "pipeline/state.h"

int dj_summary_check(dj_context *context, const dj_observer_choice *observers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!observers[i].ops->save || !observers[i].ops->load)
            return dj_fail(
                context, DJ_ERR_UNSUPPORTED,
                "the results of observer %s (%s) cannot be saved in a summary; leave it out, or analyze "
                "the complete trace at once",
                observers[i].ops->name, observers[i].ops->summary);
    return DJ_OK;
}

static void pack_provenance(dj_packer *to, const dj_summary *s)
{
    const dj_provenance *v = &s->provenance;
    dj_pack_text(to, v->version);
    dj_pack_number(to, s->part.first);
    dj_pack_number(to, s->part.last);
    dj_pack_number(to, s->part.of);
    dj_pack_text(to, v->engine);
    dj_pack_text(to, v->format);
    dj_pack_text(to, v->unit);
    dj_pack_text(to, v->statements);
    dj_pack_text(to, v->selection);
    dj_pack_text(to, v->thread_order);
    dj_pack_number(to, v->unit_bytes);
    dj_pack_number(to, v->split);
    dj_pack_number(to, s->no_bytes);
    dj_pack_number(to, s->numbers_devices);
    dj_pack_number(to, v->input_count);
    for (size_t i = 0; i < v->input_count; i++)
        dj_pack_text(to, v->inputs[i]);
}

// The identity of its lanes, and how many accesses it counted.
static void pack_group(dj_packer *to, const dj_pipeline *p, uint32_t group)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < p->lane_count; i++)
        lanes += p->positions[i].group == group;
    dj_pack_text(to, dj_group_request(p->groups[group]));
    dj_pack_number(to, dj_group_counted(p->groups[group])->counted);
    dj_pack_number(to, dj_group_weight_log2(p->groups[group]));
    dj_pack_number(to, lanes);
    for (uint32_t i = 0; i < p->lane_count; i++)
        if (p->positions[i].group == group)
            dj_pack_number(to, p->ids[i].block_bytes);
    dj_group_save(p->groups[group], p->first_log2, to);
}

static void pack_config(dj_packer *to, const dj_pipeline *p)
{
    dj_pack_number(to, p->group_count);
    for (uint32_t i = 0; i < p->group_count; i++)
        pack_group(to, p, i);
    dj_pack_number(to, p->config.tag);
    dj_pack_number(to, p->config.observer_count);
    for (size_t i = 0; i < p->config.observer_count; i++)
        dj_pack_text(to, p->observers[i].ops->name);
}

static int pack(dj_context *context, dj_packer *to, const dj_summary *s)
{
    const dj_pipeline *p = s->pipeline;
    int err = DJ_OK;
    pack_provenance(to, s);
    pack_config(to, p);
    for (size_t i = 0; !err && i < p->config.observer_count; i++)
        err = p->observers[i].ops->save(p->observers[i].state, context, to);
    dj_pack_number(to, p->accesses);
    dj_pack_number(to, p->requests);
    dj_pack_number(to, p->several_threads);
    dj_pack_number(to, p->thread_known);
    dj_pack_number(to, p->thread);
    dj_boundaries_save(to, p);
    if (p->config.tag == DJ_TAG_PLACE)
        dj_pack_bytes(to, s->names, s->name_bytes);
    return err;
}

int dj_summary_save(dj_context *context, dj_summary *s, FILE *to)
{
    dj_pipeline *p = s->pipeline;
    uint8_t head[DJ_SUMMARY_HEAD_BYTES] = DJ_SUMMARY_MAGIC;
    dj_packer *packer = NULL;
    if (p->partial_reason)
        return dj_fail(context, DJ_ERR_INPUT, "a part that was not read to its end cannot be joined");
    int err = dj_pipeline_seal(p, context);
    if (!err)
        err = dj_packer_create(context, to, &packer);
    if (err)
        return err;
    dj_write_le32(head + DJ_SUMMARY_MAGIC_BYTES, DJ_SUMMARY_VERSION);
    bool written = fwrite(head, 1, sizeof head, to) == sizeof head;
    err = pack(context, packer, s);
    int ended = dj_packer_end(packer, context);
    err = err ? err : ended;
    return err || written ? err : dj_fail(context, DJ_ERR_IO, "cannot write the summary");
}
