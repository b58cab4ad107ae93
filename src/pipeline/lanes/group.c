// SPDX-License-Identifier: MIT
#include "pipeline/lanes/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"

enum { WORDS_ROOM = 256 };

typedef struct filter {
    const dj_filter_ops *ops;
    void *state;
} filter;

// Of a partition: how many accesses it has had, and where those of a batch go.
typedef struct part {
    uint64_t seen;
    uint32_t here, at;
} part;

struct dj_group {
    filter *filters;
    size_t filter_count;
    char *words;
    bool selective, times, partitioned;
    bool fills; // one of the filters may
    dj_partitioner partitioner;
    part *parts; // without a partition there is one
    size_t part_room;
    dj_selection *oldest, *newest, *free;
    dj_group_counts counts;
};

static const void *options_of(const dj_filter_choice *choice)
{
    return choice->options ? choice->options : choice->ops->default_options;
}

static int describe(dj_group *g, dj_context *context, const dj_lane_group *config)
{
    char words[2 * WORDS_ROOM] = "", one[WORDS_ROOM];
    for (size_t i = 0; i < config->filter_count; i++) {
        size_t used = strlen(words);
        config->filters[i].ops->describe(options_of(&config->filters[i]), one, sizeof one);
        if (one[0] && used < WORDS_ROOM)
            snprintf(words + used, WORDS_ROOM, "%s%.250s", used ? ", " : "", one);
    }
    return dj_copy_text(context, words, &g->words);
}

static int create_filters(dj_group *g, dj_context *context, const dj_lane_group *config)
{
    g->filters = calloc(config->filter_count + 1, sizeof *g->filters);
    if (!g->filters)
        return dj_fail_memory(context, "the filters", 0);
    int err = describe(g, context, config);
    for (size_t i = 0; !err && i < config->filter_count; i++) {
        const dj_filter_ops *ops = config->filters[i].ops;
        err = ops->create(context, options_of(&config->filters[i]), &g->filters[i].state);
        g->filters[i].ops = ops;
        g->fills = g->fills || ops->verdicts >> DJ_VERDICT_FILL & 1;
        g->filter_count += !err;
    }
    return err;
}

int dj_group_create(dj_context *context, const dj_lane_group *config, const char *words, bool times,
                    dj_group **out)
{
    dj_group *g = calloc(1, sizeof *g);
    if (!g)
        return dj_fail_memory(context, "a group of lanes", 0);
    g->times = times;
    g->partitioned = config->partition != DJ_PARTITION_NONE;
    int err = words ? dj_copy_text(context, words, &g->words) : create_filters(g, context, config);
    if (!err && g->partitioned)
        err = dj_partitioner_create(&g->partitioner, context, config->partition);
    if (!err)
        err = dj_grow(context, "the partitions", &g->parts, &g->part_room, 1, sizeof *g->parts);
    if (err) {
        dj_group_destroy(g);
        return err;
    }
    g->selective = g->filter_count > 0 || g->partitioned || (words && *words);
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
    destroy_list(g->oldest);
    destroy_list(g->free);
    free(g->filters);
    free(g->parts);
    free(g->words);
    free(g);
}

const char *dj_group_words(const dj_group *g)
{
    return g->words;
}

const dj_partition_table *dj_group_partitions(const dj_group *g)
{
    return g->partitioned ? &g->partitioner.table : NULL;
}

bool dj_group_is_selective(const dj_group *g)
{
    return g->selective;
}

// All columns lie in one block, the one with the widest elements first.
static dj_selection *make_selection(const dj_group *g)
{
    const size_t n = DJ_BATCH_CAPACITY;
    dj_selection *s = calloc(1, sizeof *s);
    char *at = s ? malloc(n * (sizeof *s->time * g->times + sizeof *s->partition * g->partitioned +
                               sizeof *s->order + sizeof *s->verdict))
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

static int take_selection(dj_group *g, dj_context *context, dj_selection **out)
{
    dj_selection *s = g->free;
    if (s)
        g->free = s->next;
    else if (!(s = make_selection(g)))
        return dj_fail_memory(context, "what was selected of a batch", 0);
    s->next = NULL;
    s->share_count = 0;
    if (g->newest)
        g->newest->next = s;
    else
        g->oldest = s;
    g->newest = s;
    *out = s;
    return DJ_OK;
}

void dj_group_pop(dj_group *g)
{
    dj_selection *s = g->oldest;
    g->oldest = s->next;
    if (!g->oldest)
        g->newest = NULL;
    s->next = g->free;
    g->free = s;
}

void dj_group_abandon(dj_group *g)
{
    while (g->oldest)
        dj_group_pop(g);
}

static int judge(dj_group *g, dj_context *context, const dj_batch *batch, dj_selection *s)
{
    uint32_t verdicts[DJ_VERDICT_INVALIDATE + 1] = {0};
    int err = DJ_OK;
    memset(s->verdict, DJ_VERDICT_COUNT, batch->count);
    for (size_t i = 0; !err && i < g->filter_count; i++)
        err = g->filters[i].ops->judge(g->filters[i].state, context, batch, s->verdict);
    for (uint32_t i = 0; g->filter_count > 0 && i < batch->count; i++)
        verdicts[s->verdict[i] & DJ_VERDICT_INVALIDATE]++;
    if (g->filter_count == 0)
        verdicts[DJ_VERDICT_COUNT] = batch->count;
    s->count = batch->count;
    s->counted = verdicts[DJ_VERDICT_COUNT];
    s->filled = verdicts[DJ_VERDICT_FILL];
    if (!err && verdicts[DJ_VERDICT_INVALIDATE])
        err = dj_fail(context, DJ_ERR_UNSUPPORTED, "a filter invalidates, which it did not say that it does");
    if (!err && s->filled && !g->fills)
        err = dj_fail(context, DJ_ERR_UNSUPPORTED, "a filter fills, which it did not say that it does");
    return err;
}

// The end of the accesses from `i` on that have its partition and, but for what is absent, are there.
static uint32_t end_of_run(const dj_selection *s, uint32_t i)
{
    uint32_t end = i + 1;
    if (s->verdict[i] == DJ_VERDICT_ABSENT)
        return end;
    while (end < s->count && s->partition[end] == s->partition[i] && s->verdict[end] != DJ_VERDICT_ABSENT)
        end++;
    return end;
}

// Which parts the batch has accesses of, and how many of each.
static int find_shares(dj_group *g, dj_context *context, dj_selection *s)
{
    for (uint32_t i = 0, end; i < s->count; i = end) {
        part *p = &g->parts[s->partition[i]];
        end = end_of_run(s, i);
        if (s->verdict[i] == DJ_VERDICT_ABSENT)
            continue;
        p->here += end - i;
        if (p->here > end - i)
            continue;
        int err = dj_grow(context, "the partitions", &s->shares, &s->share_room, s->share_count + 1,
                          sizeof *s->shares);
        if (err)
            return err;
        s->shares[s->share_count++] = (dj_share){.partition = s->partition[i]};
    }
    return DJ_OK;
}

// Those of one part stand together, in the order of the batch.
static int sort_by_part(dj_group *g, dj_context *context, dj_selection *s)
{
    int err = find_shares(g, context, s);
    uint32_t at = 0;
    for (uint32_t k = 0; k < s->share_count; k++) {
        dj_share *share = &s->shares[k];
        part *p = &g->parts[share->partition];
        share->begin = p->at = at;
        share->end = at += p->here;
        p->here = 0;
    }
    for (uint32_t i = 0, end; !err && i < s->count; i = end) {
        part *p = &g->parts[s->partition[i]];
        uint16_t *to = s->order + p->at;
        end = end_of_run(s, i);
        if (s->verdict[i] == DJ_VERDICT_ABSENT)
            continue;
        for (uint32_t k = i; k < end; k++)
            to[k - i] = (uint16_t)k;
        p->at += end - i;
    }
    return err;
}

static int list_present(dj_group *g, dj_context *context, const dj_batch *batch, dj_selection *s)
{
    if (g->partitioned) {
        int err = dj_partitioner_number(&g->partitioner, context, batch, s->partition);
        if (!err)
            err = dj_grow(context, "the partitions", &g->parts, &g->part_room, g->partitioner.table.count + 1,
                          sizeof *g->parts);
        return err ? err : sort_by_part(g, context, s);
    }
    int err = dj_grow(context, "the partitions", &s->shares, &s->share_room, 1, sizeof *s->shares);
    if (err || s->whole)
        return err;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        s->order[n] = (uint16_t)i; // stays if it is wanted
        n += s->verdict[i] != DJ_VERDICT_ABSENT;
    }
    s->shares[0] = (dj_share){.end = n};
    s->share_count = n > 0;
    return DJ_OK;
}

// Positions in the trace as it is without what is absent, or in that of each part.
static void number_present(dj_group *g, dj_selection *s)
{
    for (uint32_t i = 0; s->whole && i < s->count && g->times; i++)
        s->time[i] = g->parts[0].seen + i;
    if (s->whole)
        g->parts[0].seen += s->count;
    for (uint32_t k = 0; k < s->share_count; k++) {
        part *p = &g->parts[s->shares[k].partition];
        for (uint32_t i = s->shares[k].begin; i < s->shares[k].end && g->times; i++)
            s->time[s->order[i]] = p->seen + (i - s->shares[k].begin);
        p->seen += s->shares[k].end - s->shares[k].begin;
    }
}

int dj_group_select(dj_group *g, dj_context *context, const dj_batch *batch, const dj_selection **out)
{
    dj_selection *s = NULL;
    int err = take_selection(g, context, &s);
    if (!err)
        err = judge(g, context, batch, s);
    if (err)
        return err;
    s->whole = !g->partitioned && s->counted == s->count;
    err = list_present(g, context, batch, s);
    if (err)
        return err;
    number_present(g, s);
    g->counts.counted += s->counted;
    g->counts.filled += s->filled;
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
