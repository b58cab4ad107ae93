// SPDX-License-Identifier: MIT
#include "cli/processes.h"

#include <inttypes.h>
#include <sys/wait.h>

// How it ended, as far as the tracer knew.
static void describe_end(const dj_process *process, char *to, size_t room)
{
    if (process->killed)
        snprintf(to, room, "killed");
    else if (process->status == DJ_END_UNTOLD)
        snprintf(to, room, "ended");
    else if (process->status < 0)
        snprintf(to, room, "became another program");
    else if (WIFSIGNALED(process->status))
        snprintf(to, room, "signal %d", WTERMSIG(process->status));
    else
        snprintf(to, room, "status %d", WEXITSTATUS(process->status));
}

void dj_processes_print(const dj_session *session, FILE *out)
{
    bool titled = false;
    for (size_t i = 0; i < dj_session_count(session); i++) {
        dj_process p = dj_session_get(session, i);
        char end[64];
        if (i == dj_session_main(session))
            continue;
        if (!titled)
            fprintf(out, "\nOther processes\n  %10s %14s %12s %12s  %s\n", "process", "accesses", "blocks",
                    "mean", "program");
        titled = true;
        describe_end(&p, end, sizeof end);
        if (p.measured)
            fprintf(out, "  %10u %14" PRIu64 " %12" PRIu64 " %12.1f  %s (%s)\n", p.pid, p.accesses,
                    p.distinct, p.mean, p.command, end);
        else
            fprintf(out, "  %10u %14d %12d %12s  %s (%s)\n", p.pid, 0, 0, "", p.command, end);
    }
}

void dj_processes_note(const dj_session_note *note)
{
    fprintf(stderr, "deja: %s%s\n", note->fault ? "" : "note: ", note->text);
}

void dj_processes_advise(const dj_session *session)
{
    size_t shown = dj_session_main(session);
    const dj_profile *profile = shown == SIZE_MAX ? NULL : dj_session_get(session, shown).profile;
    const dj_attribution *a = profile ? dj_profile_attribution(profile) : NULL;
    // The program itself is the first of its modules.
    if (a && a->module_count && !a->modules[0].has_lines)
        fprintf(stderr,
                "deja: note: %s has no debug information: compile with -g to see its lines, loops and "
                "variables\n",
                a->modules[0].path);
}
