// SPDX-License-Identifier: MIT
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/option.h"
#include "bench/bench.h"

int bench_arguments(dj_context *context, const dj_option *table, void *values, const bool *help, size_t count,
                    char *const *args, bench_files *files)
{
    const dj_option_group group = {.title = "Options", .options = table, .values = values};
    const char **names = calloc(count + 1, sizeof *names);
    size_t name_count = 0;
    if (!names)
        return dj_fail_memory(context, "the command line", 0);
    int err = dj_option_parse(context, &group, 1, count, args, names, &name_count);
    if (err == DJ_OK && !files && name_count > 0)
        err = dj_fail(context, DJ_ERR_USAGE, "this takes options only, not %s", names[0]);
    if (err == DJ_OK && *help)
        dj_option_print_help(stdout, &group, 1, 80);
    if (err == DJ_OK && files)
        *files = (bench_files){names, name_count};
    else
        free(names);
    return err;
}

int bench_beside(dj_context *context, const char *name, char *path, size_t room)
{
    char self[PATH_MAX] = {0};
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return dj_fail(context, DJ_ERR_IO, "cannot find %s beside this program", name);
    snprintf(path, room, "%s/%s", dirname(self), name);
    return DJ_OK;
}
