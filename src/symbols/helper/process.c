// SPDX-License-Identifier: MIT
#include "symbols/helper/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/children.h"

// Reading the debug information of the largest programs takes a minute.
enum {
    SECONDS_MOST = 600,
    SECONDS_MOST_STOPPED = 60, // after an interrupt; a second one ends Deja at once
    SECONDS_MOST_REST = 20,    // for the rest of a message
    TICK_MS = 100,
    PAUSE_MS = 2, // between looks whether it has ended
    PAUSES_MOST = 1000,
};

#define OUTCOME ": later places are shown as addresses"

static const int group_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGUSR1};

// The helper gets the connection and nothing else of this process. Signals from a terminal go to the whole
// group; this process decides what becomes of the helper, which therefore blocks them.
static int spawn(const char *path, int connection, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t blocked;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof group_signals / sizeof *group_signals; i++)
        sigaddset(&blocked, group_signals[i]);
    char *const arguments[] = {DJ_HELPER_NAME, NULL};
    int err = posix_spawn_file_actions_init(&files);
    if (err)
        return err;
    err = posix_spawnattr_init(&attributes);
    if (!err) {
        err = posix_spawn_file_actions_adddup2(&files, connection, DJ_HELPER_FD);
        if (!err)
            err = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        for (int fd = STDOUT_FILENO; !err && fd <= STDERR_FILENO; fd++)
            err = posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_WRONLY, 0);
        if (!err)
            err = posix_spawn_file_actions_addclosefrom_np(&files, DJ_HELPER_FD + 1);
        if (!err)
            err = posix_spawnattr_setsigmask(&attributes, &blocked);
        if (!err)
            err = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        if (!err)
            err = posix_spawn(pid, path, &files, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return err;
}

void dj_helper_start(dj_helper *helper, const dj_context *context, const char *path)
{
    *helper = (dj_helper){.fd = -1, .context = context};
    int pair[2];
    int err = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0 ? 0 : errno;
    if (!err) {
        const struct timeval most = {.tv_sec = SECONDS_MOST_REST};
        (void)setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
        (void)setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
        err = spawn(path, pair[1], &helper->pid);
        close(pair[1]);
        if (err)
            close(pair[0]);
        else
            helper->fd = pair[0];
    }
    if (!err)
        dj_children_add(helper->pid);
    if (err)
        snprintf(helper->why, sizeof helper->why, "symbols: cannot start %s (%s)" OUTCOME, DJ_HELPER_NAME,
                 strerror(err));
}

// Returns its wait status. One that does not end by itself is killed, which works on stopped ones too.
static int end(dj_helper *helper, int pauses)
{
    int status = 0;
    pid_t found = 0;
    close(helper->fd);
    helper->fd = -1;
    dj_children_remove(helper->pid);
    while (pauses-- > 0 && (found = waitpid(helper->pid, &status, WNOHANG)) == 0)
        poll(NULL, 0, PAUSE_MS);
    if (found != 0)
        return status;
    kill(helper->pid, SIGKILL);
    while (waitpid(helper->pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

static bool is_stopped(const dj_helper *helper)
{
    siginfo_t found = {0};
    return waitid(P_PID, (id_t)helper->pid, &found, WSTOPPED | WNOHANG | WNOWAIT) == 0 && found.si_pid != 0;
}

// Waits for the beginning of an answer, and returns 0, or the number of seconds after which there was none.
// Counts ticks, not the time during which this process is stopped itself.
static int await(const dj_helper *helper)
{
    const int ticks_a_second = 1000 / TICK_MS;
    int most = SECONDS_MOST;
    for (int ticks = 0; ticks < most * ticks_a_second; ticks++) {
        struct pollfd ask = {.fd = helper->fd, .events = POLLIN};
        if (poll(&ask, 1, TICK_MS) > 0)
            return 0;
        if (most == SECONDS_MOST && dj_context_stopped(helper->context))
            most = ticks / ticks_a_second + SECONDS_MOST_STOPPED;
        if (dj_context_stopped(helper->context) && is_stopped(helper))
            return ticks / ticks_a_second + 1;
    }
    return most;
}

static void explain(dj_helper *helper, int late)
{
    int status = end(helper, late ? 0 : PAUSES_MOST);
    if (late)
        snprintf(helper->why, sizeof helper->why, "symbols: no answer within %d second%s" OUTCOME, late,
                 late == 1 ? "" : "s");
    else if (WIFEXITED(status) && WEXITSTATUS(status) == DJ_HELPER_NO_MEMORY)
        snprintf(helper->why, sizeof helper->why, "symbols ran out of memory" OUTCOME);
    else if (WIFSIGNALED(status))
        snprintf(helper->why, sizeof helper->why, "symbols: %s ended with signal %d (%s)" OUTCOME,
                 DJ_HELPER_NAME, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(helper->why, sizeof helper->why, "symbols: %s ended with status %d" OUTCOME, DJ_HELPER_NAME,
                 WEXITSTATUS(status));
}

bool dj_helper_ask(dj_helper *helper, dj_message *request, dj_message *answer)
{
    if (helper->fd < 0)
        return false;
    int late = SECONDS_MOST_REST;
    enum dj_transfer result = dj_message_send(request, helper->fd);
    if (!result && (late = await(helper)) != 0)
        result = DJ_TRANSFER_LATE;
    if (!result) {
        late = SECONDS_MOST_REST;
        result = dj_message_receive(answer, helper->fd);
    }
    if (result == DJ_TRANSFER_ENDED || result == DJ_TRANSFER_LATE)
        explain(helper, result == DJ_TRANSFER_LATE ? late : 0);
    else if (result == DJ_TRANSFER_MEMORY)
        dj_helper_end(helper);
    return result == DJ_TRANSFER_OK;
}

void dj_helper_end(dj_helper *helper)
{
    if (helper->fd >= 0)
        end(helper, 0); // it has nothing to clean up
}
