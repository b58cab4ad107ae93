// SPDX-License-Identifier: MIT
// deja report: a saved profile once more, in any form.
#include <deja/deja.h>

#include "cli/options/forms.h"
#include "cli/saved.h"

typedef struct options {
    dj_saved_options saved;
    dj_form_options form;
    dj_output_options output;
    dj_cache_options caches;
    const char *by;
} options;

static const dj_option table[] = {
    {"by", 0, DJ_OPTION_TEXT, offsetof(options, by), "LIST",
     "what to break down by: a list of object, function, loop, line, context and thread, or all", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    o->output.profiles = true;
    int err = dj_saved_list(context, &o->saved, groups);
    if (!err)
        err = dj_groups_add(context, groups, "Breakdown", table, o);
    if (!err)
        err = dj_caches_list(context, &o->caches, groups);
    if (!err)
        err = dj_forms_list(context, &o->form, DJ_FORMS_TOP | DJ_FORMS_CODE,
                            "a table of what --by names, and the histogram of reuse distances without it",
                            groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

// As fine as the profile has them, so that nothing is lost when it is saved again.
static enum dj_binning finest(const dj_profile *profile)
{
    for (size_t i = 0; i < profile->lane_count; i++)
        if (profile->lanes[i].binned)
            return DJ_BINS_LOG2;
    return DJ_BINS_EXACT;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    const options *o = values;
    dj_profile *profile = NULL;
    enum dj_by by[DJ_BY_COUNT];
    size_t by_count = 0;
    if (arguments->count != 1)
        return dj_fail(context, DJ_ERR_USAGE, "name one profile, as in 'deja report profile.json'");
    int err = dj_forms_check(context, &o->form, &o->output);
    if (!err && o->by)
        err = dj_by_parse(context, o->by, by, &by_count);
    if (!err)
        err = dj_saved_load(context, &o->saved, arguments->items[0], &profile);
    if (!err) {
        const dj_printing what = {.profile = profile,
                                  .by = by,
                                  .by_count = by_count,
                                  .caches = &o->caches,
                                  .binning = o->output.json ? finest(profile) : DJ_BINS_LOG2};
        err = dj_forms_output(context, &o->form, &what, &o->output);
    }
    dj_profile_destroy(profile);
    return err;
}

static const dj_example examples[] = {
    {"deja report profile.json", "What 'deja run' or 'deja analyze' printed."},
    {"deja report --by loop,line profile.json", "The same run seen by loops and lines."},
    {"deja report --export callgrind -o callgrind.out profile.json",
     "For callgrind_annotate and KCachegrind."},
    {"deja report --export folded --weight L2 profile.json | flamegraph.pl > misses.svg",
     "A flame graph of the misses in the second-level cache."},
    {NULL, NULL},
};

const dj_command dj_command_report = {
    .name = "report",
    .summary = "a saved profile once more, in any form",
    .usage = "[options] PROFILE.json",
    .description =
        "Prints a profile that 'deja run --json' or 'deja analyze --json' saved: as text, by other "
        "breakdowns than at first, or in a form that other tools read. Nothing is run or measured again, so "
        "misses are told for the caches that the profile was made for.\n"
        "\n"
        "'-' is standard input.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
