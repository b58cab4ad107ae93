// SPDX-License-Identifier: MIT
#include "cli/help.h"
#include "base/option/option.h"
#include "cli/command.h"
#include "cli/options/output.h"

enum form { FORM_TEXT, FORM_MAN, FORM_SCHEMA };

typedef struct options {
    int form;
    int completion; // index into shells
    const char *path;
} options;

static const char *const forms[] = {"text", "man", "schema", NULL};
static const char *const shells[] = {"none", "bash", "zsh", "fish", NULL};

static const dj_option table[] = {
    {"form", 0, DJ_OPTION_CHOICE, offsetof(options, form), "FORM",
     "how to write it; schema is the JSON schema of a profile, whatever the verb", forms},
    {"completion", 0, DJ_OPTION_CHOICE, offsetof(options, completion), "SHELL",
     "print the completion script of a shell instead", shells},
    {"output", 'o', DJ_OPTION_TEXT, offsetof(options, path), "FILE", "write to FILE, not to standard output",
     NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, void *values, dj_groups *groups)
{
    return dj_groups_add(context, groups, "Options", table, values);
}

static int print_verb(dj_context *context, FILE *file, const dj_command *command, int form)
{
    dj_groups groups = {0};
    void *values = NULL;
    int err = dj_groups_own(context, &groups, command->options_bytes, &values);
    if (!err)
        err = command->list_options(context, values, &groups);
    if (!err && form == FORM_MAN)
        dj_man_verb(file, command, &groups);
    else if (!err)
        dj_help_verb(file, command, &groups);
    dj_groups_free(&groups);
    return err;
}

static int print(dj_context *context, FILE *file, const options *o, const dj_command *command)
{
    if (o->completion)
        return dj_completion_print(context, file, (enum dj_shell)(o->completion - 1));
    if (o->form == FORM_SCHEMA)
        return dj_profile_schema(context, file);
    if (command)
        return print_verb(context, file, command, o->form);
    if (o->form == FORM_MAN)
        dj_man_overview(file);
    else
        dj_help_overview(file);
    return DJ_OK;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    const options *o = values;
    const dj_command *command = NULL;
    if (arguments->count > 1)
        return dj_fail(context, DJ_ERR_USAGE, "help takes one verb");
    if (arguments->count == 1) {
        command = dj_command_find(arguments->items[0]);
        if (!command)
            return dj_fail(context, DJ_ERR_USAGE, "there is no verb '%s'; 'deja --help' lists them",
                           arguments->items[0]);
    }
    dj_output_options to = {.path = o->path};
    dj_output *output = NULL;
    int err = dj_output_open(context, &to, &output);
    if (!err)
        err = print(context, output->file, o, command);
    if (!err)
        err = dj_output_close(context, &output);
    dj_output_discard(&output);
    return err;
}

static const dj_example examples[] = {
    {"deja help analyze", "Explains the verb analyze, its options and examples."},
    {"deja help --form man mrc | man -l -", "Shows the man page of mrc."},
    {"deja help --completion bash > /etc/bash_completion.d/deja", "Installs completion for bash."},
    {NULL, NULL},
};

const dj_command dj_command_help = {
    .name = "help",
    .summary = "explain a verb, or print a man page or shell completion",
    .usage = "[options] [VERB]",
    .description =
        "Prints what a verb does, its options and examples. Without a verb it lists all verbs. Man pages "
        "and completion scripts are made from the same tables that the program reads its "
        "command line with.",
    .examples = examples,
    .options_bytes = sizeof(options),
    .list_options = list_options,
    .run = run,
};
