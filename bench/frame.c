// SPDX-License-Identifier: MIT
#include "bench/frame.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/option/option.h"
#include "bench/bench.h"

dj_json_writer *bench_begin_json(bench_call *call)
{
    if (!call->as_json)
        return NULL;
    if (!call->begun && call->as_object)
        dj_json_begin_object(&call->json, NULL);
    else if (!call->begun)
        dj_json_begin_list(&call->json, NULL);
    call->begun = true;
    return &call->json;
}

dj_json_writer *bench_begin_row(bench_call *call)
{
    dj_json_writer *json = bench_begin_json(call);
    if (json)
        dj_json_begin_row(json, NULL);
    return json;
}

static void end_json(bench_call *call)
{
    if (!bench_begin_json(call)) // even without rows
        return;
    if (call->as_object)
        dj_json_end_object(&call->json);
    else
        dj_json_end_list(&call->json);
    dj_json_finish(&call->json);
}

static int run(const bench_subject *subject, dj_context *context, const void *settings,
               const char *const *names, size_t name_count)
{
    bench_common common;
    memcpy(&common, settings, sizeof common);
    bench_call call = {.settings = settings,
                       .names = names,
                       .name_count = name_count,
                       .json = {.out = stdout},
                       .as_json = common.json,
                       .as_object = subject->json_object};
    if (common.cpu_time)
        bench_use_cpu_time();
    int err = subject->run(context, &call);
    if (err == DJ_OK)
        end_json(&call);
    return err;
}

// `args` may be changed.
static int parse(const bench_subject *subject, dj_context *context, void *settings, size_t count, char **args,
                 const char **names)
{
    const dj_option_group group = {.title = "Options", .options = subject->options, .values = settings};
    size_t name_count = 0;
    bench_common common;
    int err = subject->take ? subject->take(context, settings, &count, args) : DJ_OK;
    if (err == DJ_OK)
        err = dj_option_parse(context, &group, 1, count, args, names, &name_count);
    if (err == DJ_OK && !subject->takes_names && name_count > 0)
        err = dj_fail(context, DJ_ERR_USAGE, "this takes options only, not %s", names[0]);
    if (err != DJ_OK)
        return err;
    memcpy(&common, settings, sizeof common);
    if (!common.help)
        return run(subject, context, settings, names, name_count);
    dj_option_print_help(stdout, &group, 1, DJ_PRINT_COMMON | DJ_PRINT_OTHER | DJ_PRINT_TITLES, 80);
    if (subject->more_help)
        puts(subject->more_help);
    return DJ_OK;
}

int bench_subject_run(const bench_subject *subject, dj_context *context, size_t count, char *const *args)
{
    static const bench_common none = {0};
    if (!subject->options)
        return run(subject, context, &none, (const char *const *)args, count);
    void *settings = malloc(subject->settings_bytes);
    char **own = calloc(count + 1, sizeof *own);
    const char **names = calloc(count + 1, sizeof *names);
    int err = settings && own && names ? DJ_OK : dj_fail_memory(context, "the command line", 0);
    if (err == DJ_OK) {
        memcpy(settings, subject->defaults, subject->settings_bytes);
        memcpy(own, args, count * sizeof *own);
        err = parse(subject, context, settings, count, own, names);
    }
    free(names);
    free(own);
    free(settings);
    return err;
}

int bench_beside(dj_context *context, const char *name, char *path, size_t capacity)
{
    char self[PATH_MAX] = {0};
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return dj_fail(context, DJ_ERR_IO, "cannot find %s in the folder of this program", name);
    snprintf(path, capacity, "%s/%s", dirname(self), name);
    return DJ_OK;
}
