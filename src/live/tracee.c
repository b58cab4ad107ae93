// SPDX-License-Identifier: MIT
#include "live/tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "live/elf_notes.h"
#include "live/folder.h"
#include "live/program.h"
#include "live/ring_file.h"
#include "live/start/start.h"
#include "live/untraced.h"

const char *const dj_tool_names[] = {"auto", "native", "valgrind", "annotations", NULL};

struct dj_tracee {
    dj_folder folder;
    const dj_launch_method *method;
    unsigned notes; // of the program
    bool profiles;  // as in dj_launch
    int watch;      // inotify of the folder
    int process;    // pidfd of the root
    int spare;      // a descriptor for dj_tracee_refuse, which is needed when there is no other left
    pid_t root;
    bool ended;
    int wait_status;
    char events[4096];
    size_t event_at, event_bytes;
};

static int watch_folder(dj_tracee *t, dj_context *context)
{
    t->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (t->watch < 0 || inotify_add_watch(t->watch, t->folder.path, IN_MOVED_TO | IN_CREATE) < 0)
        return dj_fail(context, DJ_ERR_MEMORY,
                       "cannot watch for new processes: %s (fs.inotify.max_user_instances may be too low)",
                       strerror(errno));
    return DJ_OK;
}

// Whether it records data and can load the library that analyzes it.
static bool is_annotated(unsigned notes)
{
    return notes >> DJ_NOTE_ANNOTATED & notes >> DJ_NOTE_LOADS & 1;
}

// The best method for the program.
static const dj_launch_method *find_method(const dj_launch *launch, unsigned notes)
{
    static const dj_launch_method *const methods[] = {&dj_launch_method_native, &dj_launch_method_valgrind,
                                                      &dj_launch_method_annotations};
    enum dj_tool tool = launch->tool;
    if (tool == DJ_TOOL_AUTO)
        tool = notes >> DJ_NOTE_INSTRUMENTED & 1 ? DJ_TOOL_NATIVE
               : is_annotated(notes)             ? DJ_TOOL_ANNOTATIONS
                                                 : DJ_TOOL_VALGRIND;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (methods[i]->tool == tool)
            return methods[i];
    return NULL;
}

// The pipe closes when exec succeeds; otherwise it transfers the reason.
static int spawn(dj_tracee *t, dj_context *context, const dj_launch *launch, const dj_start *start)
{
    int report[2], error = 0;
    if (pipe2(report, O_CLOEXEC) != 0)
        return dj_fail(context, DJ_ERR_MEMORY, "cannot start the program: %s", strerror(errno));
    t->root = fork();
    if (t->root == 0) {
        if (launch->before_exec)
            launch->before_exec();
        // Where it is not permitted, as in some containers, addresses differ between runs.
        if (start->fixed_addresses)
            personality((unsigned long)personality(~0UL) | ADDR_NO_RANDOMIZE);
        // Like a shell, it treats text without "#!" as a script.
        execvpe(start->file, (char *const *)(uintptr_t)start->arguments,
                (char *const *)(uintptr_t)start->environment);
        error = errno;
        ssize_t written = write(report[1], &error, sizeof error);
        _exit(written > 0 ? DJ_STATUS_FAILED : DJ_STATUS_NOT_EXECUTABLE);
    }
    if (t->root < 0)
        error = errno;
    close(report[1]);
    if (t->root > 0 && dj_read_all(report[0], &error, sizeof error) < 0)
        error = errno;
    close(report[0]);
    if (!error)
        return DJ_OK;
    return dj_fail(context, DJ_ERR_MEMORY, "cannot start %s: %s", start->file, strerror(error));
}

static int start(dj_tracee *t, dj_context *context, const dj_launch *launch, const char *program)
{
    dj_start command = {0};
    int err = dj_folder_create(&t->folder, context);
    if (!err)
        err = watch_folder(t, context);
    if (!err)
        err = t->method->prepare(context, launch, program, t->folder.path, &command);
    if (!err)
        err = spawn(t, context, launch, &command);
    dj_start_free(&command);
    return err;
}

static int check_method(const dj_launch_method *method, dj_context *context, const dj_launch *launch)
{
    if (method->tool == DJ_TOOL_ANNOTATIONS && launch->unfit)
        return dj_fail(context, DJ_ERR_USAGE,
                       "'%s' is measured by its annotations, element by element, where %s has no meaning; "
                       "omit it, or choose --tool valgrind, which traces the memory of the program",
                       launch->arguments[0], launch->unfit);
    return DJ_OK;
}

int dj_tracee_start(dj_context *context, const dj_launch *launch, dj_tracee **out, int *status)
{
    char *program = NULL;
    dj_tracee *t = calloc(1, sizeof *t);
    *status = DJ_STATUS_FAILED;
    if (!t)
        return dj_fail_memory(context, "a traced program", sizeof *t);
    t->watch = t->process = t->spare = t->folder.lock = -1;
    t->profiles = launch->profiles;
    int err = dj_program_find(context, launch->arguments[0], &program, status);
    if (!err)
        err = dj_program_check(context, program, status);
    if (!err) {
        *status = DJ_STATUS_FAILED;
        int fault;
        t->notes = dj_elf_notes_read(program, &fault);
        t->method = find_method(launch, t->notes);
        err = fault ? dj_fail(context, DJ_ERR_IO, "cannot read '%s': %s", program, strerror(fault))
                    : check_method(t->method, context, launch);
        if (!err)
            err = start(t, context, launch, program);
    }
    free(program);
    if (err) {
        dj_tracee_end(t);
        return err;
    }
    t->spare = fcntl(t->watch, F_DUPFD_CLOEXEC, 0);
    t->process = (int)syscall(SYS_pidfd_open, t->root, 0); // without it, polling only takes longer
    *out = t;
    return DJ_OK;
}

void dj_tracee_end(dj_tracee *t)
{
    if (!t)
        return;
    if (t->watch >= 0)
        close(t->watch);
    if (t->process >= 0)
        close(t->process);
    if (t->spare >= 0)
        close(t->spare);
    dj_folder_remove(&t->folder);
    free(t);
}

pid_t dj_tracee_root(const dj_tracee *t)
{
    return t->root;
}

const char *dj_tracee_folder(const dj_tracee *t)
{
    return t->folder.path;
}

enum dj_tool dj_tracee_tool(const dj_tracee *t)
{
    return t->method->tool;
}

bool dj_tracee_sees_library(const dj_tracee *t)
{
    return t->method->tool == DJ_TOOL_VALGRIND && t->notes >> DJ_NOTE_INSTRUMENTED & 1;
}

bool dj_tracee_ended(dj_tracee *t, int *wait_status)
{
    pid_t found = t->ended ? t->root : waitpid(t->root, &t->wait_status, WNOHANG);
    if (found < 0 && errno == ECHILD) { // the caller ignores SIGCHLD: the status is lost
        t->ended = !t->root || kill(t->root, 0) != 0;
        t->wait_status = DJ_STATUS_FAILED << 8;
    }
    t->ended = t->ended || found == t->root;
    *wait_status = t->wait_status;
    return t->ended;
}

static bool read_event(dj_tracee *t, dj_tracee_ring *out)
{
    while (t->event_at < t->event_bytes) {
        struct inotify_event event;
        memcpy(&event, t->events + t->event_at, sizeof event);
        const char *name = t->events + t->event_at + sizeof event;
        t->event_at += sizeof event + event.len;
        char rest;
        if (!event.len || sscanf(name, "ring.%u.%u%c", &out->pid, &out->image, &rest) != 2)
            continue;
        snprintf(out->path, sizeof out->path, "%s/%s", t->folder.path, name);
        return true;
    }
    return false;
}

bool dj_tracee_find(dj_tracee *t, int wait_ms, dj_tracee_ring *out)
{
    if (read_event(t, out))
        return true;
    struct pollfd ask[2] = {{.fd = t->watch, .events = POLLIN},
                            {.fd = t->ended ? -1 : t->process, .events = POLLIN}};
    if (poll(ask, 2, wait_ms) <= 0 || !ask[0].revents)
        return false;
    ssize_t got;
    do // a signal must not look like a program without a ring
        got = read(t->watch, t->events, sizeof t->events);
    while (got < 0 && errno == EINTR);
    t->event_at = 0;
    t->event_bytes = got > 0 ? (size_t)got : 0;
    return read_event(t, out);
}

void dj_tracee_refuse(dj_tracee *t, const dj_tracee_ring *ring)
{
    if (t->spare >= 0)
        close(t->spare);
    dj_ring_file_detach(ring->path);
    t->spare = fcntl(t->watch, F_DUPFD_CLOEXEC, 0);
}

bool dj_tracee_explain(const dj_tracee *t, uint32_t pid, char *to, size_t capacity)
{
    return t->method->explain && t->method->explain(t->folder.path, pid, to, capacity);
}

static int fail_unrecorded(const dj_tracee *t, dj_context *context, const char *program)
{
    return dj_fail(
        context, DJ_ERR_UNSUPPORTED, "'%s' ran, but left no %s: %s; --tool valgrind needs no annotations",
        program, t->profiles ? "profile" : "recording",
        !is_annotated(t->notes) ? "it records no data with <deja/record.h>, or is statically linked"
        : t->profiles
            ? "it printed the reason, or recorded nothing, or was ended by a signal or by _exit in its first "
              "half second"
            : "it printed the reason, or recorded nothing");
}

int dj_tracee_fail_untraced(const dj_tracee *t, dj_context *context, const char *program)
{
    char why[512];
    if (t->method->tool == DJ_TOOL_ANNOTATIONS)
        return fail_unrecorded(t, context, program);
    if (t->method->tool != DJ_TOOL_NATIVE) {
        if (!dj_tracee_explain(t, (uint32_t)t->root, why, sizeof why))
            snprintf(why, sizeof why, "the tracer did not start");
        return dj_fail(context, DJ_ERR_UNSUPPORTED, "cannot run '%s' under the tracer: %s", program, why);
    }
    if (WIFEXITED(t->wait_status) && WEXITSTATUS(t->wait_status) == DJ_STATUS_NOT_FOUND)
        return dj_fail(
            context, DJ_ERR_UNSUPPORTED,
            "'%s' did not start, most likely because one of its libraries is missing ('ldd %s' shows "
            "which); a program linked by 'deja cc' needs Deja's library where it was then: relink it",
            program, program);
    if (dj_untraced_explain(t->folder.path, why, sizeof why))
        return dj_fail(context, DJ_ERR_IO, "'%s' is not analyzed: %s", program, why);
    if (t->notes >> DJ_NOTE_INSTRUMENTED & 1)
        return dj_fail(context, DJ_ERR_IO,
                       "'%s' ran, but could not create a ring in %s; check that there is free space, and "
                       "that no limit on "
                       "memory or file sizes (ulimit -v, -f) is below 70 MB",
                       program, t->folder.path);
    return dj_fail(
        context, DJ_ERR_UNSUPPORTED,
        "'%s' ran, but no part of it was built by 'deja cc', so it recorded nothing; build it with "
        "'deja cc', 'deja c++' or 'deja fc', or use --tool valgrind, which needs no rebuild",
        program);
}
