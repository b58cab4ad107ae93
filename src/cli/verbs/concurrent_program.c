// SPDX-License-Identifier: MIT
#include "cli/verbs/concurrent.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/ending.h"
#include "base/human.h"
#include "base/text.h"
#include "cli/options/output.h"
#include "cli/options/processes.h"
#include "model/thread_speed.h"

static const dj_option table[] = {
    {"record", 0, DJ_OPTION_TEXT | DJ_OPTION_FILE, offsetof(dj_recorded_options, path), "FILE",
     "keep the recording in FILE, for 'deja concurrent FILE' (default: a temporary file in $TMPDIR or /tmp)",
     NULL},
    {"native-speeds", 0, DJ_OPTION_FLAG, offsetof(dj_recorded_options, native_speeds), NULL,
     "run the program again, untraced, with input from /dev/null and its output discarded, to time its "
     "threads, which then alternate at these speeds",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

int dj_recorded_list(dj_context *context, dj_recorded_options *options, dj_groups *groups)
{
    int err = dj_program_list_recording(context, &options->program, groups);
    return err ? err : dj_groups_add(context, groups, "Recording", table, options);
}

const char *dj_recorded_given(const dj_recorded_options *o)
{
    return o->path ? "--record" : o->native_speeds ? "--native-speeds" : dj_program_given(&o->program);
}

#define NOTE(...)                                                                                            \
    do {                                                                                                     \
        char text_[512];                                                                                     \
        snprintf(text_, sizeof text_, __VA_ARGS__);                                                          \
        dj_output_message("note: ", text_);                                                                  \
    } while (0)

static void say_size(const dj_recorded *r, const char *path)
{
    char size[DJ_HUMAN_BYTES], after[160];
    snprintf(after, sizeof after, ": recorded %" PRIu64 " accesses of %zu thread%s, %s%s",
             r->process.recorded.accesses, r->thread_count, r->thread_count == 1 ? "" : "s",
             dj_human_bytes(size, r->process.recorded.bytes), path ? "" : " in a temporary file");
    dj_output_message_about("", path ? path : r->process.command, after);
}

// The last program that the process runs by exec. A process that only forked has the arguments of its parent,
// which say nothing about it: NULL.
static const char *find_program(const dj_session *session, uint32_t pid)
{
    const char *command = NULL;
    for (size_t i = 0; i < dj_session_count(session); i++) {
        const dj_process p = dj_session_get(session, i);
        command = p.pid == pid && p.image > 0 ? p.command : command;
    }
    return command;
}

static void say_others(const dj_session *session)
{
    uint32_t first = 0;
    bool more = false;
    for (size_t i = 0; i < dj_session_count(session); i++) {
        const dj_process p = dj_session_get(session, i);
        more |= !p.root && first && p.pid != first;
        first = p.root || first ? first : p.pid;
    }
    const char *command = find_program(session, first), *others = more ? " and others" : "";
    if (first && command)
        NOTE("only the main process is measured, not '%.200s' (process %" PRIu32 ")%s", command, first,
             others);
    else if (first)
        NOTE("only the main process is measured, not process %" PRIu32 "%s", first, others);
}

// As many as were created.
static uint64_t count_threads(const dj_recorded *r)
{
    uint64_t most = 0;
    for (size_t i = 0; i < r->thread_count; i++)
        most = r->threads[i].thread > most ? r->threads[i].thread : most;
    return most;
}

// Relative to the reference, and rounded, so that a report can state them. Threads that were too short to be
// timed are as fast as the reference.
static int find_speeds(dj_context *context, dj_recorded *r)
{
    const dj_thread_work *reference = &r->threads[dj_thread_reference(r->threads, r->thread_count)];
    if (reference->native_cpu_seconds < DJ_CPU_SECONDS_LEAST) {
        NOTE("no native speeds: thread %" PRIu64 " ran for less than %g seconds", reference->thread,
             DJ_CPU_SECONDS_LEAST);
        return DJ_OK;
    }
    r->speeds = calloc(r->thread_count, sizeof *r->speeds);
    if (!r->speeds)
        return dj_fail_memory(context, "the speeds of threads", 0);
    for (size_t i = 0; i < r->thread_count; i++) {
        const double speed = dj_thread_speed(&r->threads[i], reference, true);
        char rounded[32];
        snprintf(rounded, sizeof rounded, "%.4g", speed);
        r->speeds[i] = speed > 0 ? strtod(rounded, NULL) : 1;
    }
    return DJ_OK;
}

static int time_threads(dj_context *context, const dj_session_options *options, dj_recorded *r)
{
    double *seconds = NULL;
    size_t count = 0;
    int status = 0;
    int err = dj_session_time(context, options, &seconds, &count, &status);
    if (err)
        return dj_fail_within(context, err, "--native-speeds");
    bool complete = count == count_threads(r);
    if (!complete)
        NOTE("no native speeds: %" PRIu64 " thread%s recorded, but %zu in the untraced run", count_threads(r),
             count_threads(r) == 1 ? " was" : "s were", count);
    else if (status != r->status)
        NOTE("the untraced run ended with status %d, the recorded one with %d", status, r->status);
    for (size_t i = 0; complete && i < r->thread_count; i++)
        r->threads[i].native_cpu_seconds = seconds[r->threads[i].thread - 1];
    free(seconds);
    return complete ? find_speeds(context, r) : DJ_OK;
}

// The order of the sharers.
static int compare_threads(const void *a, const void *b)
{
    const uint64_t x = ((const dj_thread_work *)a)->thread, y = ((const dj_thread_work *)b)->thread;
    return (x > y) - (x < y);
}

static int keep_main(dj_context *context, dj_recorded *r, const dj_arguments *arguments)
{
    size_t main = dj_session_main(r->session);
    int err = dj_session_check(context, r->session);
    if (err)
        return err;
    if (main != SIZE_MAX)
        r->process = dj_session_get(r->session, main);
    if (r->process.thread_count == 0)
        return dj_fail(context, DJ_ERR_INPUT, "%s: no accesses were recorded", arguments->items[0]);
    r->threads = calloc(r->process.thread_count, sizeof *r->threads);
    if (!r->threads)
        return dj_fail_memory(context, "the threads of a program", 0);
    r->thread_count = r->process.thread_count;
    memcpy(r->threads, r->process.threads, r->thread_count * sizeof *r->threads);
    qsort(r->threads, r->thread_count, sizeof *r->threads, compare_threads);
    return DJ_OK;
}

int dj_recorded_make(dj_context *context, const dj_recorded_options *o, const dj_arguments *arguments,
                     const char *not_for_annotations, dj_recorded *r, int *status)
{
    dj_session_options session = dj_program_session(&o->program, arguments);
    const dj_recording recording = {.path = o->path, .threads = true, .command = arguments->command_line};
    *r = (dj_recorded){0};
    session.not_for_annotations = not_for_annotations;
    int err = dj_session_record(context, &session, &recording, &r->session, status);
    if (err)
        return err;
    r->status = *status;
    *status = DJ_EXIT_FAILED;
    r->stopped = dj_context_stopped(context);
    dj_processes_notes(r->session);
    err = keep_main(context, r, arguments);
    if (err)
        return err;
    say_size(r, o->path);
    say_others(r->session);
    return o->native_speeds && !dj_context_stopped(context) ? time_threads(context, &session, r) : DJ_OK;
}

void dj_recorded_free(dj_recorded *r)
{
    free(r->threads);
    free(r->speeds);
    dj_session_destroy(r->session);
    *r = (dj_recorded){0};
}

int dj_recorded_mark(dj_context *context, const dj_recorded *r, dj_provenance *provenance)
{
    const bool signaled = r->process.status >= 0 && WIFSIGNALED(r->process.status);
    char end[DJ_END_BYTES], why[256] = "";
    if (signaled || r->process.killed)
        snprintf(why, sizeof why, "the program was %s; all accesses up to that point are counted",
                 signaled ? dj_describe_signal(r->process.status, end)
                          : "killed, or ended in a way that the tracer did not notice");
    else if (r->stopped)
        snprintf(why, sizeof why, "interrupted; the program was left running");
    if (!why[0])
        return DJ_OK;
    if (signaled)
        dj_output_message("note: ", why);
    if (provenance->partial)
        return DJ_OK;
    free(provenance->partial_reason);
    provenance->partial = true;
    return dj_copy_text(context, why, &provenance->partial_reason);
}

bool dj_recorded_drop_speeds(const dj_recorded *r, dj_sharing_request *request)
{
    dj_interleave_options *how = &request->interleave;
    if (!how->speeds || how->speed_count == r->thread_count)
        return false;
    NOTE(
        "--speeds gives %zu speeds, but the program has %zu threads: all of them alternate at the same speed",
        how->speed_count, r->thread_count);
    how->speeds = NULL;
    how->speed_count = 0;
    return true;
}

int dj_recorded_mark_speeds(dj_context *context, const char *given, dj_profile *profile)
{
    dj_sharing *s = dj_profile_sharing(profile);
    char *order = NULL;
    if (asprintf(&order, "%s, since --speeds %s does not give one for each of %zu threads", s->order, given,
                 s->count) < 0)
        return dj_fail_memory(context, "the order of threads", 0);
    free(s->order);
    s->order = order;
    return DJ_OK;
}
