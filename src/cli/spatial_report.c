// SPDX-License-Identifier: MIT
// Where `deja spatial` has its profile from: a file, a trace, a program.
#include <deja/deja.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/collected.h"
#include "cli/measure.h"
#include "cli/source_lines.h"
#include "cli/spatial.h"

// `made`: when the profile was, 0: just now.
static int print(dj_context *context, const dj_spatial_choice *o, const dj_profile *profile, time_t made,
                 dj_output *output)
{
    if (o->form == DJ_SPATIAL_CSV && o->view.by_count > 0)
        return dj_report_csv_breakdowns(context, profile, o->by, o->view.by_count, &o->view, output->file);
    if (o->form == DJ_SPATIAL_CSV)
        return dj_report_csv_spatial(context, profile, &o->view, output->file);
    const dj_caches none = {.count = 0};
    dj_report_style style = dj_caches_style(output, &none);
    dj_source_lines lines = {.context = context, .made = made};
    const dj_report_source source = {.line = dj_source_lines_get, .state = &lines};
    dj_spatial_view view = o->view;
    view.source = &source;
    int err = dj_report_spatial(context, profile, &view, &style, output->file);
    dj_source_lines_close(&lines);
    return err;
}

static dj_json_view view_json(const dj_spatial_choice *o)
{
    return (dj_json_view){
        .by = o->by, .by_count = o->view.by_count, .binning = DJ_BINS_LOG2, .spatial = &o->view};
}

static int print_profile(dj_context *context, const dj_spatial_choice *o, const dj_profile *profile,
                         const char *path)
{
    struct stat about;
    const dj_json_view json = view_json(o);
    dj_output *output = NULL;
    int err = dj_output_open(context, &o->output, &output);
    if (!err && output->json)
        err = dj_report_json(context, profile, &json, output->file);
    else if (!err)
        err = print(context, o, profile, stat(path, &about) == 0 ? about.st_mtime : 0, output);
    if (!err || (err == DJ_ERR_IO && output)) // the output knows best what failed
        err = dj_output_close(context, &output);
    dj_output_discard(&output);
    return err;
}

int dj_spatial_report_saved(dj_context *context, const dj_spatial_choice *o, const char *path)
{
    dj_ranking_options meant;
    dj_profile *profile = NULL;
    int err = dj_saved_load(context, &o->saved, path, &profile);
    if (!err)
        err = dj_spatial_view_find(context, profile, &o->view, &meant);
    if (!err)
        err = print_profile(context, o, profile, path);
    dj_profile_destroy(profile);
    return err;
}

// Whoever forgets the '--' names a program, which no format fits.
static int open_trace(dj_context *context, const dj_spatial_choice *o, const dj_arguments *arguments,
                      dj_source **out)
{
    struct stat about;
    if (arguments->count == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "no trace given; name a file, '-' for standard input, or a program after '--'");
    int err = dj_reading_open_source(context, &o->reading, arguments->items, arguments->count, out);
    if (err != DJ_ERR_INPUT || o->reading.source.format || stat(arguments->items[0], &about) != 0 ||
        !S_ISREG(about.st_mode) || access(arguments->items[0], X_OK) != 0)
        return err;
    return dj_fail(
        context, DJ_ERR_USAGE,
        "'%s' is no trace; if it is a program to run, put '--' before it, as in 'deja spatial -- %s'",
        arguments->items[0], arguments->items[0]);
}

// Only what Deja recorded tells enough to name code and data.
static bool wants_places(const dj_spatial_choice *o, const dj_source_info *info)
{
    bool recorded = strcmp(info->format, "deja") == 0 && (info->columns & DJ_COLUMN_SITE);
    bool asked = dj_attribute_is_asked(&o->attribute) || o->context || o->residency;
    return !o->parts.summary && !dj_attribute_is_refused(&o->attribute) && (recorded || asked);
}

// Makes a summary of a part, or the profile.
static int measure_trace(dj_context *context, const dj_spatial_choice *o, const dj_arguments *arguments,
                         dj_summary **summary, dj_profile **out)
{
    dj_spatial_plan plan;
    dj_measurement m = {
        .inputs = arguments->items, .input_count = arguments->count, .command_line = arguments->command_line};
    bool places = false;
    int err = open_trace(context, o, arguments, &m.source);
    if (err)
        return err;
    const dj_source_info *info = dj_source_get_info(m.source);
    err = dj_spatial_plan_make(context, o, info, &plan);
    if (!err) {
        places = wants_places(o, info);
        dj_spatial_plan_apply(&plan, places, &m);
        dj_filters_apply(&o->filters, &m);
        err = dj_attribute_begin(context, &o->attribute, &o->caches, plan.blocks[0], places, m.source,
                                 &m.attribute);
    }
    if (!err)
        err = o->parts.summary ? dj_measure_part_shown(context, &m, o->part, summary)
                               : dj_measure_shown(context, &m, out);
    dj_attribute_end(m.attribute);
    dj_source_close(m.source);
    return err;
}

int dj_spatial_report_trace(dj_context *context, const dj_spatial_choice *o, const dj_arguments *arguments)
{
    dj_profile *profile = NULL;
    dj_summary *summary = NULL;
    int err = measure_trace(context, o, arguments, &summary, &profile);
    if (summary)
        err = dj_parts_write(context, summary, &o->output);
    dj_summary_destroy(summary);
    if (profile) {
        int printed = print_profile(context, o, profile, arguments->items[0]);
        err = printed ? printed : err;
    }
    dj_profile_destroy(profile);
    return err;
}

static int measure_process(dj_context *context, const dj_program *program, const dj_measurement *begun,
                           bool places, dj_profile **out)
{
    dj_measurement m = *begun;
    const dj_spatial_choice *o = program->user;
    dj_spatial_plan plan;
    places = places && !dj_attribute_is_refused(&o->attribute);
    int err = dj_spatial_plan_make(context, o, dj_source_get_info(m.source), &plan);
    if (!err)
        err = dj_attribute_begin(context, &o->attribute, &o->caches, plan.blocks[0], places, m.source,
                                 &m.attribute);
    if (err)
        return err;
    dj_spatial_plan_apply(&plan, places, &m);
    dj_filters_apply(&o->filters, &m);
    err = dj_measure(context, &m, out);
    dj_attribute_end(m.attribute);
    return err;
}

static int print_process(dj_context *context, const dj_program *program, const dj_profile *profile,
                         dj_output *output)
{
    return print(context, program->user, profile, 0, output);
}

// The recorder of an annotated program counts in elements: they have no bytes.
static int tell_recorder(dj_context *context, const dj_spatial_choice *o, char **settings)
{
    static const dj_source_info elements = {.format = "annotations", .kind = DJ_CLASS_KEYS};
    uint64_t blocks[DJ_BLOCKS_MOST];
    size_t count = 0, bytes;
    int err = dj_spatial_blocks(context, o->blocks, &elements, blocks, &count);
    FILE *to = err ? NULL : open_memstream(settings, &bytes);
    if (!err && !to)
        err = dj_fail_memory(context, "settings", 0);
    if (err)
        return err;
    fprintf(to, "blocks=");
    for (size_t i = 0; i < count; i++)
        fprintf(to, "%s%" PRIu64, i ? "," : "", blocks[i]);
    fprintf(to, "\n");
    return fclose(to) == 0 ? DJ_OK : dj_fail_memory(context, "settings", 0);
}

int dj_spatial_report_program(dj_context *context, dj_spatial_choice *o, const dj_arguments *arguments)
{
    dj_spatial_plan plan;
    const dj_json_view json = view_json(o);
    dj_program program = {
        .options = &o->program,
        .arguments = arguments,
        .output = &o->output,
        .attribute = &o->attribute,
        .reading = &o->reading,
        .json = &json,
        .unfit = dj_filters_given(&o->filters)
                     ? dj_filters_given(&o->filters)
                     : dj_collected_unfit(&o->attribute, &o->reading, &o->caches, o->program.paused),
        .measure = measure_process,
        .print = print_process,
        .text = o->form == DJ_SPATIAL_TEXT,
        .user = o};
    char *settings = NULL;
    if (arguments->count == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "no program given, as in 'deja spatial -- ./program arguments'");
    o->output.to_errors = true;
    int err = dj_spatial_plan_make(context, o, dj_program_info(), &plan);
    if (err)
        return err;
    int untold = tell_recorder(context, o, &settings);
    if (untold && untold != DJ_ERR_USAGE)
        return untold;
    program.settings = settings;
    if (untold || o->cache || o->residency)
        program.unfit = untold ? "a size in bytes" : o->cache ? "--cache" : "--residency";
    err = dj_program_run(context, &program);
    free(settings);
    return err;
}
