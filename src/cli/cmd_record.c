// SPDX-License-Identifier: MIT
// deja record: keeps what a program does to memory, to be analyzed later.
#include <deja/sink.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/live.h"
#include "locate/statements.h"

typedef struct options {
    const char *path;
    int tool; // enum dj_tool
    bool follow;
    bool paused;
    bool statements;
} options;

static const dj_option table[] = {
    {"output", 'o', DJ_OPTION_TEXT, offsetof(options, path), "FILE",
     "the trace to write (default deja.out.deja); other processes go to files with their number before the "
     "ending",
     NULL},
    {"tool", 0, DJ_OPTION_CHOICE, offsetof(options, tool), "TOOL",
     "what traces it: valgrind any program, native what 'deja cc' has built (default: as it was built)",
     dj_tool_names},
    {"no-follow", 0, DJ_OPTION_UNFLAG, offsetof(options, follow), NULL,
     "leave out the processes that the program starts", NULL},
    {"paused", 0, DJ_OPTION_FLAG, offsetof(options, paused), NULL,
     "record no accesses until deja gets the signal SIGUSR1; each further one stops or resumes recording",
     NULL},
    {"statements", 0, DJ_OPTION_FLAG, offsetof(options, statements), NULL,
     "record each element once in each instance of a statement, and where instances begin", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    o->follow = true;
    return dj_groups_add(context, groups, "Recording", table, o);
}

typedef struct recording {
    const options *options;
    const dj_arguments *arguments;
} recording;

// What a worker leaves behind.
typedef struct trace {
    char *path;
    dj_sink_stats stats;
    char statements[256]; // how they were told apart
} trace;

// out.deja, and for other processes out.1234.deja, out.1234-1.deja after an exec.
static char *name_file(const dj_worker *w, const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && dot != path && (!slash || dot > slash + 1) ? (size_t)(dot - path) : strlen(path);
    char *name = NULL;
    int got;
    if (w->root && w->image == 0)
        return strdup(path);
    if (w->image == 0)
        got = asprintf(&name, "%.*s.%u%s", (int)stem, path, w->pid, path + stem);
    else
        got = asprintf(&name, "%.*s.%u-%u%s", (int)stem, path, w->pid, w->image, path + stem);
    return got < 0 ? NULL : name;
}

static int copy(dj_worker *w, dj_source *source, dj_sink *sink)
{
    dj_batch *batch = NULL;
    int err;
    do {
        err = dj_source_next(source, w->context, &batch);
        if (!err && batch)
            err = dj_sink_write(sink, w->context, batch);
        dj_batch_release(batch);
        if (!err && batch && dj_context_stopped(w->context))
            err = dj_fail(w->context, DJ_ERR_STOPPED, "interrupted");
    } while (!err && batch);
    return err;
}

static int write_trace(dj_worker *w, dj_source *source, trace *t, FILE *file)
{
    const recording *r = w->job->user;
    dj_sink_output to = dj_sink_output_file(file);
    dj_sink_options settings = {.provenance = r->arguments->command_line};
    dj_sink *sink = NULL;
    int err = dj_sink_create(w->context, "deja", &to, dj_source_get_info(source), &settings, &sink);
    if (err)
        return err;
    int outcome = copy(w, source, sink);
    // A program that was killed leaves a whole trace of what it did before.
    err = outcome == DJ_ERR_INPUT || outcome == DJ_ERR_STOPPED ? DJ_OK : outcome;
    if (!err)
        err = dj_sink_finish(sink, w->context);
    dj_sink_get_stats(sink, &t->stats);
    dj_sink_destroy(sink);
    return err;
}

static int write_statements(dj_worker *w, dj_source *source, trace *t, FILE *file)
{
    dj_symbols *symbols = NULL;
    dj_statements *statements = NULL;
    dj_source *merged = NULL;
    int err = dj_symbols_create(w->context, &symbols);
    if (!err)
        err = dj_statements_create(
            w->context, &(dj_statements_options){.lookup = dj_lookup_symbols(symbols), .mark = true},
            &statements);
    if (!err)
        err = dj_statements_source(w->context, statements, source, &merged);
    if (!err)
        err = write_trace(w, merged, t, file);
    if (!err)
        err = dj_statements_describe(statements, w->context, NULL, t->statements, sizeof t->statements);
    dj_source_close(merged);
    dj_statements_destroy(statements);
    dj_symbols_destroy(symbols);
    return err;
}

// Written in place and flushed frame by frame, so that even the death of this
// process leaves a trace that can be read.
static int record(dj_worker *w, dj_source *source)
{
    const recording *r = w->job->user;
    trace *t = calloc(1, sizeof *t);
    w->result = t;
    if (t)
        t->path = name_file(w, r->options->path);
    if (!t || !t->path)
        return dj_fail_memory(w->context, "a file name", 0);
    FILE *file = fopen(t->path, "we");
    if (!file)
        return dj_fail(w->context, DJ_ERR_IO, "cannot write to %s: %s", t->path, strerror(errno));
    int err = r->options->statements ? write_statements(w, source, t, file) : write_trace(w, source, t, file);
    if (err == DJ_ERR_IO)
        err = dj_fail_within(w->context, err, "%s", t->path);
    if (fclose(file) != 0 && !err)
        err = dj_fail(w->context, DJ_ERR_IO, "cannot write to %s: %s", t->path, strerror(errno));
    return err;
}

static int summarize(dj_context *context, const dj_outcome *outcome)
{
    int worst = DJ_OK;
    for (size_t i = 0; i < outcome->count; i++) {
        const dj_worker *w = outcome->workers[i];
        const trace *t = w->result;
        dj_stream_info info = dj_worker_info(w);
        if (w->err) {
            worst =
                dj_fail(context, (enum dj_err)w->err, "%s: %s", info.command, dj_context_message(w->context));
            continue;
        }
        fprintf(stderr, "%s: %s: %" PRIu64 " accesses, %.3f bytes per access%s\n", t->path, info.command,
                t->stats.accesses, t->stats.accesses ? (double)t->stats.bytes / (double)t->stats.accesses : 0,
                info.killed ? " (killed)" : "");
        if (*t->statements)
            fprintf(stderr, "%s: statements: %s\n", t->path, t->statements);
    }
    return worst;
}

static int check(dj_context *context, const options *o, const dj_arguments *arguments)
{
    if (arguments->count == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "no program given, as in 'deja record -o FILE -- ./program arguments'");
    if (strcmp(o->path, "-") == 0)
        return dj_fail(context, DJ_ERR_USAGE, "-o -: standard output is the program's; name a file");
    FILE *file = fopen(o->path, "ae");
    if (!file)
        return dj_fail(context, DJ_ERR_IO, "cannot write to %s: %s", o->path, strerror(errno));
    fclose(file);
    return DJ_OK;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    options *o = values;
    atomic_bool paused;
    recording user = {.options = o, .arguments = arguments};
    dj_job job = {.program = arguments->items,
                  .program_count = arguments->count,
                  .tool = (enum dj_tool)o->tool,
                  .follow = o->follow,
                  .paused = &paused,
                  .work = record,
                  .user = &user};
    dj_outcome outcome = {0};
    int status = DJ_EXIT_FAILED;
    atomic_init(&paused, o->paused);
    if (!o->path)
        o->path = "deja.out.deja";
    int err = check(context, o, arguments);
    if (!err)
        err = dj_live_run(context, &job, &outcome, &status);
    if (err && status != DJ_EXIT_FAILED) {
        fprintf(stderr, "deja: %s\n", dj_context_message(context));
        return status;
    }
    if (!err)
        err = summarize(context, &outcome);
    status = err ? status : dj_live_status(&outcome);
    for (size_t i = 0; i < outcome.count; i++) {
        trace *t = outcome.workers[i]->result;
        free(t ? t->path : NULL);
        free(t);
    }
    dj_outcome_free(&outcome);
    return err ? err : status;
}

static const dj_example examples[] = {
    {"deja record -o app.deja -- ./app input", "Records a program; 'deja analyze app.deja' analyzes it."},
    {"deja record -o build.deja -- make", "Writes build.deja for make and build.PID.deja for each child."},
    {NULL, NULL},
};

const dj_command dj_command_record = {
    .name = "record",
    .summary = "record the memory accesses of a program",
    .usage = "[options] -o FILE -- PROGRAM [arguments]",
    .description =
        "Runs a program as 'deja run' does, and writes its accesses, calls and allocations to a file in "
        "Deja's own stream, compressed. 'deja analyze', 'deja mrc' and the others read it.\n\n"
        "Each process that the program starts gets a file of its own, with its number before the ending: "
        "out.deja, out.1234.deja; after a number of programs that it has run before, by exec, "
        "out.1234-1.deja. The files are written as the program runs and can be read even when the program "
        "or deja was killed.\n\n"
        "Ctrl-C, signals and the exit status are as with 'deja run'.",
    .examples = examples,
    .runs_program = true,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
