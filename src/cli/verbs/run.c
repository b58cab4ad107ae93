// SPDX-License-Identifier: MIT
// deja run: profile the memory accesses of a program while it runs.
#include <deja/deja.h>

#include "cli/options/bursts.h"
#include "cli/options/details.h"
#include "cli/options/export.h"
#include "cli/options/fail_if.h"
#include "cli/options/filters.h"
#include "cli/options/program.h"
#include "cli/options/tlb.h"
#include "cli/options/windows.h"

typedef struct options {
    dj_program_options program;
    dj_trace_options trace;
    dj_output_options output;
    dj_cache_options caches;
    dj_attribute_options attribute;
    dj_export_options export;
    enum dj_by by[DJ_BY_COUNT];
    size_t by_count;
    dj_filter_options filters;
    dj_burst_options bursts;
    dj_windows_choice windows;
    dj_detail_options details;
    bool tlb;
    enum dj_binning binning;
    uint64_t bin_width;
    dj_fail_if fail_if;
} options;

static const dj_option table[] = {
    DJ_WINDOWS_OPTION(offsetof(options, windows.text), ""),
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static const dj_option detail_table[] = {
    DJ_DETAIL_OPTIONS(offsetof(options, details), 0),
    DJ_TLB_OPTION(offsetof(options, tlb)),
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static const dj_option limit_table[] = {
    DJ_FAIL_IF_OPTION(offsetof(options, fail_if.typed), "L2.ratio > 5%"),
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    o->output.profiles = true;
    o->output.to_errors = true;
    int err = dj_program_list(context, &o->program, groups);
    if (!err)
        err = dj_groups_add(context, groups, "Profile", detail_table, o);
    if (!err)
        err = dj_groups_add(context, groups, "Phases", table, o);
    if (!err)
        err = dj_bursts_list(context, &o->bursts, groups);
    if (!err)
        err = dj_attribute_list(context, &o->attribute, groups);
    if (!err)
        err = dj_caches_list_simulated(context, &o->caches, groups);
    if (!err)
        err = dj_groups_add(context, groups, "Limits", limit_table, o);
    if (!err)
        err = dj_export_list(context, &o->export, DJ_EXPORT_TOP | DJ_EXPORT_TOOLS,
                             "the tables of --by, or without --by the histogram of reuse distances", groups);
    if (!err)
        err = dj_filters_list(context, &o->filters, groups, DJ_FILTERS_FOR_PROGRAMS);
    if (!err)
        err = dj_trace_list_analysis(context, &o->trace, groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

static int print(dj_context *context, const void *user, const dj_print_request *found, dj_output *output)
{
    const options *o = user;
    dj_print_request what = *found;
    what.by = o->by;
    what.by_count = o->by_count;
    what.caches = &o->caches;
    what.binning = o->binning;
    what.bin_width = o->bin_width;
    return dj_export_print(context, &o->export, &what, output);
}

// The limits, once the caches are known. A run without accesses is within no limit, since it measured
// nothing.
static int judge(dj_context *context, void *limits, const dj_profile *profile)
{
    options *o = limits;
    dj_caches caches;
    dj_crossings *crossings = NULL;
    if (o->fail_if.limits.count == 0)
        return DJ_OK;
    if (!profile || profile->lane_count == 0 || profile->lanes[0].accesses == 0)
        return dj_fail(context, DJ_ERR_INPUT, "--fail-if: nothing was measured, so no limit can be checked");
    int err = dj_caches_find(context, &o->caches, profile, &caches);
    if (!err)
        err = dj_fail_if_resolve(context, &o->fail_if, &caches, dj_profile_attribution(profile),
                                 profile->provenance.unit_bytes ? profile->lanes[0].id.block_bytes : 0);
    if (!err)
        err = dj_fail_if_check(context, &o->fail_if, profile, "the profile", &crossings);
    if (!err)
        err = dj_fail_if_say(context, crossings);
    dj_crossings_destroy(crossings);
    return err;
}

// Finds what is wrong with the limits before the program runs.
static int check_limits(dj_context *context, options *o, uint64_t block_bytes)
{
    dj_caches caches;
    int err = dj_fail_if_parse(context, &o->fail_if, false);
    for (size_t i = 0; !err && i < o->fail_if.limits.count; i++)
        if (o->fail_if.limits.list[i].of_parts && dj_attribute_is_disabled(&o->attribute))
            err = dj_fail(context, DJ_ERR_USAGE,
                          "limit '%s' is on parts of the program, which --by none leaves out",
                          o->fail_if.limits.list[i].text);
    if (!err)
        err = dj_caches_for_blocks(context, &o->caches, block_bytes, &caches);
    return err ? err : dj_fail_if_resolve(context, &o->fail_if, &caches, NULL, block_bytes);
}

// Finds errors in the options before the program runs.
static int check(dj_context *context, options *o, const dj_arguments *arguments, dj_plan *plan)
{
    if (arguments->count == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "no program given; name one, as in 'deja run -- ./program arguments'");
    if (dj_filters_for_files(&o->filters))
        return dj_fail(context, DJ_ERR_USAGE, "%s applies to files, not to a running program",
                       dj_filters_for_files(&o->filters));
    bool timed = false;
    int err = dj_windows_parse(context, &o->windows, &timed);
    if (!err && timed)
        err = dj_fail(context, DJ_ERR_USAGE,
                      "--windows %s: under a tracer, time says nothing about the program; give a number of "
                      "accesses, such as --windows 1000000",
                      o->windows.text);
    if (!err)
        err = dj_export_check(context, &o->export, &o->output);
    if (!err)
        err = dj_bins_parse(context, o->details.bins, &o->binning, &o->bin_width);
    if (!err)
        err = dj_attribute_check(context, &o->attribute, o->by, &o->by_count);
    if (!err)
        err = dj_trace_plan(context, &o->trace, dj_session_source_info(), plan);
    return err ? err : check_limits(context, o, plan->block_bytes);
}

// An option that --sample cannot be combined with.
static const char *find_unfit(const options *o)
{
    const char *attribution = dj_attribute_needs_all(&o->attribute);
    if (o->windows.text)
        return "--windows";
    if (o->tlb)
        return "--tlb";
    if (o->details.time || o->details.fingerprint)
        return o->details.time ? "--time" : "--fingerprint";
    if (o->bursts.by == DJ_SAMPLE_BY_BLOCKS)
        return attribution ? attribution : o->attribute.fresh_heap ? "--fresh-heap" : NULL;
    return attribution ? attribution : o->program.paused ? "--paused" : dj_filters_given(&o->filters);
}

// An option with which only a part of the run is measured, or several parts separately.
static const char *divided_by(const options *o)
{
    return o->bursts.rate ? "--sample" : o->bursts.budget ? "--budget" : dj_filters_divide(&o->filters);
}

static int trace(dj_context *context, options *o, const dj_arguments *arguments)
{
    dj_plan plan;
    dj_request_caches caches;
    dj_tlb_request tlb;
    dj_request request = {.blocks = &plan.block_bytes, .block_count = 1};
    int err = check(context, o, arguments, &plan);
    if (!err)
        err = dj_attribute_request(context, &o->attribute, &o->caches, plan.size_block,
                                   !dj_attribute_is_disabled(&o->attribute), &caches, &request);
    if (!err)
        err = dj_attribute_request_simulated(context, &o->caches, plan.size_block, true, divided_by(o),
                                             &caches, &request);
    if (err)
        return err;
    dj_machine_costs storage;
    dj_json_view json = {.by = o->by,
                         .by_count = o->by_count,
                         .binning = dj_output_is_columns(&o->output) ? DJ_BINS_EXACT : o->binning,
                         .bin_width = o->bin_width};
    err = dj_export_costs(context, &o->export, &storage, &json.costs);
    if (err)
        return err;
    dj_program program = {.session = dj_program_session(&o->program, arguments),
                          .request = &request,
                          .output = &o->output,
                          .print = print,
                          .judge = judge,
                          .limits = o,
                          .user = o};
    dj_trace_request(&o->trace, arguments, &request);
    program.session.view = &json;
    dj_filters_apply(&o->filters, &request);
    program.session.not_for_annotations = dj_filters_given(&o->filters);
    if (!program.session.not_for_annotations)
        program.session.not_for_annotations =
            dj_program_find_unsupported(&o->program, &o->attribute, &o->trace, &o->caches);
    if (!program.session.not_for_annotations && o->windows.text)
        program.session.not_for_annotations = "--windows";
    if (!program.session.not_for_annotations)
        program.session.not_for_annotations = o->tlb ? "--tlb" : dj_details_given(&o->details);
    dj_observer_list observers = {0};
    err = dj_bursts_apply(context, &o->bursts, find_unfit(o), &program.session, &observers);
    if (!err)
        err = dj_windows_observe(context, &o->windows, &observers);
    if (!err)
        err = dj_details_observe(context, &o->details, false, &observers);
    if (!err && o->tlb)
        err = dj_tlb_observe(context, &tlb, &request, &observers);
    request.observers = observers.items;
    request.observer_count = observers.count;
    if (o->bursts.by == DJ_SAMPLE_BY_BLOCKS)
        dj_filters_sample_blocks(&o->filters, o->bursts.rate, o->bursts.seed);
    if (!err)
        err = dj_program_run(context, &program);
    dj_observer_list_free(&observers);
    return err;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    options *o = values;
    int err = trace(context, o, arguments);
    dj_fail_if_free(&o->fail_if);
    return err;
}

static const dj_example examples[] = {
    {"deja run -- ./program arguments", "Runs a program and reports the locality of its data."},
    {"deja run --json -o profile.json -- ./program < input", "Saves the profile for later."},
    {"deja run --no-follow -- make", "Profiles make itself, not the compilers that it starts."},
    {"deja run --windows 1000000 -- ./program", "Also finds its phases, and the best cache size for each."},
    {"deja run --sample 1% -- ./program", "Traces 1% of the run and estimates the rest: faster, not exact."},
    {"deja run --sample 1% --sample-by blocks -- ./program",
     "Traces the whole run, but analyzes 1% of the blocks: for large caches."},
    {"deja run --tool native -- make check",
     "Profiles only programs built by 'deja cc', whatever starts them."},
    {"deja run --fail-if 'function=solve: L2.ratio > 5%' -- ./program",
     "For scripts: exits with status 1 if solve misses L2 with more than 5% of its accesses."},
    {"deja run --paused -- ./server", "Counts only from one 'kill -USR1' to the next."},
    {NULL, NULL},
};

const dj_command dj_command_run = {
    .name = "run",
    .summary = "profile the memory accesses of a program while it runs",
    .usage = "[options] -- PROGRAM [arguments]",
    .description =
        "Runs a program and computes the reuse distances of its memory accesses. The program keeps its "
        "standard streams and its terminal; the report goes to standard error, or to the file named by -o. "
        "The exit status is the program's.",
    .details =
        "A program built by 'deja cc', 'deja c++' or 'deja fc' reports its accesses itself (--tool native); "
        "code in libraries that were built otherwise is not traced. Any other program runs, unmodified, "
        "under "
        "Valgrind, which must be installed (--tool valgrind). Either way it runs many times slower than "
        "usual, unless --sample limits what is traced. A program that is annotated with <deja/record.h> "
        "analyzes itself (--tool annotations), "
        "element "
        "by element, and counts only what its annotations report. The default, --tool auto, detects how the "
        "program was built.\n\n"
        "Processes that the program starts are traced too, each with its own profile. The report shows the "
        "program that the first process ran last (exec replaces one program by another), and a line for each "
        "other process. With --json, processes[] contains all profiles.\n\n"
        "If standard error is a terminal, a line shows after two seconds how many accesses were analyzed, "
        "how many per second, and which process makes them.\n\n"
        "The first Ctrl-C goes to the program alone. After a second one the analysis ends with a partial "
        "result, marked as such, and the program is left running. Signals that other processes send to "
        "deja are forwarded to the program, except for SIGUSR1, which stops or resumes counting.\n\n"
        "The exit status is 1 if the program's is 0 and a limit of --fail-if is crossed; 128 + n if signal n "
        "ended the program; 2 for wrong usage, 125 if Deja itself "
        "failed, 126 if the program cannot be run, 127 if it was not found, and 130 after a second Ctrl-C.",
    .examples = examples,
    .runs_program = true,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
