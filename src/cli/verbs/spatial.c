// SPDX-License-Identifier: MIT
// deja spatial: what becomes of reuse distances when blocks double.
#include <deja/deja.h>

#include "base/number.h"
#include "base/size.h"
#include "cli/verbs/spatial.h"

#define AT(field) offsetof(dj_spatial_choice, field)

static const dj_option table[] = {
    {"blocks", 'b', DJ_OPTION_TEXT, AT(blocks), "LIST",
     "block sizes, each twice the one before, as in 64,128 or 8..8192 (default: 32,64,128 for memory, 4K..1M "
     "for block I/O, 1..256 for keys)",
     NULL},
    {"split", 0, DJ_OPTION_FLAG, AT(reading.split), NULL,
     "count an access in every block of the smallest size that it touches (default for memory and block "
     "I/O)",
     NULL},
    {"no-split", 0, DJ_OPTION_FLAG, AT(reading.no_split), NULL,
     "count an access only in the block where it begins (default for keys)", NULL},
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

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    dj_spatial_choice *o = values;
    o->output.profiles = true;
    o->near_blocks = DJ_SPATIAL_LIMITS.near_blocks;
    o->good = DJ_SPATIAL_LIMITS.good;
    int err = dj_groups_add(context, groups, "Spatial locality", table, o);
    if (!err)
        err = dj_caches_list(context, &o->caches, groups);
    if (!err)
        err = dj_forms_list(context, &o->form, DJ_FORMS_TOP,
                            "a table of what --by names, and of bins and components without it", groups);
    if (!err)
        err = dj_parts_list(context, &o->parts, groups);
    if (!err)
        err = dj_program_list(context, &o->program, groups);
    if (!err)
        err = dj_attribute_list(context, &o->attribute, groups);
    if (!err)
        err = dj_reading_list_source(context, &o->reading, groups);
    if (!err)
        err = dj_filters_list(context, &o->filters, groups, DJ_FILTERS_FOR_BLOCKS);
    if (!err)
        err = dj_saved_list(context, &o->saved, groups);
    if (!err)
        err = dj_reading_list_engines(context, &o->reading, groups);
    return err ? err : dj_output_list(context, &o->output, groups);
}

static int make_view(dj_context *context, dj_spatial_choice *o)
{
    dj_spatial_view *v = &o->view;
    *v = (dj_spatial_view){.cache = o->cache,
                           .limits = {DJ_SPATIAL_LIMITS.size, o->near_blocks, o->good},
                           .context = o->context,
                           .by = o->by,
                           .top = o->form.top};
    if (o->size && !dj_number_parse_share(o->size, &v->limits.size))
        return dj_fail(context, DJ_ERR_USAGE, "--size: '%s' is no share, as in 5%% or 0.05", o->size);
    if (!(o->good >= 0))
        return dj_fail(context, DJ_ERR_USAGE, "--good: a score is not below 0");
    if (dj_attribute_is_refused(&o->attribute) && (o->context || o->residency))
        return dj_fail(context, DJ_ERR_USAGE, "--by none leaves out what --context and --residency need");
    int err = o->pair ? dj_size_bytes(context, "--pair", o->pair, &v->block) : DJ_OK;
    if (!err && o->pair && v->block == 0)
        err = dj_fail(context, DJ_ERR_USAGE, "--pair: a block has at least 1 byte");
    return err ? err : dj_attribute_check(context, &o->attribute, o->by, &v->by_count);
}

// Options that say how to measure mean nothing where that is done.
static int refuse_for_saved(dj_context *context, const dj_spatial_choice *o, const char *path)
{
    const dj_attribute_options *a = &o->attribute;
    const char *option = o->blocks                                    ? "--blocks"
                         : o->caches.caches                           ? "--caches"
                         : o->residency                               ? "--residency"
                         : o->reading.split                           ? "--split"
                         : o->reading.no_split                        ? "--no-split"
                         : o->reading.engine                          ? "--engine"
                         : dj_attribute_is_needed(a) || a->statements ? "what counts"
                                                                      : dj_filters_given(&o->filters);
    return option ? dj_fail(context, DJ_ERR_USAGE, "%s: %s of a saved profile is settled; measure anew", path,
                            option)
                  : DJ_OK;
}

static int refuse_for_program(dj_context *context, const dj_spatial_choice *o)
{
    const dj_source_options *s = &o->reading.source;
    const char *option = s->format          ? "--format"
                         : s->columns       ? "--columns"
                         : s->header        ? "--header"
                         : s->instructions  ? "--instructions"
                         : o->saved.process ? "--process"
                                            : dj_filters_for_files(&o->filters);
    return option ? dj_fail(context, DJ_ERR_USAGE, "%s is for files; what follows '--' is a program", option)
                  : DJ_OK;
}

static int refuse_for_files(dj_context *context, const dj_spatial_choice *o, bool saved)
{
    const char *option = o->program.tool      ? "--tool"
                         : !o->program.follow ? "--no-follow"
                         : o->program.paused  ? "--paused"
                                              : NULL;
    if (option)
        return dj_fail(context, DJ_ERR_USAGE,
                       "%s is for a program, after '--', as in 'deja spatial %s ... -- ./program'", option,
                       option);
    if (!saved && o->saved.process)
        return dj_fail(context, DJ_ERR_USAGE, "--process is for profiles that 'deja spatial --json' saved");
    return DJ_OK;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    dj_spatial_choice *o = values;
    const char *first = arguments->count ? arguments->items[0] : NULL;
    bool saved = !arguments->program && !o->reading.source.format && arguments->count == 1 &&
                 dj_saved_is_profile(first);
    if (o->parts.summary && (arguments->program || saved))
        return dj_fail(context, DJ_ERR_USAGE, "--summary is for traces");
    if (o->parts.summary && dj_attribute_is_of_places(&o->attribute) &&
        !dj_attribute_is_refused(&o->attribute))
        return dj_fail(context, DJ_ERR_USAGE,
                       "--by, --fresh-heap, --start-at and --within need strides and use of lines, which are "
                       "known only of the whole; leave them out, or analyze the whole trace at once");
    dj_filters_ask(&o->filters, &o->reading.source);
    int err = dj_forms_check(context, &o->form, &o->output);
    if (!err)
        err = make_view(context, o);
    if (!err)
        err = dj_parts_check(context, &o->parts, &o->attribute, &o->output,
                             o->form.form != 0 ? "--export" : NULL, &o->part);
    if (!err)
        err = arguments->program ? refuse_for_program(context, o) : refuse_for_files(context, o, saved);
    if (!err && saved)
        err = refuse_for_saved(context, o, first);
    if (err)
        return err;
    if (arguments->program)
        return dj_spatial_report_program(context, o, arguments);
    return saved ? dj_spatial_report_saved(context, o, first)
                 : dj_spatial_report_trace(context, o, arguments);
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
        "are used together, every second access finds its block still near; the score of spatial locality "
        "is the share of such accesses, doubled: 1 for data that is used in order, 0 where the other half "
        "of each block is of no use. The distances of reuse fall into components, each with its score; "
        "where a program is known, its lines, loops, functions and data are ranked by what they contribute "
        "to poor spatial reuse, with advice for the worst.\n\n"
        "What follows '--' is a program, which is run and measured as by 'deja run', with the same options "
        "and exit status; the report goes to standard error then. Otherwise the arguments are a trace, or "
        "a profile that 'deja spatial --json' saved. Of a trace that 'deja record' made, code and data are "
        "named as well; --by none leaves that out. Accesses are split at the smallest block size.\n\n"
        "Definitions and limits: docs/spatial.md.",
    .examples = examples,
    .may_run_program = true,
    .options_bytes = sizeof(dj_spatial_choice),
    .list_options = list_options,
    .run = run,
};
