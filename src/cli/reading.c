// SPDX-License-Identifier: MIT
#include "cli/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "base/size.h"

#define AT(field) offsetof(dj_reading, field)

#define AUTO "auto"
// An option of engines that work on several threads; it does not need the engine's name beside it.
#define THREADS "threads"

static const dj_option block_table[] = {
    {"block", 'b', DJ_OPTION_TEXT, AT(block), "N",
     "bytes of a block, as in 64 or 4K; accesses to one block are accesses to one element (default: 64 for "
     "memory, 4096 for block I/O, 1 for keys)",
     NULL},
    {"split", 0, DJ_OPTION_FLAG, AT(split), NULL,
     "count an access in every block that it touches (default for block I/O)", NULL},
    {"no-split", 0, DJ_OPTION_FLAG, AT(no_split), NULL,
     "count an access only in the block where it begins (default for memory)", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static const dj_option engine_table[] = {
    {"engine", 0, DJ_OPTION_TEXT, AT(engine), "NAME",
     "algorithm that computes the distances ('deja info' lists them); default auto: fast, or parallel for "
     "files of 32 MiB and more on two processors or more, or gpu for files of 256 MiB and more for each "
     "processor where there is a CUDA device",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

int dj_reading_list_source(dj_context *context, dj_reading *reading, dj_groups *groups)
{
    groups->reads_files = true;
    return dj_groups_add(context, groups, "Trace", dj_source_option_table, &reading->source);
}

// Each engine's options get a structure of their own, filled with its defaults.
static int list_engine(dj_context *context, const dj_engine_ops *engine, void **values, dj_groups *groups)
{
    int err = dj_groups_own(context, groups, engine->options_bytes, values);
    if (err)
        return err;
    if (engine->default_options)
        memcpy(*values, engine->default_options, engine->options_bytes);
    if (!engine->options || !engine->options->name)
        return DJ_OK;
    void *title = NULL;
    enum { ROOM = 64 };
    err = dj_groups_own(context, groups, ROOM, &title);
    if (err)
        return err;
    snprintf(title, ROOM, "Engine %s", engine->name);
    return dj_groups_add(context, groups, title, engine->options, *values);
}

int dj_reading_list_engines(dj_context *context, dj_reading *reading, dj_groups *groups)
{
    void *values = NULL;
    int err = dj_groups_add(context, groups, "Engine", engine_table, reading);
    if (!err)
        err = dj_groups_own(context, groups, dj_engine_count() * sizeof(void *), &values);
    reading->engine_values = values;
    for (size_t i = 0; !err && i < dj_engine_count(); i++)
        err = list_engine(context, dj_engine_get(i), &reading->engine_values[i], groups);
    return err;
}

int dj_reading_list_analysis(dj_context *context, dj_reading *reading, dj_groups *groups)
{
    int err = dj_groups_add(context, groups, "Blocks", block_table, reading);
    return err ? err : dj_reading_list_engines(context, reading, groups);
}

int dj_reading_list(dj_context *context, dj_reading *reading, dj_groups *groups)
{
    int err = dj_reading_list_source(context, reading, groups);
    return err ? err : dj_reading_list_analysis(context, reading, groups);
}

const char *dj_reading_engine(const dj_reading *reading)
{
    return reading->engine && strcmp(reading->engine, AUTO) != 0 ? reading->engine : NULL;
}

static int unknown_engine(dj_context *context, const char *name)
{
    char known[512] = AUTO;
    for (size_t i = 0; i < dj_engine_count(); i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, ", %s", dj_engine_get(i)->name);
    }
    return dj_fail(context, DJ_ERR_USAGE, "there is no engine '%s'; there are %s", name, known);
}

// Is there an option of this name in the engine's own table?
static bool has_option(const dj_engine_ops *engine, const char *name)
{
    for (const dj_option *o = engine->options; o && o->name; o++)
        if (strcmp(o->name, name) == 0)
            return true;
    return false;
}

static size_t value_bytes(const dj_option *option)
{
    switch ((enum dj_option_type)option->type) {
    case DJ_OPTION_UINT:
        return sizeof(uint64_t);
    case DJ_OPTION_REAL:
        return sizeof(double);
    case DJ_OPTION_TEXT:
        return sizeof(char *);
    case DJ_OPTION_CHOICE:
        return sizeof(int);
    default:
        return sizeof(bool);
    }
}

static bool is_changed(const dj_engine_ops *engine, const dj_option *option, const void *values)
{
    return engine->default_options &&
           memcmp((const char *)values + option->offset,
                  (const char *)engine->default_options + option->offset, value_bytes(option)) != 0;
}

// An option of another engine that was changed would do nothing; the user must know.
static int check_other_engines(dj_context *context, const dj_reading *reading, const dj_engine_ops *chosen)
{
    for (size_t i = 0; i < dj_engine_count(); i++) {
        const dj_engine_ops *engine = dj_engine_get(i);
        for (const dj_option *o = engine->options; engine != chosen && o && o->name; o++)
            if (is_changed(engine, o, reading->engine_values[i]) && !has_option(chosen, o->name) &&
                (dj_reading_engine(reading) || strcmp(o->name, THREADS) != 0))
                return dj_fail(
                    context, DJ_ERR_USAGE,
                    "--%s is an option of engine %s, but the engine is %s; add --engine %s or leave it out",
                    o->name, engine->name, chosen->name, engine->name);
    }
    return DJ_OK;
}

// Where the user named no engine, its own options do.
static const char *name_engine(const dj_reading *reading, dj_plan *plan)
{
    if (dj_reading_engine(reading))
        return reading->engine;
    for (size_t i = 0; i < dj_engine_count(); i++) {
        const dj_engine_ops *engine = dj_engine_get(i);
        const char *values = reading->engine_values[i];
        for (const dj_option *o = engine->options; engine->for_long && o && o->name; o++) {
            if (strcmp(o->name, THREADS) == 0)
                plan->threads = *(const uint64_t *)(const void *)(values + o->offset);
            else if (is_changed(engine, o, values))
                return engine->name;
        }
        if (plan->threads > 1)
            return engine->name;
    }
    return dj_engine_get(0)->name;
}

static int choose_engine(dj_context *context, const dj_reading *reading, dj_plan *plan)
{
    const char *name = name_engine(reading, plan);
    for (size_t i = 0; i < dj_engine_count(); i++) {
        const dj_engine_ops *engine = dj_engine_get(i);
        if (strcmp(name, engine->name) != 0)
            continue;
        plan->engine = engine;
        plan->engine_options = engine->options ? reading->engine_values[i] : NULL;
        return check_other_engines(context, reading, engine);
    }
    return unknown_engine(context, name);
}

static int choose_block(dj_context *context, const dj_reading *reading, const dj_source_info *info,
                        dj_plan *plan)
{
    plan->block_bytes = info->default_block;
    if (reading->block) {
        dj_size size = {0, false};
        int err = dj_size_parse(context, "--block", reading->block, &size);
        if (err)
            return err;
        if (size.bytes && info->unit_bytes == 0)
            return dj_fail(
                context, DJ_ERR_USAGE,
                "--block: '%s' is in bytes, but the keys of format %s have no size; give a number of "
                "keys or leave it out",
                reading->block, info->format);
        plan->block_bytes = size.value;
    }
    if (plan->block_bytes == 0)
        return dj_fail(context, DJ_ERR_USAGE, "--block: a block has at least 1 byte");
    plan->size_block = info->unit_bytes ? plan->block_bytes : 0;
    plan->unit = info->kind == DJ_CLASS_KEYS ? "key" : "block";
    return DJ_OK;
}

int dj_reading_plan(dj_context *context, const dj_reading *reading, const dj_source_info *info, dj_plan *plan)
{
    *plan = (dj_plan){.engine_named = dj_reading_engine(reading) != NULL,
                      .engine_options_of = reading->engine_values};
    if (reading->split && reading->no_split)
        return dj_fail(context, DJ_ERR_USAGE, "--split and --no-split exclude each other");
    plan->split = reading->split || (info->default_split && !reading->no_split);
    int err = choose_block(context, reading, info, plan);
    return err ? err : choose_engine(context, reading, plan);
}

int dj_reading_open_source(dj_context *context, const dj_reading *reading, const char *const *paths,
                           size_t count, dj_source **out)
{
    if (count == 0)
        return dj_fail(context, DJ_ERR_USAGE, "no trace given; name a file, or '-' for standard input");
    return dj_source_open(context, paths, count, &reading->source, out);
}

int dj_reading_open(dj_context *context, const dj_reading *reading, const dj_arguments *files,
                    dj_source **out, dj_plan *plan)
{
    dj_source *source = NULL;
    int err = dj_reading_open_source(context, reading, files->items, files->count, &source);
    if (!err)
        err = dj_reading_plan(context, reading, dj_source_get_info(source), plan);
    if (err) {
        dj_source_close(source);
        return err;
    }
    *out = source;
    return DJ_OK;
}
