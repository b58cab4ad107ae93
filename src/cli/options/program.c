// SPDX-License-Identifier: MIT
#include "cli/options/program.h"
#include "cli/module_notes.h"

#include <stdatomic.h>
#include <stdio.h>

#include "cli/interrupt.h"
#include "cli/options/processes.h"
#include "cli/progress.h"

#define TOOL_OPTION                                                                                          \
    {                                                                                                        \
        "tool", 0, DJ_OPTION_CHOICE | DJ_OPTION_COMMON, offsetof(dj_program_options, tool), "TOOL",          \
            "how to trace the program (default auto). native is for programs built by 'deja cc', "           \
            "annotations for "                                                                               \
            "programs that use <deja/record.h>, valgrind for any program; auto detects which",               \
            dj_tool_names                                                                                    \
    }

#define FOLLOW_OPTION                                                                                        \
    {                                                                                                        \
        "no-follow", 0, DJ_OPTION_UNFLAG | DJ_OPTION_COMMON, offsetof(dj_program_options, follow), NULL,     \
            "ignore the processes that the program starts", NULL                                             \
    }

static const dj_option table[] = {
    TOOL_OPTION,
    FOLLOW_OPTION,
    {"paused", 0, DJ_OPTION_FLAG, offsetof(dj_program_options, paused), NULL,
     "count nothing until deja receives the signal SIGUSR1. Each further signal stops or resumes counting",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static const dj_option recording_table[] = {
    TOOL_OPTION,
    FOLLOW_OPTION,
    {"paused", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, offsetof(dj_program_options, paused), NULL,
     "record nothing until deja receives the signal SIGUSR1. Each further signal stops or resumes recording",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

int dj_program_list_recording(dj_context *context, dj_program_options *options, dj_groups *groups)
{
    options->follow = true;
    return dj_groups_add(context, groups, "Program", recording_table, options);
}

int dj_program_list(dj_context *context, dj_program_options *options, dj_groups *groups)
{
    options->follow = true;
    return dj_groups_add(context, groups, "Program", table, options);
}

const char *dj_program_given(const dj_program_options *o)
{
    return o->tool ? "--tool" : !o->follow ? "--no-follow" : o->paused ? "--paused" : NULL;
}

// Whether the engine runs on a GPU, which the library inside an annotated program does not support.
static bool needs_gpu(const dj_trace_options *trace)
{
    const dj_engine_ops *engine = dj_engine_is_named(trace->engine) ? dj_engine_find(trace->engine) : NULL;
    return engine && engine->find_device;
}

const char *dj_program_find_unsupported(const dj_program_options *options,
                                        const dj_attribute_options *attribute, const dj_trace_options *trace,
                                        const dj_cache_options *caches)
{
    return trace->block                      ? "--block"
           : trace->split || trace->no_split ? "--split"
           : caches->caches                  ? "--caches"
           : needs_gpu(trace)                ? "an --engine on a GPU"
           : attribute->fresh_heap           ? "--fresh-heap"
           : options->paused                 ? "--paused"
                                             : NULL;
}

// Global: the handler of SIGUSR1 sets it.
static atomic_bool paused;

static dj_meter meter; // of the program that runs

static void share_signals(void *user, int process)
{
    (void)user;
    dj_meter_start(&meter);
    dj_interrupt_share(process);
    dj_interrupt_toggle(&paused);
}

static void keep_signals(void *user)
{
    (void)user;
    dj_meter_stop(&meter);
    dj_interrupt_share(0);
}

static bool is_paused(void *user)
{
    (void)user;
    return atomic_load_explicit(&paused, memory_order_relaxed);
}

static void print_note(void *user, const dj_session_note *note)
{
    (void)user;
    dj_meter_hide(&meter);
    dj_processes_note(note);
}

static void show_progress(void *user, const dj_session_progress *progress)
{
    (void)user;
    dj_meter_trace(&meter, progress);
}

dj_session_options dj_program_session(const dj_program_options *options, const dj_arguments *arguments)
{
    atomic_store(&paused, options->paused);
    return (dj_session_options){.arguments = arguments->items,
                                .argument_count = arguments->count,
                                .tool = (enum dj_tool)options->tool,
                                .leave_children = !options->follow,
                                .hooks = {.before_exec = dj_interrupt_restore,
                                          .started = share_signals,
                                          .ended = keep_signals,
                                          .is_paused = is_paused,
                                          .note = print_note,
                                          .progress = show_progress}};
}

int dj_program_fail(dj_context *context, int err, int status)
{
    if (status == DJ_EXIT_FAILED)
        return err;
    dj_output_message("", dj_context_message(context));
    return status;
}

static const dj_profile *main_profile(const dj_session *session)
{
    size_t main = dj_session_main(session);
    return main == SIZE_MAX ? NULL : dj_session_get(session, main).profile;
}

static int print_main(dj_context *context, const dj_program *p, const dj_session *session, dj_output *output)
{
    dj_process_row *others = NULL;
    dj_print_request found = {.profile = main_profile(session)};
    int err = dj_processes_list(context, session, &others, &found.other_count);
    found.others = others;
    if (!err)
        err = p->print(context, p->user, &found, output);
    dj_processes_free(others, found.other_count);
    return err;
}

static int print(dj_context *context, const dj_program *p, const dj_session *session)
{
    dj_output *output = NULL;
    int err = dj_output_open(context, p->output, &output);
    if (!err && output->as_columns)
        err = dj_session_save_columns(context, session, output->file);
    else if (!err && output->json)
        err = dj_session_save(context, session, output->file);
    else if (!err)
        err = print_main(context, p, session, output);
    return dj_output_end(context, err, &output);
}

static bool has_profile(const dj_session *session)
{
    for (size_t i = 0; i < dj_session_count(session); i++)
        if (dj_session_get(session, i).measured)
            return true;
    return false;
}

// A run without accesses is a result, whose JSON lists the processes; columns would be empty, and an old file
// stays as it is.
static int report_nothing(dj_context *context, const dj_program *p, const dj_session *session)
{
    const char *why = is_paused(NULL) ? "counting was never resumed with SIGUSR1"
                                      : "what 'deja cc' compiled makes none; --tool valgrind sees the rest";
    char note[512];
    int err = dj_session_check(context, session);
    if (err)
        return err;
    snprintf(note, sizeof note, "%s: no accesses were traced: %s", p->session.arguments[0], why);
    if (dj_session_note_count(session) == 0)
        dj_output_message("note: ", note);
    return dj_output_is_columns(p->output) ? DJ_OK : print(context, p, session);
}

static int report(dj_context *context, const dj_program *p, const dj_session *session)
{
    int err = has_profile(session) ? print(context, p, session) : report_nothing(context, p, session);
    if (p->output->path || p->output->json)
        dj_note_program(main_profile(session));
    if (err)
        return err;
    dj_processes_notes(session);
    return dj_session_check(context, session);
}

int dj_program_run(dj_context *context, const dj_program *p)
{
    dj_session *session = NULL;
    dj_session_options options = p->session;
    int status;
    options.keep = p->output->json || dj_output_is_columns(p->output) ? DJ_KEEP_PROFILES : DJ_KEEP_COUNTS;
    int err = dj_session_run(context, &options, p->request, &session, &status);
    if (err)
        return dj_program_fail(context, err, status);
    err = report(context, p, session);
    if (err == DJ_ERR_IO && dj_output_reader_left())
        err = DJ_OK; // the program ran as usual
    const int judged = !err && p->judge ? p->judge(context, p->limits, main_profile(session)) : DJ_OK;
    dj_session_destroy(session);
    if (err || judged < 0)
        return err ? err : judged;
    return status ? status : judged;
}
