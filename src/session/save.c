// SPDX-License-Identifier: MIT
#include "session/save.h"
#include "base/text_stream.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "report/json/json.h"

static void save_facts(dj_json_writer *json, const dj_worker *w)
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
    const dj_profile *profile = w && w->kept ? w->kept->profile : NULL;
    if (profile)
        err = dj_json_begin_report(json, context, profile, view);
    else
        dj_json_begin_object(json, NULL);
    if (w && !err)
        save_facts(json, w);
    return err;
}

int dj_process_save(dj_json_writer *json, dj_context *context, const dj_worker *worker,
                    const dj_json_view *view)
{
    int err = begin_process(json, context, worker, view);
    dj_json_end_object(json);
    return err;
}

int dj_session_save(dj_context *context, const dj_session *s, FILE *to)
{
    dj_json_writer json = {.out = to};
    size_t first = dj_session_main(s);
    int err = begin_process(&json, context, first == SIZE_MAX ? NULL : s->workers[first], &s->view);
    if (err)
        return err;
    dj_json_begin_list(&json, "processes");
    for (size_t i = 0; !err && i < s->count; i++) {
        const dj_worker *w = s->workers[i];
        if (i == first)
            continue;
        if (w->kept && w->kept->bytes)
            dj_json_copy(&json, s->spill.file, w->kept->at, w->kept->bytes);
        else
            err = dj_process_save(&json, context, w, &s->view);
    }
    dj_json_end_list(&json);
    dj_json_end_object(&json);
    dj_json_finish(&json);
    return err;
}

int dj_session_save_columns(dj_context *context, const dj_session *s, FILE *to)
{
    size_t first = dj_session_main(s), number = 1;
    int err = dj_columns_begin(context, to);
    if (!err && first != SIZE_MAX && s->workers[first]->kept && s->workers[first]->kept->profile)
        err = dj_columns_add(context, s->workers[first]->kept->profile, 0, to);
    for (size_t i = 0; !err && i < s->count; i++) {
        const dj_kept *kept = s->workers[i]->kept;
        dj_profile *profile = NULL;
        if (i == first)
            continue;
        if (kept && (kept->profile || kept->bytes))
            err = dj_session_load(context, s, i, &profile);
        if (!err && profile)
            err = dj_columns_add(context, profile, number, to);
        dj_profile_destroy(profile);
        number++;
    }
    return err ? err : dj_columns_end(context, to);
}

// The JSON of a process, as spilled or newly written; the caller frees it with free().
static int write_profile(dj_context *context, const dj_session *s, const dj_worker *w, char **text,
                         size_t *bytes)
{
    dj_text_stream to;
    if (!dj_text_stream_open(&to))
        return dj_fail_memory(context, "a profile", 0);
    dj_json_writer json = {.out = to.file};
    int err = DJ_OK;
    if (w->kept->bytes)
        dj_json_copy(&json, s->spill.file, w->kept->at, w->kept->bytes);
    else
        err = dj_process_save(&json, context, w, &s->view);
    bool written = !ferror(to.file);
    *text = dj_text_stream_close(&to, bytes);
    return err || (written && *text) ? err : dj_fail_memory(context, "a profile", 0);
}

int dj_session_load(dj_context *context, const dj_session *s, size_t index, dj_profile **out)
{
    const dj_worker *w = index < s->count ? s->workers[index] : NULL;
    char *text = NULL;
    size_t bytes = 0;
    if (!w || !w->kept || (!w->kept->profile && !w->kept->bytes))
        return dj_fail(context, DJ_ERR_USAGE, "the session has no profile of this process");
    int err = write_profile(context, s, w, &text, &bytes);
    FILE *from = err ? NULL : fmemopen(text, bytes, "r");
    if (!err && !from)
        err = dj_fail_memory(context, "a profile", 0);
    if (!err)
        err = dj_profile_load(context, from, dj_worker_info(w).command, out);
    if (from)
        fclose(from);
    free(text);
    return err;
}
