// SPDX-License-Identifier: MIT
// Several patterns in sequence, written "KIND NAME=VALUE …; KIND …" with the option names of each kind. All
// number their keys from 0 unless first-key says otherwise, so that phases share keys. Site 16 p + s is
// operand s of phase p.
#include "base/option/option.h"
#include "trace/generate/generate.h"

#include <stdlib.h>
#include <string.h>

enum { PHASES_MOST = 64, OPTIONS_MOST = 16, SITES_A_PHASE = 16 };

typedef struct phases {
    dj_pattern pattern[PHASES_MOST];
    size_t count, at;
} phases;

static void destroy(void *state)
{
    phases *p = state;
    for (size_t i = 0; i < p->count; i++)
        dj_pattern_close(&p->pattern[i]);
    free(p);
}

// Turns each word into "--name=value", stored in `buffer`.
static int read_words(dj_context *context, char *text, char *buffer, char **args, size_t *count)
{
    char *rest = NULL;
    *count = 0;
    for (char *word = strtok_r(text, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest)) {
        if (*count == OPTIONS_MOST)
            return dj_fail(context, DJ_ERR_USAGE, "a phase has at most %d options", OPTIONS_MOST);
        size_t length = strlen(word);
        args[(*count)++] = buffer;
        memcpy(buffer, "--", 2);
        memcpy(buffer + 2, word, length + 1);
        buffer += length + 3;
    }
    return DJ_OK;
}

static int open_phase(dj_context *context, phases *p, char *text, char *buffer)
{
    char *args[OPTIONS_MOST];
    const char *extra[OPTIONS_MOST];
    size_t count, extra_count = 0;
    text += strspn(text, " \t\n");
    size_t length = strcspn(text, " \t\n");
    char *rest = text[length] ? text + length + 1 : text + length;
    text[length] = '\0';
    const dj_generator *generator = dj_generator_entry(text);
    if (!generator || generator == &dj_generator_phases)
        return dj_fail(context, DJ_ERR_USAGE, "a phase cannot be '%s'", text);
    if (p->count == PHASES_MOST)
        return dj_fail(context, DJ_ERR_USAGE, "there can be at most %d phases", PHASES_MOST);
    dj_generate_options options = generator->info.defaults;
    dj_option_group group = {"", generator->info.options, &options};
    int err = read_words(context, rest, buffer, args, &count);
    if (!err)
        err = dj_option_parse(context, &group, 1, count, args, extra, &extra_count);
    if (!err && (options.element_bytes || options.scatter))
        err = dj_fail(context, DJ_ERR_USAGE,
                      "element-bytes and scatter apply to the entire trace, not to a phase");
    if (!err)
        err = dj_pattern_open(context, generator, &options, &p->pattern[p->count]);
    if (err)
        return dj_fail_within(context, err, "phase %zu", p->count + 1);
    p->count++;
    return DJ_OK;
}

static int create(dj_context *context, const dj_generate_options *options, void **state, uint64_t *length)
{
    const char *spec = options->phases ? options->phases : "";
    phases *p = calloc(1, sizeof *p);
    char *text = strdup(spec), *buffer = malloc(4 * strlen(spec) + 4), *rest = NULL;
    int err = p && text && buffer ? DJ_OK : dj_fail_memory(context, "a generator", 0);
    for (char *phase = err ? NULL : strtok_r(text, ";", &rest); phase && !err;
         phase = strtok_r(NULL, ";", &rest))
        err = open_phase(context, p, phase, buffer);
    free(buffer);
    free(text);
    if (err) {
        if (p)
            destroy(p);
        return err;
    }
    for (size_t i = 0; i < p->count; i++)
        *length = dj_generate_length(*length, 1, p->pattern[i].left);
    *state = p;
    return DJ_OK;
}

static void fill(void *state, uint32_t count, const dj_generated *to)
{
    phases *p = state;
    dj_generated piece = {to->element, to->kind, to->site, NULL};
    while (count) {
        dj_pattern *pattern = &p->pattern[p->at];
        memset(piece.kind, DJ_KIND_READ, count);
        memset(piece.site, 0, count * sizeof *piece.site);
        uint32_t done = dj_pattern_fill(pattern, count, &piece);
        for (uint32_t i = 0; i < done; i++)
            piece.site[i] += (uint32_t)p->at * SITES_A_PHASE;
        piece = (dj_generated){piece.element + done, piece.kind + done, piece.site + done, NULL};
        count -= done;
        p->at += pattern->left == 0;
    }
}

static const dj_option options[] = {
    DJ_GENERATE_OPTION("phases", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, phases, "LIST",
                       "the patterns, as in 'loop keys=100 sweeps=5; zipf keys=1000 accesses=2000'"),
    DJ_GENERATE_COMMON};

const dj_generator dj_generator_phases = {
    .info = {"phases",
             "several patterns in sequence",
             options,
             {.seed = 1, .phases = "loop keys=10000; zipf keys=100000 accesses=100000; loop keys=10000"},
             true},
    .finite = true,
    .create = create,
    .destroy = destroy,
    .fill = fill,
};
