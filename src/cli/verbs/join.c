// SPDX-License-Identifier: MIT
// deja join: parts of a trace that were analyzed apart, as one.
#include <deja/deja.h>

#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "cli/options/bins.h"
#include "cli/options/forms.h"
#include "cli/options/parts.h"

typedef struct options {
    bool summary;
    const char *bins;
    dj_form_options form;
    dj_output_options output;
    dj_cache_options caches;
    const char *by;
} options;

static const dj_option table[] = {
    {"summary", 0, DJ_OPTION_FLAG, offsetof(options, summary), NULL,
     "write the join as a summary, for a later join, in place of a report", NULL},
    {"by", 0, DJ_OPTION_TEXT, offsetof(options, by), "LIST",
     "what to break down by: a list of object, function, loop, line, context and thread, or all; for parts "
     "that were analyzed with --by",
     NULL},
    {"bins", 0, DJ_OPTION_TEXT, offsetof(options, bins), "HOW", DJ_BINS_HELP, NULL},
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
        err = dj_forms_list(context, &o->form, DJ_FORMS_TOP | DJ_FORMS_CODE,
                            "a table of what --by names, and the histogram of reuse distances without it",
                            groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

static int check(dj_context *context, const options *o, const dj_arguments *arguments)
{
    if (arguments->count == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "name the parts in their order, as in 'deja join part1.dejasum part2.dejasum'");
    if (!o->summary)
        return dj_forms_check(context, &o->form, &o->output);
    if (o->output.json || o->form.form != 0 || o->bins)
        return dj_fail(context, DJ_ERR_USAGE, "%s prints, and --summary writes a file for a later join",
                       o->output.json ? "--json"
                       : o->bins      ? "--bins"
                                      : "--export");
    return dj_parts_check_output(context, &o->output);
}

static int load(dj_context *context, const char *path, dj_summary **out)
{
    if (strcmp(path, "-") == 0)
        return dj_summary_load(context, stdin, "standard input", out);
    FILE *file = fopen(path, "rb");
    if (!file)
        return dj_fail_open(context, path, errno);
    int err = dj_summary_load(context, file, path, out);
    fclose(file);
    return err;
}

static int join(dj_context *context, const dj_arguments *arguments, dj_summary **out)
{
    dj_summary *whole = NULL;
    int err = load(context, arguments->items[0], &whole);
    for (size_t i = 1; !err && i < arguments->count; i++) {
        dj_summary *later = NULL;
        err = load(context, arguments->items[i], &later);
        if (!err)
            err = dj_summary_join(context, whole, later);
        dj_summary_destroy(later);
    }
    if (err)
        dj_summary_destroy(whole);
    else
        *out = whole;
    return err;
}

// What 'deja spatial' prints.
static int print_spatial(dj_context *context, const options *o, const dj_profile *profile)
{
    const dj_spatial_view view = {
        .limits = DJ_SPATIAL_LIMITS, .top = o->form.top, .all_rows = dj_forms_renderer(&o->form)->all_rows};
    dj_document *document = NULL;
    dj_output *output = NULL;
    int err = dj_document_spatial(context, profile, &view, &document);
    if (!err)
        err = dj_output_open(context, &o->output, &output);
    if (!err)
        err = dj_forms_render(context, &o->form, document, &profile->provenance, output);
    dj_document_destroy(document);
    if (!err || (err == DJ_ERR_IO && output)) // the output knows best what failed
        err = dj_output_close(context, &output);
    dj_output_discard(&output);
    return err;
}

static int print(dj_context *context, const options *o, dj_summary *whole, const char *command)
{
    dj_profile *profile = NULL;
    enum dj_by by[DJ_BY_COUNT];
    dj_printing what = {.by = by, .caches = &o->caches};
    int err = dj_bins_parse(context, o->bins, &what.binning, &what.bin_width);
    if (!err && o->by)
        err = dj_by_parse(context, o->by, by, &what.by_count);
    if (!err)
        err = dj_summary_profile(context, whole, command, &profile);
    if (!err) {
        what.profile = profile;
        bool spatial = dj_profile_spatial(profile) && !o->output.json && !dj_output_is_columns(&o->output) &&
                       !dj_forms_is_of_code(&o->form);
        err = spatial ? print_spatial(context, o, profile)
                      : dj_forms_output(context, &o->form, &what, &o->output);
    }
    dj_profile_destroy(profile);
    return err;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    const options *o = values;
    dj_summary *whole = NULL;
    int err = check(context, o, arguments);
    if (!err)
        err = join(context, arguments, &whole);
    if (err || !whole)
        return err;
    err = o->summary ? dj_parts_write(context, whole, &o->output)
                     : print(context, o, whole, arguments->command_line);
    dj_summary_destroy(whole);
    return err;
}

static const dj_example examples[] = {
    {"deja analyze --summary --part 1/2 -o 1.dejasum monday.csv", "Analyzes the first part of a trace."},
    {"deja join 1.dejasum 2.dejasum", "Prints what 'deja analyze monday.csv tuesday.csv' would."},
    {"deja join --json -o whole.json *.dejasum", "Keeps the profile, for 'deja report' and 'deja mrc'."},
    {"deja join --summary -o 1-2.dejasum 1.dejasum 2.dejasum",
     "Joins two parts of more, to be joined with the others later."},
    {NULL, NULL},
};

const dj_command dj_command_join = {
    .name = "join",
    .summary = "parts of a trace that were analyzed apart, as one",
    .usage = "[options] PART.dejasum...",
    .description =
        "Joins summaries that 'deja analyze --summary' or 'deja spatial --summary' wrote, of neighbouring "
        "parts of one trace, and prints what the verb prints of the whole: the same numbers to the last "
        "digit. The parts may have been analyzed on different days and machines, with any engine and "
        "number of threads, but with the same options otherwise.\n\n"
        "Parts are named in their order. Neighbours may be joined to a larger part first (--summary), in "
        "any grouping. Parts that are missing, out of order, named twice or analyzed in different ways are "
        "refused; for that each must have its number (--part). Parts without numbers are joined as they "
        "are named.\n\n"
        "Parts that were analyzed with --by can be broken down. They must be cut from one recorded stream "
        "with --skip and --stop-after, and the files of the program, where names come from, must still be "
        "there.\n\n"
        "'-' is standard input.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
