// SPDX-License-Identifier: MIT
// deja spatial: how reuse distances change when the block size doubles.
#include <deja/deja.h>

#include "base/number.h"
#include "base/size.h"
#include "cli/source_file.h"
#include "cli/verbs/spatial.h"

#define AT(field) offsetof(dj_spatial_verb, field)

static const dj_option table[] = {
    {"blocks", 'b', DJ_OPTION_TEXT | DJ_OPTION_COMMON, AT(blocks), "LIST",
     "block sizes, each twice the previous one, such as 64,128 or 8..8192. The default is 32,64,128 for "
     "memory, "
     "4K..1M for block I/O, 1..256 for keys",
     NULL},
    {"split", 0, DJ_OPTION_FLAG, AT(trace.split), NULL,
     "count an access in every block of the smallest size that it touches (default for memory and block "
     "I/O)",
     NULL},
    {"no-split", 0, DJ_OPTION_FLAG, AT(trace.no_split), NULL,
     "count an access only in its first block (default for keys)", NULL},
    {"pair", 0, DJ_OPTION_TEXT, AT(pair), "B",
     "rank code and data by the change from block size B to 2B. The default is 32, which compares half a "
     "cache "
     "line with a complete one, or the first size if 32 is not listed",
     NULL},
    {"cache", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, AT(cache), "NAME",
     "rank by the misses in a cache, such as L2. The default is to rank by the reuses at a distance of "
     "--near "
     "or more",
     NULL},
    {"context", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, AT(context), NULL, "also rank lines by calling context",
     NULL},
    {"size", 0, DJ_OPTION_TEXT, AT(size), "SHARE",
     "a component with at least this share of the reuses is large (default 5%)", NULL},
    {"near", 0, DJ_OPTION_UINT, AT(near_blocks), "N",
     "temporal locality is good if the mean distance is below N blocks (default 256)", NULL},
    {"good", 0, DJ_OPTION_REAL, AT(good), "SCORE",
     "spatial locality is good if the score exceeds this (default 0.97)", NULL},
    {"residency", 0, DJ_OPTION_TEXT, AT(residency), "SIZE",
     "size of the cache for line utilization: the bytes of a block that are used before its eviction. The "
     "default is the cache of --cache, or the smallest",
     NULL},
    {"sample", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, AT(bursts.rate), "RATE",
     "estimate from bursts: this part of all, such as 1%. Only they are analyzed. The result "
     "has an error, which is printed with it. Between bursts a program runs as under "
     "'valgrind --tool=none' or, recompiled, as without an analyzer",
     NULL},
    {"sample-seed", 0, DJ_OPTION_UINT, AT(bursts.seed), "N", "when the bursts of --sample begin (default 0)",
     NULL},
    {"budget", 0, DJ_OPTION_TEXT, AT(bursts.budget), "FACTOR", "of a program: " DJ_BUDGET_HELP, NULL},
    {"source", 0, DJ_OPTION_TEXT | DJ_OPTION_FOLDER, offsetof(dj_spatial_verb, source), "DIRS",
     DJ_SOURCE_HELP, NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    dj_spatial_verb *o = values;
    o->output.profiles = true;
    o->near_blocks = DJ_SPATIAL_LIMITS.near_blocks;
    o->good = DJ_SPATIAL_LIMITS.good;
    int err = dj_groups_add(context, groups, "Spatial locality", table, o);
    if (!err)
        err = dj_caches_list(context, &o->caches, groups);
    if (!err)
        err = dj_export_list(context, &o->export, DJ_EXPORT_TOP | DJ_EXPORT_NAMES,
                             "the tables of --by, or without --by the bins and components", groups);
    if (!err)
        err = dj_parts_list(context, &o->parts, groups);
    if (!err)
        err = dj_program_list(context, &o->program, groups);
    if (!err)
        err = dj_attribute_list(context, &o->attribute, groups);
    if (!err)
        err = dj_trace_list_source(context, &o->trace, groups);
    if (!err)
        err = dj_filters_list(context, &o->filters, groups, DJ_FILTERS_FOR_BLOCKS);
    if (!err)
        err = dj_saved_profile_list(context, &o->saved, groups);
    if (!err)
        err = dj_trace_list_engines(context, &o->trace, groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

static int make_view(dj_context *context, dj_spatial_verb *o)
{
    dj_spatial_view *v = &o->view;
    *v = (dj_spatial_view){.cache = o->cache,
                           .limits = {DJ_SPATIAL_LIMITS.size, o->near_blocks, o->good},
                           .context = o->context,
                           .by = o->by,
                           .top = o->export.top};
    if (o->size && !dj_number_parse_share(o->size, &v->limits.size))
        return dj_fail(context, DJ_ERR_USAGE, "--size: '%s' is not a share, as in 5%% or 0.05", o->size);
    if (!(o->good >= 0))
        return dj_fail(context, DJ_ERR_USAGE, "--good: a score cannot be negative");
    if (dj_attribute_is_disabled(&o->attribute) && (o->context || o->residency))
        return dj_fail(context, DJ_ERR_USAGE,
                       "--by none excludes --context and --residency, which need attribution");
    int err = o->pair ? dj_size_bytes(context, "--pair", o->pair, &v->block) : DJ_OK;
    if (!err && o->pair && v->block == 0)
        err = dj_fail(context, DJ_ERR_USAGE, "--pair: a block must have at least 1 byte");
    return err ? err : dj_attribute_check(context, &o->attribute, o->by, &v->by_count);
}

// Options of the measurement do not apply to a saved profile.
static int refuse_for_saved(dj_context *context, const dj_spatial_verb *o, const char *path)
{
    const dj_attribute_options *a = &o->attribute;
    const char *option = o->blocks           ? "--blocks"
                         : o->caches.caches  ? "--caches"
                         : o->residency      ? "--residency"
                         : o->trace.split    ? "--split"
                         : o->trace.no_split ? "--no-split"
                         : o->trace.engine   ? "--engine"
                         : o->bursts.rate    ? "--sample"
                         : o->bursts.budget  ? "--budget"
                         : dj_attribute_selects_accesses(a) || a->statements
                             ? "an option that selects accesses"
                             : dj_filters_given(&o->filters);
    return option ? dj_fail(context, DJ_ERR_USAGE, "%s: %s does not apply to a saved profile; measure again",
                            path, option)
                  : DJ_OK;
}

static int refuse_for_program(dj_context *context, const dj_spatial_verb *o)
{
    const char *of_files = dj_trace_given(&o->trace);
    const char *option = of_files           ? of_files
                         : o->saved.process ? "--process"
                                            : dj_filters_for_files(&o->filters);
    return option ? dj_fail(context, DJ_ERR_USAGE, "%s applies to files, but what follows '--' is a program",
                            option)
                  : DJ_OK;
}

static int refuse_for_files(dj_context *context, const dj_spatial_verb *o, bool saved)
{
    const char *option = o->bursts.budget ? "--budget" : dj_program_given(&o->program);
    if (option)
        return dj_fail(context, DJ_ERR_USAGE,
                       "%s applies to a program after '--', as in 'deja spatial %s ... -- ./program'", option,
                       option);
    if (!saved && o->saved.process)
        return dj_fail(context, DJ_ERR_USAGE, "--process applies to profiles saved by 'deja spatial --json'");
    return DJ_OK;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    dj_spatial_verb *o = values;
    const char *first = arguments->count ? arguments->items[0] : NULL;
    bool saved = !arguments->program && !o->trace.source.format && arguments->count == 1;
    int err = saved ? dj_saved_profile_is(context, first, &saved) : DJ_OK;
    if (err)
        return err;
    if (o->parts.summary && (arguments->program || saved))
        return dj_fail(context, DJ_ERR_USAGE, "--summary applies only to traces");
    if (o->parts.summary && dj_attribute_needs_places(&o->attribute) &&
        !dj_attribute_is_disabled(&o->attribute))
        return dj_fail(
            context, DJ_ERR_USAGE,
            "--by, --fresh-heap, --start-at and --within need strides and line utilization, which are "
            "known only for a complete trace; leave them out, or analyze the trace at once");
    dj_filters_require(&o->filters, &o->trace.source);
    err = dj_export_check(context, &o->export, &o->output);
    if (!err)
        err = make_view(context, o);
    if (!err)
        err = dj_parts_check(context, &o->parts, &o->attribute, &o->output,
                             o->export.format != 0 ? "--export" : NULL, &o->part);
    if (!err)
        err = arguments->program ? refuse_for_program(context, o) : refuse_for_files(context, o, saved);
    if (!err && saved)
        err = refuse_for_saved(context, o, first);
    if (err)
        return err;
    if (arguments->program)
        return dj_spatial_report_program(context, o, arguments);
    return saved ? dj_spatial_report_saved(context, o, first)
                 : dj_spatial_report_trace(context, o, arguments);
}

static const dj_example examples[] = {
    {"deja spatial -- ./program arguments",
     "Runs a program and shows which of its code and data uses little of each cache line."},
    {"deja spatial --json -o spatial.json -- ./program", "Saves the profile for later."},
    {"deja spatial --top 20 --context --cache L2 spatial.json",
     "Ranks the same run by its misses in the second-level cache, and by calling context."},
    {"deja spatial --sample 1% -- ./program",
     "Traces 1% of the run and estimates the rest: faster, not exact."},
    {"deja spatial --blocks 8..8192 app.trace", "Scores all block sizes from a word to two pages."},
    {"deja spatial --export csv disk.csv.gz", "Analyzes a block-I/O trace, for a spreadsheet."},
    {NULL, NULL},
};

const dj_command dj_command_spatial = {
    .name = "spatial",
    .summary = "how much of each block is used before eviction",
    .usage = "[options] FILE... | PROFILE.json | -- PROGRAM [arguments]",
    .description =
        "Measures how the reuse distance of each access changes when the block size doubles, and scores "
        "spatial "
        "locality from 0 (the other half of each block is never useful) to 1 (data is used in order). For a "
        "program, ranks its lines, loops, functions and data by their contribution to poor spatial reuse, "
        "with "
        "advice for the worst.",
    .details =
        "Where neighbours are used together, every second access becomes a reuse at a short distance once "
        "blocks double. The score is twice the share of such accesses. Reuses are grouped by distance into "
        "components, each with its own score.\n\n"
        "What follows '--' is a program, which is run and measured as by 'deja run', with the same options "
        "and "
        "exit status; the report then goes to standard error. Otherwise the arguments are a trace, or a "
        "profile saved by 'deja spatial --json'. For a recording by 'deja record', code and data are named "
        "too, unless --by none is given. Accesses are split at the smallest block size.\n\n"
        "Definitions and limits: docs/spatial.md.",
    .examples = examples,
    .may_run_program = true,
    .options_bytes = sizeof(dj_spatial_verb),
    .list_options = list_options,
    .run = run,
};
