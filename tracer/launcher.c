// SPDX-License-Identifier: MIT
// Starts the tracer that lies beside it, in place of valgrind(1), which would
// have to be told where the tracer is by VALGRIND_LIB, and the traced program
// would find that in its environment. Valgrind itself calls the launcher again
// for the programs that a traced one starts, and takes VALGRIND_LAUNCHER out of
// their environment.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A program that executes /proc/self/exe means itself, which to the kernel is
// this launcher; the tracer has told its path.
static void resolve_self(char **argv)
{
    static const char option[] = "--deja-self=";
    char *told = NULL, **word = argv + 1;
    for (; *word && **word == '-'; word++)
        if (strncmp(*word, option, sizeof option - 1) == 0)
            told = *word + sizeof option - 1;
    if (*word && told && *told && strcmp(*word, "/proc/self/exe") == 0)
        *word = told;
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
    resolve_self(argv);
    execv(path, argv);
    fprintf(stderr, "deja-launcher: cannot start %s: %s\n", path, strerror(errno));
    return 125;
}
