// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

int dj_groups_add(dj_context *context, dj_groups *groups, const char *title, const dj_option *options,
                  void *values)
{
    dj_option_group *grown = realloc(groups->list, (groups->count + 1) * sizeof *grown);
    if (!grown)
        return dj_fail_memory(context, "the option tables", 0);
    groups->list = grown;
    grown[groups->count++] = (dj_option_group){title, options, values};
    return DJ_OK;
}

int dj_groups_add_with_choices(dj_context *context, dj_groups *groups, const char *title,
                               const dj_option *options, void *values, const char *name,
                               const char *const *choices)
{
    size_t count = 0;
    dj_option *copy = NULL;
    while (options[count].name)
        count++;
    int err = dj_groups_own(context, groups, (count + 1) * sizeof *copy, (void **)&copy);
    if (err)
        return err;
    memcpy(copy, options, count * sizeof *copy);
    for (size_t i = 0; i < count; i++)
        if (strcmp(copy[i].name, name) == 0)
            copy[i].choices = choices;
    return dj_groups_add(context, groups, title, copy, values);
}

int dj_groups_own(dj_context *context, dj_groups *groups, size_t bytes, void **out)
{
    void **grown = realloc(groups->owned, (groups->owned_count + 1) * sizeof *grown);
    if (!grown)
        return dj_fail_memory(context, "the option tables", 0);
    groups->owned = grown;
    *out = calloc(1, bytes ? bytes : 1);
    if (!*out)
        return dj_fail_memory(context, "options", bytes);
    grown[groups->owned_count++] = *out;
    return DJ_OK;
}

void dj_groups_free(dj_groups *groups)
{
    for (size_t i = 0; i < groups->owned_count; i++)
        free(groups->owned[i]);
    free(groups->owned);
    free(groups->list);
    *groups = (dj_groups){0};
}
