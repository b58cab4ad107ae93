// SPDX-License-Identifier: MIT
/// \file
/// Sessions: a program is run under a tracer, and each process that comes of it is
/// measured while it runs, or recorded. The program keeps its standard streams,
/// working directory, environment, process group and terminal.
#ifndef DEJA_SESSION_H
#define DEJA_SESSION_H

#include <deja/measure.h>
#include <deja/report.h>
#include <deja/sink.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What traces the program.
enum dj_tool {
    DJ_TOOL_AUTO,        ///< as the program was built
    DJ_TOOL_NATIVE,      ///< what `deja cc` has built into it
    DJ_TOOL_VALGRIND,    ///< Valgrind, any program
    DJ_TOOL_ANNOTATIONS, ///< the program analyzes itself by <deja/record.h>
};

extern DJ_API const char *const dj_tool_names[]; ///< by number, NULL after the last

/// A remark for the user, or what went wrong with a part of the session.
typedef struct dj_session_note {
    bool fault; ///< something is missing from the result
    const char *text;
} dj_session_note;

/// What is kept of processes other than the one that stands for the session. A
/// session may have thousands.
enum dj_session_keep {
    DJ_KEEP_COUNTS,   ///< accesses, distinct blocks, mean distance
    DJ_KEEP_PROFILES, ///< whole profiles, in a file without a name
};

/// Called in the thread that runs the session, unless it says otherwise; each may
/// be NULL. The library changes no signal handlers: who wants the program to get
/// Ctrl-C first does it between `started` and `ended`. dj_context_stop ends the
/// session early: the profiles are partial, and the program is left to itself.
typedef struct dj_session_hooks {
    /// In the new process, before it becomes the program: sets back what was changed for this one.
    void (*before_exec)(void);
    /// The program runs, and has this process number.
    void (*started)(void *user, int process);
    /// It has ended, or is left to itself.
    void (*ended)(void *user);
    /// Whether accesses are left out now. Asked often, by several threads.
    bool (*is_paused)(void *user);
    /// A note as soon as there is one. NULL: those are in the list, too.
    void (*note)(void *user, const dj_session_note *note);
    void *user;
} dj_session_hooks;

typedef struct dj_session_options {
    const char *const *arguments; ///< the program first; found as a shell would
    size_t argument_count;
    enum dj_tool tool;
    bool leave_children; ///< do not trace the processes that the program starts
    enum dj_session_keep keep;
    /// What the JSON of profiles holds beside what is loaded again; NULL: all breakdowns, and exact bins.
    const dj_json_view *view;
    /// What of the request means nothing to a program that analyzes itself, in words; such a program is
    /// refused then. NULL: nothing.
    const char *not_for_annotations;
    dj_session_hooks hooks;
} dj_session_options;

/// How a process ended, where that is no wait status.
enum dj_end {
    DJ_END_REPLACED = -1, ///< it became another program, or its end is not known
    DJ_END_UNKNOWN = -2,  ///< it ended, and nobody knows how
};

/// A process of the session, or one of the programs that it ran, by exec.
typedef struct dj_process {
    uint32_t pid, parent;
    uint32_t image;      ///< how many programs it had run before
    bool root;           ///< the process that was asked for
    const char *command; ///< its arguments, or "process PID" where it did not tell
    int status;          ///< wait status, or one of dj_end
    bool killed;         ///< it ended without a word
    uint64_t joined;     ///< steps of string instructions that are a part of another's access
    int err;             ///< of its analysis; what was done before is valid
    const char *message; ///< of that error
    const char *tracer_text;    ///< what the tracer had to say, lines of text; "": nothing

    bool measured; ///< there are counts, of the first lane of its profile
    uint64_t accesses, distinct;
    double mean;               ///< reuse distance
    const dj_profile *profile; ///< NULL: none, or not in memory (dj_session_load)

    const char *trace;      ///< recorded: the file; NULL: none
    dj_sink_stats recorded; ///< what is in it
    const char *statements; ///< how statements were told apart; "": they were not
} dj_process;

typedef struct dj_session dj_session;

/// What the accesses of a program are like, for checks before it runs.
DJ_API const dj_source_info *dj_session_source_info(void);

/// Runs a program to its end and measures its processes as `request` says. What
/// cannot be measured is refused before the program runs. The processes come in
/// order of appearance, the programs that the root ran first.
///
/// *status (may be NULL) is the exit status of the program as a shell has it, 128 + n
/// for signal n, or 130 when the session was stopped and the program still runs. After
/// an error it is what env(1) would exit with: 125 when Deja failed, 126 when the
/// program cannot be run, 127 when there is none; or its own status, where it ran and
/// nothing was learned of it.
DJ_API int dj_session_run(dj_context *context, const dj_session_options *options, const dj_request *request,
                          dj_session **out, int *status);

/// Where and how a program is recorded.
typedef struct dj_recording {
    const char *path;    ///< other processes get their number before its ending
    bool statements;     ///< each element once in each instance of a statement
    const char *command; ///< for the provenance; NULL: none
} dj_recording;

/// Runs a program likewise and writes a trace for each process, which dj_source_open
/// reads. Files are written as the program runs, and can be read whatever ends it.
DJ_API int dj_session_record(dj_context *context, const dj_session_options *options,
                             const dj_recording *recording, dj_session **out, int *status);

DJ_API void dj_session_destroy(dj_session *session); ///< NULL is fine

DJ_API size_t dj_session_count(const dj_session *session);
/// Its texts and its profile live as long as the session.
DJ_API dj_process dj_session_get(const dj_session *session, size_t index);
/// The one that stands for the session: what the root ran last. SIZE_MAX: none.
DJ_API size_t dj_session_main(const dj_session *session);
/// With DJ_KEEP_PROFILES: the profile of any process, as it is saved; DJ_ERR_USAGE where there is none.
DJ_API int dj_session_load(dj_context *context, const dj_session *session, size_t index, dj_profile **out);

/// What the user should know, in order; those that went to the hook are not in it.
DJ_API size_t dj_session_note_count(const dj_session *session);
DJ_API dj_session_note dj_session_get_note(const dj_session *session, size_t index);

/// DJ_OK, or the error of an analysis that failed for want of memory or the like, with
/// its message in the context. A process that was killed is no error.
DJ_API int dj_session_check(dj_context *context, const dj_session *session);

/// JSON: the profile of the main process with the members `process` and `processes`,
/// the profiles of all others. dj_profile_load_process reads each of them.
DJ_API int dj_session_save(dj_context *context, const dj_session *session, FILE *to);
/// The same in columns, without what `view` adds and without the facts of the processes. For profiles that
/// are kept without loss, `view` must have DJ_BINS_EXACT.
DJ_API int dj_session_save_columns(dj_context *context, const dj_session *session, FILE *to);

#ifdef __cplusplus
}
#endif
#endif
