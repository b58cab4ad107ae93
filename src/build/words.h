// SPDX-License-Identifier: MIT
// A list of words, as a command line is.
#ifndef DEJA_BUILD_WORDS_H
#define DEJA_BUILD_WORDS_H

#include <deja/error.h>

typedef struct dj_words {
    char **items; // items[count] is NULL as soon as there is one
    size_t count;
    size_t capacity;
} dj_words;

int dj_words_add(dj_context *context, dj_words *words, const char *word);
int dj_words_add_all(dj_context *context, dj_words *words, const char *const *items, size_t count);
// The words of a text: blanks separate them; quotes and backslashes keep what
// they hold together, as compilers have it in the files that @FILE names.
int dj_words_add_text(dj_context *context, dj_words *words, const char *text);
// Likewise, and each @FILE that can be read is replaced by the words in it.
int dj_words_expand(dj_context *context, dj_words *words, const char *const *items, size_t count);
void dj_words_free(dj_words *words);

#endif
