// SPDX-License-Identifier: MIT
// deja record: record the memory accesses of a program for later analysis.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/ending.h"
#include "base/plain.h"
#include "cli/options/processes.h"
#include "cli/options/program.h"

typedef struct options {
    const char *path;
    dj_program_options program;
    bool statements;
} options;

static const dj_option table[] = {
    {"output", 'o', DJ_OPTION_TEXT | DJ_OPTION_COMMON | DJ_OPTION_FILE, offsetof(options, path), "FILE",
     "the recording (default deja.out.deja). Other processes go to files with their number before the "
     "ending. "
     "An existing FILE is replaced when the program starts; its owner, group and "
     "permissions are kept",
     NULL},
    {"statements", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, offsetof(options, statements), NULL,
     "record each element once per instance of a statement, and where instances begin", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    int err = dj_groups_add(context, groups, "Recording", table, o);
    return err ? err : dj_program_list_recording(context, &o->program, groups);
}

static int summarize(dj_context *context, const dj_session *session)
{
    for (size_t i = 0; i < dj_session_count(session); i++) {
        dj_process p = dj_session_get(session, i);
        const bool known = p.status >= 0, signaled = known && WIFSIGNALED(p.status);
        char end[DJ_END_BYTES];
        if (p.err)
            continue;
        dj_plain_print(stderr, p.trace, true);
        fputs(": ", stderr);
        dj_plain_print(stderr, p.command, true);
        fprintf(stderr, ": %" PRIu64 " accesses, %.3f bytes per access%s%s\n", p.recorded.accesses,
                p.recorded.accesses ? (double)p.recorded.bytes / (double)p.recorded.accesses : 0,
                signaled ? ", " : "",
                signaled    ? dj_describe_signal(p.status, end)
                : !p.killed ? ""
                : known     ? ", ended without notice"
                            : ", killed");
        if (*p.statements) {
            dj_plain_print(stderr, p.trace, true);
            fprintf(stderr, ": statements: %s\n", p.statements);
        }
    }
    dj_processes_notes(session);
    return dj_session_check(context, session);
}

static int check(dj_context *context, const options *o, const dj_arguments *arguments)
{
    if (arguments->count == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "no program given; name one, as in 'deja record -o FILE -- ./program arguments'");
    if (strcmp(o->path, "-") == 0)
        return dj_fail(context, DJ_ERR_USAGE, "-o -: standard output belongs to the program; name a file");
    return DJ_OK;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    options *o = values;
    dj_session *session = NULL;
    int status;
    if (!o->path)
        o->path = "deja.out.deja";
    int err = check(context, o, arguments);
    if (err)
        return err;
    const dj_session_options session_options = dj_program_session(&o->program, arguments);
    const dj_recording recording = {
        .path = o->path, .statements = o->statements, .command = arguments->command_line};
    err = dj_session_record(context, &session_options, &recording, &session, &status);
    if (err)
        return dj_program_fail(context, err, status);
    err = summarize(context, session);
    dj_session_destroy(session);
    return err ? err : status;
}

static const dj_example examples[] = {
    {"deja record -o app.deja -- ./app input", "Records a program, for 'deja analyze app.deja'."},
    {"deja record -o build.deja -- make", "Writes build.deja for make and build.PID.deja for each child."},
    {NULL, NULL},
};

const dj_command dj_command_record = {
    .name = "record",
    .summary = "record the memory accesses of a program",
    .usage = "[options] -o FILE -- PROGRAM [arguments]",
    .description = "Runs a program as 'deja run' does, and writes its accesses, calls and allocations to a "
                   "file, in Deja's "
                   "own compressed format. 'deja analyze', 'deja mrc' and the other verbs read it.",
    .details =
        "Of a program that is annotated with <deja/record.h>, the accesses are those to elements that its "
        "annotations report, unless 'deja cc' built it or --tool names another way. All verbs that read "
        "traces "
        "then count elements.\n\n"
        "Each process that the program starts gets a separate file, with its process number before the "
        "ending: "
        "out.deja, out.1234.deja. If the process replaced itself by exec, the number of programs that it ran "
        "before follows: out.1234-1.deja. The files are written while the program runs, and can be read even "
        "if the program or deja is killed.\n\n"
        "Ctrl-C, signals and the exit status are as for 'deja run'.",
    .examples = examples,
    .runs_program = true,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
