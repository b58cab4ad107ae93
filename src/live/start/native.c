// SPDX-License-Identifier: MIT
// A program built by `deja cc` is its own tracer: it is executed unchanged, and the environment names the
// folder for its ring.
#include "live/start/start.h"

#include <unistd.h>

static int prepare(dj_context *context, const dj_launch *launch, const char *program, const char *folder,
                   dj_start *start)
{
    const char *setting =
        dj_start_format(start, "DEJA_RING=%s:%d%s", folder, (int)getpid(), launch->follow ? "" : ":nofollow");
    int err = dj_start_as_is(start, context, launch, program);
    return err ? err : dj_start_environment(start, context, &setting, 1);
}

const dj_launch_method dj_launch_method_native = {.tool = DJ_TOOL_NATIVE, .prepare = prepare};
