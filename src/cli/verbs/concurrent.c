// SPDX-License-Identifier: MIT
// deja concurrent: reuse distances of programs or threads that share caches.
#include <deja/deja.h>

#include <stdlib.h>
#include <string.h>

#include "base/target.h"
#include "cli/interrupt.h"
#include "cli/measure.h"
#include "cli/module_notes.h"
#include "cli/options/attribute.h"
#include "cli/options/bins.h"
#include "cli/options/export.h"
#include "cli/options/sharers.h"
#include "cli/verbs/concurrent.h"

typedef struct options {
    dj_sharer_options sharers;
    dj_cache_options caches;
    dj_trace_options trace;
    dj_recorded_options recorded;
    const char *bins;
    int model; // index into the choices
    const char *by, *symbols;
    dj_export_options export;
    dj_output_options output;
    dj_print_request what;
} options;

enum { MODEL_NONE = 2 };
static const char *const models[] = {"joint", "jiang", "none", NULL};

static const dj_option table[] = {
    {"model", 0, DJ_OPTION_CHOICE, offsetof(options, model), "NAME",
     "model that predicts the shared cache from each sharer alone (default joint)", models},
    {"bins", 0, DJ_OPTION_TEXT, offsetof(options, bins), "HOW", DJ_BINS_HELP, dj_bins_choices},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static const dj_option places[] = {
    {"by", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON | DJ_OPTION_LIST, offsetof(options, by), "LIST",
     "break down by object, line, function and others. A list of object, function, loop, line, context and "
     "thread, or all. Needs one recording, for which the default is object,line. With none there is no "
     "breakdown, which is faster",
     dj_by_choices},
    {"symbols", 0, DJ_OPTION_TEXT | DJ_OPTION_FOLDER, offsetof(options, symbols), "DIRS", DJ_SYMBOLS_HELP,
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    o->output.profiles = true;
    int err = dj_sharers_list(context, &o->sharers, groups);
    if (!err)
        err = dj_recorded_list(context, &o->recorded, groups);
    if (!err)
        err = dj_caches_list(context, &o->caches, groups);
    if (!err)
        err = dj_groups_add(context, groups, "Profile", table, o);
    if (!err)
        err = dj_groups_add(context, groups, "Attribution", places, o);
    if (!err)
        err = dj_trace_list(context, &o->trace, groups);
    if (!err)
        err = dj_export_list(context, &o->export, DJ_EXPORT_TOP | DJ_EXPORT_NAMES,
                             "the misses of each sharer in each cache, and the tables of --by", groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

// Stores the requested breakdowns in `by`, and whether accesses get places.
static int choose_places(dj_context *context, const options *o, const dj_source *source, enum dj_by *by,
                         size_t *by_count, bool *wanted)
{
    const bool none = o->by && strcmp(o->by, "none") == 0;
    const bool located = (dj_source_get_info(source)->columns & DJ_COLUMN_SITE) != 0;
    *wanted = !none && o->sharers.by_thread && located;
    if (!o->by || none)
        return DJ_OK;
    if (!*wanted)
        return dj_fail(context, DJ_ERR_USAGE, "--by needs one recording of a program by 'deja record': %s",
                       o->sharers.by_thread ? "this trace does not say which code makes an access"
                                            : "data and code of different traces cannot be compared");
    return dj_by_parse(context, o->by, by, by_count);
}

// Keys have no size, so this machine's caches mean nothing there; caches that the user names are refused.
static int find_caches(dj_context *context, const options *o, const dj_source_info *info, const dj_plan *plan,
                       dj_caches *caches, dj_shared_cache *shared, size_t *count)
{
    bool sized = info->unit_bytes > 0;
    int err = sized || o->caches.caches || o->sharers.share
                  ? dj_caches_for_blocks(context, &o->caches, plan->block_bytes, caches)
                  : DJ_OK;
    if (!err && !sized && (caches->count > 0 || o->sharers.share))
        err = dj_fail(context, DJ_ERR_USAGE,
                      "--caches and --share need blocks with a size in bytes, which format %s lacks",
                      info->format);
    return err ? err : dj_sharers_caches(context, &o->sharers, caches, shared, count);
}

static int measure(dj_context *context, options *o, const dj_arguments *arguments, dj_source *source,
                   const dj_plan *plan, bool wants_places, dj_sharing_request *sharing, dj_profile **out)
{
    dj_caches caches = {.count = 0};
    dj_shared_cache shared[DJ_SHAPES_MAX];
    dj_request request = {.blocks = &plan->block_bytes, .block_count = 1, .sharing = sharing};
    sharing->predictable = o->model != MODEL_NONE;
    sharing->caches = shared;
    request.places = wants_places;
    request.symbols = o->symbols;
    int err =
        find_caches(context, o, dj_source_get_info(source), plan, &caches, shared, &sharing->cache_count);
    dj_trace_request(&o->trace, arguments, &request);
    return err ? err : dj_measure_with_progress(context, source, &request, out);
}

static int predict(dj_context *context, const options *o, dj_profile *profile)
{
    if (o->model == MODEL_NONE)
        return DJ_OK;
    if (dj_profile_sharing(profile)->count <= DJ_CORUN_MOST)
        return dj_sharing_predict(context, profile, dj_corun_model_find(models[o->model]));
    dj_output_message("note: ", "no prediction: there are more than 64 sharers");
    return DJ_OK;
}

// The same trace may be given twice.
static int label(dj_context *context, dj_sharing *sharing)
{
    char **labels = calloc(sharing->count + 1, sizeof *labels);
    const char **names = calloc(sharing->count + 1, sizeof *names);
    int err = labels && names ? DJ_OK : dj_fail_memory(context, "the names of sharers", 0);
    for (size_t i = 0; !err && i < sharing->count; i++)
        names[i] = sharing->sharers[i].name;
    if (!err)
        err = dj_label_sharers(context, names, sharing->count, labels);
    for (size_t i = 0; labels && i < sharing->count; i++) {
        free(err ? labels[i] : sharing->sharers[i].name);
        if (!err)
            sharing->sharers[i].name = labels[i];
    }
    free(names);
    free(labels);
    return err;
}

// Measures files, which the report calls by the names in `arguments`. `recorded` is NULL, or their program.
static int report(dj_context *context, options *o, const dj_arguments *arguments, const dj_arguments *files,
                  const dj_recorded *recorded)
{
    double speeds[DJ_SPEEDS_MOST];
    dj_sharing_request sharing = {.threads = recorded ? recorded->threads : NULL,
                                  .thread_count = recorded ? recorded->thread_count : 0};
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    dj_plan plan;
    enum dj_by by[DJ_BY_COUNT];
    bool wants_places = false;
    o->what.by = by;
    int err = dj_sharers_open(context, &o->sharers, &o->trace, files, &source, &plan, speeds, &sharing);
    const bool equal = !err && recorded && dj_recorded_drop_speeds(recorded, &sharing);
    if (!err)
        err = choose_places(context, o, source, by, &o->what.by_count, &wants_places);
    if (!err)
        err = measure(context, o, arguments, source, &plan, wants_places, &sharing, &profile);
    if (profile && !err)
        err = predict(context, o, profile);
    if (profile && dj_profile_sharing(profile)) {
        int labelled = label(context, dj_profile_sharing(profile));
        err = err ? err : labelled;
    }
    if (profile && equal) {
        int marked = dj_recorded_mark_speeds(context, o->sharers.speeds, profile);
        err = err ? err : marked;
    }
    if (profile && recorded) {
        int marked = dj_recorded_mark(context, recorded, &profile->provenance);
        err = err ? err : marked;
    }
    if (profile && (!err || err == DJ_ERR_INPUT || err == DJ_ERR_STOPPED)) {
        o->what.profile = profile;
        int printed = dj_export_output(context, &o->export, &o->what, &o->output);
        err = printed ? printed : err;
        if (o->output.path || o->output.json || o->export.format != 0)
            dj_note_lost_modules(context, profile);
    }
    dj_profile_destroy(profile);
    dj_source_close(source);
    return err;
}

// The report would replace the recording.
static int check_outputs(dj_context *context, const options *o)
{
    const char *report = o->output.path, *recording = o->recorded.path;
    bool same = false;
    if (!report || !recording || strcmp(report, "-") == 0)
        return DJ_OK;
    int err = dj_target_are_same(context, report, recording, &same);
    return err || !same ? err
                        : dj_fail(context, DJ_ERR_USAGE,
                                  "-o %s and --record %s are the same file; use another file for the report",
                                  report, recording);
}

// Finds errors in the options before the program runs.
static int check_program(dj_context *context, const options *o, const dj_arguments *arguments)
{
    dj_plan plan;
    dj_caches caches = {.count = 0};
    dj_shared_cache shared[DJ_SHAPES_MAX];
    size_t count;
    double speeds[DJ_SPEEDS_MOST];
    const char *of_files = dj_trace_given(&o->trace);
    if (arguments->count == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "no program given; name one, as in 'deja concurrent -- ./program arguments'");
    if (of_files)
        return dj_fail(context, DJ_ERR_USAGE, "%s applies to files, but what follows '--' is a program",
                       of_files);
    if (o->recorded.path && strcmp(o->recorded.path, "-") == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--record -: standard output belongs to the program; name a file");
    int err = check_outputs(context, o);
    if (!err)
        err = dj_sharers_check(context, &o->sharers, 1);
    if (!err && o->sharers.speeds)
        err = dj_sharers_parse_numbers(context, "speeds", o->sharers.speeds, speeds, &count);
    if (!err)
        err = dj_trace_plan(context, &o->trace, dj_session_source_info(), &plan);
    return err ? err : find_caches(context, o, dj_session_source_info(), &plan, &caches, shared, &count);
}

// After a second Ctrl-C, what was recorded is still measured, unless there is another one.
static int report_recorded(dj_context *context, options *o, const dj_arguments *arguments,
                           const dj_recorded *recorded)
{
    const dj_arguments files = {.items = &recorded->process.trace, .count = 1};
    dj_context *again = NULL;
    if (!dj_context_stopped(context))
        return report(context, o, arguments, &files, recorded);
    if (dj_context_create(&again) != DJ_OK)
        return dj_fail_memory(context, "the measurement", 0);
    dj_interrupt_pass(again);
    int err = report(again, o, arguments, &files, recorded);
    dj_interrupt_pass(context);
    if (err < 0)
        err = dj_fail(context, (enum dj_err)err, "%s", dj_context_message(again));
    dj_context_destroy(again);
    return err;
}

// The first option given that has no meaning for the elements that an annotated program records: they have no
// size in bytes, and its threads are known by their calls alone. NULL: none.
static const char *find_unfit(const options *o)
{
    return o->trace.block                        ? "--block"
           : o->trace.split || o->trace.no_split ? "--split"
           : o->caches.caches                    ? "--caches"
           : o->sharers.share                    ? "--share"
           : o->recorded.native_speeds           ? "--native-speeds"
                                                 : NULL;
}

static int run_program(dj_context *context, options *o, const dj_arguments *arguments)
{
    dj_recorded recorded;
    int status = DJ_EXIT_FAILED;
    o->sharers.program = true;
    o->output.to_errors = true;
    int err = check_program(context, o, arguments);
    if (err)
        return err;
    err = dj_recorded_make(context, &o->recorded, arguments, find_unfit(o), &recorded, &status);
    if (!err) {
        o->sharers.measured = recorded.speeds;
        o->sharers.measured_count = recorded.thread_count;
        err = report_recorded(context, o, arguments, &recorded);
        err = err == DJ_ERR_STOPPED ? DJ_EXIT_INTERRUPTED : err ? err : recorded.status;
    } else {
        err = dj_program_fail(context, err, status);
    }
    dj_recorded_free(&recorded);
    return err;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    options *o = values;
    const char *of_programs = arguments->program ? NULL : dj_recorded_given(&o->recorded);
    o->what = (dj_print_request){.caches = &o->caches};
    o->sharers.needs_threads = o->sharers.by_thread;
    o->sharers.by_thread |= arguments->program || arguments->count == 1;
    int err = dj_bins_parse(context, o->bins, &o->what.binning, &o->what.bin_width);
    if (!err)
        err = dj_export_check(context, &o->export, &o->output);
    if (!err && of_programs)
        err = dj_fail(context, DJ_ERR_USAGE,
                      "%s applies to a program after '--', as in 'deja concurrent %s ... -- ./program'",
                      of_programs, of_programs);
    if (err)
        return err;
    return arguments->program ? run_program(context, o, arguments)
                              : report(context, o, arguments, arguments, NULL);
}

static const dj_example examples[] = {
    {"deja concurrent -- ./program arguments",
     "Runs a program and measures what its threads do to each other."},
    {"deja concurrent --native-speeds --caches L2=1M,L3=32M -- ./program",
     "Its threads alternate as fast as they run without a tracer."},
    {"deja concurrent --caches L2=1M,L3=32M a.trace b.trace",
     "Two programs with private second-level caches and a shared third one."},
    {"deja concurrent --speeds 1,2 a.trace b.trace",
     "The second one makes two accesses for each of the first."},
    {"deja concurrent --share L2=2,L3=all program.csv",
     "The threads of one trace, as recorded; two of them share each L2 cache."},
    {NULL, NULL},
};

const dj_command dj_command_concurrent = {
    .name = "concurrent",
    .summary = "measure programs or threads that share caches",
    .usage = "[options] -- PROGRAM [arguments] | FILE...",
    .description =
        "Merges the accesses of the threads of a program or a trace, or of several traces, and measures for "
        "each sharer its reuse distances alone, in one cache that all share, and in private caches that the "
        "writes of others invalidate. All numbers are exact for the stated order of accesses.",
    .details =
        "For each sharer the report shows how many of its reuses another sharer broke, shortened or "
        "stretched, how much data is shared, and which misses of private caches are true or false sharing.\n"
        "\n"
        "What follows '--' is a program. It is recorded first, as by 'deja record', and its threads are then "
        "measured in another order than the recorded one. Only its main process is measured. The report goes "
        "to standard error, and the exit status is the program's, as for 'deja run'. A program that is "
        "annotated with <deja/record.h> is measured in elements, without caches; --tool valgrind measures "
        "its "
        "memory.\n"
        "\n"
        "The threads of one trace are its sharers; a trace that records no threads is one sharer. Of several "
        "traces, each is a sharer.\n"
        "\n"
        "Each cache is measured as if all accesses reached it. Equal addresses are the same data, unless "
        "--separate says otherwise.",
    .examples = examples,
    .may_run_program = true,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
