// SPDX-License-Identifier: MIT
// Completion scripts. Each is a list of verbs and, for each verb, its options;
// values complete to choices where there are any, to files otherwise.
#include <string.h>

#include "base/option/option.h"
#include "cli/help.h"

// Calls `each` for every option of a verb.
typedef void (*visit)(FILE *out, const dj_command *command, const dj_option *option);

static int for_options(dj_context *context, FILE *out, const dj_command *command, visit each)
{
    dj_groups groups = {0};
    void *values = NULL;
    int err = dj_groups_own(context, &groups, command->options_bytes, &values);
    if (!err)
        err = command->list_options(context, values, &groups);
    for (size_t g = 0; !err && g < groups.count; g++)
        for (const dj_option *o = groups.list[g].options; o && o->name; o++)
            each(out, command, o);
    dj_groups_free(&groups);
    return err;
}

static bool is_help(const dj_command *command)
{
    return strcmp(command->name, "help") == 0;
}

static void names(FILE *out)
{
    for (size_t i = 0; i < dj_command_count(); i++)
        fprintf(out, "%s%s", i ? " " : "", dj_command_get(i)->name);
}

static void values_of(FILE *out, const dj_option *o)
{
    for (size_t i = 0; o->choices[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", o->choices[i]);
}

static void bash_word(FILE *out, const dj_command *command, const dj_option *o)
{
    (void)command;
    fprintf(out, " --%s", o->name);
}

static void bash_choices(FILE *out, const dj_command *command, const dj_option *o)
{
    if (o->type != DJ_OPTION_CHOICE)
        return;
    fprintf(out, "    %s,--%s) COMPREPLY=($(compgen -W '", command->name, o->name);
    values_of(out, o);
    fputs("' -- \"$word\")); return ;;\n", out);
}

static int bash(dj_context *context, FILE *out)
{
    fputs("# bash completion for deja; made by 'deja help --completion bash'\n"
          "_deja() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local verb=${COMP_WORDS[1]} options=\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        COMPREPLY=($(compgen -W '",
          out);
    names(out);
    fputs(" --help --version' -- \"$word\") $(compgen -f -- \"$word\"))\n"
          "        return\n"
          "    fi\n"
          "    case $verb,$before in\n",
          out);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < dj_command_count(); i++)
        err = for_options(context, out, dj_command_get(i), bash_choices);
    fputs("    esac\n    case $verb in\n", out);
    for (size_t i = 0; !err && i < dj_command_count(); i++) {
        fprintf(out, "    %s) options='", dj_command_get(i)->name);
        if (is_help(dj_command_get(i)))
            names(out);
        err = for_options(context, out, dj_command_get(i), bash_word);
        fputs(" --help'", out);
        // What follows is another program's.
        if (dj_command_get(i)->wraps_program)
            fputs("; ((COMP_CWORD == 2)) || options=", out);
        fputs(" ;;\n", out);
    }
    fputs("    esac\n"
          "    if [[ $word == -* || $verb == help ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
          "    else\n"
          "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "    fi\n"
          "}\n"
          "complete -o filenames -F _deja deja\n",
          out);
    return err;
}

// Help texts stand in single quotes; zsh also gives meaning to brackets and colons there.
static void quoted(FILE *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr(special, *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

static void zsh_option(FILE *out, const dj_command *command, const dj_option *o)
{
    (void)command;
    fprintf(out, "            '--%s[", o->name);
    quoted(out, o->help, "[]:\\");
    fputc(']', out);
    if (o->type == DJ_OPTION_CHOICE) {
        fprintf(out, ":%s:(", o->argument);
        values_of(out, o);
        fputc(')', out);
    } else if (dj_option_takes_value(o)) {
        fprintf(out, ":%s:_files", o->argument);
    }
    fputs("' \\\n", out);
}

// The options of a wrapping verb come first; all else is another program's.
static int zsh_wrapper(dj_context *context, FILE *out, const dj_command *command)
{
    fprintf(out, "    %s)\n        ((CURRENT == 2)) || { _files; return }\n        _arguments \\\n",
            command->name);
    int err = for_options(context, out, command, zsh_option);
    fputs("            '--help[print this help]' \\\n            '*:file:_files' ;;\n", out);
    return err;
}

static int zsh(dj_context *context, FILE *out)
{
    fputs("#compdef deja\n# zsh completion for deja; made by 'deja help --completion zsh'\n"
          "_deja() {\n    if ((CURRENT == 2)); then\n        local -a verbs=(\n",
          out);
    for (size_t i = 0; i < dj_command_count(); i++) {
        fprintf(out, "            '%s:", dj_command_get(i)->name);
        quoted(out, dj_command_get(i)->summary, ":\\");
        fputs("'\n", out);
    }
    fputs("        )\n        _describe verb verbs\n        _files\n        return\n    fi\n"
          "    local verb=${words[2]}\n    shift words\n    ((CURRENT--))\n    case $verb in\n",
          out);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < dj_command_count(); i++) {
        if (dj_command_get(i)->wraps_program) {
            err = zsh_wrapper(context, out, dj_command_get(i));
            continue;
        }
        fprintf(out, "    %s)\n        _arguments \\\n", dj_command_get(i)->name);
        err = for_options(context, out, dj_command_get(i), zsh_option);
        fputs("            '--help[print this help]' \\\n            '*:", out);
        if (is_help(dj_command_get(i))) {
            fputs("verb:(", out);
            names(out);
            fputs(")' ;;\n", out);
        } else {
            fputs("file:_files' ;;\n", out);
        }
    }
    fputs("    *) _files ;;\n    esac\n}\n_deja \"$@\"\n", out);
    return err;
}

// When options of the verb are offered: with a wrapping verb, as its first argument.
static const char *fish_when(const dj_command *command, char *when, size_t bytes)
{
    snprintf(when, bytes, "__fish_seen_subcommand_from %s%s", command->name,
             command->wraps_program ? "; and test (count (commandline -opc)) -eq 2" : "");
    return when;
}

static void fish_option(FILE *out, const dj_command *command, const dj_option *o)
{
    char when[128];
    fprintf(out, "complete -c deja -n '%s' -l %s", fish_when(command, when, sizeof when), o->name);
    if (o->letter)
        fprintf(out, " -s %c", o->letter);
    if (o->type == DJ_OPTION_CHOICE) {
        fputs(" -x -a '", out);
        values_of(out, o);
        fputc('\'', out);
    } else if (dj_option_takes_value(o)) {
        fputs(" -r", out);
    }
    fputs(" -d '", out);
    for (const char *c = o->help; *c; c++)
        fprintf(out, "%s%c", *c == '\'' || *c == '\\' ? "\\" : "", *c);
    fputs("'\n", out);
}

static int fish(dj_context *context, FILE *out)
{
    fputs("# fish completion for deja; made by 'deja help --completion fish'\n", out);
    int err = DJ_OK;
    for (size_t i = 0; !err && i < dj_command_count(); i++) {
        const dj_command *command = dj_command_get(i);
        char when[128];
        fprintf(out, "complete -c deja -n '__fish_use_subcommand' -a %s -d '%s'\n", command->name,
                command->summary);
        err = for_options(context, out, command, fish_option);
        fprintf(out, "complete -c deja -n '%s' -l help%s -d 'print this help'\n",
                fish_when(command, when, sizeof when), command->wraps_program ? "" : " -s h");
    }
    fputs("complete -c deja -n '__fish_seen_subcommand_from help' -f -a '", out);
    names(out);
    fputs("'\n", out);
    return err;
}

int dj_completion_print(dj_context *context, FILE *out, enum dj_shell shell)
{
    switch (shell) {
    case DJ_SHELL_BASH:
        return bash(context, out);
    case DJ_SHELL_ZSH:
        return zsh(context, out);
    case DJ_SHELL_FISH:
        return fish(context, out);
    }
    return DJ_OK;
}
