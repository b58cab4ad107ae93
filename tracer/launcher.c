// SPDX-License-Identifier: MIT
// Starts the tracer beside it, instead of valgrind(1). That would need VALGRIND_LIB to find the tracer, and
// the traced program would see the variable in its environment. Valgrind calls the launcher again for the
// programs that a traced one starts, and removes VALGRIND_LAUNCHER from their environment. If the analyzer
// has ended, they run untraced.
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *value_of(const char *argument, const char *option)
{
    size_t length = strlen(option);
    return strncmp(argument, option, length) == 0 ? argument + length : NULL;
}

// The program and its arguments if tracing it is useless, otherwise NULL.
static char **find_untraced(char **argv)
{
    int gone = 0;
    for (argv++; *argv && **argv == '-' && strcmp(*argv, "--") != 0; argv++) {
        const char *folder = value_of(*argv, "--deja-dir="), *pid = value_of(*argv, "--deja-analyzer=");
        gone = gone || (folder && access(folder, F_OK) != 0);
        gone = gone || (pid && atoi(pid) > 0 && kill(atoi(pid), 0) != 0 && errno == ESRCH);
    }
    if (*argv && strcmp(*argv, "--") == 0)
        argv++;
    return gone && *argv ? argv : NULL;
}

int main(int argc, char **argv)
{
    static const char prefix[] = "VALGRIND_LAUNCHER=", tool[] = "deja-amd64-linux";
    char self[PATH_MAX] = "", path[PATH_MAX + sizeof tool] = "";
    if (argc < 1 || readlink("/proc/self/exe", self, sizeof self - 1) < 0) {
        perror("deja-launcher");
        return 125;
    }
    memcpy(path, self, sizeof self);
    char *slash = strrchr(path, '/');
    memcpy(slash ? slash + 1 : path, tool, sizeof tool);
    char binding[sizeof prefix + PATH_MAX];
    snprintf(binding, sizeof binding, "%s%s", prefix, self);
    if (unsetenv("VALGRIND_LIB") != 0 || putenv(binding) != 0) {
        perror("deja-launcher");
        return 125;
    }
    char **untraced = find_untraced(argv);
    if (untraced) {
        unsetenv("VALGRIND_LAUNCHER");
        execvp(*untraced, untraced);
        fprintf(stderr, "%s: %s\n", *untraced, strerror(errno));
        return errno == ENOENT ? 127 : 126;
    }
    execv(path, argv);
    fprintf(stderr, "deja-launcher: cannot start %s: %s\n", path, strerror(errno));
    return 125;
}
