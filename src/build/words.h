// SPDX-License-Identifier: MIT
// A list of words, such as a command line.
#ifndef DEJA_BUILD_WORDS_H
#define DEJA_BUILD_WORDS_H

#include <deja/error.h>

typedef struct dj_words {
    char **items; // items[count] is NULL, unless the list is empty
    size_t count;
    size_t capacity;
} dj_words;

int dj_words_add(dj_context *context, dj_words *words, const char *word);
int dj_words_add_all(dj_context *context, dj_words *words, const char *const *items, size_t count);
// Splits a text into words at blanks. Quotes and backslashes protect blanks, as
// in the files that compilers read for @FILE.
int dj_words_add_text(dj_context *context, dj_words *words, const char *text);
// Adds the items, replacing each @FILE that can be read by the words in it, recursively.
int dj_words_expand(dj_context *context, dj_words *words, const char *const *items, size_t count);
void dj_words_free(dj_words *words);

#endif
