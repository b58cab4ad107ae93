// SPDX-License-Identifier: MIT
// Measures the processes of a program while they run.
#include <stdlib.h>
#include <sys/wait.h>

#include "base/ending.h"
#include "base/text.h"
#include "live/program.h"
#include "measure/request.h"
#include "session/annotations.h"
#include "session/state.h"

const dj_source_info *dj_session_source_info(void)
{
    static const dj_source_info live = {.format = "live",
                                        .kind = DJ_CLASS_MEMORY,
                                        .default_block = 64,
                                        .unit_bytes = 1,
                                        .columns = DJ_COLUMN_SIZE | DJ_COLUMN_SITE | DJ_COLUMN_KIND,
                                        .provides = DJ_COLUMN_THREAD};
    return &live;
}

static int next_of_empty(void *state, dj_context *context, dj_pool *pool, dj_batch **out)
{
    (void)state, (void)context, (void)pool;
    *out = NULL;
    return DJ_OK;
}

// A program may run for hours: checks beforehand whether the request can be measured, by measuring an empty
// trace.
static int check_request(dj_context *context, const dj_request *request)
{
    static const dj_source_ops ops = {.next = next_of_empty};
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    dj_context *trial = NULL; // its warnings are about the empty trace
    if (dj_context_create(&trial))
        return dj_fail_memory(context, "a measurement", 0);
    int err = dj_source_create(trial, &ops, NULL, dj_session_source_info(), &source);
    if (!err)
        err = dj_measure_source(trial, source, request, &profile);
    dj_profile_destroy(profile);
    dj_source_close(source);
    if (err == DJ_ERR_INPUT) // there are no accesses
        err = DJ_OK;
    else if (err)
        (void)dj_fail(context, (enum dj_err)err, "%s", dj_context_message(trial));
    dj_context_destroy(trial);
    return err;
}

// With stop_after the program has not ended, and need not wait for the lookup of names.
static void detach(void *stream)
{
    dj_stream_detach(stream);
}

static int analyze(dj_session *s, dj_worker *w, dj_source *source)
{
    dj_request request = *s->request;
    dj_profile *profile = NULL;
    // If only counts of other processes are kept, places are useless.
    request.places = request.places && (w->root || s->spill.whole || dj_request_selects(&request));
    request.level_count = w->root || s->spill.whole ? request.level_count : 0;
    request.after_reading = detach;
    request.user = w->stream;
    int err = dj_request_measure_ahead(w->context, source, &request, &profile);
    int kept = profile ? dj_spill_keep(&s->spill, w, profile) : DJ_OK;
    return err ? err : kept;
}

// Reports problems with the analyses. A killed process is not an error.
static void report_problems(dj_context *context, dj_session *s)
{
    for (size_t i = 0; i < s->count; i++) {
        const dj_worker *w = s->workers[i];
        dj_stream_info info = dj_worker_info(w);
        dj_session_add_message(s, w);
        if (dj_context_warning(w->context)[0])
            dj_warn(context, "%s", dj_context_warning(w->context)); // one warning is enough
        bool profiled = w->kept && w->kept->profile;
        bool empty =
            w->err == DJ_ERR_INPUT && !profiled && !info.killed && !info.broken && info.accesses == 0;
        if (!w->err || empty || w->err == DJ_ERR_STOPPED)
            continue;
        bool nothing = w->root && info.broken && !w->kept; // to report about the program
        if (w->err == DJ_ERR_INPUT && !nothing)
            dj_session_add_note(s, false, true, "%s", dj_context_message(w->context));
        else if (!s->failed)
            s->failed = w;
    }
}

static int keep_missing(dj_context *context, dj_session *s)
{
    size_t main = dj_session_main(s);
    const dj_kept *kept = main == SIZE_MAX ? NULL : s->workers[main]->kept;
    if (!s->missing || !kept || !kept->profile)
        return DJ_OK;
    free(kept->profile->provenance.missing);
    return dj_copy_text(context, s->missing, &kept->profile->provenance.missing);
}

// A program that a signal ended did not run to its end, whether or not the tracer noticed.
static int mark_signal(dj_context *context, dj_session *s, const dj_request *request)
{
    size_t main = dj_session_main(s);
    const dj_worker *w = main == SIZE_MAX ? NULL : s->workers[main];
    if (!w || !w->stream || !w->kept || !w->kept->profile || !s->ended || !WIFSIGNALED(s->wait_status) ||
        request->stop_after > 0)
        return DJ_OK;
    dj_provenance *from = &w->kept->profile->provenance;
    const bool killed = dj_worker_info(w).killed;
    char end[DJ_END_BYTES];
    char *why = NULL;
    if (from->partial && !killed)
        return DJ_OK;
    if (asprintf(&why, "%s was %s; all accesses up to that point are counted", dj_worker_info(w).command,
                 dj_describe_signal(s->wait_status, end)) < 0)
        return dj_fail_memory(context, "a profile", 0);
    free(from->partial_reason);
    from->partial = true;
    from->partial_reason = why;
    if (killed)
        (void)dj_fail(w->context, DJ_ERR_INPUT, "%s", why); // report_problems passes it on
    else
        dj_session_add_note(s, false, true, "%s", why);
    return DJ_OK;
}

static int run(dj_context *context, dj_session *s, const dj_request *request, int *status)
{
    static const dj_session_ops ops = {.work = analyze, .collect = dj_annotations_collect};
    char *settings = NULL;
    int err = check_request(context, request);
    if (!err)
        err = dj_annotations_settings(context, request, &settings);
    if (err)
        return err;
    s->request = request;
    s->settings = settings;
    err = dj_session_supervise(context, s, &ops, status);
    s->request = NULL;
    s->settings = NULL;
    free(settings);
    if (!err)
        err = keep_missing(context, s);
    if (!err)
        err = mark_signal(context, s, request);
    if (!err)
        report_problems(context, s);
    return err;
}

int dj_session_run(dj_context *context, const dj_session_options *options, const dj_request *request,
                   dj_session **out, int *status)
{
    dj_request measured = *request;
    dj_session *s = NULL;
    int ignored = 0;
    int *exit_status = status ? status : &ignored;
    *exit_status = DJ_STATUS_FAILED;
    measured.on_progress = NULL;
    measured.after_reading = NULL;
    int err = dj_session_create(context, options, &s);
    if (!err && !measured.inputs) {
        measured.inputs = options->arguments;
        measured.input_count = 1;
    }
    if (!err)
        err = run(context, s, &measured, exit_status);
    if (err)
        dj_session_destroy(s);
    else
        *out = s;
    return err;
}
