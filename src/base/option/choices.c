// SPDX-License-Identifier: MIT
#include "base/option/choices.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/option/option.h"

void dj_choices_add(dj_context *context, dj_choices *choices, const char *name)
{
    if (dj_grow(context, "names", &choices->names, &choices->capacity, choices->count + 1,
                sizeof *choices->names) == DJ_OK)
        choices->names[choices->count++] = name;
}

const char *dj_choices_nearest(const dj_choices *choices, const char *word)
{
    return dj_nearest_word(word, choices->names, choices->count);
}

const char *dj_choices_list(dj_choices *choices)
{
    size_t bytes = 1;
    for (size_t i = 0; i < choices->count; i++)
        bytes += strlen(choices->names[i]) + 2;
    free(choices->text);
    char *to = choices->text = malloc(bytes);
    if (!to)
        return "others";
    *to = 0;
    for (size_t i = 0; i < choices->count; i++) {
        to = stpcpy(to, i ? ", " : "");
        to = stpcpy(to, choices->names[i]);
    }
    return choices->text;
}

void dj_choices_free(dj_choices *choices)
{
    free(choices->names);
    free(choices->text);
    *choices = (dj_choices){0};
}
