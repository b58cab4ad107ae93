// SPDX-License-Identifier: MIT
#include "pipeline/lanes/group_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "base/verdicts.h"

enum { DESCRIPTION_BYTES = 256 };

// With `exact`, as long as the filter with fixed memory has dropped nothing.
static int describe(dj_context *context, const dj_lane_group *config, bool exact, char **out)
{
    char description[2 * DESCRIPTION_BYTES] = "", one[DESCRIPTION_BYTES];
    for (size_t i = 0; i < config->filter_count; i++) {
        size_t used = strlen(description);
        if (exact && dj_filter_choice_memory(&config->filters[i]) > 0)
            continue;
        config->filters[i].ops->describe(dj_filter_choice_options(&config->filters[i]), one, sizeof one);
        if (one[0] && used < DESCRIPTION_BYTES)
            snprintf(description + used, DESCRIPTION_BYTES, "%s%.250s", used ? ", " : "", one);
    }
    return dj_copy_text(context, description, out);
}

static int create_filters(dj_group *g, dj_context *context, const dj_lane_group *config)
{
    g->filters = calloc(config->filter_count + 1, sizeof *g->filters);
    if (!g->filters)
        return dj_fail_memory(context, "the filters", 0);
    int err = describe(context, config, false, &g->description);
    if (!err)
        err = describe(context, config, true, &g->exact_description);
    for (size_t i = 0; !err && i < config->filter_count; i++) {
        const dj_filter_ops *ops = config->filters[i].ops;
        const dj_filter_setup setup = {dj_filter_choice_options(&config->filters[i]),
                                       config->blocks[config->block_count - 1]};
        err = ops->create(context, &setup, &g->filters[i].state);
        g->filters[i].ops = ops;
        g->fills = g->fills || ops->verdicts >> DJ_VERDICT_FILL & 1;
        g->invalidates = g->invalidates || ops->verdicts >> DJ_VERDICT_INVALIDATE & 1;
        g->weight_log2 += ops->weight_log2 ? ops->weight_log2(setup.options) : 0;
        if (!err && dj_filter_choice_memory(&config->filters[i]) > 0) {
            g->memory = dj_filter_choice_memory(&config->filters[i]);
            g->thinning = &g->filters[i];
        }
        g->filter_count += !err;
    }
    return err;
}

static int restore_filters(dj_group *g, dj_context *context, dj_saved_group *saved)
{
    int err = dj_copy_text(context, saved->description, &g->description);
    g->weight_log2 = saved->memory ? saved->first_log2 : saved->weight_log2;
    if (err || !saved->thinning)
        return err;
    g->memory = saved->memory;
    g->filters = calloc(1, sizeof *g->filters);
    if (!g->filters)
        return dj_fail_memory(context, "the filters", 0);
    g->filters[0] = (filter){saved->thinning, saved->thinning_state};
    g->filter_count = 1;
    g->thinning = &g->filters[0];
    saved->thinning_state = NULL;
    return dj_copy_text(context, saved->exact_description, &g->exact_description);
}

int dj_group_create(dj_context *context, const dj_lane_group *config, dj_saved_group *saved, bool times,
                    dj_group **out)
{
    dj_group *g = calloc(1, sizeof *g);
    if (!g)
        return dj_fail_memory(context, "a group of lanes", 0);
    g->times = times;
    g->partitioned = config->partition != DJ_PARTITION_NONE;
    int err = saved ? restore_filters(g, context, saved) : create_filters(g, context, config);
    if (!err && g->partitioned)
        err = dj_partitioner_create(&g->partitioner, context, config);
    if (!err)
        err = dj_grow(context, "the partitions", &g->partitions, &g->partition_capacity, 1,
                      sizeof *g->partitions);
    if (err) {
        dj_group_destroy(g);
        return err;
    }
    g->selective = g->filter_count > 0 || g->partitioned || (saved && *saved->description);
    *out = g;
    return DJ_OK;
}

static void destroy_list(dj_selection *s)
{
    while (s) {
        dj_selection *next = s->next;
        free(s->shares);
        free(s->time);
        free(s);
        s = next;
    }
}

void dj_group_destroy(dj_group *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->filter_count; i++)
        g->filters[i].ops->destroy(g->filters[i].state);
    if (g->partitioned)
        dj_partitioner_destroy(&g->partitioner);
    destroy_list(g->judged);
    destroy_list(g->kept);
    destroy_list(g->oldest);
    destroy_list(g->unused);
    free(g->filters);
    free(g->partitions);
    free(g->description);
    free(g->exact_description);
    free(g);
}

const char *dj_group_description(const dj_group *g)
{
    return g->memory > 0 && g->weight_log2 == 0 ? g->exact_description : g->description;
}

const char *dj_group_request(const dj_group *g)
{
    return g->description;
}

uint64_t dj_group_memory(const dj_group *g)
{
    return g->memory;
}

bool dj_group_thin(dj_group *g)
{
    const bool can = g->thinning->ops->thin(g->thinning->state);
    g->weight_log2 += can;
    return can;
}

bool dj_group_has(const dj_group *g, uint64_t block, uint32_t device)
{
    return g->thinning->ops->has(g->thinning->state, block, device);
}

void dj_group_set_weight_log2(dj_group *g, unsigned weight_log2)
{
    g->weight_log2 = weight_log2;
}

const dj_partition_table *dj_group_partitions(const dj_group *g)
{
    return g->partitioned ? &g->partitioner.table : NULL;
}

bool dj_group_is_selective(const dj_group *g)
{
    return g->selective;
}

unsigned dj_group_weight_log2(const dj_group *g)
{
    return g->weight_log2;
}

bool dj_group_invalidates(const dj_group *g)
{
    return g->invalidates;
}

// All columns share one allocation, in order of decreasing element size.
static dj_selection *make_selection(const dj_group *g)
{
    const size_t n = DJ_BATCH_CAPACITY;
    dj_selection *s = calloc(1, sizeof *s);
    char *at = s ? malloc(n * (sizeof *s->time * g->times + sizeof *s->partition * g->partitioned +
                               sizeof *s->order + sizeof *s->verdict) +
                          DJ_VERDICTS_PAD)
                 : NULL;
    if (!at) {
        free(s);
        return NULL;
    }
    s->time = (uint64_t *)(void *)at;
    at += n * sizeof *s->time * g->times;
    s->partition = (uint32_t *)(void *)at;
    at += n * sizeof *s->partition * g->partitioned;
    s->order = (uint16_t *)(void *)at;
    s->verdict = (uint8_t *)(s->order + n);
    if (!g->partitioned)
        s->partition = NULL;
    return s;
}

// Makes sure that there is a selection, which is empty if it is new.
static int reserve_selection(dj_group *g, dj_context *context, dj_selection **out)
{
    if (*out)
        return DJ_OK;
    dj_selection *s = g->unused;
    if (s)
        g->unused = s->next;
    else if (!(s = make_selection(g)))
        return dj_fail_memory(context, "the selection from a batch", 0);
    s->next = NULL;
    s->count = s->counted = s->filled = s->invalidated = s->unsampled = s->share_count = 0;
    *out = s;
    return DJ_OK;
}

static void append(dj_group *g, dj_selection *s)
{
    if (g->newest)
        g->newest->next = s;
    else
        g->oldest = s;
    g->newest = s;
}

void dj_group_pop(dj_group *g)
{
    dj_selection *s = g->oldest;
    g->oldest = s->next;
    if (!g->oldest)
        g->newest = NULL;
    s->next = g->unused;
    g->unused = s;
}

void dj_group_abandon(dj_group *g)
{
    while (g->oldest)
        dj_group_pop(g);
    destroy_list(g->kept);
    g->kept = NULL;
}

// The compiler compares many at once.
static uint32_t count_verdict(const dj_selection *s, uint8_t verdict)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count; i++)
        n += s->verdict[i] == verdict;
    return n;
}

// A separate pass for each verdict. Most batches have two.
static void count_verdicts(dj_selection *s)
{
    static const uint8_t order[] = {DJ_VERDICT_COUNT, DJ_VERDICT_UNSAMPLED, DJ_VERDICT_ABSENT,
                                    DJ_VERDICT_FILL};
    uint32_t verdicts[DJ_VERDICTS] = {0}, left = s->count;
    for (size_t k = 0; left > 0 && k < sizeof order; k++) {
        verdicts[order[k]] = count_verdict(s, order[k]);
        left -= verdicts[order[k]];
    }
    s->counted = verdicts[DJ_VERDICT_COUNT];
    s->unsampled = verdicts[DJ_VERDICT_UNSAMPLED];
    s->filled = verdicts[DJ_VERDICT_FILL];
    s->invalidated = left;
}

int dj_group_meet(dj_group *g, dj_context *context, const dj_batch *batch)
{
    int err = reserve_selection(g, context, &g->judged);
    if (err || !g->partitioned)
        return err;
    err = dj_partitioner_number(&g->partitioner, context, batch, g->judged->partition);
    return err ? err
               : dj_grow(context, "the partitions", &g->partitions, &g->partition_capacity,
                         g->partitioner.table.count + 1, sizeof *g->partitions);
}

int dj_group_judge(dj_group *g, dj_context *context, const dj_batch *batch, const dj_selection **out)
{
    int err = DJ_OK;
    dj_selection *s = g->judged;
    s->count = batch->count;
    memset(s->verdict, DJ_VERDICT_COUNT, s->count);
    memset(s->verdict + s->count, DJ_VERDICT_ABSENT, DJ_VERDICTS_PAD); // it is read eight at a time
    for (size_t i = 0; !err && i < g->filter_count; i++)
        err = g->filters[i].ops->judge(g->filters[i].state, context, batch, s->verdict);
    count_verdicts(s);
    if (!err && s->invalidated && !g->invalidates)
        err = dj_fail(context, DJ_ERR_UNSUPPORTED, "a filter invalidates but does not declare that verdict");
    if (!err && s->filled && !g->fills)
        err = dj_fail(context, DJ_ERR_UNSUPPORTED, "a filter fills but does not declare that verdict");
    if (err)
        return err;
    g->counts.counted += s->counted + s->unsampled;
    g->counts.filled += s->filled;
    *out = s;
    return DJ_OK;
}

int dj_group_keep(dj_group *g, dj_context *context, const uint16_t *at, uint32_t count)
{
    int err = reserve_selection(g, context, &g->kept);
    if (err)
        return err;
    const dj_selection *from = g->judged;
    dj_selection *to = g->kept;
    for (uint32_t i = 0; i < count; i++)
        to->verdict[to->count + i] = from->verdict[at[i]];
    for (uint32_t i = 0; g->partitioned && i < count; i++)
        to->partition[to->count + i] = from->partition[at[i]];
    to->count += count;
    return DJ_OK;
}

// Finds the partitions that occur in the batch and counts their accesses.
static int find_shares(dj_group *g, dj_context *context, dj_selection *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (!dj_verdict_accesses(s->verdict[i]) || g->partitions[s->partition[i]].here++ > 0)
            continue;
        int err = dj_grow(context, "the partitions", &s->shares, &s->share_capacity, s->share_count + 1,
                          sizeof *s->shares);
        if (err)
            return err;
        s->shares[s->share_count++] = (dj_share){.partition = s->partition[i]};
    }
    return DJ_OK;
}

// Groups the accesses by partition, in the order of the batch.
static int sort_by_partition(dj_group *g, dj_context *context, dj_selection *s)
{
    int err = find_shares(g, context, s);
    uint32_t at = 0;
    for (uint32_t k = 0; k < s->share_count; k++) {
        dj_share *share = &s->shares[k];
        partition_state *p = &g->partitions[share->partition];
        share->begin = p->at = at;
        share->end = at += p->here;
        p->here = 0;
    }
    for (uint32_t i = 0; !err && i < s->count; i++)
        if (dj_verdict_accesses(s->verdict[i]))
            s->order[g->partitions[s->partition[i]].at++] = (uint16_t)i;
    return err;
}

static int list_present(dj_group *g, dj_context *context, dj_selection *s)
{
    if (g->partitioned)
        return sort_by_partition(g, context, s);
    int err = dj_grow(context, "the partitions", &s->shares, &s->share_capacity, 1, sizeof *s->shares);
    if (err || s->complete)
        return err;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count; i = dj_skip_absent(s->verdict, i, s->count)) {
        const uint32_t end = i + 8 < s->count ? i + 8 : s->count;
        for (; i < end; i++) {
            s->order[n] = (uint16_t)i; // overwritten unless n advances
            n += dj_verdict_accesses(s->verdict[i]);
        }
    }
    s->shares[0] = (dj_share){.end = n};
    s->share_count = n > 0;
    return DJ_OK;
}

// Positions in the trace without absent accesses, or in each partition of it.
static void number_present(dj_group *g, dj_selection *s)
{
    for (uint32_t i = 0; s->complete && i < s->count && g->times; i++)
        s->time[i] = g->partitions[0].seen + i;
    if (s->complete)
        g->partitions[0].seen += s->count;
    for (uint32_t k = 0; k < s->share_count; k++) {
        partition_state *p = &g->partitions[s->shares[k].partition];
        for (uint32_t i = s->shares[k].begin; i < s->shares[k].end && g->times; i++)
            s->time[s->order[i]] = p->seen + (i - s->shares[k].begin);
        p->seen += s->shares[k].end - s->shares[k].begin;
    }
}

int dj_group_select(dj_group *g, dj_context *context, enum dj_group_from from, const dj_selection **out)
{
    dj_selection **owner = from == DJ_GROUP_JUDGED ? &g->judged : &g->kept, *s = *owner;
    *owner = NULL;
    append(g, s);
    if (from == DJ_GROUP_KEPT)
        count_verdicts(s);
    s->weight_log2 = g->weight_log2;
    s->complete = !g->partitioned && s->counted == s->count && s->weight_log2 == 0;
    int err = list_present(g, context, s);
    if (err)
        return err;
    number_present(g, s);
    *out = s;
    return DJ_OK;
}

bool dj_group_ended(const dj_group *g, uint32_t *from)
{
    bool ended = false;
    *from = UINT32_MAX;
    for (size_t i = 0; i < g->filter_count; i++) {
        uint32_t at;
        if (!g->filters[i].ops->ended || !g->filters[i].ops->ended(g->filters[i].state, &at))
            continue;
        ended = true;
        *from = at < *from ? at : *from;
    }
    return ended;
}

dj_group_counts *dj_group_counted(dj_group *g)
{
    return &g->counts;
}
