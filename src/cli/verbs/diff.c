// SPDX-License-Identifier: MIT
// deja diff: what changed between two runs.
#include <deja/deja.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/attribute.h"
#include "cli/options/export.h"
#include "cli/options/fail_if.h"
#include "cli/options/sizes.h"
#include "cli/saved_profile.h"
#include "report/diff.h"

typedef struct options {
    const char *by, *per, *sizes; // as typed; NULL: not given
    dj_fail_if fail_if;
    dj_saved_profile_options saved;
    dj_export_options export;
    dj_output_options output;
} options;

static const dj_option table[] = {
    {"by", 'b', DJ_OPTION_TEXT | DJ_OPTION_COMMON, offsetof(options, by), "LIST",
     DJ_BY_HELP " (default: object,function,line)", dj_by_choices},
    {"per", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, offsetof(options, per), "WORK",
     "if the inputs differ: compare counts per access, per distinct block, or divided by two sizes of the "
     "inputs, such as 100,200",
     NULL},
    {"sizes", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, offsetof(options, sizes), "LIST",
     "cache sizes of the curves, in blocks or with a unit, such as 64,4K (default: powers of two)", NULL},
    DJ_FAIL_IF_OPTION(offsetof(options, fail_if.typed), "L2.misses > +2%"),
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    groups->reads_files = true;
    int err = dj_groups_add(context, groups, "Comparison", table, o);
    if (!err)
        err = dj_saved_profile_list(context, &o->saved, groups);
    if (!err)
        err = dj_export_list(context, &o->export, DJ_EXPORT_TOP, "totals, rows and curves", groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

// The profiles, and what was derived from them.
typedef struct work {
    options *o;
    const dj_arguments *arguments;
    dj_profile *profiles[DJ_SIDES];
    dj_sizes sizes;
    dj_diff_request request;
    dj_diff *diff;
    dj_crossings *crossings;
} work;

static int parse_by(dj_context *context, work *w)
{
    const char *text = w->o->by ? w->o->by : "object,function,line";
    if (strcmp(text, "none") == 0)
        return DJ_OK;
    if (w->o->by && !dj_profile_attribution(w->profiles[DJ_AFTER]))
        return dj_fail(context, DJ_ERR_USAGE,
                       "--by %s needs profiles with code and data, as saved by 'deja run -o FILE.dejap'",
                       w->o->by);
    return dj_by_parse(context, text, w->request.by, &w->request.by_count);
}

static bool parse_pair(const char *text, double out[DJ_SIDES])
{
    char *end = NULL;
    out[DJ_BEFORE] = strtod(text, &end);
    if (end == text || *end != ',')
        return false;
    const char *second = end + 1;
    out[DJ_AFTER] = strtod(second, &end);
    return end != second && *end == 0 && isfinite(out[DJ_BEFORE]) && isfinite(out[DJ_AFTER]) &&
           out[DJ_BEFORE] > 0 && out[DJ_AFTER] > 0;
}

static int parse_per(dj_context *context, work *w)
{
    const char *per = w->o->per;
    if (!per)
        return DJ_OK;
    const bool access = strcmp(per, "access") == 0, distinct = strcmp(per, "distinct") == 0;
    for (int run = 0; (access || distinct) && run < DJ_SIDES; run++) {
        const dj_lane_profile *lane = &w->profiles[run]->lanes[0];
        w->request.work[run] = (double)(access ? lane->accesses : lane->distinct);
    }
    if (access || distinct || parse_pair(per, w->request.work))
        return DJ_OK;
    return dj_fail(context, DJ_ERR_USAGE,
                   "--per '%s': expected 'access', 'distinct', or two positive numbers such as 100,200: the "
                   "size of the first and of the second input",
                   per);
}

static int parse_sizes(dj_context *context, work *w)
{
    const dj_profile *after = w->profiles[DJ_AFTER];
    if (!w->o->sizes)
        return DJ_OK;
    int err =
        dj_sizes_parse(context, w->o->sizes,
                       after->provenance.unit_bytes ? after->lanes[0].id.block_bytes : 0, false, &w->sizes);
    if (!err && w->sizes.how != DJ_SIZES_LIST)
        err = dj_fail(context, DJ_ERR_USAGE,
                      "--sizes %s applies to one curve; list the cache sizes, as in --sizes 64,4096",
                      w->o->sizes);
    w->request.sizes = w->sizes.blocks;
    w->request.size_count = w->sizes.block_count;
    return err;
}

static int compare(dj_context *context, work *w)
{
    for (int run = 0; run < DJ_SIDES; run++) {
        w->request.profiles[run] = w->profiles[run];
        w->request.names[run] = w->arguments->items[run];
    }
    int err = parse_by(context, w);
    if (!err)
        err = parse_per(context, w);
    if (!err)
        err = parse_sizes(context, w);
    return err ? err : dj_diff_profiles(context, &w->request, &w->diff);
}

static int check_limits(dj_context *context, work *w)
{
    const dj_profile *after = w->profiles[DJ_AFTER];
    if (w->o->fail_if.limits.count == 0)
        return DJ_OK;
    int err = dj_fail_if_resolve(context, &w->o->fail_if, NULL, dj_profile_attribution(after),
                                 after->provenance.unit_bytes ? after->lanes[0].id.block_bytes : 0);
    return err ? err : dj_limits_check(context, &w->o->fail_if.limits, &w->request, &w->crossings);
}

static int print(dj_context *context, const work *w)
{
    const dj_diff_view view = {
        .diff = w->diff,
        .profiles = {w->profiles[DJ_BEFORE], w->profiles[DJ_AFTER]},
        .names = {w->arguments->items[DJ_BEFORE], w->arguments->items[DJ_AFTER]},
        .crossings = w->crossings,
        .top = w->o->export.top,
        .command = w->arguments->command_line,
    };
    dj_output *output = NULL;
    dj_document *document = NULL;
    int err = dj_output_open(context, &w->o->output, &output);
    if (!err)
        err = dj_document_diff(context, &view, &document);
    if (!err && output->json)
        dj_diff_json(&view, document->summary, output->file);
    else if (!err)
        err = dj_export_render(context, &w->o->export, document, NULL, output);
    dj_document_destroy(document);
    return dj_output_end(context, err, &output);
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    work w = {.o = values, .arguments = arguments};
    if (arguments->count != DJ_SIDES)
        return dj_fail(context, DJ_ERR_USAGE,
                       "%zu profile%s given; name two: the one before the change, and the one after it",
                       arguments->count, arguments->count == 1 ? "" : "s");
    int err = dj_export_check(context, &w.o->export, &w.o->output);
    if (!err)
        err = dj_fail_if_parse(context, &w.o->fail_if, true);
    for (int run = 0; !err && run < DJ_SIDES; run++)
        err = dj_saved_profile_load(context, &w.o->saved, arguments->items[run], &w.profiles[run]);
    if (!err)
        err = compare(context, &w);
    if (!err)
        err = check_limits(context, &w);
    if (!err)
        err = print(context, &w);
    if (!err)
        err = dj_fail_if_say(context, w.crossings);
    dj_crossings_destroy(w.crossings);
    dj_fail_if_free(&w.o->fail_if);
    dj_diff_destroy(w.diff);
    dj_sizes_free(&w.sizes);
    for (int run = 0; run < DJ_SIDES; run++)
        dj_profile_destroy(w.profiles[run]);
    return err;
}

static const dj_example examples[] = {
    {"deja diff before.dejap after.dejap", "Shows what changed, and the code and data responsible."},
    {"deja diff --by function,loop --top 5 before.dejap after.dejap", "Shows the five most changed of each."},
    {"deja diff --per 100,200 small.dejap large.dejap",
     "Compares counts per element, where the inputs have 100 and 200."},
    {"deja diff --fail-if 'L2.misses > +2%' before.dejap after.dejap",
     "For scripts: exits with status 1 if L2 misses rose by more than 2%."},
    {"deja diff --export markdown -o diff.md before.dejap after.dejap", "Writes a report for a review."},
    {NULL, NULL},
};

const dj_command dj_command_diff = {
    .name = "diff",
    .summary = "show what changed between two runs",
    .usage = "[options] BEFORE AFTER",
    .description =
        "Compares two profiles saved by 'deja run -o FILE.dejap' or 'deja analyze -o FILE.dejap': accesses, "
        "misses in each cache and miss ratios, in total and by the code and data responsible. The first line "
        "is the verdict.\n\n"
        "Functions, lines and data are matched even if they have moved, or their file was renamed. "
        "Differences "
        "of exact profiles add up to the total exactly.",
    .details = "Profiles that were measured in different ways, or of different programs, are refused. "
               "docs/diff.md describes how parts of the program are matched.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
