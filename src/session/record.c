// SPDX-License-Identifier: MIT
// Records the processes of a program while they run, one trace each.
#include <deja/sharers.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/target.h"
#include "base/tracers.h"
#include "base/unnamed.h"
#include "live/program.h"
#include "locate/statements.h"
#include "session/state.h"

// out.deja, and for other processes out.1234.deja, or out.1234-1.deja after an exec of a recorded program.
static char *name_file(const dj_worker *w, const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && dot != path && (!slash || dot > slash + 1) ? (size_t)(dot - path) : strlen(path);
    char *name = NULL;
    int got;
    if (w->root && w->first)
        return strdup(path);
    if (w->first)
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
    dj_statements_options options = {.mark = true};
    int err = dj_symbols_create(w->context, &(dj_symbols_options){.helped = true}, &symbols);
    if (!err && !dj_tracer_counts_elements(dj_source_get_info(source)))
        options.lookup = dj_lookup_symbols(symbols);
    if (!err)
        err = dj_statements_create(w->context, &options, &statements);
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

static int fail_unnamed(dj_worker *w, const char *why)
{
    return dj_fail(w->context, DJ_ERR_IO,
                   "cannot write a temporary recording: %s; set TMPDIR to a folder with more space, or name "
                   "a file for the recording",
                   why);
}

static int finish(dj_worker *w, FILE *file, int err)
{
    char why[512];
    snprintf(why, sizeof why, "%s", dj_context_message(w->context));
    if (err == DJ_ERR_IO)
        err = w->unnamed >= 0 ? fail_unnamed(w, why) : dj_fail_within(w->context, err, "%s", w->trace);
    if (fclose(file) != 0 && !err)
        err = w->unnamed >= 0
                  ? fail_unnamed(w, strerror(errno))
                  : dj_fail(w->context, DJ_ERR_IO, "cannot write to %s: %s", w->trace, strerror(errno));
    return err;
}

// The descriptor stays open, and is the name of the file.
static int open_unnamed(dj_worker *w, FILE **out)
{
    int fd = dj_unnamed_file();
    if (fd < 0)
        return fail_unnamed(w, strerror(errno));
    w->unnamed = fd;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    *out = copy < 0 ? NULL : fdopen(copy, "w");
    if (!*out) {
        int fault = errno;
        if (copy >= 0)
            close(copy);
        return fail_unnamed(w, strerror(fault));
    }
    return asprintf(&w->trace, "/proc/self/fd/%d", fd) < 0 ? dj_fail_memory(w->context, "a file name", 0)
                                                           : DJ_OK;
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

static int keep_threads(dj_worker *w, const dj_source *source)
{
    size_t count;
    const dj_sharer *threads = dj_source_sharers(source, &count);
    w->threads = calloc(count + 1, sizeof *w->threads);
    if (!w->threads)
        return dj_fail_memory(w->context, "the threads of a program", 0);
    w->thread_count = count;
    for (size_t i = 0; i < count; i++)
        w->threads[i] = (dj_thread_work){.thread = threads[i].thread, .accesses = threads[i].accesses};
    return DJ_OK;
}

// Passes everything through a source that counts the accesses of each thread.
static int write_threads(dj_session *s, dj_worker *w, FILE *file)
{
    dj_source *source = NULL, *counted = NULL;
    int err = dj_stream_source(w->stream, w->context, &source); // another one: the next call closes it
    if (!err)
        err = dj_source_interleave_threads(w->context, source, NULL, &counted);
    if (!err)
        err = write_trace(s, w, counted, file);
    if (!err)
        err = keep_threads(w, counted);
    dj_source_close(counted);
    return err;
}

// Of a process that is not recorded, which continues untraced.
static int learn_command(dj_worker *w, dj_source *source)
{
    dj_batch *first = NULL;
    int err = dj_source_next(source, w->context, &first);
    dj_batch_release(first);
    return err == DJ_ERR_INPUT || err == DJ_ERR_STOPPED ? DJ_OK : err;
}

static int open_file(dj_session *s, dj_worker *w, FILE **out)
{
    if (!s->recording->path)
        return open_unnamed(w, out);
    w->trace = name_file(w, s->recording->path);
    return w->trace ? open_trace(w, out) : dj_fail_memory(w->context, "a file name", 0);
}

static int record(dj_session *s, dj_worker *w, dj_source *source)
{
    FILE *file = NULL;
    if (!s->recording->path && !w->root)
        return learn_command(w, source);
    int err = open_file(s, w, &file);
    if (!err)
        err = s->recording->threads      ? write_threads(s, w, file)
              : s->recording->statements ? write_statements(s, w, source, file)
                                         : write_trace(s, w, source, file);
    return file ? finish(w, file, err) : err;
}

// Threads are numbered in the order of their creation. If some were not sampled, none is known.
static void add_times(const dj_session *s, dj_worker *w)
{
    uint64_t last = 0;
    for (size_t i = 0; i < w->thread_count; i++)
        last = w->threads[i].thread > last ? w->threads[i].thread : last;
    for (size_t i = 0; last == s->times.count && i < w->thread_count; i++)
        w->threads[i].cpu_seconds = (double)s->times.threads[w->threads[i].thread - 1].ns / 1e9;
}

static void report_problem(dj_session *s, dj_worker *w)
{
    dj_stream_info info = dj_worker_info(w);
    dj_session_add_message(s, w);
    if (w->err || (w->root && info.broken && info.accesses == 0)) {
        w->err = w->err ? w->err : DJ_ERR_INPUT;
        s->failed = w;
    } else if (info.broken) {
        dj_session_add_note(s, false, true, "%s: the recording is partial: %s",
                            w->unnamed >= 0 ? info.command : w->trace, dj_context_message(w->context));
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
    if (!err && recording->path)
        err = dj_target_check(context, recording->path); // before the program runs for hours
    if (!err) {
        s->recording = recording;
        err = dj_session_supervise(context, s, &ops, exit_status);
        s->recording = NULL;
    }
    for (size_t i = 0; !err && i < s->count; i++)
        report_problem(s, s->workers[i]);
    if (!err && dj_session_main(s) != SIZE_MAX)
        add_times(s, s->workers[dj_session_main(s)]);
    if (err)
        dj_session_destroy(s);
    else
        *out = s;
    return err;
}
