// SPDX-License-Identifier: MIT
// deja analyze: the reuse-distance profile of a trace.
#include <deja/deja.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "cli/attribute.h"
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
    dj_attribute_options attribute;
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
        err = dj_attribute_list(context, &o->attribute, groups);
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

static bool wants_attribution(const options *o)
{
    bool by_code = o->form.form == DJ_FORM_CALLGRIND || o->form.form == DJ_FORM_FOLDED;
    return !dj_attribute_is_refused(&o->attribute) && (by_code || dj_attribute_is_asked(&o->attribute));
}

static int measure(dj_context *context, const options *o, const dj_arguments *arguments, dj_source *source,
                   const dj_plan *plan, dj_profile **out)
{
    dj_observer_choice choices[5] = {0};
    dj_measurement measurement = {.source = source,
                                  .plan = plan,
                                  .observers = choices,
                                  .observer_count = choose_observers(o, choices),
                                  .inputs = arguments->items,
                                  .input_count = arguments->count,
                                  .command_line = arguments->command_line};
    int err = dj_attribute_begin(context, &o->attribute, &o->caches, plan->block_bytes, wants_attribution(o),
                                 source, &measurement.attribute);
    if (!err)
        err = dj_measure_shown(context, &measurement, out);
    dj_attribute_end(measurement.attribute);
    return err;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    options *o = values;
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    dj_plan plan;
    enum dj_by by[DJ_BY_COUNT];
    dj_printing what = {.by = by, .caches = &o->caches};
    int err = parse_bins(context, o->bins, &what.binning, &what.bin_width);
    if (!err)
        err = dj_forms_check(context, &o->form, &o->output);
    if (!err)
        err = dj_attribute_check(context, &o->attribute, by, &what.by_count);
    if (!err)
        err = dj_reading_open(context, &o->reading, arguments, &source, &plan);
    if (err)
        return err;
    err = measure(context, o, arguments, source, &plan, &profile);
    if (profile) {
        what.profile = profile;
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
    {"deja analyze --by object,line program.deja", "Breaks down what 'deja record' kept of a program."},
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
        "Of a program that 'deja record' traced, --by tells which data, functions, loops, lines and calling "
        "contexts have which locality, as 'deja run' does; the program must still be where it was.\n"
        "\n"
        "'deja FILE' is short for 'deja analyze FILE'.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
