// SPDX-License-Identifier: MIT
// The results of a session after its program has ended.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/grow.h"
#include "session/state.h"

int dj_session_create(dj_context *context, const dj_session_options *options, dj_session **out)
{
    if (options->argument_count == 0)
        return dj_fail(context, DJ_ERR_USAGE, "no program given");
    dj_session *s = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "a session", sizeof *s);
    s->options = *options;
    s->view = options->view ? *options->view : (dj_json_view){.binning = DJ_BINS_EXACT};
    dj_spill_open(&s->spill, options->keep == DJ_KEEP_PROFILES, &s->view);
    *out = s;
    return DJ_OK;
}

static void free_worker(dj_worker *w)
{
    dj_kept_free(w->kept);
    dj_stream_close(w->stream);
    dj_context_destroy(w->context);
    if (w->unnamed >= 0)
        close(w->unnamed);
    free(w->threads);
    free(w->trace);
    free(w->command);
    free(w);
}

void dj_session_destroy(dj_session *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++)
        free_worker(s->workers[i]);
    for (size_t i = 0; i < s->note_count; i++)
        free(s->notes[i].text);
    dj_spill_close(&s->spill);
    dj_cpu_times_free(&s->times);
    free(s->notes);
    free(s->missing);
    free(s->workers);
    free(s);
}

dj_stream_info dj_worker_info(const dj_worker *w)
{
    if (w->stream) {
        dj_stream_info info = dj_stream_get_info(w->stream);
        // The tracer did not notice how it ended, but whoever started it did.
        if ((info.killed || info.status == DJ_END_UNKNOWN) && w->root && w->session->ended)
            info.status = w->session->wait_status;
        return info;
    }
    dj_stream_info info = w->unstreamed;
    info.command = w->command ? w->command : "a program";
    return info;
}

size_t dj_session_count(const dj_session *s)
{
    return s->count;
}

size_t dj_session_main(const dj_session *s)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < s->count; i++)
        if (s->workers[i]->root)
            last = i;
    return last;
}

dj_process dj_session_get(const dj_session *s, size_t index)
{
    const dj_worker *w = s->workers[index];
    dj_stream_info info = dj_worker_info(w);
    dj_process process = {.pid = w->pid,
                          .parent = info.parent,
                          .image = w->image,
                          .root = w->root,
                          .command = info.command,
                          .status = info.status,
                          .killed = info.killed,
                          .joined = info.joined,
                          .err = w->err,
                          .message = w->err ? dj_context_message(w->context) : "",
                          .tracer_text = info.message,
                          .trace = w->trace,
                          .recorded = w->stats,
                          .statements = w->statements,
                          .threads = w->threads,
                          .thread_count = w->thread_count};
    if (w->kept) {
        process.measured = true;
        process.accesses = w->kept->accesses;
        process.distinct = w->kept->distinct;
        process.mean = w->kept->mean;
        process.profile = w->kept->profile;
    }
    return process;
}

static int keep_note(dj_context *context, dj_session *s, dj_note_text note)
{
    int err = dj_grow(context, "notes", &s->notes, &s->note_capacity, s->note_count + 1, sizeof *s->notes);
    if (!err)
        s->notes[s->note_count++] = note;
    return err;
}

void dj_session_add_note(dj_session *s, bool at_once, bool fault, const char *format, ...)
{
    dj_note_text note = {.fault = fault};
    dj_context *own = NULL; // losing a note is not an error
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&note.text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    const dj_session_hooks *hooks = &s->options.hooks;
    bool kept = false;
    if (at_once && hooks->note)
        hooks->note(hooks->user, &(dj_session_note){fault, note.text});
    else if (dj_context_create(&own) == DJ_OK)
        kept = keep_note(own, s, note) == DJ_OK;
    dj_context_destroy(own);
    if (!kept)
        free(note.text);
}

void dj_session_add_message(dj_session *s, const dj_worker *w)
{
    dj_stream_info info = dj_worker_info(w);
    if (info.message[0] && (info.status < 0 || !WIFSIGNALED(info.status)))
        dj_session_add_note(s, false, false, "%s: %s", info.command, info.message);
}

void dj_session_add_missing(dj_session *s, const char *why)
{
    char *longer = NULL;
    dj_session_add_note(s, false, true, "%s", why);
    if (asprintf(&longer, "%s%s%s", s->missing ? s->missing : "", s->missing ? "; " : "", why) < 0)
        return;
    free(s->missing);
    s->missing = longer;
}

size_t dj_session_note_count(const dj_session *s)
{
    return s->note_count;
}

dj_session_note dj_session_get_note(const dj_session *s, size_t index)
{
    return (dj_session_note){s->notes[index].fault, s->notes[index].text};
}

int dj_session_check(dj_context *context, const dj_session *s)
{
    const dj_worker *w = s->failed;
    return w ? dj_fail(context, (enum dj_err)w->err, "%s: %s", dj_worker_info(w).command,
                       dj_context_message(w->context))
             : DJ_OK;
}
