// SPDX-License-Identifier: MIT
// deja spatial: what becomes of reuse distances when blocks double.
#include <deja/deja.h>

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/size.h"
#include "cli/collected.h"
#include "cli/measure.h"
#include "cli/source_lines.h"
#include "cli/spatial.h"

enum { FORM_TEXT, FORM_CSV };
static const char *const forms[] = {"text", "csv", NULL};

#define AT(field) offsetof(dj_spatial_choice, field)

static const dj_option table[] = {
    {"blocks", 'b', DJ_OPTION_TEXT, AT(blocks), "LIST",
     "block sizes, each twice the one before, as in 64,128 or 8..8192 (default: 32,64,128 for memory, 4K..1M "
     "for block I/O, 1..256 for keys)",
     NULL},
    {"pair", 0, DJ_OPTION_TEXT, AT(pair), "B",
     "rank code and data by what changes from block size B to its double (default: 32, from half a cache "
     "line to a line; where it is not among the sizes, the first)",
     NULL},
    {"cache", 0, DJ_OPTION_TEXT, AT(cache), "NAME",
     "rank by the misses in a cache, by its name, as in L2 (default: by reuses from --near on)", NULL},
    {"context", 0, DJ_OPTION_FLAG, AT(context), NULL, "also rank lines by calling context", NULL},
    {"size", 0, DJ_OPTION_TEXT, AT(size), "SHARE",
     "a component is large from this share of the reuses on (default 5%)", NULL},
    {"near", 0, DJ_OPTION_UINT, AT(near_blocks), "N",
     "temporal locality is good below a mean distance of N blocks (default 256)", NULL},
    {"good", 0, DJ_OPTION_REAL, AT(good), "SCORE", "spatial locality is good above this score (default 0.97)",
     NULL},
    {"residency", 0, DJ_OPTION_TEXT, AT(residency), "SIZE",
     "the cache in which the bytes used of a block are counted while it stays (default: that of --cache, or "
     "the smallest)",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static const dj_option form_table[] = {
    {"export", 0, DJ_OPTION_CHOICE, AT(form), "FORMAT",
     "form of the output; csv is a table of what --by names, and of bins and components without it", forms},
    {"top", 0, DJ_OPTION_UINT, AT(top), "N", "show the N worst of each list (default 10)", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    dj_spatial_choice *o = values;
    o->near_blocks = DJ_SPATIAL_LIMITS.near_blocks;
    o->good = DJ_SPATIAL_LIMITS.good;
    int err = dj_groups_add(context, groups, "Spatial locality", table, o);
    if (!err)
        err = dj_caches_list(context, &o->caches, groups);
    if (!err)
        err = dj_groups_add(context, groups, "Form", form_table, o);
    if (!err)
        err = dj_program_list(context, &o->program, groups);
    if (!err)
        err = dj_attribute_list(context, &o->attribute, groups);
    if (!err)
        err = dj_reading_list_source(context, &o->reading, groups);
    if (!err)
        err = dj_saved_list(context, &o->saved, groups);
    if (!err)
        err = dj_reading_list_split(context, &o->reading, groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

static int make_view(dj_context *context, dj_spatial_choice *o)
{
    dj_spatial_view *v = &o->view;
    *v = (dj_spatial_view){.cache = o->cache,
                           .limits = {DJ_SPATIAL_LIMITS.size, o->near_blocks, o->good},
                           .context = o->context,
                           .by = o->by,
                           .top = o->top};
    if (o->size && !dj_number_parse_share(o->size, &v->limits.size))
        return dj_fail(context, DJ_ERR_USAGE, "--size: '%s' is no share, as in 5%% or 0.05", o->size);
    if (!(o->good >= 0))
        return dj_fail(context, DJ_ERR_USAGE, "--good: a score is not below 0");
    int err = o->pair ? dj_size_bytes(context, "--pair", o->pair, &v->block) : DJ_OK;
    if (!err && o->pair && v->block == 0)
        err = dj_fail(context, DJ_ERR_USAGE, "--pair: a block has at least 1 byte");
    return err ? err : dj_attribute_check(context, &o->attribute, o->by, &v->by_count);
}

// `made`: when the profile was, 0: just now.
static int print(dj_context *context, const dj_spatial_choice *o, const dj_profile *profile, time_t made,
                 dj_output *output)
{
    if (o->form == FORM_CSV && o->view.by_count > 0)
        return dj_report_csv_breakdowns(context, profile, o->by, o->view.by_count, output->file);
    if (o->form == FORM_CSV)
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

static int report_saved(dj_context *context, const dj_spatial_choice *o, const char *path)
{
    dj_profile *profile = NULL;
    int err = dj_saved_load(context, &o->saved, path, &profile);
    if (!err && !profile->spatial)
        err = dj_fail(context, DJ_ERR_USAGE,
                      "%s tells nothing of spatial locality; 'deja spatial --json' makes profiles that do",
                      path);
    if (!err)
        err = print_profile(context, o, profile, path);
    dj_profile_destroy(profile);
    return err;
}

// Whoever forgets the '--' names a program, which no format fits.
static int open_trace(dj_context *context, const dj_spatial_choice *o, const dj_arguments *arguments,
                      dj_source **out)
{
    int err = dj_reading_open_source(context, &o->reading, arguments->items, arguments->count, out);
    struct stat about;
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
    return !dj_attribute_is_refused(&o->attribute) && (recorded || dj_attribute_is_asked(&o->attribute));
}

static int measure_trace(dj_context *context, const dj_spatial_choice *o, const dj_arguments *arguments,
                         dj_profile **out)
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
        err = dj_attribute_begin(context, &o->attribute, &o->caches, plan.blocks[0], places, m.source,
                                 &m.attribute);
    }
    if (!err)
        err = dj_measure_shown(context, &m, out);
    dj_attribute_end(m.attribute);
    dj_source_close(m.source);
    return err;
}

static int report_trace(dj_context *context, const dj_spatial_choice *o, const dj_arguments *arguments)
{
    dj_profile *profile = NULL;
    int err = measure_trace(context, o, arguments, &profile);
    if (profile) {
        int printed = print_profile(context, o, profile, arguments->items[0]);
        err = printed ? printed : err;
    }
    dj_profile_destroy(profile);
    return err;
}

static int measure_process(dj_context *context, const dj_program *program, dj_measurement *m, bool places,
                           dj_profile **out)
{
    const dj_spatial_choice *o = program->user;
    dj_spatial_plan plan;
    places = places && !dj_attribute_is_refused(&o->attribute);
    int err = dj_spatial_plan_make(context, o, dj_source_get_info(m->source), &plan);
    if (!err)
        err = dj_attribute_begin(context, &o->attribute, &o->caches, plan.blocks[0], places, m->source,
                                 &m->attribute);
    if (err)
        return err;
    dj_spatial_plan_apply(&plan, places, m);
    err = dj_measure(context, m, out);
    dj_attribute_end(m->attribute);
    return err;
}

static int print_process(dj_context *context, const dj_program *program, const dj_profile *profile,
                         dj_output *output)
{
    return print(context, program->user, profile, 0, output);
}

static int report_program(dj_context *context, dj_spatial_choice *o, const dj_arguments *arguments)
{
    dj_spatial_plan plan;
    const dj_json_view json = view_json(o);
    const dj_program program = {
        .options = &o->program,
        .arguments = arguments,
        .output = &o->output,
        .attribute = &o->attribute,
        .reading = &o->reading,
        .json = &json,
        .unfit = dj_collected_unfit(&o->attribute, &o->reading, &o->caches, o->program.paused),
        .measure = measure_process,
        .print = print_process,
        .text = o->form == FORM_TEXT,
        .user = o};
    if (arguments->count == 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "no program given, as in 'deja spatial -- ./program arguments'");
    o->output.to_errors = true;
    int err = dj_spatial_plan_make(context, o, dj_program_info(), &plan);
    return err ? err : dj_program_run(context, &program);
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    dj_spatial_choice *o = values;
    bool saved = !arguments->program && !o->reading.source.format && arguments->count == 1 &&
                 dj_saved_is_profile(arguments->items[0]);
    if (o->output.json && o->form == FORM_CSV)
        return dj_fail(context, DJ_ERR_USAGE, "--json and --export csv exclude each other");
    int err = make_view(context, o);
    if (err)
        return err;
    if (arguments->program)
        return report_program(context, o, arguments);
    return saved ? report_saved(context, o, arguments->items[0]) : report_trace(context, o, arguments);
}

static const dj_example examples[] = {
    {"deja spatial -- ./program arguments",
     "Runs a program and shows which of its code and data uses little of each cache line."},
    {"deja spatial --json -o spatial.json -- ./program", "Keeps the profile for later."},
    {"deja spatial --top 20 --context --cache L2 spatial.json",
     "The same run by its misses in the second-level cache, and by calling context."},
    {"deja spatial --blocks 8..8192 app.trace", "All block sizes from a word to two pages, and their score."},
    {"deja spatial --export csv disk.csv.gz", "A block-I/O trace, for a spreadsheet."},
    {NULL, NULL},
};

const dj_command dj_command_spatial = {
    .name = "spatial",
    .summary = "how much of each block is used before it is gone",
    .usage = "[options] FILE... | PROFILE.json | -- PROGRAM [arguments]",
    .description =
        "Shows how the reuse distance of each access changes when blocks double in size. Where neighbours "
        "are "
        "used together, every second access finds its block still near; the score of spatial locality is the "
        "share of such accesses, doubled: 1 for data that is used in order, 0 where the other half of each "
        "block is of no use. The distances of reuse fall into components, each with its score; where a "
        "program "
        "is known, its lines, loops, functions and data are ranked by what they contribute to poor spatial "
        "reuse, with advice for the worst.\n"
        "\n"
        "What follows '--' is a program, which is run and measured as by 'deja run', with the same options "
        "and "
        "exit status; the report goes to standard error then. Otherwise the arguments are a trace, or a "
        "profile "
        "that 'deja spatial --json' saved. Of a trace that 'deja record' made, code and data are named as "
        "well; "
        "--by none leaves that out. Accesses are split at the smallest block size.\n"
        "\n"
        "Definitions and limits: docs/spatial.md.",
    .examples = examples,
    .may_run_program = true,
    .options_bytes = sizeof(dj_spatial_choice),
    .list_options = list_options,
    .run = run,
};
