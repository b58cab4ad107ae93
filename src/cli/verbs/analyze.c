// SPDX-License-Identifier: MIT
// deja analyze: print the reuse-distance profile of a trace.
#include <deja/deja.h>

#include "cli/measure.h"
#include "cli/module_notes.h"
#include "cli/options/attribute.h"
#include "cli/options/details.h"
#include "cli/options/export.h"
#include "cli/options/filters.h"
#include "cli/options/parts.h"
#include "cli/options/tlb.h"
#include "cli/options/trace.h"
#include "cli/options/windows.h"

typedef struct options {
    dj_trace_options trace;
    dj_output_options output;
    dj_cache_options caches;
    dj_detail_options details;
    bool joint, tlb;
    dj_windows_choice windows;
    dj_export_options export;
    dj_attribute_options attribute;
    dj_part_options parts;
    dj_filter_options filters;
} options;

static const dj_option table[] = {
    DJ_DETAIL_OPTIONS(offsetof(options, details), DJ_OPTION_COMMON),
    {"joint", 0, DJ_OPTION_FLAG, offsetof(options, joint), NULL,
     "also record in the profile what 'deja co-run' needs to predict shared caches", NULL},
    DJ_TLB_OPTION(offsetof(options, tlb)),
    DJ_WINDOWS_OPTION(offsetof(options, windows.text), " or of a duration such as 10s"),
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    o->output.profiles = true;
    int err = dj_groups_add(context, groups, "Profile", table, o);
    if (!err)
        err = dj_caches_list_simulated(context, &o->caches, groups);
    if (!err)
        err = dj_trace_list(context, &o->trace, groups);
    if (!err)
        err = dj_filters_list(context, &o->filters, groups, DJ_FILTERS_FOR_TRACES);
    if (!err)
        err = dj_attribute_list(context, &o->attribute, groups);
    if (!err)
        err = dj_export_list(context, &o->export, DJ_EXPORT_TOP | DJ_EXPORT_TOOLS,
                             "the tables of --by, or without --by the histogram of reuse distances", groups);
    if (!err)
        err = dj_parts_list(context, &o->parts, groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

static int parse_windows(dj_context *context, options *o)
{
    bool timed = false;
    int err = dj_windows_parse(context, &o->windows, &timed);
    o->trace.source.clock |= timed;
    return err;
}

static int choose_observers(dj_context *context, const options *o, dj_observer_list *list)
{
    int err = dj_details_observe(context, &o->details, o->parts.summary, list);
    if (!err && o->joint)
        err = dj_observer_list_add(context, list, "joint", NULL);
    return err ? err : dj_windows_observe(context, &o->windows, list);
}

static bool wants_attribution(const options *o)
{
    bool by_code = dj_export_is_for_tool(&o->export);
    bool requested = o->parts.summary ? dj_attribute_needs_places(&o->attribute)
                                      : dj_attribute_is_requested(&o->attribute);
    return !dj_attribute_is_disabled(&o->attribute) && (by_code || requested);
}

// An option with which no cache can be simulated.
static const char *divided_by(const options *o)
{
    return o->parts.summary ? "--summary" : dj_filters_divide(&o->filters);
}

// Writes the summary of a part, or creates the profile.
static int measure(dj_context *context, const options *o, const dj_arguments *arguments, dj_source *source,
                   const dj_plan *plan, dj_part part, dj_profile **out)
{
    dj_observer_list observers = {0};
    dj_request_caches caches;
    dj_summary *summary = NULL;
    dj_tlb_request tlb;
    dj_request request = {.blocks = &plan->block_bytes, .block_count = 1};
    dj_trace_request(&o->trace, arguments, &request);
    dj_filters_apply(&o->filters, &request);
    int err = choose_observers(context, o, &observers);
    if (!err)
        err = dj_attribute_request(context, &o->attribute, &o->caches, plan->size_block, wants_attribution(o),
                                   &caches, &request);
    if (!err)
        err = dj_attribute_request_simulated(context, &o->caches, plan->size_block, false, divided_by(o),
                                             &caches, &request);
    if (!err && o->tlb)
        err = !plan->size_block ? dj_fail(context, DJ_ERR_USAGE, "--tlb: keys have no size in bytes")
                                : dj_tlb_observe(context, &tlb, &request, &observers);
    request.observers = observers.items;
    request.observer_count = observers.count;
    if (!err)
        err = o->parts.summary ? dj_measure_part_with_progress(context, source, &request, part, &summary)
                               : dj_measure_with_progress(context, source, &request, out);
    if (summary)
        err = dj_parts_write(context, summary, &o->output);
    dj_summary_destroy(summary);
    dj_observer_list_free(&observers);
    return err;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    options *o = values;
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    dj_part part;
    dj_plan plan;
    enum dj_by by[DJ_BY_COUNT];
    dj_print_request what = {.by = by, .caches = &o->caches};
    int err = dj_bins_parse(context, o->details.bins, &what.binning, &what.bin_width);
    if (!err)
        err = parse_windows(context, o);
    if (!err)
        err = dj_export_check(context, &o->export, &o->output);
    if (!err)
        err = dj_parts_check(context, &o->parts, &o->attribute, &o->output,
                             o->export.format != 0 ? "--export"
                             : o->details.bins     ? "--bins"
                                                   : NULL,
                             &part);
    if (!err)
        err = dj_attribute_check(context, &o->attribute, by, &what.by_count);
    if (!err)
        err = dj_caches_check(context, &o->caches);
    dj_filters_require(&o->filters, &o->trace.source);
    if (!err)
        err = dj_trace_open(context, &o->trace, arguments, &source, &plan);
    if (err)
        return err;
    err = measure(context, o, arguments, source, &plan, part, &profile);
    if (profile) {
        what.profile = profile;
        int printed = dj_export_output(context, &o->export, &what, &o->output);
        err = printed ? printed : err;
        if (o->output.path || o->output.json || o->export.format != 0)
            dj_note_lost_modules(context, profile);
    }
    dj_profile_destroy(profile);
    dj_source_close(source);
    return err;
}

static const dj_example examples[] = {
    {"deja app.trace", "Profiles a trace. Its format is detected from content and name."},
    {"deja analyze --json -o profile.json disk.csv.gz", "Saves the profile of a block-I/O trace for later."},
    {"deja analyze --by object,line program.deja", "Breaks down a program that 'deja record' recorded."},
    {"deja analyze --format lackey --block 64 - < lackey.out",
     "Reads the output of 'valgrind --tool=lackey'."},
    {"deja analyze --json --bins exact --fingerprint app.trace",
     "Counts each distance separately, and adds hashes."},
    {"deja analyze --export csv --bins linear:100 app.trace", "Prints the histogram for a spreadsheet."},
    {"deja analyze --only writes --from 2h --until 3h disk.csv.gz",
     "Analyzes only the writes of the third hour."},
    {"deja analyze --windows 10min disk.csv.gz", "Finds the phases, and the best cache size for each."},
    {"deja analyze --each thread --json app.trace", "Analyzes each thread as if it had its own cache."},
    {"deja analyze --summary --part 1/2 -o 1.dejasum monday.csv",
     "Analyzes one part of a trace, for 'deja join'."},
    {NULL, NULL},
};

const dj_command dj_command_analyze = {
    .name = "analyze",
    .summary = "print the reuse-distance profile of a trace",
    .usage = "[options] FILE...",
    .description =
        "Computes the reuse distance of each access in a trace: the number of distinct other blocks accessed "
        "since the previous access to the same block. A fully associative LRU cache of N blocks hits exactly "
        "the accesses whose distance is below N. 'deja FILE' is short for 'deja analyze FILE'.",
    .details =
        "Several files form one trace, in the order given; '-' is standard input. Files compressed by gzip, "
        "zstd or xz are decompressed transparently.\n"
        "\n"
        "For a recording by 'deja record', --by breaks the profile down by data object, function, loop, line "
        "and calling context, as 'deja run' does. The program's files must still be in the same place.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
