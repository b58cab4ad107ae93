// SPDX-License-Identifier: MIT
// Program components of spatial locality: places summed up by line or loop and by data, ranked by reuses
// without a partner.
#include "model/spatial/advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *name_loop(const dj_ranking_work *w, const dj_rank_row *row)
{
    char *text = NULL, *loop = row->loop == DJ_NOWHERE ? NULL : dj_names_loop(&w->names, row->loop);
    if (row->loop != DJ_NOWHERE && !loop)
        return NULL;
    int length;
    if (!loop)
        length = asprintf(&text, "outside of loops in %s", dj_names_function(&w->names, row->function));
    else if (strncmp(loop, "loop ", 5) == 0) // a loop without line numbers
        return loop;
    else
        length = asprintf(&text, "loop %s", loop);
    free(loop);
    return length < 0 ? NULL : text;
}

// Reduces `common` to what it shares with another element: "[*].x" and "[*].y" share "[*]".
static void keep_common(char *common, const char *other)
{
    size_t same = 0, whole = 0;
    while (common[same] && common[same] == other[same]) {
        same++;
        bool ends = common[same] == '\0' || common[same] == '.' || common[same] == '[';
        bool other_ends = other[same] == '\0' || other[same] == '.' || other[same] == '[';
        whole = ends && other_ends ? same : whole;
    }
    common[whole] = '\0';
}

// The part of its object that all places of a row access.
static int find_elements(const dj_ranking_work *w, dj_context *context, char **elements)
{
    for (size_t i = 0; i < w->a->place_count; i++) {
        const char *element = w->a->places[i].element ? w->a->places[i].element : "";
        char **common = &elements[w->row_of[i]];
        if (*common)
            keep_common(*common, element);
        else if (!(*common = strdup(element)))
            return dj_fail_memory(context, "a ranking", 0);
    }
    return DJ_OK;
}

static int name_rows(dj_ranking_work *w, dj_context *context)
{
    char **elements = calloc(w->out->count + 1, sizeof *elements);
    int err = elements ? find_elements(w, context, elements) : dj_fail_memory(context, "a ranking", 0);
    for (size_t i = 0; i < w->out->count && !err; i++) {
        dj_rank_row *row = &w->out->rows[i];
        bool loops = w->options->by == DJ_RANK_LOOP;
        row->name = loops ? name_loop(w, row) : dj_names_use(&w->names, w->a->places[row->place].site);
        row->object_name = dj_names_data(&w->names, row->object, elements[i]);
        row->path = dj_names_path(&w->names, row->cct_node);
        row->text = strdup("");
        if (!row->name || !row->object_name || !row->path || !row->text)
            err = dj_fail_memory(context, "a ranking", 0);
    }
    for (size_t i = 0; elements && i < w->out->count; i++)
        free(elements[i]);
    free(elements);
    return err;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

// Largest first; ties by reuses, then by name, so that a profile always gives the same report.
static int compare(const void *left, const void *right)
{
    const dj_rank_row *a = left, *b = right;
    int order = (a->poor < b->poor) - (a->poor > b->poor);
    order = order ? order : compare_numbers(a->far.reuses, b->far.reuses);
    order = order ? order : compare_numbers(a->accesses, b->accesses);
    order = order ? order : strcmp(a->name, b->name);
    order = order ? order : strcmp(a->object_name, b->object_name);
    order = order ? order : strcmp(a->path, b->path);
    return order ? order : (a->place > b->place) - (a->place < b->place);
}

static int create(dj_ranking_work *w, dj_context *context)
{
    int err = dj_names_create(&w->names, context, w->a);
    if (!err)
        err = dj_ranking_group(w, context);
    if (!err)
        err = name_rows(w, context);
    if (!err && w->out->count > 0)
        qsort(w->out->rows, w->out->count, sizeof *w->out->rows, compare);
    return err ? err : dj_ranking_advise(context, w);
}

static int check(dj_context *context, const dj_profile *profile, const dj_ranking_options *options)
{
    const dj_spatial *spatial = dj_profile_spatial(profile);
    if (!spatial || !dj_profile_attribution(profile))
        return dj_fail(context, DJ_ERR_USAGE, "a ranking needs the spatial locality of each place");
    if (options->pair >= spatial->pair_count)
        return dj_fail(context, DJ_ERR_USAGE, "there is no pair %zu of block sizes", options->pair);
    if (options->cache != SIZE_MAX && options->cache >= spatial->cache_count)
        return dj_fail(context, DJ_ERR_USAGE, "there is no cache %zu", options->cache);
    for (size_t i = 0; i < dj_profile_attribution(profile)->place_count; i++)
        if (dj_profile_attribution(profile)->places[i].tally.spatial)
            return DJ_OK;
    return dj_fail(context, DJ_ERR_USAGE, "a ranking needs the spatial locality of each place");
}

int dj_ranking_create(dj_context *context, const dj_profile *profile, const dj_ranking_options *options,
                      dj_ranking **out)
{
    int err = check(context, profile, options);
    if (err)
        return err;
    dj_ranking_work w = {.profile = profile, .a = dj_profile_attribution(profile), .options = options};
    w.out = calloc(1, sizeof *w.out);
    if (!w.out)
        return dj_fail_memory(context, "a ranking", sizeof *w.out);
    err = create(&w, context);
    dj_names_destroy(&w.names);
    free(w.row_of);
    free(w.cct_loop);
    if (err) {
        dj_ranking_destroy(w.out);
        return err;
    }
    *out = w.out;
    return DJ_OK;
}

void dj_ranking_destroy(dj_ranking *ranking)
{
    if (!ranking)
        return;
    for (size_t i = 0; i < ranking->count; i++) {
        free(ranking->rows[i].name);
        free(ranking->rows[i].object_name);
        free(ranking->rows[i].path);
        free(ranking->rows[i].text);
    }
    free(ranking->rows);
    free(ranking);
}
