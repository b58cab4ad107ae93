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
    execv(path, argv);
    fprintf(stderr, "deja-launcher: cannot start %s: %s\n", path, strerror(errno));
    return 125;
}
