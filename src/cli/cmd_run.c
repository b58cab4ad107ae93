// SPDX-License-Identifier: MIT
// deja run: the profile of a program while it runs.
#include <deja/deja.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/attribute.h"
#include "cli/caches.h"
#include "cli/collected.h"
#include "cli/forms.h"
#include "cli/live.h"
#include "cli/processes.h"
#include "cli/reading.h"
#include "cli/shelf.h"
#include "measure/measure.h"

typedef struct options {
    dj_reading reading;
    dj_output_options output;
    dj_cache_options caches;
    dj_attribute_options attribute;
    dj_form_options form;
    enum dj_by by[DJ_BY_COUNT];
    size_t by_count;
    int tool; // enum dj_tool
    bool follow;
    bool paused;
} options;

static const dj_option table[] = {
    {"tool", 0, DJ_OPTION_CHOICE, offsetof(options, tool), "TOOL",
     "what traces it: valgrind any program, native what 'deja cc' has built, annotations what records its "
     "data by <deja/record.h> (default: as it was built)",
     dj_tool_names},
    {"no-follow", 0, DJ_OPTION_UNFLAG, offsetof(options, follow), NULL,
     "leave out the processes that the program starts", NULL},
    {"paused", 0, DJ_OPTION_FLAG, offsetof(options, paused), NULL,
     "count no accesses until deja gets the signal SIGUSR1; each further one stops or resumes counting",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    o->follow = true;
    o->output.to_errors = true;
    int err = dj_groups_add(context, groups, "Program", table, o);
    if (!err)
        err = dj_attribute_list(context, &o->attribute, groups);
    if (!err)
        err = dj_caches_list(context, &o->caches, groups);
    if (!err)
        err = dj_forms_list(context, &o->form, groups);
    if (!err)
        err = dj_reading_list_analysis(context, &o->reading, groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

typedef struct analysis {
    const options *options;
    const dj_arguments *arguments;
    dj_shelf shelf;
} analysis;

// What an annotated program found out by itself.
static int collect(dj_worker *worker, const char *path, bool *killed)
{
    analysis *a = worker->job->user;
    dj_profile *profile = NULL;
    int err = dj_collected_take(worker, path, &profile, killed);
    if (!err)
        return dj_shelf_keep(&a->shelf, worker, profile);
    dj_profile_destroy(profile);
    return err;
}

// With --stop-after the program has not ended, and need not wait for names.
static void let_go(void *stream)
{
    dj_stream_detach(stream);
}

static int analyze(dj_worker *worker, dj_source *source)
{
    analysis *a = worker->job->user;
    const options *o = a->options;
    dj_attribute *attribute = NULL;
    dj_plan plan;
    dj_observer_choice choices[2] = {{.ops = dj_observer_find("histogram")},
                                     {.ops = dj_observer_find("traffic")}};
    int err = dj_reading_plan(worker->context, &o->reading, dj_source_get_info(source), &plan);
    // Of other processes the text has sums alone.
    bool wanted = worker->root || a->shelf.json || dj_attribute_is_needed(&o->attribute);
    if (!err)
        err = dj_attribute_begin(worker->context, &o->attribute, &o->caches, plan.block_bytes,
                                 wanted && !dj_attribute_is_refused(&o->attribute), source, &attribute);
    if (err)
        return err;
    dj_measurement measurement = {.source = source,
                                  .plan = &plan,
                                  .observers = choices,
                                  .observer_count = sizeof choices / sizeof *choices,
                                  .inputs = a->arguments->items,
                                  .input_count = 1,
                                  .command_line = a->arguments->command_line,
                                  .attribute = attribute,
                                  .ahead = true,
                                  .after_reading = let_go,
                                  .user = worker->stream};
    dj_profile *profile = NULL;
    err = dj_measure(worker->context, &measurement, &profile);
    dj_attribute_end(attribute);
    int kept = profile ? dj_shelf_keep(&a->shelf, worker, profile) : DJ_OK;
    return err ? err : kept;
}

static int print_root(dj_context *context, const options *o, const dj_outcome *outcome, dj_output *output)
{
    const dj_worker *root = dj_processes_main(outcome);
    int err = DJ_OK;
    const dj_profile *profile = root ? dj_processes_profile(root) : NULL;
    if (profile) {
        const dj_printing what = {
            .profile = profile, .by = o->by, .by_count = o->by_count, .caches = &o->caches};
        err = dj_forms_print(context, &o->form, &what, output);
    }
    if (!err && o->form.form == DJ_FORM_TEXT)
        dj_processes_print(outcome, root, output->file);
    return err;
}

static int print(dj_context *context, const options *o, const dj_outcome *outcome, const dj_shelf *shelf)
{
    dj_output *output = NULL;
    int err = dj_output_open(context, &o->output, &output);
    if (!err && output->json)
        err = dj_processes_save(context, outcome, shelf, output->file);
    else if (!err)
        err = print_root(context, o, outcome, output);
    if (!err || (err == DJ_ERR_IO && output)) // the output knows best what failed
        err = dj_output_close(context, &output);
    dj_output_discard(&output);
    return err;
}

// What every analysis needs must be known to be possible before the program runs.
static int check(dj_context *context, options *o, const dj_arguments *arguments)
{
    static const dj_source_info live = {
        .format = "live", .kind = DJ_CLASS_MEMORY, .default_block = 64, .unit_bytes = 1};
    dj_plan plan;
    if (arguments->count == 0)
        return dj_fail(context, DJ_ERR_USAGE, "no program given, as in 'deja run -- ./program arguments'");
    int err = dj_forms_check(context, &o->form, &o->output);
    if (!err)
        err = dj_attribute_check(context, &o->attribute, o->by, &o->by_count);
    return err ? err : dj_reading_plan(context, &o->reading, &live, &plan);
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    options *o = values;
    atomic_bool paused;
    dj_json_view json = {.by = o->by, .binning = DJ_BINS_LOG2};
    analysis user = {
        .options = o, .arguments = arguments, .shelf = {.json = o->output.json ? &json : NULL}};
    char *settings = NULL;
    dj_job job = {.program = arguments->items,
                  .program_count = arguments->count,
                  .tool = (enum dj_tool)o->tool,
                  .follow = o->follow,
                  .collect = collect,
                  .unfit = dj_collected_unfit(&o->attribute, &o->reading, &o->caches, o->paused),
                  .paused = &paused,
                  .work = analyze,
                  .user = &user};
    dj_outcome outcome = {0};
    int status = DJ_EXIT_FAILED;
    atomic_init(&paused, o->paused);
    int err = check(context, o, arguments);
    if (!err)
        err = dj_collected_settings(context, &o->attribute, &o->reading, &settings);
    if (err)
        return err;
    job.settings = settings;
    json.by_count = o->by_count;
    dj_shelf_open(&user.shelf);
    err = dj_live_run(context, &job, &outcome, &status);
    free(settings);
    if (err && status != DJ_EXIT_FAILED) {
        fprintf(stderr, "deja: %s\n", dj_context_message(context));
        dj_shelf_close(&user.shelf, &outcome);
        return status;
    }
    if (!err) {
        err = print(context, o, &outcome, &user.shelf);
        if (o->output.path || o->output.json)
            dj_processes_advise(&outcome);
        if (!err)
            err = dj_processes_complain(context, &outcome);
        status = dj_live_status(&outcome);
    }
    dj_shelf_close(&user.shelf, &outcome);
    dj_outcome_free(&outcome);
    return err ? err : status;
}

static const dj_example examples[] = {
    {"deja run -- ./program arguments", "Runs a program and shows the locality of its data."},
    {"deja run --json -o profile.json -- ./program < input", "Keeps the profile for later."},
    {"deja run --no-follow -- make", "Looks at make itself, not at the compilers that it starts."},
    {"deja run --tool native -- make check", "Looks at what 'deja cc' has built, whatever starts it."},
    {"deja run --paused -- ./server", "Counts only what happens between 'kill -USR1' and the next one."},
    {NULL, NULL},
};

const dj_command dj_command_run = {
    .name = "run",
    .summary = "the reuse-distance profile of a program while it runs",
    .usage = "[options] -- PROGRAM [arguments]",
    .description =
        "Runs a program and analyzes all its accesses to memory as they happen. The program keeps its "
        "standard streams, its terminal and its arguments; the report goes to standard error when it has "
        "ended, or to the file named by -o.\n"
        "\n"
        "A program that 'deja cc', 'deja c++' or 'deja fc' has built tells its accesses by itself (--tool "
        "native); what it calls in libraries that were not built so is not seen. Any other is run, "
        "unmodified, by Valgrind, which must be installed (--tool valgrind). Either way it runs many times "
        "slower than by itself. A program whose source tells of its data by <deja/record.h> analyzes itself "
        "(--tool annotations), element by element, and only what it tells. The default, --tool auto, looks "
        "at how the program was built.\n"
        "\n"
        "Processes that the program starts are followed, each with a profile of its own. The report shows "
        "what the program itself ran last (exec replaces a program by another) and a line for each other "
        "process; with --json all profiles are in processes[].\n"
        "\n"
        "The first Ctrl-C is for the program alone; after a second one the analysis ends with what it has, "
        "marked partial, and the program is left to itself. Signals that other processes send to deja are "
        "handed on to "
        "the program. SIGUSR1 stops counting accesses, or resumes it.\n"
        "\n"
        "The exit status is that of the program, 128 + n when signal n ended it; 2 for wrong usage, 125 when "
        "Deja "
        "itself failed, 126 when the program cannot be run, 127 when it was not found, 130 after a second "
        "Ctrl-C.",
    .examples = examples,
    .runs_program = true,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
