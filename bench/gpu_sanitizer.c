// SPDX-License-Identifier: MIT
// Runs small checks under NVIDIA's compute-sanitizer.
#include <limits.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/gpu.h"

enum { SANITIZER_SECONDS = 60, TIMED_OUT = 124 };

static const char *find_sanitizer(void)
{
    static const char *const names[] = {"compute-sanitizer", "/usr/local/cuda/bin/compute-sanitizer"};
    char command[256];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", names[i]);
        if (system(command) == 0) // NOLINT(cert-env33-c)
            return names[i];
    }
    return NULL;
}

static int status_of(const char *command)
{
    int status = system(command); // NOLINT(cert-env33-c)
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void run_tool(gpu_bench *bench, dj_context *context, const char *program, const char *tool,
                     const char *extent, const char *self)
{
    char log[] = "/tmp/deja-bench-sanitizer-XXXXXX", command[3 * PATH_MAX];
    int handle = mkstemp(log);
    double start = bench_wall_seconds();
    if (handle >= 0)
        close(handle);
    snprintf(command, sizeof command,
             "timeout %d %s --tool %s --error-exitcode 9 '%s' gpu %s --only check >%s 2>&1",
             SANITIZER_SECONDS, program, tool, self, extent, log);
    int status = status_of(command);
    if (status == 0) {
        gpu_say("sanitizer: %s is clean, %.0f s", tool, bench_wall_seconds() - start);
    } else if (status == TIMED_OUT) {
        gpu_say("sanitizer: %s was not done in %d s, and is not counted", tool, SANITIZER_SECONDS);
    } else {
        snprintf(command, sizeof command, "tail -n 30 %s", log);
        status_of(command);
        dj_fail(context, DJ_ERR_INPUT, "%s --tool %s ended with status %d", program, tool, status);
        gpu_wrong(bench, context);
    }
    unlink(log);
}

int gpu_sanitize(gpu_bench *bench, dj_context *context)
{
    const char *program = find_sanitizer();
    char self[PATH_MAX];
    if (!program) {
        gpu_say("sanitizer: skipped, there is no compute-sanitizer");
        return DJ_OK;
    }
    int err = bench_beside(context, "deja-bench", self, sizeof self);
    if (err != DJ_OK)
        return err;
    run_tool(bench, context, program, "memcheck --leak-check full", "--small", self);
    run_tool(bench, context, program, "racecheck", "--few", self);
    return DJ_OK;
}
