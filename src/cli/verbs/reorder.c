// SPDX-License-Identifier: MIT
// deja reorder: what other orders of the same computation would gain.
#include <deja/deja.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/ending.h"
#include "cli/options/export.h"
#include "cli/options/processes.h"
#include "cli/options/program.h"
#include "cli/progress.h"
#include "report/reordering.h"

// Distances that may be long, unless the user says: 64, 256, 1K, …
enum { LONG_FIRST = 64, LONG_STEP = 4, LONG_COUNT = 14, ELEMENT_BYTES = 8 };

typedef struct options {
    uint64_t long_from;
    const char *start_at, *within, *symbols;
    dj_trace_options trace;
    dj_program_options program;
    dj_export_options export;
    dj_output_options output;
} options;

static const dj_option table[] = {
    {"long", 0, DJ_OPTION_UINT | DJ_OPTION_COMMON, offsetof(options, long_from), "N",
     "reuses with a distance of at least N blocks or elements are long (default: the one of 64, 256, 1024, … "
     "at "
     "which an order gains most)",
     NULL},
    {"within", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, offsetof(options, within), "NAME",
     "count only accesses within the function or region NAME, including the functions that it calls "
     "(default: main, "
     "unless the program records its own data)",
     NULL},
    {"block", 'b', DJ_OPTION_TEXT | DJ_OPTION_COMMON, offsetof(options, trace.block), "N",
     "block size, such as 4 or 64 (default: 8 bytes, or 1 element). What uses a part of a block uses all of "
     "it",
     NULL},
    {"start-at", 0, DJ_OPTION_TEXT, offsetof(options, start_at), "NAME",
     "start counting when the function or region NAME is first entered", NULL},
    {"symbols", 0, DJ_OPTION_TEXT, offsetof(options, symbols), "FOLDERS",
     "where to look for object files that are missing or have changed, and for their debug files; separated "
     "by "
     "colons",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    groups->reads_files = true;
    int err = dj_groups_add(context, groups, "Orders", table, o);
    if (!err)
        err = dj_trace_list_source(context, &o->trace, groups);
    if (!err)
        err = dj_trace_list_engines(context, &o->trace, groups);
    if (!err)
        err = dj_program_list_recording(context, &o->program, groups);
    if (!err)
        err = dj_export_list(context, &o->export, DJ_EXPORT_TOP, "the tables of the report", groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

static int print(dj_context *context, const options *o, const dj_arguments *arguments,
                 const dj_reordering *reordering, const char *within)
{
    dj_reordering_view view = {
        .reordering = reordering, .within = within, .top = o->export.top, .command = arguments->command_line};
    dj_output *output = NULL;
    dj_document *document = NULL;
    int err = dj_reordered_rows_create(context, reordering, DJ_BY_OBJECT, &view.objects);
    if (!err)
        err = dj_reordered_rows_create(context, reordering, DJ_BY_LINE, &view.lines);
    if (!err)
        err = dj_output_open(context, &o->output, &output);
    if (!err)
        err = dj_document_reordering(context, &view, &document);
    if (!err && output->json)
        err = dj_reordering_json(context, &view, document->summary, output->file);
    else if (!err)
        err = dj_export_render(context, &o->export, document, &reordering->profiles[0]->provenance, output);
    dj_document_destroy(document);
    dj_reordered_rows_free(&view.objects);
    dj_reordered_rows_free(&view.lines);
    return dj_output_end(context, err, &output);
}

static size_t list_long(const options *o, uint64_t block, dj_cache_size *out)
{
    size_t count = 0;
    for (uint64_t from = o->long_from ? o->long_from : LONG_FIRST; count < LONG_COUNT; from *= LONG_STEP) {
        out[count++] = (dj_cache_size){"long", from * block};
        if (o->long_from)
            break;
    }
    return count;
}

// `why` the trace does not go to the end of the program; "": it does.
static int reorder(dj_context *context, const options *o, const dj_arguments *arguments,
                   const dj_arguments *files, const char *why)
{
    dj_plan plan;
    dj_source *source = NULL;
    dj_meter meter;
    dj_reordering reordering = {0};
    int err = dj_trace_open(context, &o->trace, files, &source, &plan);
    if (err && files->count > 0)
        err = dj_trace_suggest_program(context, &o->trace, files->items[0], "reorder", err);
    if (err)
        return err;
    const bool memory = dj_source_get_info(source)->kind == DJ_CLASS_MEMORY;
    const char *within = memory && !o->within && !o->start_at ? "main" : o->within;
    const uint64_t block = memory && !o->trace.block ? ELEMENT_BYTES : plan.block_bytes;
    dj_cache_size long_from[LONG_COUNT];
    const size_t long_count = list_long(o, block, long_from);
    dj_request request = {.blocks = &block,
                          .block_count = 1,
                          .start_at = o->start_at,
                          .within = within,
                          .symbols = o->symbols,
                          .caches = long_from,
                          .cache_count = long_count,
                          .command = arguments->command_line,
                          .on_progress = dj_meter_update,
                          .user = &meter};
    dj_trace_request(&o->trace, arguments, &request);
    dj_meter_start(&meter);
    err = dj_reorder_source(context, source, &request, &reordering);
    dj_meter_stop(&meter);
    const bool measured = reordering.profiles[DJ_AS_WRITTEN];
    if (!err && why[0])
        err = dj_reordering_mark_partial(context, &reordering, why);
    if (measured && (!err || err == DJ_ERR_INPUT)) {
        const int printed = print(context, o, arguments, &reordering, within);
        err = printed ? printed : err;
    }
    dj_reordering_free(&reordering);
    dj_source_close(source);
    return err;
}

static int check(dj_context *context, const options *o, const dj_arguments *arguments)
{
    const char *of_files = arguments->program ? dj_trace_given(&o->trace) : NULL;
    const char *of_programs = arguments->program ? NULL : dj_program_given(&o->program);
    if (arguments->program && arguments->count == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "no program given; name one, as in 'deja reorder -- ./program arguments'");
    if (!arguments->program && arguments->count > 1)
        return dj_fail(context, DJ_ERR_USAGE, "%zu files given; name one recording", arguments->count);
    if (of_files)
        return dj_fail(context, DJ_ERR_USAGE, "%s applies to files, but what follows '--' is a program",
                       of_files);
    if (of_programs)
        return dj_fail(context, DJ_ERR_USAGE,
                       "%s applies to a program after '--', as in 'deja reorder %s ... -- ./program'",
                       of_programs, of_programs);
    if (o->long_from > UINT32_MAX)
        return dj_fail(context, DJ_ERR_USAGE, "--long %" PRIu64 ": expected a distance from 1 to 4294967295",
                       o->long_from);
    return dj_export_check(context, &o->export, &o->output);
}

enum { END_BYTES = 256 };

// Why a program did not run to its end; "": it did.
static const char *describe_end(const dj_process *process, char *text)
{
    const bool signaled = process->status >= 0 && WIFSIGNALED(process->status);
    char end[DJ_END_BYTES];
    text[0] = 0;
    if (signaled || process->killed)
        snprintf(text, END_BYTES, "the program was %s; all accesses up to that point are counted",
                 signaled ? dj_describe_signal(process->status, end)
                          : "killed, or ended in a way that the tracer did not notice");
    return text;
}

static int run_program(dj_context *context, options *o, const dj_arguments *arguments)
{
    const dj_session_options how = dj_program_session(&o->program, arguments);
    const dj_recording recording = {.statements = true, .command = arguments->command_line};
    dj_session *session = NULL;
    int status;
    o->output.to_errors = true;
    int err = dj_session_record(context, &how, &recording, &session, &status);
    if (err)
        return dj_program_fail(context, err, status);
    dj_processes_notes(session);
    err = dj_session_check(context, session);
    const size_t main = dj_session_main(session);
    if (!err && main == SIZE_MAX)
        err = dj_fail(context, DJ_ERR_INPUT, "%s: no accesses were recorded", arguments->items[0]);
    if (!err) {
        const dj_process process = dj_session_get(session, main);
        const dj_arguments files = {.items = &process.trace, .count = 1};
        char why[END_BYTES];
        err = reorder(context, o, arguments, &files, describe_end(&process, why));
    }
    dj_session_destroy(session);
    return err ? err : status;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    options *o = values;
    int err = check(context, o, arguments);
    if (err)
        return err;
    return arguments->program ? run_program(context, o, arguments)
                              : reorder(context, o, arguments, arguments, "");
}

static const dj_example examples[] = {
    {"deja reorder -- ./solve 100", "Runs an annotated program, or one compiled with -g -O0."},
    {"deja record --statements -o solve.deja -- ./solve 100", "Records it, for the following."},
    {"deja reorder --json solve.deja", "Prints histograms and curves of all orders as JSON."},
    {"deja reorder --long 1000 solve.deja", "Counts reuses with a distance of 1,000 or more as long."},
    {NULL, NULL},
};

const dj_command dj_command_reorder = {
    .name = "reorder",
    .summary = "measure what other orders of the same computation would gain",
    .usage = "[options] -- PROGRAM [arguments] | FILE",
    .description =
        "Executes the recorded statements of a program in other orders that respect all dependences, and "
        "shows how "
        "many long reuses each order has, and which data and code they are in: in the order of reuse, and "
        "with "
        "loops fused. So it shows how much a program could gain if its loops were transformed, and where.\n\n"
        "The program must be annotated (dj_record_statement), or compiled with -g -O0. What follows '--' is "
        "a "
        "program, which is recorded first; a FILE is a recording by 'deja record --statements'.",
    .details = "Data is counted in blocks of 8 bytes, unless -b says otherwise or the program records its "
               "own elements. "
               "Scalars on the stack are like registers and do not count. Code without statements, and "
               "optimized code, "
               "keeps its order.\n\n"
               "The report goes to standard error after a program, and the exit status is the program's, as "
               "for 'deja "
               "run'.",
    .examples = examples,
    .may_run_program = true,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
