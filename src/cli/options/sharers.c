// SPDX-License-Identifier: MIT
#include "cli/options/sharers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "cli/options/output.h"

enum {
    ORDER_DEFAULT,
    ORDER_SPEEDS,
    ORDER_RANDOM,
    ORDER_RECORDED,
    ORDER_SCHEDULE,
    SHARERS_MOST = 1024,
    SCHEDULES_DEFAULT = 16,
    SEED_DEFAULT = 1,
    SCHEDULES_MOST = 10000,
};
#define SPEED_MOST 1e9
#define NOT_GIVEN UINT64_MAX
static const char *const orders[] = {"auto", "speeds", "random", "recorded", "schedule", NULL};

#define AT(field) offsetof(dj_sharer_options, field)
static const dj_option table[] = {
    {"by-thread", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, AT(by_thread), NULL,
     "the files are one trace, and its threads are the sharers (default for one file)", NULL},
    {"order", 0, DJ_OPTION_CHOICE | DJ_OPTION_COMMON, AT(order), "ORDER",
     "how accesses alternate: by speeds (default for several traces), at random, as recorded (default for "
     "the threads of a trace), or in schedules that respect synchronization (default for a program)",
     orders},
    {"speeds", 0, DJ_OPTION_TEXT, AT(speeds), "LIST",
     "relative speeds of the sharers, such as 1,2.5 (default: all equal)", NULL},
    {"seed", 0, DJ_OPTION_UINT, AT(seed), "N", "for --order random and schedule (default 1)", NULL},
    {"schedules", 0, DJ_OPTION_UINT, AT(schedules), "N",
     "measure N schedules, with consecutive seeds, and show how much they differ (default 16 with --order "
     "schedule)",
     NULL},
    {"quantum", 0, DJ_OPTION_UINT, AT(quantum), "N",
     "accesses of a turn in a schedule, fewer if the thread must wait (default 64)", NULL},
    {"separate", 0, DJ_OPTION_FLAG, AT(separate), NULL,
     "equal addresses in different traces are different data, as in separate programs", NULL},
    {"share", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, AT(share), "LIST",
     "how many sharers have each cache of --caches, such as L2=1,L3=all (default: all share the largest, and "
     "the others are private)",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

int dj_sharers_list(dj_context *context, dj_sharer_options *options, dj_groups *groups)
{
    options->seed = options->schedules = options->quantum = NOT_GIVEN;
    return dj_groups_add(context, groups, "Sharers", table, options);
}

int dj_sharers_parse_numbers(dj_context *context, const char *option, const char *text, double *numbers,
                             size_t *count)
{
    for (*count = 0; text;) {
        char *end;
        double value = strtod(text, &end);
        if (*count == DJ_SPEEDS_MOST)
            return dj_fail(context, DJ_ERR_USAGE, "--%s: at most %d numbers are supported", option,
                           DJ_SPEEDS_MOST);
        if (value > 0 && (value > SPEED_MOST || value < 1 / SPEED_MOST))
            return dj_fail(context, DJ_ERR_USAGE, "--%s: '%s' begins with a number above %g or below %g",
                           option, text, SPEED_MOST, 1 / SPEED_MOST);
        if (end == text || (*end && *end != ',') || !(value > 0))
            return dj_fail(context, DJ_ERR_USAGE,
                           "--%s: '%s' does not begin with a positive number; give positive numbers "
                           "separated by commas, as in 1,2.5",
                           option, text);
        numbers[(*count)++] = value;
        text = *end ? end + 1 : NULL;
    }
    return DJ_OK;
}

static enum dj_interleaving choose_order(const dj_sharer_options *o)
{
    if (o->order == ORDER_RANDOM)
        return DJ_INTERLEAVE_RANDOM;
    if (o->order == ORDER_SCHEDULE ||
        (o->order == ORDER_DEFAULT && (o->program || o->schedules != NOT_GIVEN)))
        return DJ_INTERLEAVE_SCHEDULE;
    bool recorded = o->order == ORDER_RECORDED || (o->order == ORDER_DEFAULT && o->by_thread && !o->speeds);
    return recorded ? DJ_INTERLEAVE_RECORDED : DJ_INTERLEAVE_SPEEDS;
}

static int check_schedules(dj_context *context, const dj_sharer_options *o)
{
    bool schedule = choose_order(o) == DJ_INTERLEAVE_SCHEDULE;
    if (schedule && !o->by_thread)
        return dj_fail(context, DJ_ERR_USAGE,
                       "schedules need one trace or --by-thread: several do not record what waits for what");
    if (!schedule && (o->schedules != NOT_GIVEN || o->quantum != NOT_GIVEN))
        return dj_fail(context, DJ_ERR_USAGE, "--%s needs --order schedule",
                       o->schedules != NOT_GIVEN ? "schedules" : "quantum");
    if (o->schedules != NOT_GIVEN && (o->schedules == 0 || o->schedules > SCHEDULES_MOST))
        return dj_fail(context, DJ_ERR_USAGE, "--schedules: the number must be from 1 to %d", SCHEDULES_MOST);
    if (o->seed != NOT_GIVEN && !schedule && choose_order(o) != DJ_INTERLEAVE_RANDOM)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--seed needs --order random or schedule: no other order is random");
    if (o->quantum == 0)
        return dj_fail(context, DJ_ERR_USAGE, "--quantum: a turn has at least 1 access");
    return DJ_OK;
}

int dj_sharers_check(dj_context *context, const dj_sharer_options *o, size_t files)
{
    if (files == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "no trace given; name one whose threads are the sharers, or one for each sharer, or a "
                       "program, as in 'deja concurrent -- ./program'");
    if (files > SHARERS_MOST)
        return dj_fail(context, DJ_ERR_UNSUPPORTED,
                       "%zu traces: at most %d sharers can have private caches; name fewer", files,
                       SHARERS_MOST);
    if (o->separate && o->by_thread)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--separate needs several traces: the threads of one %s share their addresses",
                       o->program ? "program" : "trace");
    if (!o->by_thread && o->order == ORDER_RECORDED)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--order recorded needs one trace or --by-thread: several have no recorded order");
    if (o->speeds && choose_order(o) == DJ_INTERLEAVE_RECORDED)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--speeds and --order recorded cannot be combined: the recorded order has no speeds");
    return check_schedules(context, o);
}

int dj_label_sharers(dj_context *context, const char *const *names, size_t count, char **labels)
{
    for (size_t i = 0; i < count; i++)
        labels[i] = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t same = 1;
        for (size_t k = 0; k < i; k++)
            same += strcmp(names[k], names[i]) == 0;
        int bytes = same > 1 ? asprintf(&labels[i], "%s (%zu)", names[i], same)
                             : asprintf(&labels[i], "%s", names[i]);
        if (bytes < 0) {
            labels[i] = NULL;
            return dj_fail_memory(context, "the names of sharers", strlen(names[i]));
        }
    }
    return DJ_OK;
}

// A trace without sizes beside others that have them.
static void note_sizes(const dj_arguments *files, dj_source *const *sources)
{
    size_t lacking = 0;
    const char *first = NULL;
    for (size_t i = 0; i < files->count; i++)
        if (!(dj_source_get_info(sources[i])->columns & DJ_COLUMN_SIZE))
            first = lacking++ ? first : files->items[i];
    if (lacking == 0 || lacking == files->count)
        return;
    char after[160];
    snprintf(after, sizeof after, "%s%s no sizes, which other traces do: each access touches one block",
             lacking > 1 ? " and others" : "", lacking > 1 ? " state" : " states");
    dj_output_message_about("note: ", first, after);
}

static int open_all(dj_context *context, const dj_trace_options *trace, const dj_arguments *files,
                    dj_source **sources, dj_plan *plan)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < files->count; i++) {
        dj_plan one = {0};
        err = dj_trace_open_source(context, trace, &files->items[i], 1, &sources[i]);
        err = dj_trace_suggest_program(context, trace, files->items[i], "concurrent", err);
        if (!err)
            err = dj_trace_plan(context, trace, dj_source_get_info(sources[i]), &one);
        if (!err && i > 0)
            err = dj_source_check_alike(context, sources[0], sources[i]);
        if (!err && i > 0 && one.block_bytes != plan->block_bytes)
            err = dj_fail(context, DJ_ERR_USAGE,
                          "%s has blocks of %llu, but %s of %llu; choose a size for both with --block",
                          files->items[i], (unsigned long long)one.block_bytes, files->items[0],
                          (unsigned long long)plan->block_bytes);
        if (!err && i == 0)
            *plan = one;
    }
    return err;
}

static int open_one(dj_context *context, const dj_sharer_options *o, const dj_trace_options *trace,
                    const dj_arguments *files, dj_source **out, dj_plan *plan)
{
    int err = dj_trace_open(context, trace, files, out, plan);
    if (files->count == 1)
        err = dj_trace_suggest_program(context, trace, files->items[0], "concurrent", err);
    if (!err && o->needs_threads && !(dj_source_get_info(*out)->provides & DJ_COLUMN_THREAD))
        err = dj_fail(context, DJ_ERR_INPUT,
                      "--by-thread: %s does not record the threads of its accesses (format %s)",
                      files->items[0], dj_source_get_info(*out)->format);
    return err;
}

int dj_sharers_open(dj_context *context, const dj_sharer_options *o, const dj_trace_options *trace,
                    const dj_arguments *files, dj_source **out, dj_plan *plan, double *speeds,
                    dj_sharing_request *request)
{
    size_t speed_count = 0;
    dj_source *sources[SHARERS_MOST] = {NULL};
    int err = dj_sharers_check(context, o, files->count);
    if (!err && o->speeds)
        err = dj_sharers_parse_numbers(context, "speeds", o->speeds, speeds, &speed_count);
    else if (!err && o->measured && choose_order(o) != DJ_INTERLEAVE_RECORDED) {
        speed_count = o->measured_count < DJ_SPEEDS_MOST ? o->measured_count : 0;
        memcpy(speeds, o->measured, speed_count * sizeof *speeds);
    }
    for (size_t i = 0, read = 0; !err && i < files->count; i++)
        if (strcmp(files->items[i], "-") == 0 && ++read > 1)
            err = dj_fail(context, DJ_ERR_USAGE,
                          "standard input (-) can be read only once; name a file for each other sharer");
    if (!err && o->speeds && !o->by_thread && speed_count != files->count)
        err = dj_fail(context, DJ_ERR_USAGE, "--speeds gives %zu speed%s for %zu traces; give one for each",
                      speed_count, speed_count == 1 ? "" : "s", files->count);
    if (err)
        return err;
    request->by_thread = o->by_thread;
    request->schedules = o->schedules == NOT_GIVEN ? SCHEDULES_DEFAULT : (uint32_t)o->schedules;
    request->interleave =
        (dj_interleave_options){.order = choose_order(o),
                                .speeds = speed_count ? speeds : NULL,
                                .speed_count = speed_count,
                                .seed = o->seed == NOT_GIVEN ? SEED_DEFAULT : o->seed,
                                .quantum = o->quantum == NOT_GIVEN ? DJ_QUANTUM_DEFAULT : o->quantum,
                                .separate = o->separate};
    if (o->by_thread)
        return open_one(context, o, trace, files, out, plan);
    err = open_all(context, trace, files, sources, plan);
    if (!err)
        note_sizes(files, sources);
    if (!err)
        return dj_source_interleave(context, sources, files->count, &request->interleave, out);
    for (size_t i = 0; i < files->count; i++)
        dj_source_close(sources[i]);
    return err;
}

// Parses one "L2=1" or "L3=all".
static int share_one(dj_context *context, char *item, dj_shared_cache *caches, size_t count, bool *stated)
{
    char *value = strchr(item, '=');
    uint64_t sharers = 0;
    if (!value)
        return dj_fail(context, DJ_ERR_USAGE, "--share: '%s' is not NAME=NUMBER or NAME=all, as in L3=all",
                       item);
    *value++ = 0;
    bool all = strcmp(value, "all") == 0;
    if (!all && (!dj_number_parse(value, &sharers) || sharers == 0 || sharers > SHARERS_MOST))
        return dj_fail(context, DJ_ERR_USAGE, "--share: '%s' is not a number of sharers from 1 to %d, or all",
                       value, SHARERS_MOST);
    for (size_t i = 0; i < count; i++)
        if (strcmp(caches[i].name, item) == 0) {
            if (stated[i])
                return dj_fail(context, DJ_ERR_USAGE, "--share states twice how many share %s", item);
            stated[i] = true;
            caches[i].sharers = all ? DJ_SHARED_BY_ALL : (uint32_t)sharers;
            return DJ_OK;
        }
    return dj_fail(context, DJ_ERR_USAGE, "--share: there is no cache '%s'; --caches defines them", item);
}

int dj_sharers_caches(dj_context *context, const dj_sharer_options *o, dj_caches *from, dj_shared_cache *out,
                      size_t *count)
{
    char copy[1024];
    bool stated[DJ_SHAPES_MAX] = {false};
    *count = from->count;
    for (size_t i = 0, at; i < from->count; i++) {
        for (at = i; at > 0 && out[at - 1].bytes > from->shapes[i].bytes; at--)
            out[at] = out[at - 1];
        out[at] =
            (dj_shared_cache){.name = from->shapes[i].name, .bytes = from->shapes[i].bytes, .sharers = 1};
    }
    if (*count > 0)
        out[*count - 1].sharers = DJ_SHARED_BY_ALL;
    if (!o->share)
        return DJ_OK;
    if (strlen(o->share) >= sizeof copy)
        return dj_fail(context, DJ_ERR_USAGE,
                       "--share: the list has %zu characters; at most %zu are supported", strlen(o->share),
                       sizeof copy - 1);
    snprintf(copy, sizeof copy, "%s", o->share);
    char *rest = copy, *item;
    int err = DJ_OK;
    while (!err && (item = strsep(&rest, ",")))
        err = share_one(context, item, out, *count, stated);
    return err;
}
