// SPDX-License-Identifier: MIT
// deja analyze: the reuse-distance profile of a trace.
#include <deja/deja.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "cli/forms.h"
#include "cli/measure.h"
#include "cli/reading.h"

typedef struct options {
    dj_reading reading;
    dj_output_options output;
    dj_cache_options caches;
    const char *bins;
    bool time;
    bool fingerprint;
    dj_form_options form;
} options;

static const dj_option table[] = {
    {"bins", 0, DJ_OPTION_TEXT, offsetof(options, bins), "HOW",
     "bins of the histograms: log2 (0, 1, 2-3, 4-7, ...; the default), linear:WIDTH or exact", NULL},
    {"time", 0, DJ_OPTION_FLAG, offsetof(options, time), NULL,
     "also time distances: accesses from the previous use to this one", NULL},
    {"fingerprint", 0, DJ_OPTION_FLAG, offsetof(options, fingerprint), NULL,
     "also hashes over all distances: one of them in order, and one that can be joined from pieces", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    options *o = values;
    int err = dj_groups_add(context, groups, "Profile", table, o);
    if (!err)
        err = dj_caches_list(context, &o->caches, groups);
    if (!err)
        err = dj_reading_list(context, &o->reading, groups);
    if (!err)
        err = dj_forms_list(context, &o->form, groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

static int parse_bins(dj_context *context, const char *text, enum dj_binning *binning, uint64_t *width)
{
    static const char linear[] = "linear:";
    *binning = DJ_BINS_LOG2;
    *width = 0;
    if (!text || strcmp(text, "log2") == 0)
        return DJ_OK;
    if (strcmp(text, "exact") == 0) {
        *binning = DJ_BINS_EXACT;
        return DJ_OK;
    }
    if (strncmp(text, linear, strlen(linear)) == 0 && dj_number_parse(text + strlen(linear), width) &&
        *width > 0) {
        *binning = DJ_BINS_LINEAR;
        return DJ_OK;
    }
    return dj_fail(context, DJ_ERR_USAGE,
                   "--bins: '%s' is none of log2, exact and linear:WIDTH (as in linear:1000)", text);
}

static size_t choose_observers(const options *o, dj_observer_choice *choices)
{
    size_t n = 0;
    choices[n++].ops = dj_observer_find("histogram");
    choices[n++].ops = dj_observer_find("traffic");
    if (o->time)
        choices[n++].ops = dj_observer_find("time");
    if (o->fingerprint) {
        choices[n++].ops = dj_observer_find("fingerprint");
        choices[n++].ops = dj_observer_find("digest");
    }
    return n;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    options *o = values;
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    dj_plan plan;
    enum dj_binning binning;
    uint64_t width;
    dj_observer_choice choices[5] = {0};
    int err = parse_bins(context, o->bins, &binning, &width);
    if (!err)
        err = dj_forms_check(context, &o->form, &o->output);
    if (!err)
        err = dj_reading_open(context, &o->reading, arguments, &source, &plan);
    if (err)
        return err;
    dj_measurement measurement = {.source = source,
                                  .plan = &plan,
                                  .reading = &o->reading,
                                  .observers = choices,
                                  .observer_count = choose_observers(o, choices),
                                  .inputs = arguments->items,
                                  .input_count = arguments->count,
                                  .command_line = arguments->command_line};
    err = dj_measure(context, &measurement, &profile);
    if (profile) {
        const dj_printing what = {
            .profile = profile, .caches = &o->caches, .binning = binning, .bin_width = width};
        int printed = dj_forms_output(context, &o->form, &what, &o->output);
        err = printed ? printed : err;
    }
    dj_profile_destroy(profile);
    dj_source_close(source);
    return err;
}

static const dj_example examples[] = {
    {"deja app.trace", "Profiles a trace; its format is found by content and name."},
    {"deja analyze --format lackey --block 64 - < lackey.out",
     "Reads what 'valgrind --tool=lackey' printed."},
    {"deja analyze --json -o profile.json disk.csv.gz", "Saves the profile of a block-I/O trace for later."},
    {"deja analyze --json --bins exact --fingerprint app.trace",
     "Counts every distance by itself, and adds hashes."},
    {"deja analyze --export csv --bins linear:100 app.trace", "The histogram for a spreadsheet."},
    {NULL, NULL},
};

const dj_command dj_command_analyze = {
    .name = "analyze",
    .summary = "the reuse-distance profile of a trace",
    .usage = "[options] FILE...",
    .description =
        "Reads a trace and shows how far apart in time its data is reused: for each access, the number of "
        "distinct other blocks accessed since the previous access to the same block, its reuse distance. A "
        "fully associative LRU cache of N blocks hits exactly the accesses whose distance is below N.\n"
        "\n"
        "Several files are one trace, in the order given; '-' is standard input. Files compressed by gzip, "
        "zstd or xz are read as they are.\n"
        "\n"
        "'deja FILE' is short for 'deja analyze FILE'.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
