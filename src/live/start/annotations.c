// SPDX-License-Identifier: MIT
// An annotated program (<deja/record.h>) loads a library that analyzes its annotations and writes a profile
// at its end, or passes them on through a ring.
#include "live/start/start.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/support_dir.h"

static int prepare(dj_context *context, const dj_launch *launch, const char *program, const char *folder,
                   dj_start *start)
{
    static const char library[] = "libdeja-record.so";
    char *home = NULL;
    int err = dj_support_dir_find(context, library, &home);
    if (err)
        return err;
    const char *settings[] = {
        dj_start_format(start, "DEJA_RECORDER=%s/%s", home, library),
        dj_start_format(start, "DEJA_RECORD=%s/%s.%s", folder, launch->profiles ? "profile" : "ring",
                        launch->follow ? "%p" : "first"),
        launch->profiles
            ? dj_start_format(start, "DEJA_RECORD_OPTIONS=%s", launch->settings ? launch->settings : "")
            : dj_start_format(start, "DEJA_RECORD_OPTIONS=reader=%d", (int)getpid()),
    };
    free(home);
    err = dj_start_as_is(start, context, launch, program);
    return err ? err : dj_start_environment(start, context, settings, sizeof settings / sizeof *settings);
}

const dj_launch_method dj_launch_method_annotations = {.tool = DJ_TOOL_ANNOTATIONS, .prepare = prepare};
