// SPDX-License-Identifier: MIT
// deja join: combine separately analyzed parts of a trace.
#include <deja/deja.h>

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "cli/options/bins.h"
#include "cli/options/export.h"
#include "cli/options/parts.h"

typedef struct options {
    bool summary;
    const char *bins;
    dj_export_options export;
    dj_output_options output;
    dj_cache_options caches;
    const char *by;
    const char *symbols;
} options;

static const dj_option table[] = {
    {"summary", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, offsetof(options, summary), NULL,
     "write the result as a summary, for a later join, instead of a report", NULL},
    {"by", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON | DJ_OPTION_LIST, offsetof(options, by), "LIST",
     DJ_BY_HELP ". Only for parts that were analyzed with --by", dj_by_choices + 1},
    {"symbols", 0, DJ_OPTION_TEXT | DJ_OPTION_FOLDER, offsetof(options, symbols), "DIRS", DJ_SYMBOLS_HELP,
     NULL},
    {"bins", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, offsetof(options, bins), "HOW", DJ_BINS_HELP,
     dj_bins_choices},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    o->output.profiles = true;
    groups->reads_files = true;
    int err = dj_groups_add(context, groups, "Join", table, o);
    if (!err)
        err = dj_caches_list(context, &o->caches, groups);
    if (!err)
        err = dj_export_list(context, &o->export, DJ_EXPORT_TOP | DJ_EXPORT_TOOLS,
                             "the tables of --by, or without --by the histogram of reuse distances", groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

static int check(dj_context *context, const options *o, const dj_arguments *arguments)
{
    if (arguments->count == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "no parts given; name them in order, as in 'deja join part1.dejasum part2.dejasum'");
    if (!o->summary)
        return dj_export_check(context, &o->export, &o->output);
    if (o->output.json || o->export.format != 0 || o->bins)
        return dj_fail(context, DJ_ERR_USAGE, "%s does not apply to --summary, which prints no report",
                       o->output.json ? "--json"
                       : o->bins      ? "--bins"
                                      : "--export");
    return dj_parts_check_output(context, &o->output);
}

static int load(dj_context *context, const char *path, dj_summary **out)
{
    if (strcmp(path, "-") == 0)
        return dj_summary_load(context, stdin, "standard input", out);
    FILE *file = NULL;
    int err = dj_file_open(context, path, "a summary", &file);
    if (err)
        return err;
    err = dj_summary_load(context, file, path, out);
    fclose(file);
    return err;
}

static int join(dj_context *context, const dj_arguments *arguments, dj_summary **out)
{
    dj_summary *joined = NULL;
    int err = load(context, arguments->items[0], &joined);
    for (size_t i = 1; !err && i < arguments->count; i++) {
        dj_summary *later = NULL;
        err = load(context, arguments->items[i], &later);
        if (!err)
            err = dj_summary_join(context, joined, later);
        dj_summary_destroy(later);
    }
    if (err)
        dj_summary_destroy(joined);
    else
        *out = joined;
    return err;
}

// Prints the report of 'deja spatial'.
static int print_spatial(dj_context *context, const options *o, const dj_profile *profile)
{
    const dj_spatial_view view = {.limits = DJ_SPATIAL_LIMITS,
                                  .top = o->export.top,
                                  .all_rows = dj_export_renderer(&o->export)->all_rows};
    dj_document *document = NULL;
    dj_output *output = NULL;
    int err = dj_document_spatial(context, profile, &view, &document);
    if (!err)
        err = dj_output_open(context, &o->output, &output);
    if (!err)
        err = dj_export_render(context, &o->export, document, &profile->provenance, output);
    dj_document_destroy(document);
    return dj_output_end(context, err, &output);
}

static int print(dj_context *context, const options *o, dj_summary *joined, const char *command)
{
    dj_profile *profile = NULL;
    enum dj_by by[DJ_BY_COUNT];
    dj_print_request what = {.by = by, .caches = &o->caches};
    int err = dj_bins_parse(context, o->bins, &what.binning, &what.bin_width);
    if (!err && o->by)
        err = dj_by_parse(context, o->by, by, &what.by_count);
    if (!err)
        err = dj_summary_profile(context, joined, command, o->symbols, &profile);
    if (!err) {
        what.profile = profile;
        bool spatial = dj_profile_spatial(profile) && !o->output.json && !dj_output_is_columns(&o->output) &&
                       !dj_export_is_for_tool(&o->export);
        err = spatial ? print_spatial(context, o, profile)
                      : dj_export_output(context, &o->export, &what, &o->output);
    }
    dj_profile_destroy(profile);
    return err;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    const options *o = values;
    dj_summary *joined = NULL;
    int err = check(context, o, arguments);
    if (!err)
        err = join(context, arguments, &joined);
    if (err || !joined)
        return err;
    err = o->summary ? dj_parts_write(context, joined, &o->output)
                     : print(context, o, joined, arguments->command_line);
    dj_summary_destroy(joined);
    return err;
}

static const dj_example examples[] = {
    {"deja analyze --summary --part 1/2 -o 1.dejasum monday.csv", "Analyzes the first part of a trace."},
    {"deja join 1.dejasum 2.dejasum", "Prints the same as 'deja analyze monday.csv tuesday.csv'."},
    {"deja join --json -o all.json *.dejasum", "Saves the profile for 'deja report' and 'deja mrc'."},
    {"deja join --summary -o 1-2.dejasum 1.dejasum 2.dejasum",
     "Joins two of several parts, for a later join."},
    {NULL, NULL},
};

const dj_command dj_command_join = {
    .name = "join",
    .summary = "combine separately analyzed parts of a trace",
    .usage = "[options] PART.dejasum...",
    .description =
        "Joins summaries of consecutive parts of a trace, written by 'deja analyze --summary' or 'deja "
        "spatial "
        "--summary', and prints the report of the complete trace: the same numbers to the last digit. Name "
        "the parts in order; '-' is standard input.",
    .details =
        "The parts may have been analyzed at different times and on different machines, with any engine and "
        "number of threads, but otherwise with the same options. Consecutive parts may first be joined to a "
        "larger part (--summary), in any grouping. If the parts are numbered (--part), missing, misplaced "
        "and "
        "repeated parts are detected; parts without numbers are joined in the order given. Parts that were "
        "analyzed with different options are refused.\n\n"
        "Parts that were analyzed with --by can be broken down. They must be cut from one recording with "
        "--skip and --stop-after, and the program's files, which contain the names, must still be in the "
        "same "
        "place.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
