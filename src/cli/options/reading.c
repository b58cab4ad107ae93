// SPDX-License-Identifier: MIT
#include "cli/options/reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"

#define AT(field) offsetof(dj_reading, field)

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

// The help says what is chosen when none is named, which the library decides.
static int list_choice(dj_context *context, dj_reading *reading, dj_groups *groups)
{
    void *own = NULL;
    char *help = dj_engine_help();
    size_t bytes = help ? strlen(help) + 1 : 0;
    int err = help ? dj_groups_own(context, groups, 2 * sizeof(dj_option) + bytes, &own)
                   : dj_fail_memory(context, "the help", 0);
    if (!err) {
        dj_option *table = own;
        char *text = (char *)(table + 2);
        memcpy(text, help, bytes);
        table[0] = (dj_option){"engine", 0, DJ_OPTION_TEXT, AT(engine), "NAME", text, NULL};
        err = dj_groups_add(context, groups, "Engine", table, reading);
    }
    free(help);
    return err;
}

int dj_reading_list_engines(dj_context *context, dj_reading *reading, dj_groups *groups)
{
    void *values = NULL;
    int err = list_choice(context, reading, groups);
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
    return DJ_OK;
}

int dj_reading_plan(dj_context *context, const dj_reading *reading, const dj_source_info *info, dj_plan *plan)
{
    *plan = (dj_plan){0};
    if (reading->split && reading->no_split)
        return dj_fail(context, DJ_ERR_USAGE, "--split and --no-split exclude each other");
    int err = choose_block(context, reading, info, plan);
    return err ? err : dj_engine_wish_make(context, reading->engine, reading->engine_values, &plan->engine);
}

void dj_reading_request(const dj_reading *reading, const dj_arguments *arguments, dj_request *request)
{
    request->splitting = reading->split      ? DJ_SPLIT_EACH
                         : reading->no_split ? DJ_SPLIT_FIRST
                                             : DJ_SPLIT_DEFAULT;
    request->engine = reading->engine;
    request->engine_options = reading->engine_values;
    request->inputs = arguments->items;
    request->input_count = arguments->program ? 1 : arguments->count;
    request->command = arguments->command_line;
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
