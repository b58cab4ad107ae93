// SPDX-License-Identifier: MIT
#include "build/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { NESTED_MOST = 16 }; // stops the recursion of a file that names itself

static int append(dj_context *context, dj_words *words, char *word)
{
    int err = word ? dj_grow(context, "a command line", &words->items, &words->capacity, words->count + 2,
                             sizeof *words->items)
                   : dj_fail_memory(context, "a command line", 0);
    if (err) {
        free(word);
        return err;
    }
    words->items[words->count++] = word;
    return DJ_OK;
}

int dj_words_add(dj_context *context, dj_words *words, const char *word)
{
    return append(context, words, strdup(word));
}

int dj_words_add_all(dj_context *context, dj_words *words, const char *const *items, size_t count)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < count; i++)
        err = dj_words_add(context, words, items[i]);
    return err;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Copies one word to `to`, which is as large as the text. Returns the end of the word.
static const char *read_word(const char *at, char *to)
{
    char quote = '\0';
    for (; *at && (quote || !is_blank(*at)); at++) {
        if (*at == '\\' && at[1])
            *to++ = *++at;
        else if (*at == quote)
            quote = '\0';
        else if (!quote && (*at == '\'' || *at == '"'))
            quote = *at;
        else
            *to++ = *at;
    }
    *to = '\0';
    return at;
}

int dj_words_add_text(dj_context *context, dj_words *words, const char *text)
{
    char *word = malloc(strlen(text) + 1);
    int err = word ? DJ_OK : dj_fail_memory(context, "a command line", strlen(text) + 1);
    for (;;) {
        while (is_blank(*text))
            text++;
        if (err || !*text)
            break;
        text = read_word(text, word);
        err = dj_words_add(context, words, word);
    }
    free(word);
    return err;
}

// The text of a file, freed by the caller; NULL if it cannot be read.
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t capacity = 0;
    if (!file)
        return NULL;
    if (getdelim(&text, &capacity, '\0', file) < 0) {
        free(text);
        text = feof(file) && !ferror(file) ? strdup("") : NULL;
    }
    fclose(file);
    return text;
}

static int expand(dj_context *context, dj_words *words, const char *const *items, size_t count, int depth)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < count; i++) {
        char *text = items[i][0] == '@' && depth < NESTED_MOST ? read_text(items[i] + 1) : NULL;
        dj_words within = {0};
        if (!text) {
            err = dj_words_add(context, words, items[i]);
            continue;
        }
        err = dj_words_add_text(context, &within, text);
        if (!err)
            err = expand(context, words, (const char *const *)within.items, within.count, depth + 1);
        dj_words_free(&within);
        free(text);
    }
    return err;
}

int dj_words_expand(dj_context *context, dj_words *words, const char *const *items, size_t count)
{
    return expand(context, words, items, count, 0);
}

void dj_words_free(dj_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (dj_words){0};
}
