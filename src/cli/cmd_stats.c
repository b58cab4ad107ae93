// SPDX-License-Identifier: MIT
// deja stats: one or several traces, each summarized, and ranked.
#include <deja/deja.h>

#include <stdlib.h>
#include <time.h>

#include "cli/filters.h"
#include "cli/measure.h"
#include "cli/output.h"
#include "cli/reading.h"
#include "report/stats.h"

typedef struct options {
    dj_reading reading;
    dj_output_options output;
    dj_strides_options strides;
    bool per_address;
    int format; // index into formats
    dj_filter_options filters;
} options;

enum { FORMAT_TEXT, FORMAT_CSV };
static const char *const formats[] = {"text", "csv", NULL};

static const dj_option table[] = {
    {"near", 0, DJ_OPTION_UINT, offsetof(options, strides.near_blocks), "K",
     "consecutive accesses at most K blocks apart count as near (default 1)", NULL},
    {"per-address", 0, DJ_OPTION_FLAG, offsetof(options, per_address), NULL,
     "also list the reuse distances of each address (memory grows with the trace)", NULL},
    {"export", 0, DJ_OPTION_CHOICE, offsetof(options, format), "FORMAT",
     "form of the output; csv has one line for each trace, or with --per-address one for each access",
     formats},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    o->strides.near_blocks = 1;
    int err = dj_groups_add(context, groups, "Statistics", table, o);
    if (!err)
        err = dj_reading_list(context, &o->reading, groups);
    if (!err)
        err = dj_filters_list(context, &o->filters, groups, DJ_FILTERS_FOR_TRACES);
    return err ? err : dj_output_list(context, &o->output, groups);
}

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int measure(dj_context *context, const options *o, const char *const *path, const char *command_line,
                   dj_trace_stats *out)
{
    dj_observer_choice observers[] = {
        {.ops = dj_observer_find("histogram")},
        {.ops = dj_observer_find("keys")},
        {.ops = dj_observer_find("strides"), .options = &o->strides},
        {.ops = dj_observer_find("traffic")},
        {.ops = dj_observer_find("key-lists")},
    };
    dj_plan plan;
    dj_source *source = NULL;
    double begin = now_seconds();
    const dj_arguments one = {.items = path, .count = 1, .command_line = command_line};
    int err = dj_reading_open(context, &o->reading, &one, &source, &plan);
    if (err)
        return err;
    dj_measurement measurement = {.source = source,
                                  .plan = &plan,
                                  .observers = observers,
                                  .observer_count = o->per_address ? 5 : 4,
                                  .inputs = path,
                                  .input_count = 1,
                                  .command_line = command_line};
    dj_filters_apply(&o->filters, &measurement);
    err = dj_measure_shown(context, &measurement, &out->profile);
    out->seconds = now_seconds() - begin;
    dj_source_close(source);
    return err;
}

static int print(dj_context *context, const options *o, const dj_trace_stats *traces, size_t count)
{
    dj_output *output = NULL;
    int err = dj_output_open(context, &o->output, &output);
    if (err)
        return err;
    if (output->json) {
        dj_stats_json(traces, count, o->per_address, output->file);
    } else if (o->format == FORMAT_CSV && o->per_address) {
        dj_output_tell_estimate(&traces[0].profile->provenance);
        dj_report_csv_addresses(dj_lane_keys(&traces[0].profile->lanes[0]), output->file);
    } else if (o->format == FORMAT_CSV) {
        dj_output_tell_estimate(&traces[0].profile->provenance);
        dj_stats_csv(traces, count, output->file);
    } else {
        dj_report_style style = {
            .width = output->columns, .unicode = output->unicode, .color = output->color};
        dj_stats_text(traces, count, o->per_address, &style, output->file);
    }
    err = dj_output_close(context, &output);
    dj_output_discard(&output);
    return err;
}

static int check(dj_context *context, const options *o, const dj_arguments *arguments)
{
    if (arguments->count == 0)
        return dj_fail(context, DJ_ERR_USAGE, "no trace given; name a file, or '-' for standard input");
    if (o->format == FORMAT_CSV && o->output.json)
        return dj_fail(context, DJ_ERR_USAGE, "--json and --export csv exclude each other");
    if (o->format == FORMAT_CSV && o->per_address && arguments->count > 1)
        return dj_fail(context, DJ_ERR_USAGE, "--per-address --export csv takes one trace");
    return DJ_OK;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    options *o = values;
    dj_filters_ask(&o->filters, &o->reading.source);
    int err = check(context, o, arguments);
    if (err)
        return err;
    dj_trace_stats *traces = calloc(arguments->count, sizeof *traces);
    if (!traces)
        return dj_fail_memory(context, "statistics", 0);
    size_t count = 0;
    for (size_t i = 0; !err && i < arguments->count; i++) {
        err = measure(context, o, &arguments->items[i], arguments->command_line, &traces[count]);
        count += traces[count].profile != NULL;
    }
    dj_stats_rank(traces, count);
    if (count > 0) {
        int printed = print(context, o, traces, count);
        err = printed ? printed : err;
    }
    for (size_t i = 0; i < count; i++)
        dj_profile_destroy(traces[i].profile);
    free(traces);
    return err;
}

static const dj_example examples[] = {
    {"deja stats --no-split --block 1 A669.csv", "Every start offset is a key of its own."},
    {"deja stats *.csv.gz", "Summarizes each trace and ranks them by temporal locality."},
    {"deja stats --block 4096 --near 8 disk.vscsi", "How sequential the requests are, in pages."},
    {"deja stats --per-address --export csv small.trace", "All reuse distances, address by address."},
    {NULL, NULL},
};

const dj_command dj_command_stats = {
    .name = "stats",
    .summary = "summary of one or several traces: reuse, locality, strides",
    .usage = "[options] FILE...",
    .description =
        "Prints for each trace how many accesses and distinct blocks it has, how often a block is "
        "accessed, how far apart its reuses are (mean, median, population standard deviation, least and "
        "most), and how far consecutive accesses are from each other in the address space: the share that "
        "is near, mean and median stride.\n\n"
        "Each file is a trace of its own here. Several are ranked by temporal locality: the median reuse "
        "distance divided by the number of distinct blocks, then the mean likewise; lower is better.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
