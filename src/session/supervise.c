// SPDX-License-Identifier: MIT
// Runs a program, assigns a worker to each of its processes, and waits for all of them.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/grow.h"
#include "live/profiles.h"
#include "live/program.h"
#include "live/untraced.h"
#include "session/follow.h"
#include "session/state.h"

enum {
    POLL_MS = 50,             // for a request to stop; rings and ends are noticed at once
    MISSING_CHILD_MS = 2000,  // for a child that has no ring yet
    STATUS_INTERRUPTED = 130, // as shells use for Ctrl-C
};

typedef struct supervision {
    dj_session *session;
    const dj_session_ops *ops;
    dj_tracee *tracee;
    char refused[512]; // why a ring cannot be read, the first such; empty: none
} supervision;

typedef struct assignment {
    dj_worker *worker;
    const dj_session_ops *ops;
} assignment;

static void *work(void *argument)
{
    assignment given = *(assignment *)argument;
    dj_worker *w = given.worker;
    dj_source *source = NULL;
    dj_follower follower = {0};
    const dj_request *request = w->session->request;
    const dj_recording *recording = w->session->recording;
    free(argument);
    w->err = dj_stream_source(w->stream, w->context, &source);
    if (!w->err && (request ? request->places : !recording->threads))
        w->err = dj_follower_create(w, source, request ? request->symbols : NULL, &follower);
    if (!w->err)
        w->err = given.ops->work(w->session, w, follower.source ? follower.source : source);
    dj_follower_destroy(&follower);
    dj_source_close(source);
    dj_stream_detach(w->stream);
    atomic_store(&w->done, true);
    return NULL;
}

// Blocks signals, which are for the caller's threads. SIGBUS is for the thread that caused it (live/guard.h).
static int start_thread(dj_context *context, dj_worker *w, const dj_session_ops *ops)
{
    sigset_t all, old;
    assignment *given = malloc(sizeof *given);
    if (!given)
        return dj_fail_memory(context, "the analysis of a process", sizeof *given);
    *given = (assignment){w, ops};
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = pthread_create(&w->thread, NULL, work, given);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!error)
        return DJ_OK;
    free(given);
    return dj_fail(context, DJ_ERR_MEMORY, "cannot start a thread: %s", strerror(error));
}

// Reserves space in the session, but does not add the worker yet.
static int make_worker(dj_context *context, dj_session *s, dj_worker **made)
{
    dj_worker *w = calloc(1, sizeof *w);
    int err = w ? dj_grow(context, "the analysis of a process", &s->workers, &s->capacity, s->count + 1,
                          sizeof *s->workers)
                : dj_fail_memory(context, "the analysis of a process", sizeof *w);
    if (!err && dj_context_create(&w->context) != DJ_OK)
        err = dj_fail_memory(context, "the analysis of a process", 0);
    if (err) {
        free(w);
        return err;
    }
    w->session = s;
    w->unnamed = -1;
    *made = w;
    return DJ_OK;
}

static bool is_first(const dj_session *s, uint32_t pid)
{
    bool first = true;
    for (size_t i = 0; first && i < s->count; i++)
        first = s->workers[i]->pid != pid;
    return first;
}

static int add_worker(dj_context *context, const supervision *a, const dj_tracee_ring *ring)
{
    dj_session *s = a->session;
    const dj_session_hooks *hooks = &s->options.hooks;
    dj_stream_options options = {.is_paused = hooks->is_paused,
                                 .user = hooks->user,
                                 .bursts = s->options.sample_rate > 0,
                                 .format = dj_tool_names[dj_tracee_tool(a->tracee)]};
    dj_worker *w = NULL;
    int err = make_worker(context, s, &w);
    if (err)
        return err;
    w->pid = ring->pid;
    w->image = ring->image;
    w->root = ring->pid == (uint32_t)dj_tracee_root(a->tracee);
    w->first = is_first(s, ring->pid);
    err = dj_stream_open(context, ring->path, &options, &w->stream);
    if (!err)
        err = start_thread(context, w, a->ops);
    if (err) {
        dj_stream_close(w->stream);
        dj_context_destroy(w->context);
        free(w);
        return err;
    }
    s->workers[s->count++] = w;
    return DJ_OK;
}

// Joins finished threads, so that those of thousands of children do not accumulate.
static bool any_working(dj_session *s)
{
    bool any = false;
    for (size_t i = 0; i < s->count; i++) {
        dj_worker *w = s->workers[i];
        if (!w->joined && atomic_load(&w->done)) {
            pthread_join(w->thread, NULL);
            w->joined = true;
        }
        any = any || !w->joined;
    }
    return any;
}

static void stop_all(dj_session *s)
{
    for (size_t i = 0; i < s->count; i++)
        dj_context_stop(s->workers[i]->context);
    for (size_t i = 0; i < s->count; i++)
        if (!s->workers[i]->joined) {
            pthread_join(s->workers[i]->thread, NULL);
            s->workers[i]->joined = true;
        }
}

// A child may appear after its parent's stream has ended.
static bool any_missing_child(const dj_session *s)
{
    for (size_t i = 0; i < s->count; i++) {
        size_t count;
        const uint32_t *children = dj_stream_children(s->workers[i]->stream, &count);
        for (size_t c = 0; c < count; c++) {
            bool known = kill((pid_t)children[c], 0) != 0;
            for (size_t k = 0; !known && k < s->count; k++)
                known = s->workers[k]->pid == children[c];
            if (!known)
                return true;
        }
    }
    return false;
}

// Any process that knows the folder can put files there: one that cannot be read must not end the analysis of
// the others.
static void refuse(const dj_context *context, supervision *a, const dj_tracee_ring *ring)
{
    dj_tracee_refuse(a->tracee, ring);
    if (a->refused[0])
        return;
    snprintf(a->refused, sizeof a->refused, "process %u is not analyzed: %s", ring->pid,
             dj_context_message(context));
    dj_session_add_missing(a->session, a->refused);
}

static void report_progress(const dj_session *s)
{
    const dj_session_hooks *hooks = &s->options.hooks;
    dj_session_progress progress = {0};
    for (size_t i = 0; i < s->count; i++) {
        const dj_worker *w = s->workers[i];
        progress.accesses += w->stream ? dj_stream_accesses(w->stream) : 0;
        progress.process = w->joined ? progress.process : w->pid;
        progress.running += !w->joined;
    }
    if (hooks->progress)
        hooks->progress(hooks->user, &progress);
}

// Waits until the program and all its children have ended, or the caller stops the session.
static int wait_for_all(dj_context *context, supervision *a)
{
    dj_session *s = a->session;
    dj_tracee_ring ring;
    // Annotations say which threads call, but not which thread of the process each is.
    bool timed = s->recording && s->recording->threads && dj_tracee_tool(a->tracee) != DJ_TOOL_ANNOTATIONS;
    int wait_ms = timed ? DJ_CPU_SAMPLE_MS : POLL_MS, patience = MISSING_CHILD_MS / wait_ms;
    for (bool ended = false;;) {
        if (timed && !ended && dj_cpu_times_sample(&s->times, context, dj_tracee_root(a->tracee)) != DJ_OK)
            dj_cpu_times_free(&s->times); // unknown times are not an error
        ended = dj_tracee_ended(a->tracee, &s->wait_status);
        bool found = dj_tracee_find(a->tracee, wait_ms, &ring);
        int err = found ? add_worker(context, a, &ring) : DJ_OK;
        if (err == DJ_ERR_INPUT || err == DJ_ERR_IO)
            refuse(context, a, &ring);
        else if (err)
            return err;
        if (dj_context_stopped(context)) {
            s->interrupted = true;
            s->running = !dj_tracee_ended(a->tracee, &s->wait_status);
            return DJ_OK;
        }
        bool busy = any_working(s);
        report_progress(s);
        if (!found && ended && !busy &&
            (s->options.leave_children || !any_missing_child(s) || patience-- == 0))
            return DJ_OK;
    }
}

// The images of the root first, then the others, each in order of appearance.
static void put_root_first(dj_session *s)
{
    size_t roots = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->workers[i]->root) {
            dj_worker *w = s->workers[i];
            memmove(s->workers + roots + 1, s->workers + roots, (i - roots) * sizeof *s->workers);
            s->workers[roots++] = w;
        }
}

static int collect(dj_context *context, const supervision *a)
{
    dj_session *s = a->session;
    dj_profile_file *files;
    size_t count;
    uint32_t root = (uint32_t)dj_tracee_root(a->tracee);
    int err = dj_profile_files_list(context, dj_tracee_folder(a->tracee), root, &files, &count);
    for (size_t i = 0; !err && i < count; i++) {
        dj_worker *w = NULL;
        err = make_worker(context, s, &w);
        if (err)
            break;
        s->workers[s->count++] = w;
        w->joined = true;
        w->pid = files[i].pid;
        w->root = files[i].main;
        bool ended = w->pid == root && !s->running;
        w->unstreamed = (dj_stream_info){.pid = w->pid,
                                         .parent = w->pid == root ? (uint32_t)getpid() : 0,
                                         .message = "",
                                         .status = ended ? s->wait_status : DJ_END_UNKNOWN};
        w->err = a->ops->collect(s, w, files[i].path);
    }
    free(files);
    return err;
}

static void explain_end(const supervision *a)
{
    char why[512]; // the first of them
    int status = a->session->wait_status, number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    bool crashed = number == SIGILL || number == SIGABRT || number == SIGSEGV || number == SIGKILL;
    if (crashed && dj_tracee_explain(a->tracee, (uint32_t)dj_tracee_root(a->tracee), why, sizeof why))
        dj_session_add_note(a->session, true, true, "%s: %s", a->session->options.arguments[0], why);
}

static int find_status(const dj_session *s)
{
    if (s->interrupted && s->running)
        return STATUS_INTERRUPTED;
    return WIFSIGNALED(s->wait_status) ? 128 + WTERMSIG(s->wait_status) : WEXITSTATUS(s->wait_status);
}

static int supervise(dj_context *context, supervision *a)
{
    dj_session *s = a->session;
    const dj_session_hooks *hooks = &s->options.hooks;
    if (dj_tracee_sees_library(a->tracee))
        dj_session_add_note(s, true, false,
                            "%s was built by 'deja cc': Valgrind also counts the instrumentation; --tool "
                            "native does not",
                            s->options.arguments[0]);
    if (hooks->started)
        hooks->started(hooks->user, dj_tracee_root(a->tracee));
    int err = wait_for_all(context, a);
    if (err || s->interrupted)
        stop_all(s);
    if (hooks->ended)
        hooks->ended(hooks->user);
    if (!err && a->ops->collect && dj_tracee_tool(a->tracee) == DJ_TOOL_ANNOTATIONS)
        err = collect(context, a);
    char untraced[512];
    if (!err && s->count && dj_untraced_explain(dj_tracee_folder(a->tracee), untraced, sizeof untraced))
        dj_session_add_missing(s, untraced);
    put_root_first(s);
    return err;
}

int dj_session_supervise(dj_context *context, dj_session *s, const dj_session_ops *ops, int *status)
{
    const dj_session_options *o = &s->options;
    dj_launch launch = {.arguments = o->arguments,
                        .count = o->argument_count,
                        .tool = o->tool,
                        .profiles = ops->collect != NULL,
                        .settings = s->settings,
                        .unfit = o->not_for_annotations,
                        .rate = o->sample_rate,
                        .seed = o->sample_seed,
                        .budget = o->budget,
                        .follow = !o->leave_children,
                        .before_exec = o->hooks.before_exec};
    supervision a = {.session = s, .ops = ops};
    int err = dj_tracee_start(context, &launch, &a.tracee, status);
    if (err)
        return err;
    *status = DJ_STATUS_FAILED;
    err = supervise(context, &a);
    int ended = find_status(s);
    s->ended = !err && !s->running;
    if (!err && s->count == 0 && !s->interrupted) {
        err = a.refused[0] ? dj_fail(context, DJ_ERR_INPUT, "%s", a.refused)
                           : dj_tracee_fail_untraced(a.tracee, context, o->arguments[0]);
        // The program did run, and its status matters more to the caller.
        if ((a.refused[0] || dj_tracee_tool(a.tracee) != DJ_TOOL_VALGRIND) && ended != 0)
            *status = ended;
    }
    if (!err)
        *status = ended;
    if (!err && !s->interrupted)
        explain_end(&a);
    dj_tracee_end(a.tracee);
    return err;
}
