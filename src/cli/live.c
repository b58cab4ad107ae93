// SPDX-License-Identifier: MIT
#include "cli/live.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "live/profiles.h"
#include "live/program.h"

// A ring or an end is told at once; this is how often a second Ctrl-C is looked for.
enum { POLL_MS = 50 };

static void *work(void *argument)
{
    dj_worker *w = argument;
    dj_source *source = NULL;
    w->err = dj_stream_source(w->stream, w->context, &source);
    if (!w->err)
        w->err = w->job->work(w, source);
    dj_source_close(source);
    dj_stream_detach(w->stream);
    atomic_store(&w->done, true);
    return NULL;
}

static void free_worker(dj_worker *w)
{
    dj_stream_close(w->stream);
    dj_context_destroy(w->context);
    free(w->command);
    free(w);
}

// Signals are for the first thread alone.
static int start_thread(dj_worker *w)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = pthread_create(&w->thread, NULL, work, w);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error;
}

// There is room for it in the outcome, but it is not there yet.
static int make_worker(dj_context *context, const dj_job *job, dj_outcome *out, dj_worker **made)
{
    dj_worker **grown = realloc(out->workers, (out->count + 1) * sizeof *grown);
    dj_worker *w = calloc(1, sizeof *w);
    if (grown)
        out->workers = grown;
    if (!grown || !w || dj_context_create(&w->context) != DJ_OK) {
        free(w);
        return dj_fail_memory(context, "the analysis of a process", 0);
    }
    w->job = job;
    *made = w;
    return DJ_OK;
}

static int add_worker(dj_context *context, const dj_job *job, dj_outcome *out, const dj_session *session,
                      const dj_session_ring *ring)
{
    dj_stream_options options = {.paused = job->paused, .format = dj_tool_names[dj_session_tool(session)]};
    dj_worker *w = NULL;
    int err = make_worker(context, job, out, &w);
    if (err)
        return err;
    w->pid = ring->pid;
    w->image = ring->image;
    w->root = ring->pid == (uint32_t)dj_session_root(session);
    err = dj_stream_open(context, ring->path, &options, &w->stream);
    int error = err ? 0 : start_thread(w);
    if (error)
        err = dj_fail(context, DJ_ERR_MEMORY, "cannot start a thread: %s", strerror(error));
    if (err) {
        free_worker(w);
        return err;
    }
    out->workers[out->count++] = w;
    return DJ_OK;
}

// Joins those that are done, so that thousands of children do not pile up.
static bool any_at_work(dj_outcome *out)
{
    bool any = false;
    for (size_t i = 0; i < out->count; i++) {
        dj_worker *w = out->workers[i];
        if (!w->joined && atomic_load(&w->done)) {
            pthread_join(w->thread, NULL);
            w->joined = true;
        }
        any = any || !w->joined;
    }
    return any;
}

static void stop_all(dj_outcome *out)
{
    for (size_t i = 0; i < out->count; i++)
        dj_context_stop(out->workers[i]->context);
    for (size_t i = 0; i < out->count; i++)
        if (!out->workers[i]->joined) {
            pthread_join(out->workers[i]->thread, NULL);
            out->workers[i]->joined = true;
        }
}

// A child may have been born when its parent's stream had already ended.
static bool any_unborn(const dj_outcome *out)
{
    for (size_t i = 0; i < out->count; i++) {
        size_t count;
        const uint32_t *children = dj_stream_children(out->workers[i]->stream, &count);
        for (size_t c = 0; c < count; c++) {
            bool known = kill((pid_t)children[c], 0) != 0;
            for (size_t k = 0; !known && k < out->count; k++)
                known = out->workers[k]->pid == children[c];
            if (!known)
                return true;
        }
    }
    return false;
}

// Until the program and all its children have ended, or the user has had enough.
static int attend(dj_context *context, const dj_job *job, dj_session *session, dj_outcome *out)
{
    dj_session_ring ring;
    int patience = 2000 / POLL_MS;
    for (;;) {
        bool ended = dj_session_ended(session, &out->wait_status);
        bool found = dj_session_find(session, POLL_MS, &ring);
        int err = found ? add_worker(context, job, out, session, &ring) : DJ_OK;
        if (err)
            return err;
        if (dj_context_stopped(context)) {
            out->interrupted = true;
            out->running = !dj_session_ended(session, &out->wait_status);
            return DJ_OK;
        }
        bool busy = any_at_work(out);
        if (!found && ended && !busy && (!job->follow || !any_unborn(out) || patience-- == 0))
            return DJ_OK;
    }
}

// The images of the root first, then the others, each in order of appearance.
static void put_root_first(dj_outcome *out)
{
    size_t roots = 0;
    for (size_t i = 0; i < out->count; i++)
        if (out->workers[i]->root) {
            dj_worker *w = out->workers[i];
            memmove(out->workers + roots + 1, out->workers + roots, (i - roots) * sizeof *out->workers);
            out->workers[roots++] = w;
        }
}

static int collect(dj_context *context, const dj_job *job, const dj_session *session, dj_outcome *out)
{
    dj_profile_file *files;
    size_t count;
    uint32_t root = (uint32_t)dj_session_root(session);
    int err = dj_profile_files_list(context, dj_session_folder(session), root, &files, &count);
    for (size_t i = 0; !err && i < count; i++) {
        dj_worker *w = NULL;
        err = make_worker(context, job, out, &w);
        if (err)
            break;
        out->workers[out->count++] = w;
        w->joined = true;
        w->pid = files[i].pid;
        w->root = files[i].main;
        bool ended = w->pid == root && !out->running;
        w->told = (dj_stream_info){.pid = w->pid,
                                   .parent = w->pid == root ? (uint32_t)getpid() : 0,
                                   .message = "",
                                   .status = ended ? out->wait_status : DJ_END_UNTOLD};
        w->err = job->collect(w, files[i].path, &w->told.killed);
    }
    free(files);
    return err;
}

dj_stream_info dj_worker_info(const dj_worker *w)
{
    if (w->stream)
        return dj_stream_get_info(w->stream);
    dj_stream_info info = w->told;
    info.command = w->command ? w->command : "a program";
    return info;
}

static void explain_end(const dj_session *session, const dj_outcome *out, const char *program)
{
    char why[512];
    bool odd = WIFSIGNALED(out->wait_status) &&
               (WTERMSIG(out->wait_status) == SIGILL || WTERMSIG(out->wait_status) == SIGABRT ||
                WTERMSIG(out->wait_status) == SIGSEGV || WTERMSIG(out->wait_status) == SIGKILL);
    if (odd && dj_session_explain(session, (uint32_t)dj_session_root(session), why, sizeof why))
        fprintf(stderr, "deja: %s: %s\n", program, why);
}

int dj_live_run(dj_context *context, const dj_job *job, dj_outcome *out, int *status)
{
    dj_launch launch = {.arguments = job->program,
                        .count = job->program_count,
                        .tool = job->tool,
                        .profiles = job->collect != NULL,
                        .settings = job->settings,
                        .unfit = job->unfit,
                        .follow = job->follow,
                        .before_exec = dj_interrupt_restore};
    dj_session *session = NULL;
    *out = (dj_outcome){0};
    int err = dj_session_start(context, &launch, &session, status);
    if (err)
        return err;
    *status = DJ_STATUS_FAILED;
    if (dj_session_sees_library(session))
        fprintf(stderr,
                "deja: note: %s was built by 'deja cc': Valgrind counts what that has put into it, too; "
                "--tool native does not\n",
                job->program[0]);
    dj_interrupt_share(dj_session_root(session));
    if (job->paused)
        dj_interrupt_toggle(job->paused);
    err = attend(context, job, session, out);
    if (err || out->interrupted)
        stop_all(out);
    dj_interrupt_share(0);
    if (!err && job->collect && dj_session_tool(session) == DJ_TOOL_ANNOTATIONS)
        err = collect(context, job, session, out);
    put_root_first(out);
    if (!err && out->count == 0 && !out->interrupted) {
        err = dj_session_fail_untraced(session, context, job->program[0]);
        // The program did run, and how it ended matters more to whoever waits for it.
        if (dj_session_tool(session) != DJ_TOOL_VALGRIND && dj_live_status(out) != 0)
            *status = dj_live_status(out);
    }
    if (!err && !out->interrupted)
        explain_end(session, out, job->program[0]);
    dj_session_end(session);
    if (err)
        dj_outcome_free(out);
    return err;
}

void dj_outcome_free(dj_outcome *out)
{
    for (size_t i = 0; i < out->count; i++)
        free_worker(out->workers[i]);
    free(out->workers);
    *out = (dj_outcome){0};
}

int dj_live_status(const dj_outcome *out)
{
    if (out->interrupted && out->running)
        return DJ_EXIT_INTERRUPTED;
    return WIFSIGNALED(out->wait_status) ? 128 + WTERMSIG(out->wait_status) : WEXITSTATUS(out->wait_status);
}
