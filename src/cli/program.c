// SPDX-License-Identifier: MIT
#include "cli/program.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/collected.h"
#include "cli/processes.h"
#include "cli/shelf.h"

static const dj_option table[] = {
    {"tool", 0, DJ_OPTION_CHOICE, offsetof(dj_program_options, tool), "TOOL",
     "what traces it: valgrind any program, native what 'deja cc' has built, annotations what records its "
     "data by <deja/record.h> (default: as it was built)",
     dj_tool_names},
    {"no-follow", 0, DJ_OPTION_UNFLAG, offsetof(dj_program_options, follow), NULL,
     "leave out the processes that the program starts", NULL},
    {"paused", 0, DJ_OPTION_FLAG, offsetof(dj_program_options, paused), NULL,
     "count no accesses until deja gets the signal SIGUSR1; each further one stops or resumes counting",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

int dj_program_list(dj_context *context, dj_program_options *options, dj_groups *groups)
{
    options->follow = true;
    return dj_groups_add(context, groups, "Program", table, options);
}

const dj_source_info *dj_program_info(void)
{
    static const dj_source_info live = {.format = "live",
                                        .kind = DJ_CLASS_MEMORY,
                                        .default_block = 64,
                                        .unit_bytes = 1,
                                        .columns = DJ_COLUMN_SIZE | DJ_COLUMN_SITE | DJ_COLUMN_KIND,
                                        .tells = DJ_COLUMN_THREAD};
    return &live;
}

static int next_of_nothing(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    (void)state, (void)context, (void)pool;
    *out = NULL;
    return DJ_OK;
}

// A program may run for hours: what cannot be measured must be known before, as by measuring one that
// does nothing.
static int rehearse(dj_context *context, const dj_program *p)
{
    static const dj_source_ops ops = {.next = next_of_nothing};
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    int err = dj_source_create(context, &ops, NULL, dj_program_info(), &source);
    const dj_measurement begun = {.source = source,
                                  .inputs = p->arguments->items,
                                  .input_count = 1,
                                  .command_line = p->arguments->command_line};
    if (!err)
        err = p->measure(context, p, &begun, true, &profile);
    dj_profile_destroy(profile);
    dj_source_close(source);
    return err == DJ_ERR_INPUT ? DJ_OK : err; // there are no accesses
}

typedef struct analysis {
    const dj_program *program;
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
    const dj_program *p = a->program;
    // Of other processes the text has sums alone.
    bool places = worker->root || a->shelf.json || dj_attribute_is_needed(p->attribute);
    const dj_measurement begun = {.source = source,
                                  .inputs = p->arguments->items,
                                  .input_count = 1,
                                  .command_line = p->arguments->command_line,
                                  .ahead = true,
                                  .after_reading = let_go,
                                  .user = worker->stream};
    dj_profile *profile = NULL;
    int err = p->measure(worker->context, p, &begun, places, &profile);
    int kept = profile ? dj_shelf_keep(&a->shelf, worker, profile) : DJ_OK;
    return err ? err : kept;
}

static int print_root(dj_context *context, const dj_program *p, const dj_outcome *outcome, dj_output *output)
{
    const dj_worker *root = dj_processes_main(outcome);
    const dj_profile *profile = root ? dj_processes_profile(root) : NULL;
    int err = profile ? p->print(context, p, profile, output) : DJ_OK;
    if (!err && p->text)
        dj_processes_print(outcome, root, output->file);
    return err;
}

static int print(dj_context *context, const analysis *a, const dj_outcome *outcome)
{
    dj_output *output = NULL;
    int err = dj_output_open(context, a->program->output, &output);
    if (!err && output->json)
        err = dj_processes_save(context, outcome, &a->shelf, output->file);
    else if (!err)
        err = print_root(context, a->program, outcome, output);
    if (!err || (err == DJ_ERR_IO && output)) // the output knows best what failed
        err = dj_output_close(context, &output);
    dj_output_discard(&output);
    return err;
}

static int report(dj_context *context, const analysis *a, const dj_outcome *outcome)
{
    int err = print(context, a, outcome);
    if (a->program->output->path || a->program->output->json)
        dj_processes_advise(outcome);
    return err ? err : dj_processes_complain(context, outcome);
}

int dj_program_run(dj_context *context, const dj_program *p)
{
    atomic_bool paused;
    analysis user = {.program = p, .shelf = {.json = p->output->json ? p->json : NULL}};
    char *settings = NULL;
    dj_job job = {.program = p->arguments->items,
                  .program_count = p->arguments->count,
                  .tool = (enum dj_tool)p->options->tool,
                  .follow = p->options->follow,
                  .collect = collect,
                  .unfit = p->unfit,
                  .paused = &paused,
                  .work = analyze,
                  .user = &user};
    dj_outcome outcome = {0};
    int status = DJ_EXIT_FAILED;
    atomic_init(&paused, p->options->paused);
    int err = rehearse(context, p);
    if (!err)
        err = dj_collected_settings(context, p->attribute, p->reading, p->settings, &settings);
    if (err)
        return err;
    job.settings = settings;
    dj_shelf_open(&user.shelf);
    err = dj_live_run(context, &job, &outcome, &status);
    free(settings);
    if (!err) {
        err = report(context, &user, &outcome);
        status = dj_live_status(&outcome);
    } else if (status != DJ_EXIT_FAILED) {
        fprintf(stderr, "deja: %s\n", dj_context_message(context));
        err = DJ_OK;
    }
    dj_shelf_close(&user.shelf, &outcome);
    dj_outcome_free(&outcome);
    return err ? err : status;
}
