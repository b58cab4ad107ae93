// SPDX-License-Identifier: MIT
#include "cli/processes.h"

#include <deja/profile.h>

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "report/json.h"

const dj_worker *dj_processes_main(const dj_outcome *outcome)
{
    const dj_worker *last = NULL;
    for (size_t i = 0; i < outcome->count; i++)
        if (outcome->workers[i]->root)
            last = outcome->workers[i];
    return last;
}

dj_profile *dj_processes_profile(const dj_worker *worker)
{
    const dj_kept *kept = worker->result;
    return kept ? kept->profile : NULL;
}

void dj_processes_name(const dj_worker *worker)
{
    dj_profile *profile = dj_processes_profile(worker);
    char *command = strdup(dj_worker_info(worker).command);
    if (!profile || !command || profile->provenance.input_count == 0) {
        free(command);
        return;
    }
    free(profile->provenance.inputs[0]);
    profile->provenance.inputs[0] = command;
}

// How it ended, as far as the tracer knew.
static void describe_end(const dj_stream_info *info, char *to, size_t room)
{
    if (info->killed)
        snprintf(to, room, "killed");
    else if (info->status == DJ_END_UNTOLD)
        snprintf(to, room, "ended");
    else if (info->status < 0)
        snprintf(to, room, "became another program");
    else if (WIFSIGNALED(info->status))
        snprintf(to, room, "signal %d", WTERMSIG(info->status));
    else
        snprintf(to, room, "status %d", WEXITSTATUS(info->status));
}

void dj_processes_print(const dj_outcome *outcome, const dj_worker *shown, FILE *out)
{
    bool titled = false;
    for (size_t i = 0; i < outcome->count; i++) {
        const dj_worker *w = outcome->workers[i];
        const dj_kept *kept = w->result;
        dj_stream_info info = dj_worker_info(w);
        char end[64];
        if (w == shown)
            continue;
        if (!titled)
            fprintf(out, "\nOther processes\n  %10s %14s %12s %12s  %s\n", "process", "accesses", "blocks",
                    "mean", "program");
        titled = true;
        describe_end(&info, end, sizeof end);
        if (kept)
            fprintf(out, "  %10u %14" PRIu64 " %12" PRIu64 " %12.1f  %s (%s)\n", w->pid, kept->accesses,
                    kept->distinct, kept->mean, info.command, end);
        else
            fprintf(out, "  %10u %14d %12d %12s  %s (%s)\n", w->pid, 0, 0, "", info.command, end);
    }
}

static void save_process(dj_json_writer *json, const dj_worker *w)
{
    dj_stream_info info = dj_worker_info(w);
    dj_json_begin_object(json, "process");
    dj_json_uint(json, "pid", w->pid);
    dj_json_uint(json, "parent", info.parent);
    dj_json_uint(json, "image", w->image);
    dj_json_text(json, "command", info.command);
    if (info.status >= 0 && WIFSIGNALED(info.status))
        dj_json_uint(json, "signal", (uint64_t)WTERMSIG(info.status));
    else if (info.status >= 0)
        dj_json_uint(json, "status", (uint64_t)WEXITSTATUS(info.status));
    dj_json_bool(json, "killed", info.killed);
    dj_json_uint(json, "joined_steps", info.joined);
    dj_json_end_object(json);
}

// Opens an object for a process and leaves it open.
static int begin_process(dj_json_writer *json, dj_context *context, const dj_worker *w,
                         const dj_json_view *view)
{
    int err = DJ_OK;
    const dj_profile *profile = w ? dj_processes_profile(w) : NULL;
    if (profile)
        err = dj_json_begin_report(json, context, profile, view);
    else
        dj_json_begin_object(json, NULL);
    if (w && !err)
        save_process(json, w);
    return err;
}

int dj_processes_save_one(dj_json_writer *json, dj_context *context, const dj_worker *worker,
                          const dj_json_view *view)
{
    int err = begin_process(json, context, worker, view);
    dj_json_end_object(json);
    return err;
}

int dj_processes_save(dj_context *context, const dj_outcome *outcome, const dj_shelf *shelf, FILE *out)
{
    dj_json_writer json = {.out = out};
    const dj_worker *first = dj_processes_main(outcome);
    int err = begin_process(&json, context, first, shelf->json);
    if (err)
        return err;
    dj_json_begin_list(&json, "processes");
    for (size_t i = 0; !err && i < outcome->count; i++) {
        const dj_worker *w = outcome->workers[i];
        const dj_kept *kept = w->result;
        if (w == first)
            continue;
        if (kept && kept->bytes)
            dj_json_copy(&json, shelf->file, kept->at, kept->bytes);
        else
            err = dj_processes_save_one(&json, context, w, shelf->json);
    }
    dj_json_end_list(&json);
    dj_json_end_object(&json);
    dj_json_finish(&json);
    return err;
}

void dj_processes_advise(const dj_outcome *outcome)
{
    const dj_worker *shown = dj_processes_main(outcome);
    const dj_profile *profile = shown ? dj_processes_profile(shown) : NULL;
    const dj_attribution *a = profile ? dj_profile_attribution(profile) : NULL;
    // The program itself is the first of its modules.
    if (a && a->module_count && !a->modules[0].has_lines)
        fprintf(stderr,
                "deja: note: %s has no debug information: compile with -g to see its lines, loops and "
                "variables\n",
                a->modules[0].path);
}

int dj_processes_complain(dj_context *context, const dj_outcome *outcome)
{
    int worst = DJ_OK;
    for (size_t i = 0; i < outcome->count; i++) {
        const dj_worker *w = outcome->workers[i];
        dj_stream_info info = dj_worker_info(w);
        // That and how a signal ended it is told by the status.
        if (info.message[0] && (info.status < 0 || !WIFSIGNALED(info.status)))
            fprintf(stderr, "deja: note: %s: %s\n", info.command, info.message);
        if (dj_context_warning(w->context)[0])
            dj_warn(context, "%s", dj_context_warning(w->context)); // one is enough for all
        bool empty = w->err == DJ_ERR_INPUT && !dj_processes_profile(w) && !info.killed && info.accesses == 0;
        if (!w->err || empty || w->err == DJ_ERR_STOPPED)
            continue;
        if (w->err == DJ_ERR_INPUT) {
            fprintf(stderr, "deja: %s\n", dj_context_message(w->context));
        } else if (!worst) {
            worst =
                dj_fail(context, (enum dj_err)w->err, "%s: %s", info.command, dj_context_message(w->context));
        }
    }
    return worst;
}
