// SPDX-License-Identifier: MIT
// A program built by `deja cc` is its own tracer: it is executed unchanged, and the environment names the
// folder for its ring.
#include "live/start/start.h"

#include <math.h>
#include <unistd.h>

enum { RATE_ALL = 1000000, BUDGET_ONE = 1000 };

static const char *describe_bursts(const dj_launch *launch, dj_start *start)
{
    const unsigned long long seed = launch->seed & INT32_MAX;
    const char *text = dj_start_format(start, "DEJA_SAMPLE=%.0f:%llu", ceil(launch->rate * RATE_ALL), seed);
    return text && launch->budget > 0 ? dj_start_format(start, "%s:%.0f", text, launch->budget * BUDGET_ONE)
                                      : text;
}

static int prepare(dj_context *context, const dj_launch *launch, const char *program, const char *folder,
                   dj_start *start)
{
    const char *settings[2] = {dj_start_format(start, "DEJA_RING=%s:%d%s", folder, (int)getpid(),
                                               launch->follow ? "" : ":nofollow")};
    if (launch->rate > 0)
        settings[1] = describe_bursts(launch, start);
    start->fixed_addresses = true;
    int err = dj_start_as_is(start, context, launch, program);
    if (!err)
        err = dj_start_environment(start, context, settings, launch->rate > 0 ? 2 : 1);
    return err ? err : dj_start_pad(start, context);
}

const dj_launch_method dj_launch_method_native = {.tool = DJ_TOOL_NATIVE, .prepare = prepare};
