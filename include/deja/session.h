// SPDX-License-Identifier: MIT
/// \file
/// Sessions: run a program under a tracer, and measure or record each of its processes while it runs. The
/// program keeps its standard streams, working directory, environment, process group and terminal.
#ifndef DEJA_SESSION_H
#define DEJA_SESSION_H

#include <deja/measure.h>
#include <deja/report.h>
#include <deja/sink.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How the program is traced.
enum dj_tool {
    DJ_TOOL_AUTO,     ///< chosen by how the program was built
    DJ_TOOL_NATIVE,   ///< by the instrumentation that `deja cc` compiled in
    DJ_TOOL_VALGRIND, ///< by Valgrind; works for any program
    /// By the program's own calls of <deja/record.h>, element by element. dj_session_run lets the program
    /// analyze itself.
    DJ_TOOL_ANNOTATIONS,
};

extern DJ_API const char *const dj_tool_names[]; ///< by number, NULL after the last

/// A remark for the user, or a problem with a part of the session.
typedef struct dj_session_note {
    bool fault; ///< something is missing from the result
    const char *text;
} dj_session_note;

/// What is kept of processes other than the main one. A session may have thousands.
enum dj_session_keep {
    DJ_KEEP_COUNTS,   ///< accesses, distinct blocks, mean distance
    DJ_KEEP_PROFILES, ///< complete profiles, in an unnamed temporary file
};

/// How far a session has come.
typedef struct dj_session_progress {
    uint64_t accesses; ///< of all processes, as far as they were read
    uint32_t process;  ///< the newest one that is being traced; 0: none
    size_t running;    ///< processes that are being traced
} dj_session_progress;

/// Called in the thread that runs the session unless noted; each may be NULL. The library changes no signal
/// handlers: to let the program receive Ctrl-C first, install them between `started` and `ended`.
/// dj_context_stop ends the session early: the profiles are partial, and the program keeps running.
typedef struct dj_session_hooks {
    /// Called in the new process, before exec, to undo what the caller changed for its own process.
    void (*before_exec)(void);
    /// The program has started, with this process id.
    void (*started)(void *user, int process);
    /// The program has ended, or the session no longer waits for it.
    void (*ended)(void *user);
    /// Returns whether accesses are currently ignored. Called often, by several threads.
    bool (*is_paused)(void *user);
    /// Receives each note at once. NULL: notes are added to the session's list.
    void (*note)(void *user, const dj_session_note *note);
    /// Called several times a second while the program runs, by the thread that runs the session. May be
    /// NULL.
    void (*progress)(void *user, const dj_session_progress *progress);
    void *user;
} dj_session_hooks;

typedef struct dj_session_options {
    const char *const *arguments; ///< the program first; found as a shell would find it
    size_t argument_count;
    enum dj_tool tool;
    bool leave_children; ///< do not trace the processes that the program starts
    /// Trace only this part of the run, in bursts; 0: all of it. The observer `tracing` makes estimates for
    /// the whole run.
    double sample_rate;
    uint64_t sample_seed; ///< when bursts begin
    /// What the run may cost, as a factor of its cost without bursts: the tracer chooses the rate, which is
    /// sample_rate at most. Above 1, or 0: none.
    double budget;
    enum dj_session_keep keep;
    /// What the JSON of profiles contains in addition to what is loaded again; NULL: all breakdowns, and
    /// exact bins.
    const dj_json_view *view;
    /// Names a part of the request that has no meaning for annotations; a program that would be measured or
    /// recorded by them is then refused. NULL: none.
    const char *not_for_annotations;
    dj_session_hooks hooks;
} dj_session_options;

/// Endings of a process that are not wait statuses.
enum dj_end {
    DJ_END_REPLACED = -1, ///< it became another program, or its end is unknown
    DJ_END_UNKNOWN = -2,  ///< it ended, with unknown status
};

/// A process of the session, or one of the programs that a process ran by exec.
typedef struct dj_process {
    uint32_t pid, parent;
    uint32_t image;          ///< number of programs that the process ran before this one
    bool root;               ///< the process that the session started
    const char *command;     ///< its arguments, or "process PID" if unknown
    int status;              ///< wait status, or one of dj_end; of the main process also if it was killed
    bool killed;             ///< it ended without reporting its end
    uint64_t joined;         ///< steps of string instructions that were merged into another access
    int err;                 ///< of its analysis; results up to the error are valid
    const char *message;     ///< of that error
    const char *tracer_text; ///< messages from the tracer, lines of text; "": none

    bool measured; ///< the counts below are valid; they belong to the first lane of its profile
    uint64_t accesses, distinct;
    double mean;               ///< reuse distance
    const dj_profile *profile; ///< NULL: none, or not in memory (use dj_session_load)

    const char *trace;             ///< recorded: the file; NULL: none
    dj_sink_stats recorded;        ///< what the file contains
    const char *statements;        ///< how statements were distinguished; "": they were not
    const dj_thread_work *threads; ///< recorded, if requested: in the order of their first accesses
    size_t thread_count;
} dj_process;

typedef struct dj_session dj_session;

/// Describes the accesses of any traced program, so that a request can be checked before it runs.
DJ_API const dj_source_info *dj_session_source_info(void);

/// Runs a program to its end and measures its processes as `request` says. An impossible request is refused
/// before the program runs. Processes are listed in order of appearance, the programs run by the root first.
///
/// *status (may be NULL) is the exit status of the program as a shell reports it, 128 + n for signal n, or
/// 130 if the session was stopped while the program still runs. After an error it is the status that env(1)
/// would use: 125 if Deja failed, 126 if the program cannot be executed, 127 if it was not found; or the
/// program's status if it ran but no data was collected.
DJ_API int dj_session_run(dj_context *context, const dj_session_options *options, const dj_request *request,
                          dj_session **out, int *status);

/// Where and how to record a program.
typedef struct dj_recording {
    /// For other processes, their number is inserted before the extension. NULL: an unnamed temporary file in
    /// $TMPDIR or /tmp, which can be opened by dj_process.trace until the session is destroyed; other
    /// processes are not recorded.
    const char *path;
    /// Count each element once per statement instance. Annotations alone (DJ_TOOL_ANNOTATIONS) say where
    /// instances begin without this, too.
    bool statements;
    bool threads;        ///< count the accesses of each thread, and sample the CPU times of the root's
    const char *command; ///< for the provenance; NULL: none
} dj_recording;

/// Like dj_session_run, but writes a trace per process, which dj_source_open reads. Files are written as the
/// program runs and are readable however it ends. In the trace of DJ_TOOL_ANNOTATIONS, addresses are numbers
/// of elements (DJ_CLASS_KEYS, blocks of 1).
DJ_API int dj_session_record(dj_context *context, const dj_session_options *options,
                             const dj_recording *recording, dj_session **out, int *status);

/// Runs the program untraced, with standard input from /dev/null and its output discarded, and samples the
/// CPU time of each of its threads every few milliseconds. *seconds, which the caller frees, lists them in
/// the order of their creation. The time after a thread's last sample is missing, and threads without a
/// sample are. Stopping the context kills the program. *status (may be NULL) is the exit status of the
/// program.
DJ_API int dj_session_time(dj_context *context, const dj_session_options *options, double **seconds,
                           size_t *count, int *status);

DJ_API void dj_session_destroy(dj_session *session); ///< NULL is allowed

DJ_API size_t dj_session_count(const dj_session *session);
/// Strings and the profile live as long as the session.
DJ_API dj_process dj_session_get(const dj_session *session, size_t index);
/// Index of the main process: the last program that the root ran. SIZE_MAX: none.
DJ_API size_t dj_session_main(const dj_session *session);
/// With DJ_KEEP_PROFILES: loads the profile of any process; DJ_ERR_USAGE if it has none.
DJ_API int dj_session_load(dj_context *context, const dj_session *session, size_t index, dj_profile **out);

/// Notes for the user, in order, except those passed to the hook.
DJ_API size_t dj_session_note_count(const dj_session *session);
DJ_API dj_session_note dj_session_get_note(const dj_session *session, size_t index);

/// DJ_OK, or the error of an analysis that failed, for example for lack of memory, with its message in the
/// context. A killed process is not an error.
DJ_API int dj_session_check(dj_context *context, const dj_session *session);

/// Writes JSON: the profile of the main process with the members `process` and `processes`, the profiles of
/// all others. dj_profile_load_process reads each of them.
DJ_API int dj_session_save(dj_context *context, const dj_session *session, FILE *to);
/// Writes the same in columns, without what `view` adds and without the facts about processes. For lossless
/// profiles, `view` must have DJ_BINS_EXACT.
DJ_API int dj_session_save_columns(dj_context *context, const dj_session *session, FILE *to);

#ifdef __cplusplus
}
#endif
#endif
