// SPDX-License-Identifier: MIT
#include "cli/help/completion.h"

#include <string.h>

#include "base/option/option.h"
#include "cli/help/help.h"

int dj_completed_open(dj_context *context, const dj_command *command, dj_completed *out)
{
    *out = (dj_completed){.command = command};
    int err = dj_help_list_options(context, command, &out->groups);
    if (!err)
        err = dj_groups_add(context, &out->groups, "Help", dj_help_options, NULL);
    out->words = out->groups.words;
    out->arguments = out->words                                         ? DJ_COMPLETE_WORDS
                     : command->runs_program && !command->wraps_program ? DJ_COMPLETE_PROGRAMS
                                                                        : DJ_COMPLETE_FILES;
    return err;
}

// Engines share options: whether a group before this one has the same.
static bool is_repeated(const dj_groups *groups, size_t group, const char *name)
{
    for (size_t g = 0; g < group; g++)
        for (const dj_option *o = groups->list[g].options; o && o->name; o++)
            if (strcmp(o->name, name) == 0)
                return true;
    return false;
}

void dj_completed_each(FILE *out, const dj_completed *verb, dj_completed_visit *visit)
{
    for (size_t g = 0; g < verb->groups.count; g++)
        for (const dj_option *o = verb->groups.list[g].options; o && o->name; o++)
            if (!is_repeated(&verb->groups, g, o->name))
                visit(out, verb, o);
}

enum dj_completion_kind dj_completed_value(const dj_option *option)
{
    if (option->type & DJ_OPTION_FILE)
        return DJ_COMPLETE_FILES;
    if (option->type & DJ_OPTION_FOLDER)
        return DJ_COMPLETE_FOLDERS;
    if (!option->choices)
        return DJ_COMPLETE_NOTHING;
    return option->type & DJ_OPTION_LIST ? DJ_COMPLETE_LIST : DJ_COMPLETE_WORDS;
}

size_t dj_completed_help(const dj_option *option)
{
    const char *end = strstr(option->help, ". ");
    return end ? (size_t)(end - option->help) : strlen(option->help);
}

void dj_completed_words(FILE *out, const char *const *words)
{
    for (size_t i = 0; words[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", words[i]);
}

void dj_completed_verbs(FILE *out)
{
    for (size_t i = 0; i < dj_command_count(); i++)
        fprintf(out, "%s%s", i ? " " : "", dj_command_get(i)->name);
}

void dj_completed_quote(FILE *out, const char *text, size_t bytes, const char *special, const char *quote)
{
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\'')
            fputs(quote, out);
        else if (strchr(special, text[i]))
            fprintf(out, "\\%c", text[i]);
        else
            fputc(text[i], out);
    }
}

int dj_completion_print(dj_context *context, FILE *out, enum dj_shell shell)
{
    switch (shell) {
    case DJ_SHELL_BASH:
        return dj_completion_bash(context, out);
    case DJ_SHELL_ZSH:
        return dj_completion_zsh(context, out);
    case DJ_SHELL_FISH:
        return dj_completion_fish(context, out);
    }
    return DJ_OK;
}
