// SPDX-License-Identifier: MIT
// Names that a user may choose from, as many as the registries have, for messages about one that
// is not among them.
#ifndef DEJA_BASE_OPTION_CHOICES_H
#define DEJA_BASE_OPTION_CHOICES_H

#include <deja/error.h>

typedef struct dj_choices {
    const char **names; // not owned
    size_t count, capacity;
    char *text;
} dj_choices;

// A name that there is no memory for is missing from the message.
void dj_choices_add(dj_context *context, dj_choices *choices, const char *name);
// The one nearest to `word` in spelling; NULL: none is near.
const char *dj_choices_nearest(const dj_choices *choices, const char *word);
// All of them, as in "a, b, c"; lives as long as the choices.
const char *dj_choices_list(dj_choices *choices);
void dj_choices_free(dj_choices *choices);

#endif
