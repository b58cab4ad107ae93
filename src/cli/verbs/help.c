// SPDX-License-Identifier: MIT
// deja help: explains verbs and engines; writes man pages and completion scripts.
#include <string.h>

#include "base/option/choices.h"
#include "base/option/option.h"
#include "cli/command.h"
#include "cli/help/help.h"
#include "cli/options/output.h"

enum form { FORM_TEXT, FORM_MAN, FORM_SCHEMA };

typedef struct options {
    bool all;
    int form;
    int completion; // index into shells
    const char *path;
} options;

static const char *const forms[] = {"text", "man", "schema", NULL};
static const char *const shells[] = {"none", "bash", "zsh", "fish", NULL};

static const dj_option table[] = {
    {"all", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, offsetof(options, all), NULL,
     "show all options, as 'deja VERB --help-all' does", NULL},
    {"form", 0, DJ_OPTION_CHOICE | DJ_OPTION_COMMON, offsetof(options, form), "FORM",
     "form of the help. schema is the JSON schema of profiles, whatever the verb", forms},
    {"completion", 0, DJ_OPTION_CHOICE | DJ_OPTION_COMMON, offsetof(options, completion), "SHELL",
     "print the completion script for a shell instead", shells},
    {"output", 'o', DJ_OPTION_TEXT | DJ_OPTION_COMMON | DJ_OPTION_FILE, offsetof(options, path), "FILE",
     "write to FILE instead of standard output", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

// The topics: all verbs, and the engines.
static int list_topics(dj_context *context, dj_groups *groups)
{
    const char **topics = NULL;
    size_t count = dj_command_count();
    int err = dj_groups_own(context, groups, (count + 2) * sizeof *topics, (void **)&topics);
    if (err)
        return err;
    for (size_t i = 0; i < count; i++)
        topics[i] = dj_command_get(i)->name;
    topics[count] = DJ_ENGINES_TOPIC;
    groups->words = topics;
    return DJ_OK;
}

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    int err = list_topics(context, groups);
    return err ? err : dj_groups_add(context, groups, "Options", table, values);
}

static int unknown_topic(dj_context *context, const char *word)
{
    dj_choices topics = {0};
    for (size_t i = 0; i < dj_command_count(); i++)
        dj_choices_add(context, &topics, dj_command_get(i)->name);
    dj_choices_add(context, &topics, DJ_ENGINES_TOPIC);
    const char *near = dj_choices_nearest(&topics, word);
    int err =
        near ? dj_fail(context, DJ_ERR_USAGE, "unknown verb '%s'; did you mean 'deja help %s'?", word, near)
             : dj_fail(context, DJ_ERR_USAGE,
                       "unknown verb '%s'; 'deja --help' lists the verbs, 'deja info' the formats", word);
    dj_choices_free(&topics);
    return err;
}

static int print_verb(dj_context *context, FILE *file, const options *o, const dj_command *command)
{
    dj_groups groups = {0};
    int err = dj_help_list_options(context, command, &groups);
    if (!err && o->form == FORM_MAN)
        dj_man_verb(file, command, &groups);
    else if (!err)
        dj_help_verb(file, command, &groups, o->all);
    dj_groups_free(&groups);
    return err;
}

static int print_overview(FILE *file, const options *o)
{
    if (o->form == FORM_MAN)
        dj_man_overview(file);
    else
        dj_help_overview(file);
    return DJ_OK;
}

static int print(dj_context *context, FILE *file, const options *o, const char *topic)
{
    if (o->completion)
        return dj_completion_print(context, file, (enum dj_shell)(o->completion - 1));
    if (o->form == FORM_SCHEMA)
        return dj_profile_schema(context, file);
    if (!topic)
        return print_overview(file, o);
    if (strcmp(topic, DJ_ENGINES_TOPIC) == 0)
        return o->form == FORM_MAN ? dj_man_engines(context, file) : dj_help_engines(context, file);
    return print_verb(context, file, o, dj_command_find(topic));
}

static int print_to(dj_context *context, const options *o, const char *topic)
{
    dj_output_options to = {.path = o->path};
    dj_output *output = NULL;
    if (topic && strcmp(topic, DJ_ENGINES_TOPIC) != 0 && !dj_command_find(topic))
        return unknown_topic(context, topic);
    int err = dj_output_open(context, &to, &output);
    if (!err)
        err = print(context, output->file, o, topic);
    return dj_output_end(context, err, &output);
}

int dj_help_run(dj_context *context, const char *topic, bool all)
{
    return print_to(context, &(options){.all = all}, topic);
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    if (arguments->count > 1)
        return dj_fail(context, DJ_ERR_USAGE, "name one verb, as in 'deja help run'");
    return print_to(context, values, arguments->count ? arguments->items[0] : NULL);
}

static const dj_example examples[] = {
    {"deja help analyze", "Explains the verb analyze: its common options, with examples."},
    {"deja help engines", "Lists the engines and their options."},
    {"deja help --completion bash > /etc/bash_completion.d/deja", "Installs completion for bash."},
    {"deja help --form man mrc | man -l -", "Shows the man page of mrc."},
    {NULL, NULL},
};

const dj_command dj_command_help = {
    .name = "help",
    .summary = "explain a verb; print man pages and shell completion",
    .usage = "[options] [VERB | engines]",
    .description =
        "Explains what a verb does, with its options and examples; without a verb, lists all verbs. "
        "'deja help VERB' is the same as 'deja VERB --help'.",
    .details = "Help, man pages and completion scripts are generated from the tables by which the program "
               "parses its command line.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
