// SPDX-License-Identifier: MIT
// Combines pairs of places into reuses: pairs with the same lines, data, loop and carrier are one
// reuse.
#include "model/advice/advice.h"

#include <deja/breakdown.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/dictionary.h"

// A pair with its grouping criteria.
typedef struct grouped_pair {
    uint64_t from_line, to_line;
    uint32_t from_object, object;
    uint32_t loop, frame_function;
    enum dj_relation relation;
    enum dj_carried carried;
    uint32_t carrier;
    uint32_t pair;
} grouped_pair;

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_groups(const grouped_pair *a, const grouped_pair *b)
{
    int order = compare_numbers(a->from_line, b->from_line);
    order = order ? order : compare_numbers(a->to_line, b->to_line);
    order = order ? order : compare_numbers(a->from_object, b->from_object);
    order = order ? order : compare_numbers(a->object, b->object);
    order = order ? order : compare_numbers(a->loop, b->loop);
    order = order ? order : compare_numbers(a->frame_function, b->frame_function);
    order = order ? order : compare_numbers(a->relation, b->relation);
    order = order ? order : compare_numbers(a->carried, b->carried);
    return order ? order : compare_numbers(a->carrier, b->carrier);
}

static int compare_pairs(const void *left, const void *right)
{
    const grouped_pair *a = left, *b = right;
    int order = compare_groups(a, b);
    return order ? order : compare_numbers(a->pair, b->pair);
}

typedef struct work {
    const dj_attribution *a;
    const dj_breakdown *loops; // NULL: not known yet
    dj_advice_rules rules;
    dj_names names;
    dj_reuse_paths paths;
    grouped_pair *grouped;
    uint64_t *loop_blocks;
    dj_dictionary lines; // places grouped by line and data
    uint32_t *line_of;   // for each place
    dj_tally *line_sums;
    dj_advice_facts facts;
    double access_bytes, block_bytes;
    dj_reuses *out;
} work;

// Groups by line; code without line numbers by instruction.
static uint64_t line_key(const dj_attribution *a, uint32_t site)
{
    uint64_t key = dj_key_of(a, DJ_BY_LINE, site, DJ_NOWHERE, DJ_NOWHERE);
    return dj_key_is_rest(key) ? DJ_KEY_REST | site : key;
}

static int make_strand(work *w, dj_context *context, uint32_t pair)
{
    const dj_attribution *a = w->a;
    const dj_place_row *from = &a->places[a->pairs[pair].from], *to = &a->places[a->pairs[pair].to];
    dj_reuse_link link;
    int err = dj_reuse_paths_find(&w->paths, context, a, from, to, &link);
    w->grouped[pair] = (grouped_pair){
        .from_line = line_key(a, from->site),
        .to_line = line_key(a, to->site),
        .from_object = from->object,
        .object = to->object,
        .loop = link.loop,
        .frame_function = link.frame == DJ_NOWHERE ? DJ_NOWHERE : a->cct[link.frame].function,
        .relation = link.relation,
        .carried = a->pairs[pair].carried,
        .carrier = a->pairs[pair].carrier,
        .pair = pair,
    };
    return err ? err : dj_advice_facts_add_pair(&w->facts, context, pair, &w->paths, &link);
}

static int name_reuse(work *w, dj_context *context, dj_reuse *reuse)
{
    const dj_attribution *a = w->a;
    reuse->from_name = dj_names_use(&w->names, a->places[reuse->from].site);
    reuse->to_name = dj_names_use(&w->names, a->places[reuse->to].site);
    reuse->data_name = dj_names_data(&w->names, reuse->object, a->places[reuse->to].element);
    reuse->loop_name = reuse->loop == DJ_NOWHERE ? strdup("") : dj_names_loop(&w->names, reuse->loop);
    bool all = reuse->from_name && reuse->to_name && reuse->data_name && reuse->loop_name;
    return all ? DJ_OK : dj_fail_memory(context, "reuse pairs", 0);
}

// Sums up pairs first to end − 1, which form one group.
static int add_group(work *w, dj_context *context, size_t first, size_t end)
{
    const dj_attribution *a = w->a;
    dj_reuse *reuse = &w->out->list[w->out->count++];
    const dj_pair_row *worst = &a->pairs[w->grouped[first].pair];
    int err = DJ_OK;
    for (size_t i = first; i < end && !err; i++) {
        const dj_pair_row *pair = &a->pairs[w->grouped[i].pair];
        worst = pair->tally.accesses > worst->tally.accesses ? pair : worst;
        err = dj_tally_add(&reuse->tally, context, &pair->tally);
    }
    dj_reuse_link link;
    if (!err)
        err =
            dj_reuse_paths_find(&w->paths, context, a, &a->places[worst->from], &a->places[worst->to], &link);
    if (err)
        return err;
    reuse->from = worst->from;
    reuse->to = worst->to;
    reuse->from_object = w->grouped[first].from_object;
    reuse->object = w->grouped[first].object;
    reuse->loop = link.loop;
    reuse->relation = link.relation;
    reuse->carried = worst->carried;
    reuse->carrier = worst->carrier;
    reuse->next_iteration = link.next_iteration;
    reuse->from_part = link.from_at;
    reuse->to_part = link.to_at;
    dj_reuse_evidence evidence = {.attribution = a,
                                  .names = &w->names,
                                  .frame = link.frame,
                                  .loop_in_frame = link.loop_in_frame,
                                  .from_at = link.from_at,
                                  .to_at = link.to_at,
                                  .loop_blocks = w->loop_blocks,
                                  .from_line = &w->line_sums[w->line_of[reuse->from]],
                                  .to_line = &w->line_sums[w->line_of[reuse->to]],
                                  .access_bytes = w->access_bytes,
                                  .block_bytes = w->block_bytes};
    err = name_reuse(w, context, reuse);
    return err ? err : dj_advise(context, &w->rules, &w->facts, &evidence, &w->paths, reuse);
}

static int group(work *w, dj_context *context)
{
    const dj_attribution *a = w->a;
    int err = DJ_OK;
    for (uint32_t i = 0; i < a->pair_count && !err; i++)
        err = make_strand(w, context, i);
    if (err || a->pair_count == 0)
        return err;
    dj_advice_facts_finish(&w->facts);
    qsort(w->grouped, a->pair_count, sizeof *w->grouped, compare_pairs);
    for (size_t first = 0, end; first < a->pair_count && !err; first = end) {
        for (end = first + 1; end < a->pair_count; end++)
            if (compare_groups(&w->grouped[first], &w->grouped[end]) != 0)
                break;
        err = add_group(w, context, first, end);
    }
    return err;
}

static int measure_loops(work *w, dj_context *context)
{
    dj_breakdown *made = NULL;
    int err = w->loops ? DJ_OK : dj_breakdown_create(context, w->a, DJ_BY_LOOP, &made);
    const dj_breakdown *loops = w->loops ? w->loops : made;
    for (size_t i = 0; !err && i < loops->count; i++)
        if (loops->entities[i].row != DJ_NOWHERE)
            w->loop_blocks[loops->entities[i].row] = loops->entities[i].inclusive_distinct.blocks;
    dj_breakdown_destroy(made);
    return err;
}

static int sum_lines(work *w, dj_context *context)
{
    const dj_attribution *a = w->a;
    w->line_of = calloc(a->place_count + 1, sizeof *w->line_of);
    w->line_sums = calloc(a->place_count + 1, sizeof *w->line_sums);
    if (!w->line_of || !w->line_sums)
        return dj_fail_memory(context, "reuse pairs", a->place_count * sizeof *w->line_sums);
    int err = dj_dictionary_create(&w->lines, context);
    for (size_t i = 0; i < a->place_count && !err; i++) {
        bool fresh;
        uint64_t key[] = {line_key(a, a->places[i].site), a->places[i].object};
        err = dj_dictionary_value(&w->lines, context, XXH3_64bits(key, sizeof key), &w->line_of[i], &fresh);
        if (!err)
            err = dj_tally_add(&w->line_sums[w->line_of[i]], context, &a->places[i].tally);
    }
    return err;
}

static int create(work *w, dj_context *context)
{
    const dj_attribution *a = w->a;
    w->grouped = calloc(a->pair_count + 1, sizeof *w->grouped);
    w->loop_blocks = calloc(a->loop_count + 1, sizeof *w->loop_blocks);
    w->out->list = calloc(a->pair_count + 1, sizeof *w->out->list);
    if (!w->grouped || !w->loop_blocks || !w->out->list)
        return dj_fail_memory(context, "reuse pairs",
                              a->pair_count * (sizeof(grouped_pair) + sizeof(dj_reuse)));
    int err = dj_names_create(&w->names, context, a);
    if (!err)
        err = measure_loops(w, context);
    if (!err)
        err = sum_lines(w, context);
    if (!err)
        err = dj_advice_facts_create(&w->facts, context, w->a, w->line_of, w->line_sums);
    if (!err)
        err = group(w, context);
    return err ? err : dj_reuses_order(w->out, context, a);
}

int dj_reuses_create_from(dj_context *context, const dj_attribution *attribution, const dj_profile *profile,
                          const dj_breakdown *loops, const dj_advice_rules *rules, dj_reuses **out)
{
    const bool bytes = profile && profile->provenance.unit_bytes > 0 && profile->lanes[0].id.block_bytes > 0;
    work w = {.a = attribution,
              .loops = loops,
              .rules = *rules,
              .access_bytes = bytes && profile->bytes > 0 && profile->requests > 0
                                  ? (double)profile->bytes / (double)profile->requests
                                  : 8,
              .block_bytes = bytes ? (double)profile->lanes[0].id.block_bytes : 64,
              .out = calloc(1, sizeof *w.out)};
    if (!w.out)
        return dj_fail_memory(context, "reuse pairs", sizeof *w.out);
    int err = create(&w, context);
    dj_reuse_paths_free(&w.paths);
    dj_names_destroy(&w.names);
    dj_advice_facts_destroy(&w.facts);
    free(w.grouped);
    free(w.loop_blocks);
    for (size_t i = 0; w.line_sums && i < attribution->place_count; i++)
        dj_tally_free(&w.line_sums[i]);
    free(w.line_sums);
    free(w.line_of);
    dj_dictionary_destroy(&w.lines);
    if (err) {
        dj_reuses_destroy(w.out);
        return err;
    }
    *out = w.out;
    return DJ_OK;
}

int dj_reuses_create(dj_context *context, const dj_attribution *attribution, dj_reuses **out)
{
    return dj_reuses_create_from(context, attribution, NULL, NULL, &dj_advice_builtin, out);
}

int dj_reuses_create_with(dj_context *context, const dj_attribution *attribution,
                          const dj_advice_rule *const *rules, size_t rule_count, dj_reuses **out)
{
    const dj_advice_rules all = {rules, rule_count};
    return dj_reuses_create_from(context, attribution, NULL, NULL, &all, out);
}

int dj_reuses_of_profile(dj_context *context, const dj_profile *profile, dj_reuses **out)
{
    dj_reuses *found = NULL;
    int err = dj_reuses_create_from(context, dj_profile_attribution(profile), profile, NULL,
                                    &dj_advice_builtin, &found);
    if (!err)
        err = dj_reuses_withhold(found, context, profile);
    if (err) {
        dj_reuses_destroy(found);
        return err;
    }
    *out = found;
    return DJ_OK;
}
