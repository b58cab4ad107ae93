// SPDX-License-Identifier: MIT
#include "cli/options/filters.h"

#include <stdio.h>
#include <string.h>

#include "base/option/option.h"

static const char *const partitions[] = {"none", "thread", "device", "file", NULL};

static const char title[] = "Selection of accesses";

static const dj_option each_table[] = {
    {"each", 0, DJ_OPTION_CHOICE, offsetof(dj_filter_options, each), "WHAT",
     "analyze each thread, device or file as if it had its own cache. --json lists the distances of each",
     partitions},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_filter(dj_context *context, const dj_filter_ops *ops, dj_filter_choice *choice,
                       dj_groups *groups, bool offered)
{
    void *values = NULL;
    int err = dj_groups_own(context, groups, ops->options_bytes, &values);
    if (err)
        return err;
    if (ops->default_options)
        memcpy(values, ops->default_options, ops->options_bytes);
    *choice = (dj_filter_choice){ops, values};
    return ops->options && offered ? dj_groups_add(context, groups, title, ops->options, values) : DJ_OK;
}

int dj_filters_list(dj_context *context, dj_filter_options *options, dj_groups *groups,
                    enum dj_filters_for what)
{
    void *filters = NULL;
    int err = dj_groups_own(context, groups, dj_filter_count() * sizeof *options->filters, &filters);
    options->filters = filters;
    for (size_t i = 0; !err && i < dj_filter_count(); i++) {
        const dj_filter_ops *ops = dj_filter_get(i);
        const bool ends = what == DJ_FILTERS_FOR_PROGRAMS && ops->ended;
        const bool samples = what != DJ_FILTERS_FOR_TRACES && ops->weight_log2;
        err = list_filter(context, ops, &options->filters[i], groups, !ends && !samples);
    }
    if (!err && what != DJ_FILTERS_FOR_BLOCKS)
        err = dj_groups_add(context, groups, title, each_table, options);
    return err;
}

static bool is_given(const dj_filter_choice *filter)
{
    char words[256] = "";
    filter->ops->describe(filter->options, words, sizeof words);
    return words[0] != 0;
}

// The name of the option that set the filter, for a message. Valid until the next call.
static const char *option_of(const dj_filter_choice *filter)
{
    static _Thread_local char name[64];
    const char *value = NULL;
    const dj_option *given = filter->ops->options;
    for (const dj_option *o = given; o && o->name; o++) {
        memcpy(&value, (const char *)filter->options + o->offset,
               dj_option_get_type(o) == DJ_OPTION_TEXT ? sizeof value : 0);
        if (value) {
            given = o;
            break;
        }
    }
    snprintf(name, sizeof name, "--%s", given ? given->name : filter->ops->name);
    return name;
}

const char *dj_filters_given(const dj_filter_options *options)
{
    for (size_t i = 0; i < dj_filter_count(); i++)
        if (is_given(&options->filters[i]))
            return option_of(&options->filters[i]);
    return options->each ? "--each" : NULL;
}

bool dj_filters_in_fixed_memory(const dj_filter_options *options)
{
    bool fixed = false;
    for (size_t i = 0; i < dj_filter_count(); i++)
        fixed = fixed || dj_filter_choice_memory(&options->filters[i]) > 0;
    return fixed;
}

const char *dj_filters_divide(const dj_filter_options *options)
{
    for (size_t i = 0; i < dj_filter_count(); i++)
        if (options->filters[i].ops->weight_log2 && is_given(&options->filters[i]))
            return option_of(&options->filters[i]);
    return options->each ? "--each" : NULL;
}

const char *dj_filters_for_files(const dj_filter_options *options)
{
    for (size_t i = 0; i < dj_filter_count(); i++) {
        const dj_filter_choice *filter = &options->filters[i];
        if (dj_filter_choice_memory(filter) > 0)
            return "--memory";
        if (filter->ops->ended && is_given(filter))
            return option_of(filter);
    }
    return NULL;
}

static void set(const dj_filter_choice *filter, const char *name, const void *value, size_t bytes)
{
    for (const dj_option *o = filter->ops->options; o && o->name; o++)
        if (strcmp(o->name, name) == 0)
            memcpy((char *)(uintptr_t)filter->options + o->offset, value, bytes);
}

void dj_filters_sample_blocks(dj_filter_options *options, const char *rate, uint64_t seed)
{
    for (size_t i = 0; i < dj_filter_count(); i++)
        if (options->filters[i].ops->weight_log2) {
            set(&options->filters[i], "sample", &rate, sizeof rate);
            set(&options->filters[i], "sample-seed", &seed, sizeof seed);
        }
}

void dj_filters_require(const dj_filter_options *options, dj_source_options *source)
{
    dj_request request = {0};
    dj_filters_apply(options, &request);
    dj_request_ask(&request, source);
}

void dj_filters_apply(const dj_filter_options *options, dj_request *request)
{
    request->filters = options->filters;
    request->filter_count = dj_filter_count();
    request->partition = (enum dj_partition)options->each;
}
