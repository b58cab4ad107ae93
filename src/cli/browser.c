// SPDX-License-Identifier: MIT
#include "cli/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

// A session of its own, so that neither Ctrl-C nor the end of the terminal ends the browser.
static int start(const char *address)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    pid_t pid;
    char program[] = "xdg-open";
    char *const arguments[] = {program, (char *)(uintptr_t)address, NULL};
    int err = posix_spawn_file_actions_init(&files);
    if (err)
        return err;
    err = posix_spawnattr_init(&attributes);
    if (!err) {
        err = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
        for (int fd = STDIN_FILENO; !err && fd <= STDERR_FILENO; fd++)
            err = posix_spawn_file_actions_addopen(&files, fd, "/dev/null", fd ? O_WRONLY : O_RDONLY, 0);
        if (!err)
            err = posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
        if (!err)
            err = posix_spawnp(&pid, program, &files, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return err;
}

const char *dj_browser_open(const char *address)
{
    if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY"))
        return "there is no display here";
    const int err = start(address);
    return err == 0 ? NULL : err == ENOENT ? "xdg-open is not installed (package xdg-utils)" : strerror(err);
}
