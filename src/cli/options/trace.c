// SPDX-License-Identifier: MIT
#include "cli/options/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/size.h"

#define AT(field) offsetof(dj_trace_options, field)

static const dj_option block_table[] = {
    {"block", 'b', DJ_OPTION_TEXT | DJ_OPTION_COMMON, AT(block), "N",
     "block size in bytes, such as 64 or 4K (default: 64 for memory, 4096 for block I/O, 1 for keys). "
     "Accesses to the same block are accesses to the same element",
     NULL},
    {"split", 0, DJ_OPTION_FLAG, AT(split), NULL,
     "count an access in every block that it touches (default for block I/O)", NULL},
    {"no-split", 0, DJ_OPTION_FLAG, AT(no_split), NULL,
     "count an access only in its first block (default for memory)", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

// The names of all formats, for completion.
static int list_formats(dj_context *context, dj_groups *groups, const char ***out)
{
    int err = dj_groups_own(context, groups, (dj_format_count() + 1) * sizeof **out, (void **)out);
    dj_format_info format;
    for (size_t i = 0, count = 0; !err && i < dj_format_count(); i++)
        if (dj_format_get(i, &format) == DJ_OK)
            (*out)[count++] = format.name;
    return err;
}

int dj_trace_list_source(dj_context *context, dj_trace_options *trace, dj_groups *groups)
{
    const char **formats = NULL;
    int err = list_formats(context, groups, &formats);
    groups->reads_files = true;
    return err ? err
               : dj_groups_add_with_choices(context, groups, "Trace", dj_source_option_table, &trace->source,
                                            "format", formats);
}

// Allocates the options structure of an engine and fills in its defaults.
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
    enum { TITLE_BYTES = 64 };
    err = dj_groups_own(context, groups, TITLE_BYTES, &title);
    if (err)
        return err;
    snprintf(title, TITLE_BYTES, "Engine %s", engine->name);
    return dj_groups_add(context, groups, title, engine->options, *values);
}

// "auto" and the names of all engines, for completion.
static int list_engine_names(dj_context *context, dj_groups *groups, const char ***out)
{
    int err = dj_groups_own(context, groups, (dj_engine_count() + 2) * sizeof **out, (void **)out);
    if (err)
        return err;
    (*out)[0] = "auto";
    for (size_t i = 0; i < dj_engine_count(); i++)
        (*out)[i + 1] = dj_engine_get(i)->name;
    return DJ_OK;
}

// The option --engine. Its help says how the library chooses when no engine is named.
static int list_choice(dj_context *context, dj_trace_options *trace, dj_groups *groups)
{
    void *own = NULL;
    const char **names = NULL;
    char *help = dj_engine_help();
    size_t bytes = help ? strlen(help) + 1 : 0;
    int err = help ? dj_groups_own(context, groups, 2 * sizeof(dj_option) + bytes, &own)
                   : dj_fail_memory(context, "the help", 0);
    if (!err)
        err = list_engine_names(context, groups, &names);
    if (!err) {
        dj_option *table = own;
        char *text = (char *)(table + 2);
        memcpy(text, help, bytes);
        table[0] =
            (dj_option){"engine", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, AT(engine), "NAME", text, names};
        err = dj_groups_add(context, groups, "Engine", table, trace);
    }
    free(help);
    return err;
}

int dj_trace_list_engines(dj_context *context, dj_trace_options *trace, dj_groups *groups)
{
    void *values = NULL;
    int err = list_choice(context, trace, groups);
    if (!err)
        err = dj_groups_own(context, groups, dj_engine_count() * sizeof(void *), &values);
    trace->engine_values = values;
    groups->engine_first = groups->count;
    for (size_t i = 0; !err && i < dj_engine_count(); i++)
        err = list_engine(context, dj_engine_get(i), &trace->engine_values[i], groups);
    groups->engine_count = groups->count - groups->engine_first;
    return err;
}

int dj_trace_list_analysis(dj_context *context, dj_trace_options *trace, dj_groups *groups)
{
    int err = dj_groups_add(context, groups, "Blocks", block_table, trace);
    return err ? err : dj_trace_list_engines(context, trace, groups);
}

int dj_trace_list(dj_context *context, dj_trace_options *trace, dj_groups *groups)
{
    int err = dj_trace_list_source(context, trace, groups);
    return err ? err : dj_trace_list_analysis(context, trace, groups);
}

static int choose_block(dj_context *context, const dj_trace_options *trace, const dj_source_info *info,
                        dj_plan *plan)
{
    plan->block_bytes = info->default_block;
    if (trace->block) {
        dj_size size = {0, false};
        int err = dj_size_parse(context, "--block", trace->block, &size);
        if (err)
            return err;
        if (size.bytes && info->unit_bytes == 0)
            return dj_fail(
                context, DJ_ERR_USAGE,
                "--block: '%s' is in bytes, but keys in format %s have no size; give a number of keys, "
                "or leave the option out",
                trace->block, info->format);
        plan->block_bytes = size.value;
    }
    if (plan->block_bytes == 0)
        return dj_fail(context, DJ_ERR_USAGE, "--block: a block must have at least 1 byte");
    plan->size_block = info->unit_bytes ? plan->block_bytes : 0;
    return DJ_OK;
}

int dj_trace_plan(dj_context *context, const dj_trace_options *trace, const dj_source_info *info,
                  dj_plan *plan)
{
    *plan = (dj_plan){0};
    if (trace->split && trace->no_split)
        return dj_fail(context, DJ_ERR_USAGE, "--split and --no-split cannot be combined");
    int err = choose_block(context, trace, info, plan);
    return err ? err : dj_engine_preference_make(context, trace->engine, trace->engine_values, &plan->engine);
}

const char *dj_trace_given(const dj_trace_options *trace)
{
    const dj_source_options *s = &trace->source;
    return s->format         ? "--format"
           : s->columns      ? "--columns"
           : s->header       ? "--header"
           : s->instructions ? "--instructions"
                             : NULL;
}

void dj_trace_request(const dj_trace_options *trace, const dj_arguments *arguments, dj_request *request)
{
    request->splitting = trace->split ? DJ_SPLIT_EACH : trace->no_split ? DJ_SPLIT_FIRST : DJ_SPLIT_DEFAULT;
    request->engine = trace->engine;
    request->engine_options = trace->engine_values;
    request->inputs = arguments->items;
    request->input_count = arguments->program ? 1 : arguments->count;
    request->command = arguments->command_line;
}

int dj_trace_open_source(dj_context *context, const dj_trace_options *trace, const char *const *paths,
                         size_t count, dj_source **out)
{
    if (count == 0)
        return dj_fail(context, DJ_ERR_USAGE, "no trace given; name a file, or use '-' for standard input");
    return dj_source_open(context, paths, count, &trace->source, out);
}

int dj_trace_open(dj_context *context, const dj_trace_options *trace, const dj_arguments *files,
                  dj_source **out, dj_plan *plan)
{
    dj_source *source = NULL;
    int err = dj_trace_open_source(context, trace, files->items, files->count, &source);
    if (err && files->count > 0)
        err = dj_trace_suggest_program(context, trace, files->items[0], "run", err);
    if (!err)
        err = dj_trace_plan(context, trace, dj_source_get_info(source), plan);
    if (err) {
        dj_source_close(source);
        return err;
    }
    *out = source;
    return DJ_OK;
}

// Whether the system can execute a file: it is marked as a program and begins as one.
static bool is_program(const char *path)
{
    struct stat about;
    char head[4] = {0};
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || access(path, X_OK) != 0)
        return false;
    FILE *file = fopen(path, "rb");
    const size_t got = file ? fread(head, 1, sizeof head, file) : 0;
    if (file)
        fclose(file);
    return (got == sizeof head && memcmp(head, "\177ELF", sizeof head) == 0) ||
           (got >= 2 && memcmp(head, "#!", 2) == 0);
}

int dj_trace_suggest_program(dj_context *context, const dj_trace_options *options, const char *path,
                             const char *verb, int err)
{
    if (err != DJ_ERR_INPUT || options->source.format || !is_program(path))
        return err;
    return dj_fail(context, DJ_ERR_USAGE,
                   "'%s' is a program, not a trace; to run it, put '--' before it, as in 'deja %s -- %s'",
                   path, verb, path);
}
