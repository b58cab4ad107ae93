// SPDX-License-Identifier: MIT
// deja stats: summarize traces and rank them by locality.
#include <deja/deja.h>

#include <stdlib.h>
#include <time.h>

#include "cli/measure.h"
#include "cli/options/export.h"
#include "cli/options/filters.h"
#include "cli/options/trace.h"
#include "report/stats.h"

typedef struct options {
    dj_trace_options trace;
    dj_output_options output;
    dj_strides_options strides;
    dj_stats_view view;
    int rule;
    dj_export_options export;
    dj_filter_options filters;
} options;

static const dj_option table[] = {
    {"near", 0, DJ_OPTION_UINT | DJ_OPTION_COMMON, offsetof(options, strides.near_blocks), "K",
     "consecutive accesses at most K blocks apart are near each other (default 1)", NULL},
    {"rank", 0, DJ_OPTION_CHOICE | DJ_OPTION_COMMON, offsetof(options, rule), "RULE",
     "rank traces by their mean reuse distance (default), or by the median relative to the distinct blocks",
     dj_stats_rules},
    {"per-address", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, offsetof(options, view.addresses), NULL,
     "also list the reuse distances of each address (memory grows with the trace)", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    o->strides.near_blocks = 1;
    int err = dj_groups_add(context, groups, "Statistics", table, o);
    if (!err)
        err = dj_trace_list(context, &o->trace, groups);
    if (!err)
        err = dj_export_list(context, &o->export, 0,
                             "a row for each trace, or with --per-address a row for each access", groups);
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

static int choose_observers(dj_context *context, const options *o, dj_observer_list *list)
{
    int err = dj_observer_list_add(context, list, "keys", NULL);
    if (!err)
        err = dj_observer_list_add(context, list, "sizes", NULL);
    if (!err)
        err = dj_observer_list_add(context, list, "strides", &o->strides);
    if (!err && o->view.addresses)
        err = dj_observer_list_add(context, list, "key-lists", NULL);
    return err;
}

static int measure(dj_context *context, const options *o, const char *const *path, const char *command_line,
                   dj_trace_stats *out)
{
    dj_observer_list observers = {0};
    dj_plan plan;
    dj_source *source = NULL;
    double begin = now_seconds();
    const dj_arguments one = {.items = path, .count = 1, .command_line = command_line};
    int err = dj_trace_open(context, &o->trace, &one, &source, &plan);
    if (!err)
        err = choose_observers(context, o, &observers);
    if (!err) {
        dj_request request = {.blocks = &plan.block_bytes,
                              .block_count = 1,
                              .observers = observers.items,
                              .observer_count = observers.count};
        dj_trace_request(&o->trace, &one, &request);
        dj_filters_apply(&o->filters, &request);
        err = dj_measure_with_progress(context, source, &request, &out->profile);
        out->seconds = now_seconds() - begin;
    }
    dj_observer_list_free(&observers);
    dj_source_close(source);
    return err;
}

static int print(dj_context *context, const options *o, const dj_trace_stats *traces, size_t count)
{
    dj_output *output = NULL;
    dj_document *document = NULL;
    int err = dj_output_open(context, &o->output, &output);
    if (!err && output->json)
        err = dj_stats_json(context, traces, count, &o->view, output->file);
    else if (!err)
        err = dj_document_stats(context, traces, count, &o->view, &document);
    if (document)
        err = dj_export_render(context, &o->export, document, &traces[0].profile->provenance, output);
    dj_document_destroy(document);
    return dj_output_end(context, err, &output);
}

static int check(dj_context *context, const options *o, const dj_arguments *arguments)
{
    if (arguments->count == 0)
        return dj_fail(context, DJ_ERR_USAGE, "no trace given; name a file, or use '-' for standard input");
    if (dj_export_renderer(&o->export)->all_rows && o->view.addresses && arguments->count > 1)
        return dj_fail(context, DJ_ERR_USAGE, "--per-address --export csv accepts only one trace");
    return dj_export_check(context, &o->export, &o->output);
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    options *o = values;
    dj_filters_require(&o->filters, &o->trace.source);
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
    o->view.rule = (enum dj_locality_rule)o->rule;
    dj_stats_rank(traces, count, o->view.rule);
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
    {"deja stats *.csv.gz", "Summarizes each trace and ranks them by temporal locality."},
    {"deja stats --rank median *.csv.gz", "Ranks them by the median, relative to the distinct blocks."},
    {"deja stats --no-split --block 1 A669.csv", "Treats each start offset as a separate key."},
    {"deja stats --block 4096 --near 8 disk.vscsi", "Shows how sequential the requests are, in pages."},
    {"deja stats --per-address --export csv small.trace", "Prints all reuse distances, address by address."},
    {NULL, NULL},
};

const dj_command dj_command_stats = {
    .name = "stats",
    .summary = "summarize traces and rank them by locality",
    .usage = "[options] FILE...",
    .description =
        "Prints for each trace the number of accesses and distinct blocks, the accesses per block, the reuse "
        "distances (mean, median, population standard deviation, minimum, maximum and mode, the most "
        "frequent "
        "one), likewise the sizes of requests if they have any, and the strides between consecutive "
        "accesses: "
        "the share that is near, mean and median.\n\n"
        "Unlike in other verbs, each file is a separate trace. Several traces are ranked by temporal "
        "locality: "
        "the one with the lowest mean reuse distance is the best. The mean is in blocks, so traces of larger "
        "data tend to rank lower; --rank median divides the median, and for equal ones the mean, by the "
        "number of distinct blocks.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
