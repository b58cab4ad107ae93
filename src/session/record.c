// SPDX-License-Identifier: MIT
// Records the processes of a program while they run, one trace each.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/target.h"
#include "live/program.h"
#include "locate/statements.h"
#include "session/state.h"

// out.deja, and for other processes out.1234.deja, or out.1234-1.deja after an exec.
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

static int write_trace(dj_session *s, dj_worker *w, dj_source *source, FILE *file)
{
    dj_sink_output to = dj_sink_output_file(file);
    dj_sink_options settings = {.provenance = s->recording->command};
    dj_sink *sink = NULL;
    int err = dj_sink_create(w->context, "deja", &to, dj_source_get_info(source), &settings, &sink);
    if (err)
        return err;
    int outcome = dj_sink_copy(sink, w->context, source, NULL, NULL);
    // A killed program leaves a complete trace of what it did before.
    err = outcome == DJ_ERR_INPUT || outcome == DJ_ERR_STOPPED ? DJ_OK : outcome;
    // One whose end could not be read leaves a trace without an end, which every reader calls cut short.
    if (!err && outcome == DJ_ERR_INPUT && dj_worker_info(w).broken)
        err = dj_sink_leave(sink, w->context);
    else if (!err)
        err = dj_sink_finish(sink, w->context);
    dj_sink_get_stats(sink, &w->stats);
    dj_sink_destroy(sink);
    return err;
}

static int write_statements(dj_session *s, dj_worker *w, dj_source *source, FILE *file)
{
    dj_symbols *symbols = NULL;
    dj_statements *statements = NULL;
    dj_source *merged = NULL;
    int err = dj_symbols_create(w->context, &(dj_symbols_options){.helped = true}, &symbols);
    if (!err)
        err = dj_statements_create(
            w->context, &(dj_statements_options){.lookup = dj_lookup_symbols(symbols), .mark = true},
            &statements);
    if (!err)
        err = dj_statements_source(w->context, statements, source, &merged);
    if (!err)
        err = write_trace(s, w, merged, file);
    if (!err)
        err = dj_symbols_check(symbols, w->context);
    if (!err && dj_symbols_fault(symbols))
        err = dj_fail(w->context, DJ_ERR_MEMORY, "--statements needs the program's symbols; %s",
                      dj_symbols_fault(symbols));
    if (!err)
        err = dj_statements_describe(statements, w->context, NULL, w->statements, sizeof w->statements);
    dj_source_close(merged);
    dj_statements_destroy(statements);
    dj_symbols_destroy(symbols);
    return err;
}

static int finish(dj_worker *w, FILE *file, int err)
{
    if (err == DJ_ERR_IO)
        err = dj_fail_within(w->context, err, "%s", w->trace);
    if (fclose(file) != 0 && !err)
        err = dj_fail(w->context, DJ_ERR_IO, "cannot write to %s: %s", w->trace, strerror(errno));
    return err;
}

// The file has its name from the start and is flushed after each frame, so that the trace is readable even
// if this process dies.
static int open_trace(dj_worker *w, FILE **out)
{
    dj_target target;
    int err = dj_target_open(w->context, w->trace, &target);
    if (err)
        return err;
    int fault = dj_target_place(&target);
    *out = fault ? NULL : fdopen(target.fd, "w");
    if (*out)
        target.fd = -1;
    else
        err = dj_fail(w->context, DJ_ERR_IO, "cannot write to %s: %s", w->trace,
                      strerror(fault ? fault : errno));
    dj_target_discard(&target);
    return err;
}

static int record(dj_session *s, dj_worker *w, dj_source *source)
{
    FILE *file = NULL;
    w->trace = name_file(w, s->recording->path);
    if (!w->trace)
        return dj_fail_memory(w->context, "a file name", 0);
    int err = open_trace(w, &file);
    if (err)
        return err;
    err = s->recording->statements ? write_statements(s, w, source, file) : write_trace(s, w, source, file);
    return finish(w, file, err);
}

static void report_problem(dj_session *s, dj_worker *w)
{
    dj_stream_info info = dj_worker_info(w);
    if (w->err || (w->root && info.broken && info.accesses == 0)) {
        w->err = w->err ? w->err : DJ_ERR_INPUT;
        s->failed = w;
    } else if (info.broken) {
        dj_session_add_note(s, false, true, "%s: the recording is partial: %s", w->trace,
                            dj_context_message(w->context));
    }
}

int dj_session_record(dj_context *context, const dj_session_options *options, const dj_recording *recording,
                      dj_session **out, int *status)
{
    static const dj_session_ops ops = {.work = record};
    dj_session *s = NULL;
    int ignored = 0;
    int *exit_status = status ? status : &ignored;
    *exit_status = DJ_STATUS_FAILED;
    int err = dj_session_create(context, options, &s);
    if (!err)
        err = dj_target_check(context, recording->path); // before the program runs for hours
    if (!err) {
        s->recording = recording;
        err = dj_session_supervise(context, s, &ops, exit_status);
        s->recording = NULL;
    }
    for (size_t i = 0; !err && i < s->count; i++)
        report_problem(s, s->workers[i]);
    if (err)
        dj_session_destroy(s);
    else
        *out = s;
    return err;
}
