// SPDX-License-Identifier: MIT
#include "symbols/helper/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

// Reading the debug information of the largest programs takes a minute.
enum { SECONDS_MOST = 600 };

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

void dj_helper_start(dj_helper *helper, const char *path)
{
    *helper = (dj_helper){.fd = -1};
    int pair[2];
    int err = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0 ? 0 : errno;
    if (!err) {
        const struct timeval most = {.tv_sec = SECONDS_MOST};
        (void)setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
        (void)setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
        err = spawn(path, pair[1], &helper->pid);
        close(pair[1]);
        if (err)
            close(pair[0]);
        else
            helper->fd = pair[0];
    }
    if (err)
        snprintf(helper->why, sizeof helper->why, "symbols: cannot start %s (%s)" OUTCOME, DJ_HELPER_NAME,
                 strerror(err));
}

// Returns its wait status.
static int end(dj_helper *helper)
{
    int status = 0;
    close(helper->fd);
    helper->fd = -1;
    while (waitpid(helper->pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

static void explain(dj_helper *helper, bool late)
{
    if (late)
        kill(helper->pid, SIGKILL);
    int status = end(helper);
    if (late)
        snprintf(helper->why, sizeof helper->why, "symbols: no answer within %d seconds" OUTCOME,
                 SECONDS_MOST);
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
    enum dj_transfer result = dj_message_send(request, helper->fd);
    if (!result)
        result = dj_message_receive(answer, helper->fd);
    if (result == DJ_TRANSFER_ENDED || result == DJ_TRANSFER_LATE)
        explain(helper, result == DJ_TRANSFER_LATE);
    else if (result == DJ_TRANSFER_MEMORY)
        dj_helper_end(helper);
    return result == DJ_TRANSFER_OK;
}

void dj_helper_end(dj_helper *helper)
{
    if (helper->fd < 0)
        return;
    kill(helper->pid, SIGKILL); // it has nothing to clean up
    end(helper);
}
