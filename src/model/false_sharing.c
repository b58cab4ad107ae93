// SPDX-License-Identifier: MIT
#include <deja/false_sharing.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_stream.h"
#include "model/names.h"

typedef struct work {
    const dj_attribution *a;
    uint64_t block_bytes;
    dj_names names;
} work;

static const char *element_of(const dj_place_row *place)
{
    return place->element ? place->element : "";
}

static int compare_numbers(uint64_t x, uint64_t y)
{
    return (x > y) - (x < y);
}

// Places with the same data and line are equal.
static int compare_places(const dj_attribution *a, uint32_t left, uint32_t right)
{
    const dj_place_row *x = &a->places[left], *y = &a->places[right];
    const dj_site_row *at_x = &a->sites[x->site], *at_y = &a->sites[y->site];
    int order = compare_numbers(x->object, y->object);
    if (!order)
        order = strcmp(element_of(x), element_of(y));
    if (!order)
        order = compare_numbers(at_x->file, at_y->file);
    if (!order)
        order = compare_numbers(at_x->line, at_y->line);
    return order || at_x->line > 0 ? order : compare_numbers(x->site, y->site);
}

static int compare_pairs(const void *left, const void *right, void *user)
{
    const work *w = user;
    const dj_invalidation_row *x = *(const dj_invalidation_row *const *)left,
                              *y = *(const dj_invalidation_row *const *)right;
    int order = compare_places(w->a, x->from, y->from);
    if (!order)
        order = compare_places(w->a, x->to, y->to);
    if (!order)
        order = -compare_numbers(x->false_sharing, y->false_sharing);
    if (!order)
        order = compare_numbers(x->from, y->from);
    return order ? order : compare_numbers(x->to, y->to);
}

// Worst first; ties in the order of the places, so that a profile always gives the same report.
static int worse_first(const void *left, const void *right)
{
    const dj_false_sharing *x = left, *y = right;
    int order = -compare_numbers(x->misses, y->misses);
    if (!order)
        order = compare_numbers(x->from, y->from);
    return order ? order : compare_numbers(x->to, y->to);
}

static void put_data(const work *w, uint32_t place, const char *element, FILE *out)
{
    const dj_place_row *row = &w->a->places[place];
    dj_names_put_data(&w->names, row->object, element && *element ? element : element_of(row), out);
}

static uint32_t thread_of(const work *w, uint32_t place)
{
    return w->a->cct[w->a->places[place].cct_node].thread;
}

static bool has_index(const dj_place_row *place)
{
    return strstr(element_of(place), "[*]") != NULL;
}

static void put_remedy(const work *w, const dj_false_sharing *s, FILE *out)
{
    const dj_place_row *from = &w->a->places[s->from], *to = &w->a->places[s->to];
    fputs("These misses would not occur if the words that one thread writes and those that another uses were "
          "in different blocks",
          out);
    if (from->object != to->object || strcmp(element_of(from), element_of(to)) != 0) {
        fputs(", such as ", out);
        put_data(w, s->from, NULL, out);
        fputs(" and ", out);
        put_data(w, s->to, NULL, out);
        fprintf(out, " aligned to %" PRIu64 " bytes.", w->block_bytes);
    } else if (has_index(to)) {
        fputs(", such as elements of ", out);
        dj_names_put_data(&w->names, to->object, "", out);
        fprintf(out, " padded and aligned to %" PRIu64 " bytes.", w->block_bytes);
    } else {
        fprintf(out, " of %" PRIu64 " bytes.", w->block_bytes);
    }
}

// An example, and what would avoid the misses.
static char *explain(const work *w, const dj_invalidation_row *pair, const dj_false_sharing *s)
{
    dj_text_stream text;
    if (!dj_text_stream_open(&text))
        return NULL;
    fputs("For example, ", text.file);
    dj_names_put_thread(&w->names, thread_of(w, pair->from), text.file);
    fputs(" writes ", text.file);
    put_data(w, pair->from, pair->written, text.file);
    fputs(", and ", text.file);
    dj_names_put_thread(&w->names, thread_of(w, pair->to), text.file);
    fputs(" misses ", text.file);
    put_data(w, pair->to, pair->missed, text.file);
    fputs(". ", text.file);
    put_remedy(w, s, text.file);
    return dj_text_stream_close(&text, NULL);
}

static int name(const work *w, dj_context *context, const dj_invalidation_row *pair, dj_false_sharing *s)
{
    const dj_place_row *from = &w->a->places[s->from], *to = &w->a->places[s->to];
    s->written = dj_names_data(&w->names, from->object, element_of(from));
    s->missed = dj_names_data(&w->names, to->object, element_of(to));
    s->written_line = dj_names_use(&w->names, from->site);
    s->missed_line = dj_names_use(&w->names, to->site);
    s->text = explain(w, pair, s);
    return s->written && s->missed && s->written_line && s->missed_line && s->text
               ? DJ_OK
               : dj_fail_memory(context, "the false sharing", 0);
}

static uint64_t sharers_of(const dj_attribution *a, uint32_t place)
{
    return a->places[place].tally.sharing ? a->places[place].tally.sharing->sharers : 0;
}

// Pairs that differ in the places alone are adjacent, those with the most misses first.
static int combine(const work *w, dj_context *context, const dj_invalidation_row *const *pairs, size_t count,
                   dj_false_sharings *to)
{
    int err = DJ_OK;
    for (size_t first = 0, end; !err && first < count; first = end) {
        const dj_invalidation_row *pair = pairs[first];
        dj_false_sharing s = {.from = pair->from, .to = pair->to};
        for (end = first; end < count && compare_places(w->a, pairs[end]->from, pair->from) == 0 &&
                          compare_places(w->a, pairs[end]->to, pair->to) == 0;
             end++) {
            s.misses += pairs[end]->false_sharing;
            s.true_sharing += pairs[end]->true_sharing;
            s.sharers |= sharers_of(w->a, pairs[end]->from) | sharers_of(w->a, pairs[end]->to);
        }
        if (s.misses == 0)
            continue;
        dj_false_sharing *row = &to->list[to->count++];
        *row = s;
        err = name(w, context, pair, row);
    }
    return err;
}

static int build(const work *w, dj_context *context, dj_false_sharings *to)
{
    const size_t count = w->a->invalidation_count;
    const dj_invalidation_row **pairs = calloc(count + 1, sizeof *pairs);
    to->list = calloc(count + 1, sizeof *to->list);
    int err = pairs && to->list ? DJ_OK : dj_fail_memory(context, "the false sharing", 0);
    for (size_t i = 0; !err && i < w->a->place_count; i++) {
        const dj_sharing_tally *tally = w->a->places[i].tally.sharing;
        to->misses += tally ? tally->counts.false_sharing : 0;
        to->true_sharing += tally ? tally->counts.true_sharing : 0;
    }
    for (size_t i = 0; !err && i < count; i++)
        pairs[i] = &w->a->invalidations[i];
    if (!err) {
        qsort_r(pairs, count, sizeof *pairs, compare_pairs, (void *)(uintptr_t)w);
        err = combine(w, context, pairs, count, to);
    }
    if (!err)
        qsort(to->list, to->count, sizeof *to->list, worse_first);
    free(pairs);
    return err;
}

int dj_false_sharings_create(dj_context *context, const dj_profile *profile, dj_false_sharings **out)
{
    dj_false_sharings *made = calloc(1, sizeof *made);
    if (!made)
        return dj_fail_memory(context, "the false sharing", sizeof *made);
    work w = {.a = dj_profile_attribution(profile), .block_bytes = profile->lanes[0].id.block_bytes};
    int err = w.a ? dj_names_create(&w.names, context, w.a) : DJ_OK;
    if (!err && w.a)
        err = build(&w, context, made);
    dj_names_destroy(&w.names);
    if (err)
        dj_false_sharings_destroy(made);
    else
        *out = made;
    return err;
}

void dj_false_sharings_destroy(dj_false_sharings *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++) {
        free(s->list[i].written);
        free(s->list[i].missed);
        free(s->list[i].written_line);
        free(s->list[i].missed_line);
        free(s->list[i].text);
    }
    free(s->list);
    free(s);
}
