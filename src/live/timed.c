// SPDX-License-Identifier: MIT
#include "live/timed.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/children.h"
#include "base/file.h"
#include "live/program.h"

static _Noreturn void execute(const dj_timed_run *run, const char *path, char **arguments, int report)
{
    int null = open("/dev/null", O_RDWR);
    if (run->before_exec)
        run->before_exec();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (null >= 0 && dup2(null, STDIN_FILENO) == STDIN_FILENO && dup2(null, STDOUT_FILENO) == STDOUT_FILENO &&
        dup2(null, STDERR_FILENO) == STDERR_FILENO) {
        if (null > STDERR_FILENO)
            close(null);
        execvp(path, arguments);
    }
    int error = errno;
    ssize_t written = write(report, &error, sizeof error);
    _exit(written > 0 ? DJ_STATUS_FAILED : DJ_STATUS_NOT_EXECUTABLE);
}

// The pipe closes when exec succeeds; otherwise it transfers the reason.
static int spawn(dj_context *context, const dj_timed_run *run, const char *path, char **arguments, pid_t *out)
{
    int report[2], error = 0;
    if (pipe2(report, O_CLOEXEC) != 0)
        return dj_fail(context, DJ_ERR_MEMORY, "cannot start the program: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0)
        execute(run, path, arguments, report[1]);
    if (child < 0)
        error = errno;
    close(report[1]);
    if (child > 0 && dj_read_all(report[0], &error, sizeof error) < 0)
        error = errno;
    close(report[0]);
    if (!error) {
        *out = child;
        return DJ_OK;
    }
    if (child > 0)
        waitpid(child, NULL, 0);
    return dj_fail(context, DJ_ERR_MEMORY, "cannot start %s: %s", run->arguments[0], strerror(error));
}

// Whether the program has ended. Its main thread can still be read, until the program is waited for.
static bool has_ended(pid_t child)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child;
}

static int watch(dj_context *context, pid_t child, dj_cpu_times *times)
{
    int err = DJ_OK;
    int process = (int)syscall(SYS_pidfd_open, child, 0); // without it, the end is noticed a little later
    struct pollfd ask = {.fd = process, .events = POLLIN};
    bool ended = false;
    while (!err && !ended) {
        ended = has_ended(child);
        err = dj_cpu_times_sample(times, context, child);
        if (!err && !ended && dj_context_stopped(context))
            err = dj_fail(context, DJ_ERR_STOPPED, "interrupted while the program ran untraced");
        if (!err && !ended)
            poll(&ask, 1, DJ_CPU_SAMPLE_MS);
    }
    if (process >= 0)
        close(process);
    return err;
}

int dj_timed_run_start(dj_context *context, const dj_timed_run *run, dj_cpu_times *times, int *wait_status)
{
    char *path = NULL;
    char **arguments = calloc(run->count + 1, sizeof *arguments);
    pid_t child = 0;
    int ignored;
    int err = arguments ? dj_program_find(context, run->arguments[0], &path, &ignored)
                        : dj_fail_memory(context, "a command line", 0);
    for (size_t i = 0; !err && i < run->count; i++)
        arguments[i] = (char *)(uintptr_t)run->arguments[i];
    if (!err)
        err = spawn(context, run, path, arguments, &child);
    if (!err) {
        dj_children_add(child);
        err = watch(context, child, times);
        if (err)
            kill(child, SIGKILL);
        dj_children_remove(child);
        while (waitpid(child, wait_status, 0) < 0 && errno == EINTR)
            ;
    }
    free(arguments);
    free(path);
    return err;
}
