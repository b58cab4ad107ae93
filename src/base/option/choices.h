// SPDX-License-Identifier: MIT
// The names that a user can choose from, collected from a registry for messages about an unknown name.
#ifndef DEJA_BASE_OPTION_CHOICES_H
#define DEJA_BASE_OPTION_CHOICES_H

#include <deja/error.h>

typedef struct dj_choices {
    const char **names; // the strings are not owned
    size_t count, capacity;
    char *text; // dj_choices_list
} dj_choices;

// When memory runs out, the name is silently left out of the message.
void dj_choices_add(dj_context *context, dj_choices *choices, const char *name);
// The name closest to `word` in spelling; NULL if none is close.
const char *dj_choices_nearest(const dj_choices *choices, const char *word);
// All names, as in "a, b, c". Valid until the next call or dj_choices_free.
const char *dj_choices_list(dj_choices *choices);
void dj_choices_free(dj_choices *choices);

#endif
