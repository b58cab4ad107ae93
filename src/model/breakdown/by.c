// SPDX-License-Identifier: MIT
#include <deja/breakdown.h>

#include <string.h>

#include "base/option/option.h"

static const char *const names[DJ_BY_COUNT] = {"object", "function", "loop", "line", "context", "thread"};
static const char *const plurals[DJ_BY_COUNT] = {"objects", "functions", "loops",
                                                 "lines",   "contexts",  "threads"};

const char *dj_by_name(enum dj_by by)
{
    return names[by];
}

const char *dj_by_plural(enum dj_by by)
{
    return plurals[by];
}

static void add(enum dj_by by, enum dj_by *out, size_t *count)
{
    for (size_t i = 0; i < *count; i++)
        if (out[i] == by)
            return;
    out[(*count)++] = by;
}

// Accepts plurals such as "objects".
static bool find(const char *word, enum dj_by *by)
{
    for (unsigned i = 0; i < DJ_BY_COUNT; i++)
        if (strcmp(word, names[i]) == 0 || strcmp(word, plurals[i]) == 0) {
            *by = (enum dj_by)i;
            return true;
        }
    return false;
}

static int refuse(dj_context *context, const char *word)
{
    const char *near = dj_nearest_word(word, names, DJ_BY_COUNT);
    return dj_fail(context, DJ_ERR_USAGE,
                   "--by: '%s' is not one of object, function, loop, line, context, thread, all%s%s%s", word,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int dj_by_parse(dj_context *context, const char *text, enum dj_by *out, size_t *count)
{
    *count = 0;
    for (const char *at = text;; at++) {
        char word[32];
        size_t length = strcspn(at, ",");
        if (length >= sizeof word)
            return dj_fail(context, DJ_ERR_USAGE, "--by: '%.*s…' is not a kind of breakdown", 20, at);
        memcpy(word, at, length);
        word[length] = 0;
        enum dj_by by;
        if (find(word, &by))
            add(by, out, count);
        else if (strcmp(word, "all") == 0)
            for (unsigned i = 0; i < DJ_BY_COUNT; i++)
                add((enum dj_by)i, out, count);
        else
            return refuse(context, word);
        at += length;
        if (!*at)
            return DJ_OK;
    }
}
