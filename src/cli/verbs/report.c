// SPDX-License-Identifier: MIT
// deja report: print a saved profile in another format.
#include <deja/deja.h>

#include "cli/options/attribute.h"
#include "cli/options/export.h"
#include "cli/options/other_caches.h"
#include "cli/saved_profile.h"

typedef struct options {
    dj_saved_profile_options saved;
    dj_export_options export;
    dj_output_options output;
    dj_cache_options caches;
    const char *by;
} options;

static const dj_option table[] = {
    {"by", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON | DJ_OPTION_LIST, offsetof(options, by), "LIST", DJ_BY_HELP,
     dj_by_choices + 1},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    o->output.profiles = true;
    int err = dj_saved_profile_list(context, &o->saved, groups);
    if (!err)
        err = dj_groups_add(context, groups, "Breakdown", table, o);
    if (!err)
        err = dj_caches_list(context, &o->caches, groups);
    if (!err)
        err = dj_export_list(context, &o->export, DJ_EXPORT_TOP | DJ_EXPORT_TOOLS,
                             "the tables of --by, or without --by the histogram of reuse distances", groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

// The finest bins that the profile supports, so that saving it again loses nothing.
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
        return dj_fail(context, DJ_ERR_USAGE, "name exactly one profile, as in 'deja report profile.json'");
    int err = dj_export_check(context, &o->export, &o->output);
    if (!err && o->by)
        err = dj_by_parse(context, o->by, by, &by_count);
    if (!err)
        err = dj_saved_profile_load(context, &o->saved, arguments->items[0], &profile);
    if (!err && o->caches.caches && dj_profile_sharing(profile))
        err = dj_caches_share_again(context, &o->caches, profile);
    else if (!err && o->caches.caches && dj_profile_attribution(profile))
        err = dj_caches_cut_again(context, &o->caches, profile);
    if (!err) {
        const dj_print_request what = {.profile = profile,
                                       .by = by,
                                       .by_count = by_count,
                                       .caches = &o->caches,
                                       .binning = o->output.json ? finest(profile) : DJ_BINS_LOG2};
        err = dj_export_output(context, &o->export, &what, &o->output);
    }
    dj_profile_destroy(profile);
    return err;
}

static const dj_example examples[] = {
    {"deja report profile.json", "Prints the report of 'deja run' or 'deja analyze' again."},
    {"deja report --by loop,line profile.json", "Breaks the same run down by loops and lines."},
    {"deja report --export callgrind -o callgrind.out profile.json",
     "Writes a file for callgrind_annotate and KCachegrind."},
    {"deja report --export folded --weight L2 profile.json | flamegraph.pl > misses.svg",
     "Draws a flame graph of the misses in the second-level cache."},
    {NULL, NULL},
};

const dj_command dj_command_report = {
    .name = "report",
    .summary = "print a saved profile in another format",
    .usage = "[options] PROFILE.json",
    .description =
        "Prints a profile saved by 'deja run --json' or 'deja analyze --json': as text, with other "
        "breakdowns, or in the format of another tool. Nothing is run or measured again. Misses are "
        "reported for the caches that the profile was measured with, or for those of --caches. '-' is "
        "standard input.",
    .details =
        "A profile with attribution knows the misses of its rows exactly at many sizes: eight per doubling, "
        "and "
        "those that it was measured with. --caches at any other size is refused, as it is for estimates, "
        "whose "
        "ranges are known only for the measured caches.\n\n"
        "Profiles of 'deja concurrent' have the distances of each sharer, so --caches may also name other "
        "caches. One with the name of a measured cache has as many sharers. Otherwise all share the largest, "
        "and the others are private. Misses by data and code, and their spread over schedules, are known "
        "only for the measured caches.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
