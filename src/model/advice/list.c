// SPDX-License-Identifier: MIT
// Long reuses for which the same change may help become one piece of advice.
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/dictionary.h"
#include "base/human.h"
#include "base/text_stream.h"
#include "model/advice/advice.h"
#include "model/advice/list.h"

// What a reuse's advice is about, so that the same is said once.
static uint64_t key_of(const dj_reuse *reuse)
{
    const enum dj_advice_about about = reuse->advice->about;
    const bool data = about == DJ_ABOUT_DATA, loop = about == DJ_ABOUT_LOOP;
    const bool sides = about == DJ_ABOUT_PARTS || about == DJ_ABOUT_PAIR;
    const char *name = reuse->advice->name;
    const uint64_t parts[] = {XXH3_64bits(name, strlen(name)),
                              data ? reuse->object : 0,
                              loop ? reuse->outer_loop : 0,
                              sides ? reuse->from_part : 0,
                              sides ? reuse->to_part : 0,
                              about == DJ_ABOUT_PAIR ? reuse->from : 0,
                              about == DJ_ABOUT_PAIR ? reuse->to : 0};
    return XXH3_64bits(parts, sizeof parts);
}

typedef struct draft {
    dj_advice_item item;
    const dj_reuse *worst;
    dj_tally tally;
    const char *names[4];
    size_t named, reuses;
} draft;

static void add_name(draft *d, const char *name)
{
    for (size_t i = 0; i < d->named; i++)
        if (strcmp(d->names[i], name) == 0)
            return;
    if (d->named < sizeof d->names / sizeof *d->names)
        d->names[d->named++] = name;
}

int dj_advice_item_create(dj_context *context, const dj_attribution *a, const char *kind, dj_advice_item *out)
{
    *out = (dj_advice_item){.kind = kind,
                            .object = DJ_NOWHERE,
                            .carrier = DJ_NOWHERE,
                            .misses = calloc(a->cut_count + 1, sizeof(uint64_t)),
                            .saves = calloc(a->cut_count + 1, sizeof(uint64_t))};
    return out->misses && out->saves ? DJ_OK : dj_fail_memory(context, "advice", 0);
}

static int begin(draft *d, dj_context *context, const dj_attribution *a, const dj_reuse *reuse)
{
    d->worst = reuse;
    int err = dj_advice_item_create(context, a, dj_advice_name(reuse->advice), &d->item);
    d->item.object = reuse->object;
    d->item.carrier = reuse->outer_loop;
    d->item.measured = reuse->facts.measured;
    return err;
}

static int add(draft *d, dj_context *context, const dj_attribution *a, const dj_reuse *reuse)
{
    int err = d->worst ? DJ_OK : begin(d, context, a, reuse);
    if (err)
        return err;
    for (size_t i = 0; i < a->cut_count; i++) {
        d->item.misses[i] += reuse->misses[i];
        d->item.saves[i] += reuse->saves ? reuse->saves[i] : 0;
    }
    d->reuses++;
    add_name(d, reuse->data_name);
    return dj_tally_add(&d->tally, context, &reuse->tally);
}

static bool hides(const draft *d)
{
    return d->worst && d->worst->advice->hides;
}

static int compare(const void *left, const void *right)
{
    const draft *a = left, *b = right;
    if (hides(a) != hides(b))
        return hides(a) ? 1 : -1;
    if (a->item.weight > b->item.weight || a->item.weight < b->item.weight)
        return a->item.weight > b->item.weight ? -1 : 1;
    return a->worst < b->worst ? -1 : a->worst > b->worst;
}

// What neither saves nor hides misses is no advice. Below this share of the accesses, misses do not matter,
// however few others there are.
static bool is_worth_saying(draft *d, const dj_attribution *a, const dj_reuses *reuses, uint64_t accesses)
{
    bool worth = false;
    for (size_t i = 0; i < a->cut_count; i++) {
        const double all = (double)reuses->all_misses[i], saved = (double)d->item.saves[i],
                     gain = hides(d) ? (double)d->item.misses[i] : saved;
        const double share = all > 0 ? (double)d->item.misses[i] / all : 0;
        d->item.weight += share;
        worth |= gain >= DJ_ADVICE_SHARE * all && gain > 0 && gain >= DJ_ADVICE_ACCESSES * (double)accesses;
        if (share > 0 && share >= d->item.share) {
            d->item.share = share;
            d->item.saved = saved / all;
            d->item.cut = i;
        }
    }
    return worth || a->cut_count == 0;
}

static char *join_names(const draft *d)
{
    dj_text_stream out;
    if (!dj_text_stream_open(&out))
        return NULL;
    for (size_t i = 0; i < d->named; i++)
        fprintf(out.file, "%s%s", i > 0 ? ", " : "", d->names[i]);
    return dj_text_stream_close(&out, NULL);
}

static char *state(const draft *d, const dj_attribution *a)
{
    dj_text_stream out;
    char median[DJ_HUMAN_BYTES], longest[DJ_HUMAN_BYTES], count[DJ_HUMAN_BYTES];
    if (!dj_text_stream_open(&out))
        return NULL;
    const dj_moments m = dj_tally_moments(&d->tally, a);
    if (d->worst->evidence)
        fputs(d->worst->evidence, out.file);
    fprintf(out.file, "%s reuses at distances of %s (median) to %s (maximum) blocks",
            dj_human_count(count, d->tally.accesses), dj_human_short(median, m.median),
            dj_human_short(longest, (double)m.max));
    return dj_text_stream_close(&out, NULL);
}

static int finish(draft *d, dj_context *context, const dj_attribution *a, const dj_names *names)
{
    d->item.where = d->item.carrier == DJ_NOWHERE ? dj_names_use(names, a->places[d->worst->to].site)
                                                  : dj_names_loop(names, d->item.carrier);
    d->item.data = join_names(d);
    d->item.text = strdup(d->worst->text);
    d->item.evidence = state(d, a);
    return d->item.where && d->item.data && d->item.text && d->item.evidence
               ? DJ_OK
               : dj_fail_memory(context, "advice", 0);
}

static void free_item(dj_advice_item *item)
{
    free(item->data);
    free(item->where);
    free(item->text);
    free(item->evidence);
    free(item->misses);
    free(item->saves);
}

static int draft_all(dj_context *context, const dj_attribution *a, const dj_reuses *reuses, draft *drafts,
                     size_t *count)
{
    dj_dictionary ids = {0};
    int err = dj_dictionary_create(&ids, context);
    for (size_t i = 0; i < reuses->count && !err; i++) {
        bool fresh;
        uint32_t id;
        if (!reuses->list[i].advice)
            continue;
        err = dj_dictionary_value(&ids, context, key_of(&reuses->list[i]), &id, &fresh);
        if (!err)
            *count = fresh ? id + 1 : *count;
        if (!err)
            err = add(&drafts[id], context, a, &reuses->list[i]);
    }
    dj_dictionary_destroy(&ids);
    return err;
}

static int add_padding(dj_context *context, const dj_profile *profile, const dj_names *names,
                       dj_advice_list *list)
{
    bool given;
    dj_advice_item item = {.kind = NULL};
    int err = dj_advise_padding(context, profile, names, &item, &given);
    if (!err && given)
        list->items[list->count++] = item;
    else
        free_item(&item);
    return err;
}

static int keep(dj_context *context, const dj_profile *profile, const dj_reuses *reuses, draft *drafts,
                size_t count, dj_advice_list *list)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    dj_names names = {0};
    int err = dj_names_create(&names, context, a);
    if (err)
        return err;
    for (size_t i = 0; i < count; i++)
        drafts[i].item.weight =
            is_worth_saying(&drafts[i], a, reuses, profile->accesses) ? drafts[i].item.weight : -1;
    if (count > 0)
        qsort(drafts, count, sizeof *drafts, compare);
    list->items = calloc(count + 2, sizeof *list->items);
    if (!list->items)
        err = dj_fail_memory(context, "advice", count * sizeof *list->items);
    if (!err)
        err = add_padding(context, profile, &names, list);
    for (size_t i = 0; i < count && !err; i++) {
        if (drafts[i].item.weight < 0)
            continue;
        err = finish(&drafts[i], context, a, &names);
        list->items[list->count++] = drafts[i].item;
        drafts[i].item = (dj_advice_item){.kind = NULL};
    }
    dj_names_destroy(&names);
    return err;
}

int dj_advice_list_create(dj_context *context, const dj_profile *profile, const dj_reuses *reuses,
                          dj_advice_list **out)
{
    dj_advice_list *list = calloc(1, sizeof *list);
    draft *drafts = calloc(reuses->count + 1, sizeof *drafts);
    size_t count = 0;
    int err =
        list && drafts ? DJ_OK : dj_fail_memory(context, "advice", (reuses->count + 1) * sizeof *drafts);
    if (!err)
        err = draft_all(context, dj_profile_attribution(profile), reuses, drafts, &count);
    if (!err)
        err = keep(context, profile, reuses, drafts, count, list);
    for (size_t i = 0; drafts && i <= reuses->count; i++) {
        free_item(&drafts[i].item);
        dj_tally_free(&drafts[i].tally);
    }
    free(drafts);
    if (err) {
        dj_advice_list_destroy(list);
        return err;
    }
    *out = list;
    return DJ_OK;
}

void dj_advice_list_destroy(dj_advice_list *list)
{
    if (!list)
        return;
    for (size_t i = 0; i < list->count; i++)
        free_item(&list->items[i]);
    free(list->items);
    free(list);
}
