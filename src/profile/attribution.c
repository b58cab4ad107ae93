// SPDX-License-Identifier: MIT
#include <deja/profile.h>

#include <stdlib.h>

int dj_attribution_create(dj_context *context, dj_attribution **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? DJ_OK : dj_fail(context, DJ_ERR_MEMORY, "out of memory for an attribution");
}

static void free_texts(char **texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

static void free_code(dj_attribution *a)
{
    for (size_t i = 0; i < a->module_count; i++)
        free(a->modules[i].path);
    for (size_t i = 0; i < a->function_count; i++)
        free(a->functions[i].name);
    for (size_t i = 0; i < a->site_count; i++)
        free(a->sites[i].sketch);
    for (size_t i = 0; i < a->context_count; i++)
        free(a->contexts[i].sketch);
    free(a->modules);
    free(a->functions);
    free(a->loops);
    free(a->inlined);
    free(a->sites);
    free(a->contexts);
}

static void free_data(dj_attribution *a)
{
    for (size_t i = 0; i < a->object_count; i++) {
        free(a->objects[i].name);
        free(a->objects[i].type);
    }
    for (size_t i = 0; i < a->thread_count; i++)
        free(a->threads[i].name);
    free(a->objects);
    free(a->threads);
}

static void free_numbers(dj_attribution *a)
{
    for (size_t i = 0; i < a->place_count; i++) {
        free(a->places[i].element);
        free(a->places[i].example);
        dj_tally_free(&a->places[i].tally);
    }
    for (size_t i = 0; i < a->pair_count; i++)
        dj_tally_free(&a->pairs[i].tally);
    free(a->places);
    free(a->pairs);
}

static void free_attribution(void *value)
{
    dj_attribution *a = value;
    free(a->edges);
    for (size_t i = 0; i < a->cut_count; i++)
        free(a->cuts[i].name);
    free(a->cuts);
    free_texts(a->files, a->file_count);
    free_code(a);
    free_data(a);
    free_numbers(a);
}

void dj_attribution_destroy(dj_attribution *a)
{
    if (!a)
        return;
    free_attribution(a);
    free(a);
}

const dj_section_ops dj_section_attribution = {
    .name = "attribution",
    .version = 1,
    .scope = DJ_SCOPE_PROFILE,
    .table = {.bytes = sizeof(dj_attribution)},
    .free = free_attribution,
};
