// SPDX-License-Identifier: MIT
// deja run: the profile of a program while it runs.
#include <deja/deja.h>

#include "cli/options/filters.h"
#include "cli/options/forms.h"
#include "cli/options/program.h"

typedef struct options {
    dj_program_options program;
    dj_reading reading;
    dj_output_options output;
    dj_cache_options caches;
    dj_attribute_options attribute;
    dj_form_options form;
    enum dj_by by[DJ_BY_COUNT];
    size_t by_count;
    dj_filter_options filters;
} options;

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    o->output.profiles = true;
    o->output.to_errors = true;
    int err = dj_program_list(context, &o->program, groups);
    if (!err)
        err = dj_attribute_list(context, &o->attribute, groups);
    if (!err)
        err = dj_caches_list(context, &o->caches, groups);
    if (!err)
        err = dj_forms_list(context, &o->form, DJ_FORMS_TOP | DJ_FORMS_CODE,
                            "a table of what --by names, and the histogram of reuse distances without it",
                            groups);
    if (!err)
        err = dj_filters_list(context, &o->filters, groups, DJ_FILTERS_FOR_PROGRAMS);
    if (!err)
        err = dj_reading_list_analysis(context, &o->reading, groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

static int print(dj_context *context, const void *user, const dj_printing *found, dj_output *output)
{
    const options *o = user;
    dj_printing what = *found;
    what.by = o->by;
    what.by_count = o->by_count;
    what.caches = &o->caches;
    return dj_forms_print(context, &o->form, &what, output);
}

// What every analysis needs must be known to be possible before the program runs.
static int check(dj_context *context, options *o, const dj_arguments *arguments, dj_plan *plan)
{
    if (arguments->count == 0)
        return dj_fail(context, DJ_ERR_USAGE, "no program given, as in 'deja run -- ./program arguments'");
    int err = dj_forms_check(context, &o->form, &o->output);
    if (!err)
        err = dj_attribute_check(context, &o->attribute, o->by, &o->by_count);
    return err ? err : dj_reading_plan(context, &o->reading, dj_session_source_info(), plan);
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    options *o = values;
    dj_plan plan;
    dj_request_caches caches;
    dj_request request = {.blocks = &plan.block_bytes, .block_count = 1};
    int err = check(context, o, arguments, &plan);
    if (!err)
        err = dj_attribute_request(context, &o->attribute, &o->caches, plan.block_bytes,
                                   !dj_attribute_is_refused(&o->attribute), &caches, &request);
    if (err)
        return err;
    const dj_json_view json = {.by = o->by,
                               .by_count = o->by_count,
                               .binning = dj_output_is_columns(&o->output) ? DJ_BINS_EXACT : DJ_BINS_LOG2};
    dj_program program = {.session = dj_program_session(&o->program, arguments),
                          .request = &request,
                          .output = &o->output,
                          .print = print,
                          .user = o};
    dj_reading_request(&o->reading, arguments, &request);
    program.session.view = &json;
    dj_filters_apply(&o->filters, &request);
    program.session.not_for_annotations = dj_filters_given(&o->filters);
    if (!program.session.not_for_annotations)
        program.session.not_for_annotations =
            dj_program_find_unfit(&o->program, &o->attribute, &o->reading, &o->caches);
    return dj_program_run(context, &program);
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
        "ended, or to the file named by -o.\n\n"
        "A program that 'deja cc', 'deja c++' or 'deja fc' has built tells its accesses by itself (--tool "
        "native); what it calls in libraries that were not built so is not seen. Any other is run, "
        "unmodified, by Valgrind, which must be installed (--tool valgrind). Either way it runs many times "
        "slower than by itself. A program whose source tells of its data by <deja/record.h> analyzes "
        "itself (--tool annotations), element by element, and only what it tells. The default, --tool "
        "auto, looks at how the program was built.\n\n"
        "Processes that the program starts are followed, each with a profile of its own. The report shows "
        "what the program itself ran last (exec replaces a program by another) and a line for each other "
        "process; with --json all profiles are in processes[].\n\n"
        "The first Ctrl-C is for the program alone; after a second one the analysis ends with what it has, "
        "marked partial, and the program is left to itself. Signals that other processes send to deja are "
        "handed on to the program. SIGUSR1 stops counting accesses, or resumes it.\n\n"
        "The exit status is that of the program, 128 + n when signal n ended it; 2 for wrong usage, 125 "
        "when Deja itself failed, 126 when the program cannot be run, 127 when it was not found, 130 after "
        "a second Ctrl-C.",
    .examples = examples,
    .runs_program = true,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
