// SPDX-License-Identifier: MIT
// deja gen: write synthetic traces. Its options are the union of all generators' options.
#include <deja/generate.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/option/choices.h"
#include "base/option/option.h"
#include "cli/command.h"
#include "cli/trace_output.h"

enum { HELP_BYTES = 256 };

// The value of an option that the user has not set.
#define UNSET 0xd6e8feb86659fd93u

typedef struct options {
    dj_generate_options values;
    dj_trace_output output;
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
    if (dj_option_get_type(option) == DJ_OPTION_UINT)
        *(uint64_t *)at = UNSET;
    else if (dj_option_get_type(option) == DJ_OPTION_REAL || dj_option_get_type(option) == DJ_OPTION_SHARE)
        *(double *)at = (double)NAN;
    else if (dj_option_get_type(option) == DJ_OPTION_UNFLAG)
        *(bool *)at = true;
}

static bool is_set(const dj_option *option, const void *values)
{
    const void *at = (const char *)values + option->offset;
    switch (dj_option_get_type(option)) {
    case DJ_OPTION_UINT:
        return *(const uint64_t *)at != UNSET;
    case DJ_OPTION_REAL:
    case DJ_OPTION_SHARE:
        return !isnan(*(const double *)at);
    case DJ_OPTION_TEXT:
        return *(const char *const *)at != NULL;
    case DJ_OPTION_FLAG:
        return *(const bool *)at;
    default:
        return !*(const bool *)at;
    }
}

// The help of an option, after the kinds that it applies to, unless it applies to most.
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

// Number of options of all kinds; shared ones count repeatedly.
static size_t count_options(void)
{
    size_t count = 0;
    for (size_t i = 0; i < dj_generator_count(); i++)
        for (const dj_option *option = dj_generator_get(i)->options; option->name; option++)
            count++;
    return count;
}

// The kinds are the possible arguments.
static int list_kinds(dj_context *context, dj_groups *groups)
{
    const char **kinds = NULL, **summaries = NULL;
    size_t count = dj_generator_count();
    int err = dj_groups_own(context, groups, (count + 1) * sizeof *kinds, (void **)&kinds);
    if (!err)
        err = dj_groups_own(context, groups, (count + 1) * sizeof *kinds, (void **)&summaries);
    for (size_t i = 0; !err && i < count; i++) {
        kinds[i] = dj_generator_get(i)->name;
        summaries[i] = dj_generator_get(i)->summary;
    }
    groups->words = kinds;
    groups->word_help = summaries;
    groups->words_title = "Kinds";
    return err;
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
        err = list_kinds(context, groups);
    if (!err)
        err = dj_groups_add(context, groups, "Pattern", o->table, &o->values);
    return err ? err : dj_trace_output_list(context, &o->output, groups);
}

static int no_kind(dj_context *context, const char *name)
{
    dj_choices known = {0};
    for (size_t i = 0; i < dj_generator_count(); i++)
        dj_choices_add(context, &known, dj_generator_get(i)->name);
    const char *near = name ? dj_choices_nearest(&known, name) : NULL;
    int err = !name ? dj_fail(context, DJ_ERR_USAGE, "no kind of trace given; choose from %s",
                              dj_choices_list(&known))
              : near
                  ? dj_fail(context, DJ_ERR_USAGE, "unknown kind of trace '%s'; did you mean %s?", name, near)
                  : dj_fail(context, DJ_ERR_USAGE, "unknown kind of trace '%s'; choose from %s", name,
                            dj_choices_list(&known));
    dj_choices_free(&known);
    return err;
}

// The defaults of the kind, overridden by the options that the user set.
static int choose_options(dj_context *context, const options *o, const dj_generator_info *kind,
                          dj_generate_options *out)
{
    *out = kind->defaults;
    for (const dj_option *option = o->table; option->name; option++) {
        if (!is_set(option, &o->values))
            continue;
        if (!find_option(kind->options, option->name))
            return dj_fail(context, DJ_ERR_USAGE, "--%s does not apply to kind %s", option->name, kind->name);
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
        return dj_fail(context, DJ_ERR_USAGE, "unexpected argument '%s'; gen writes one kind of trace",
                       arguments->items[1]);
    dj_generate_options chosen;
    dj_source *source = NULL;
    int err = choose_options(context, o, kind, &chosen);
    if (!err && o->values.sharer == 0)
        err = dj_fail(context, DJ_ERR_USAGE, "--sharer 0: sharers are numbered from 1");
    if (!err)
        err = dj_source_generate(context, kind->name, &chosen, &source);
    if (!err)
        err = dj_trace_output_write(context, &o->output, source, arguments->command_line);
    dj_source_close(source);
    return err;
}

static const dj_example examples[] = {
    {"deja gen zipf --keys 1000000 --accesses 20000000 -o zipf.u64",
     "Writes keys by Zipf's law, as binary numbers."},
    {"deja gen stencil --element-bytes 8 -o stencil.deja",
     "Writes the addresses of a three-point stencil over doubles."},
    {"deja gen loop --keys 1000 --as text -o - | deja -",
     "Analyzes a cyclic scan: every reuse distance is 999."},
    {"deja gen histogram --distances 0:500,64:20,cold:100 -o known.deja",
     "Writes a trace with exactly these distances."},
    {"deja gen sharers --distinct 200,100 --sharing 0.1 --distribution random,exponential -o two.deja",
     "Writes two threads that share 20 elements."},
    {"deja gen phases --phases 'loop keys=100; zipf keys=5000 accesses=9000' -o mixed.deja",
     "Writes two patterns in sequence."},
    {NULL, NULL},
};

const dj_command dj_command_gen = {
    .name = "gen",
    .summary = "write a synthetic trace",
    .usage = "KIND [options] -o FILE",
    .description =
        "Writes a trace with a known pattern. The same options and seed produce the same trace on every "
        "machine.",
    .details =
        "zipf gives the k-th key the weight 1 / k^S, exactly. In loop every reuse has distance N-1. "
        "permutation "
        "repeats all keys in one random order, walk makes random steps on a ring of keys, and hotcold sends "
        "a "
        "given share of the accesses to few keys.\n\n"
        "stencil reads a[i-1], a[i] and a[i+1] and writes b[i] for each i, wrapping around at the ends; "
        "after "
        "each sweep the arrays swap roles. By default there are two arrays of 500000 elements and 10 sweeps: "
        "20 million accesses. matmul reads a[i][k] and b[k][j] and updates c[i][j], in the loop order i, j, "
        "k. "
        "histogram writes the first accesses first.\n\n"
        "sharers imitates programs or threads that share a cache. Each accesses all its elements once, then "
        "the "
        "element at a random depth of its own LRU stack: all depths are equally likely (random), depth d has "
        "the weight 0.97^d (exponential), or depths have the mean 100 and the standard deviation 33 "
        "(normal). "
        "Depths that do not exist are drawn again. --accesses counts those of each sharer. The threads take "
        "turns; --sharer writes one of them alone, with the same accesses.\n\n"
        "Elements are keys, numbered from 0. With --element-bytes they are memory.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
