// SPDX-License-Identifier: MIT
// deja gen: synthetic traces. Its options are those of all generators together.
#include <deja/generate.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/option/choices.h"
#include "base/option/option.h"
#include "cli/command.h"
#include "cli/writing.h"

enum { HELP_BYTES = 256 };

// What an option holds until the user sets it.
#define UNSET 0xd6e8feb86659fd93u

typedef struct options {
    dj_generate_options values;
    dj_writing writing;
    dj_option *table; // over `values`
} options;

static const dj_option *find_option(const dj_option *table, const char *name)
{
    for (const dj_option *o = table; o->name; o++)
        if (strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

static void mark_unset(const dj_option *option, void *values)
{
    void *at = (char *)values + option->offset;
    if (option->type == DJ_OPTION_UINT)
        *(uint64_t *)at = UNSET;
    else if (option->type == DJ_OPTION_REAL)
        *(double *)at = (double)NAN;
    else if (option->type == DJ_OPTION_UNFLAG)
        *(bool *)at = true;
}

static bool is_set(const dj_option *option, const void *values)
{
    const void *at = (const char *)values + option->offset;
    switch (option->type) {
    case DJ_OPTION_UINT:
        return *(const uint64_t *)at != UNSET;
    case DJ_OPTION_REAL:
        return !isnan(*(const double *)at);
    case DJ_OPTION_TEXT:
        return *(const char *const *)at != NULL;
    case DJ_OPTION_FLAG:
        return *(const bool *)at;
    default:
        return !*(const bool *)at;
    }
}

// Says which kinds an option is for, unless for most.
static void describe(const dj_option *option, char *help)
{
    size_t used = 0, kinds = 0;
    for (size_t i = 0; i < dj_generator_count(); i++)
        kinds += find_option(dj_generator_get(i)->options, option->name) != NULL;
    for (size_t i = 0, named = 0; kinds <= dj_generator_count() / 2 && i < dj_generator_count(); i++)
        if (find_option(dj_generator_get(i)->options, option->name) && used < HELP_BYTES)
            used += (size_t)snprintf(help + used, HELP_BYTES - used, "%s%s", named++ ? ", " : "",
                                     dj_generator_get(i)->name);
    if (used < HELP_BYTES)
        snprintf(help + used, HELP_BYTES - used, "%s%s", used ? ": " : "", option->help);
}

// Of all kinds together, counted in each.
static size_t count_options(void)
{
    size_t count = 0;
    for (size_t i = 0; i < dj_generator_count(); i++)
        for (const dj_option *option = dj_generator_get(i)->options; option->name; option++)
            count++;
    return count;
}

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    void *table = NULL, *help = NULL;
    size_t count = 0;
    int err = dj_groups_own(context, groups, (count_options() + 1) * sizeof(dj_option), &table);
    o->table = table;
    for (size_t i = 0; !err && i < dj_generator_count(); i++)
        for (const dj_option *option = dj_generator_get(i)->options; !err && option->name; option++) {
            if (find_option(o->table, option->name))
                continue;
            err = dj_groups_own(context, groups, HELP_BYTES, &help);
            if (err)
                break;
            describe(option, help);
            mark_unset(option, &o->values);
            o->table[count] = *option;
            o->table[count++].help = help;
        }
    if (!err)
        err = dj_groups_add(context, groups, "Pattern", o->table, &o->values);
    return err ? err : dj_writing_list(context, &o->writing, groups);
}

static int no_kind(dj_context *context, const char *name)
{
    dj_choices known = {0};
    for (size_t i = 0; i < dj_generator_count(); i++)
        dj_choices_add(context, &known, dj_generator_get(i)->name);
    const char *near = name ? dj_choices_nearest(&known, name) : NULL;
    int err = !name  ? dj_fail(context, DJ_ERR_USAGE, "say what kind of trace: %s", dj_choices_list(&known))
              : near ? dj_fail(context, DJ_ERR_USAGE, "there is no kind of trace '%s'; did you mean %s?",
                               name, near)
                     : dj_fail(context, DJ_ERR_USAGE, "there is no kind of trace '%s'; there are %s", name,
                               dj_choices_list(&known));
    dj_choices_free(&known);
    return err;
}

// The defaults of the kind, with what the user set.
static int settle(dj_context *context, const options *o, const dj_generator_info *kind,
                  dj_generate_options *out)
{
    *out = kind->defaults;
    for (const dj_option *option = o->table; option->name; option++) {
        if (!is_set(option, &o->values))
            continue;
        if (!find_option(kind->options, option->name))
            return dj_fail(context, DJ_ERR_USAGE, "--%s is not for %s", option->name, kind->name);
        memcpy((char *)out + option->offset, (const char *)&o->values + option->offset,
               dj_option_value_bytes(option));
    }
    return DJ_OK;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    const options *o = values;
    const dj_generator_info *kind = arguments->count ? dj_generator_find(arguments->items[0]) : NULL;
    if (!kind)
        return no_kind(context, arguments->count ? arguments->items[0] : NULL);
    if (arguments->count > 1)
        return dj_fail(context, DJ_ERR_USAGE, "gen makes one kind of trace, but there is also '%s'",
                       arguments->items[1]);
    dj_generate_options chosen;
    dj_source *source = NULL;
    int err = settle(context, o, kind, &chosen);
    if (!err)
        err = dj_source_generate(context, kind->name, &chosen, &source);
    if (!err)
        err = dj_writing_run(context, &o->writing, source, arguments->command_line);
    dj_source_close(source);
    return err;
}

static const dj_example examples[] = {
    {"deja gen zipf --keys 1000000 --accesses 20000000 -o zipf.u64", "Keys by Zipf's law, as plain numbers."},
    {"deja gen stencil --element-bytes 8 -o stencil.deja",
     "The addresses of a three-point stencil over doubles."},
    {"deja gen loop --keys 1000 --as text -o - | deja -",
     "Analyzes a cyclic scan: every reuse distance is 999."},
    {"deja gen histogram --distances 0:500,64:20,cold:100 -o known.deja",
     "A trace with exactly these distances."},
    {"deja gen phases --phases 'loop keys=100; zipf keys=5000 accesses=9000' -o mixed.deja",
     "One pattern after the other."},
    {NULL, NULL},
};

const dj_command dj_command_gen = {
    .name = "gen",
    .summary = "write a synthetic trace",
    .usage = "KIND [options] -o FILE",
    .description =
        "Makes a trace of a known pattern, the same on every machine for the same options and seed. KIND "
        "is one of:\n\n"
        "uniform: every key equally likely. zipf: the k-th key has weight 1 / k^S, exactly. hotcold: a "
        "share of the accesses goes to few keys. walk: random steps on a ring of keys.\n\n"
        "loop: 0 to N-1, again and again; every reuse has distance N-1. zigzag: up and down. permutation: "
        "all keys in one random order, again and again.\n\n"
        "stencil: for each i, reads a[i-1], a[i] and a[i+1] and writes b[i], around the ends; after each "
        "sweep the arrays change roles. By default two arrays of 500000 elements and 10 sweeps: 20 million "
        "accesses. matmul: the product of two matrices, for i, j, k: reads a[i][k] and b[k][j] and updates "
        "c[i][j].\n\n"
        "histogram: exactly the reuse distances that are asked for, first accesses first. phases: several "
        "patterns, one after the other.\n\n"
        "Elements are keys, numbered from 0, unless --element-bytes makes memory of them.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
