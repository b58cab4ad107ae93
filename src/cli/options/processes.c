// SPDX-License-Identifier: MIT
#include "cli/options/processes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/options/output.h"

// How the process ended, as far as the tracer knows; NULL if memory runs out.
static char *describe_end(const dj_process *process)
{
    char *text = NULL;
    if (process->killed)
        return strdup("killed");
    if (process->status == DJ_END_UNKNOWN)
        return strdup("ended");
    if (process->status < 0)
        return strdup("became another program");
    bool signaled = WIFSIGNALED(process->status);
    int length = asprintf(&text, signaled ? "signal %d" : "status %d",
                          signaled ? WTERMSIG(process->status) : WEXITSTATUS(process->status));
    return length < 0 ? NULL : text;
}

int dj_processes_list(dj_context *context, const dj_session *session, dj_process_row **out, size_t *count)
{
    size_t all = dj_session_count(session);
    dj_process_row *rows = calloc(all + 1, sizeof *rows);
    bool failed = !rows;
    *count = 0;
    for (size_t i = 0; !failed && i < all; i++) {
        if (i == dj_session_main(session))
            continue;
        dj_process p = dj_session_get(session, i);
        rows[*count] =
            (dj_process_row){p.pid, p.measured, p.accesses, p.distinct, p.mean, p.command, describe_end(&p)};
        failed = !rows[(*count)++].end;
    }
    *out = rows;
    return failed ? dj_fail_memory(context, "a list of processes", 0) : DJ_OK;
}

void dj_processes_free(dj_process_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((char *)rows[i].end);
    free(rows);
}

void dj_processes_note(const dj_session_note *note)
{
    dj_output_message(note->fault ? "" : "note: ", note->text);
}

void dj_processes_notes(const dj_session *session)
{
    for (size_t i = 0; i < dj_session_note_count(session); i++) {
        dj_session_note note = dj_session_get_note(session, i);
        dj_processes_note(&note);
    }
}
