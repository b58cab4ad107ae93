// SPDX-License-Identifier: MIT
#include "live/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/explain.h"
#include "live/folder.h"
#include "live/program.h"

enum { OPTIONS = 12 }; // of valgrind, its name and "--" included

struct dj_session {
    dj_folder folder;
    int watch;   // inotify of the folder
    int process; // pidfd of the root
    pid_t root;
    bool ended;
    int wait_status;
    char events[4096];
    size_t event_at, event_bytes;
};

static int watch_folder(dj_session *s, dj_context *context)
{
    s->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (s->watch < 0 || inotify_add_watch(s->watch, s->folder.path, IN_MOVED_TO | IN_CREATE) < 0)
        return dj_fail(context, DJ_ERR_MEMORY,
                       "cannot watch for new processes: %s (fs.inotify.max_user_instances may be too low)",
                       strerror(errno));
    return DJ_OK;
}

typedef struct command {
    char *valgrind, *tracer, *program;
    char *folder_option, *log_option, *launcher;
    char analyzer_option[40];
    const char **arguments;
} command;

static void free_command(command *c)
{
    free(c->valgrind);
    free(c->tracer);
    free(c->program);
    free(c->folder_option);
    free(c->log_option);
    free(c->launcher);
    free(c->arguments);
}

static int build_command(dj_session *s, dj_context *context, const dj_launch *launch, command *c)
{
    c->arguments = calloc(launch->count + OPTIONS + 1, sizeof *c->arguments);
    if (!c->arguments || asprintf(&c->folder_option, "--deja-dir=%s", s->folder.path) < 0 ||
        asprintf(&c->log_option, "--log-file=%s/log.%%p", s->folder.path) < 0 ||
        asprintf(&c->launcher, "%s/deja-launcher", c->tracer) < 0)
        return dj_fail_memory(context, "a command line", 0);
    snprintf(c->analyzer_option, sizeof c->analyzer_option, "--deja-analyzer=%d", (int)getpid());
    const char *options[OPTIONS] = {
        "valgrind",
        "--command-line-only=yes", // nothing of the user's ~/.valgrindrc
        "--tool=deja",
        "-q",
        "--sigill-diagnostics=yes", // which instruction it does not know
        "--vgdb=no",
        "--child-silent-after-fork=yes", // a forked process must not need a log of its own
        c->log_option,
        c->folder_option,
        c->analyzer_option,
        launch->follow ? "--trace-children=yes" : "--trace-children=no",
        "--"};
    memcpy(c->arguments, options, sizeof options);
    for (size_t i = 0; i < launch->count; i++)
        c->arguments[OPTIONS + i] = launch->arguments[i];
    return DJ_OK;
}

// The pipe closes by itself when exec succeeds; otherwise it brings the reason.
static int spawn(dj_session *s, dj_context *context, const dj_launch *launch, const command *c)
{
    int report[2], error = 0;
    if (pipe2(report, O_CLOEXEC) != 0)
        return dj_fail(context, DJ_ERR_MEMORY, "cannot start the program: %s", strerror(errno));
    s->root = fork();
    if (s->root == 0) {
        if (launch->before_exec)
            launch->before_exec();
        execv(c->launcher, (char *const *)(uintptr_t)c->arguments);
        error = errno;
        ssize_t written = write(report[1], &error, sizeof error);
        _exit(written > 0 ? DJ_STATUS_FAILED : DJ_STATUS_NOT_EXECUTABLE);
    }
    if (s->root < 0)
        error = errno;
    close(report[1]);
    ssize_t got;
    do
        got = s->root > 0 ? read(report[0], &error, sizeof error) : 0;
    while (got < 0 && errno == EINTR);
    close(report[0]);
    if (!error)
        return DJ_OK;
    return dj_fail(context, DJ_ERR_MEMORY, "cannot start %s: %s", c->launcher, strerror(error));
}

int dj_session_start(dj_context *context, const dj_launch *launch, dj_session **out, int *status)
{
    command c = {0};
    dj_session *s = calloc(1, sizeof *s);
    *status = DJ_STATUS_FAILED;
    if (!s)
        return dj_fail_memory(context, "a session", sizeof *s);
    s->watch = s->process = s->folder.lock = -1;
    int err = dj_program_find(context, launch->arguments[0], &c.program, status);
    if (!err)
        err = dj_program_check(context, c.program, status);
    if (err)
        goto fail;
    *status = DJ_STATUS_FAILED;
    err = dj_program_find_valgrind(context, &c.valgrind);
    if (!err)
        err = dj_program_find_tracer(context, &c.tracer);
    if (!err)
        err = dj_program_check_room(context);
    if (!err)
        err = dj_folder_create(&s->folder, context);
    if (!err)
        err = watch_folder(s, context);
    if (!err)
        err = build_command(s, context, launch, &c);
    if (!err)
        err = spawn(s, context, launch, &c);
    if (err)
        goto fail;
    s->process = (int)syscall(SYS_pidfd_open, s->root, 0); // without it the poll below only takes longer
    *out = s;
    free_command(&c);
    return DJ_OK;
fail:
    free_command(&c);
    dj_session_end(s);
    return err;
}

void dj_session_end(dj_session *s)
{
    if (!s)
        return;
    if (s->watch >= 0)
        close(s->watch);
    if (s->process >= 0)
        close(s->process);
    dj_folder_remove(&s->folder);
    free(s);
}

pid_t dj_session_root(const dj_session *s)
{
    return s->root;
}

bool dj_session_ended(dj_session *s, int *wait_status)
{
    if (!s->ended && waitpid(s->root, &s->wait_status, WNOHANG) == s->root)
        s->ended = true;
    *wait_status = s->wait_status;
    return s->ended;
}

static bool read_event(dj_session *s, dj_session_ring *out)
{
    while (s->event_at < s->event_bytes) {
        struct inotify_event event;
        memcpy(&event, s->events + s->event_at, sizeof event);
        const char *name = s->events + s->event_at + sizeof event;
        s->event_at += sizeof event + event.len;
        char rest;
        if (!event.len || sscanf(name, "ring.%u.%u%c", &out->pid, &out->image, &rest) != 2)
            continue;
        snprintf(out->path, sizeof out->path, "%s/%s", s->folder.path, name);
        return true;
    }
    return false;
}

bool dj_session_find(dj_session *s, int wait_ms, dj_session_ring *out)
{
    if (read_event(s, out))
        return true;
    struct pollfd ask[2] = {{.fd = s->watch, .events = POLLIN},
                            {.fd = s->ended ? -1 : s->process, .events = POLLIN}};
    if (poll(ask, 2, wait_ms) <= 0 || !ask[0].revents)
        return false;
    ssize_t got = read(s->watch, s->events, sizeof s->events);
    s->event_at = 0;
    s->event_bytes = got > 0 ? (size_t)got : 0;
    return read_event(s, out);
}

bool dj_session_explain(const dj_session *s, uint32_t pid, char *to, size_t room)
{
    char path[512];
    snprintf(path, sizeof path, "%s/log.%u", s->folder.path, pid);
    return dj_explain_log(path, to, room);
}
