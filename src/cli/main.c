// SPDX-License-Identifier: MIT
#include <deja/version.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/option/choices.h"
#include "base/option/option.h"
#include "base/shell_word.h"
#include "base/text_stream.h"
#include "cli/command.h"
#include "cli/help/help.h"
#include "cli/interrupt.h"
#include "cli/options/output.h"

static int exit_status(int err)
{
    switch (err) {
    case DJ_ERR_USAGE:
    case DJ_ERR_UNSUPPORTED:
        return DJ_EXIT_USAGE;
    case DJ_ERR_INPUT:
        return DJ_EXIT_INPUT;
    case DJ_ERR_IO:
    case DJ_ERR_MEMORY:
    case DJ_ERR_DEVICE:
        return DJ_EXIT_RESOURCE;
    case DJ_ERR_STOPPED:
        return DJ_EXIT_INTERRUPTED;
    default:
        return err;
    }
}

// The words as typed, in quotes where a shell needs them.
static char *join_arguments(size_t count, char *const *args)
{
    dj_text_stream line;
    if (!dj_text_stream_open(&line))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        fputs(i ? " " : "", line.file);
        dj_shell_word_print(line.file, args[i]);
    }
    return dj_text_stream_close(&line, NULL);
}

// Whether a result was not written to its end because its reader, such as head, has seen enough.
static bool is_unread(int err)
{
    return err == DJ_ERR_IO && dj_output_reader_left();
}

typedef struct call {
    const dj_command *command;
    dj_groups groups;
    void *values;
    dj_help_values help;
    const char **positional;
    dj_arguments arguments;
    char *command_line;
} call;

typedef int parser(dj_context *, const dj_option_group *, size_t, size_t, char *const *, const char **,
                   size_t *);

static parser *find_parser(const dj_command *command)
{
    if (command->wraps_program)
        return dj_option_parse_leading;
    if (command->may_run_program)
        return dj_option_parse_separated;
    return command->runs_program ? dj_option_parse_until_word : dj_option_parse;
}

// Finds out whether the arguments are a program or files.
static int find_program(dj_context *context, const dj_command *command, dj_arguments *arguments)
{
    size_t files = 0;
    arguments->program = command->runs_program;
    if (!command->may_run_program)
        return DJ_OK;
    while (files < arguments->count && strcmp(arguments->items[files], "--") != 0)
        files++;
    if (files == arguments->count)
        return DJ_OK;
    if (files > 0)
        return dj_fail(context, DJ_ERR_USAGE,
                       "'%s' precedes '--', but a program follows '--'; name only one of them",
                       arguments->items[0]);
    arguments->program = true;
    arguments->items++;
    arguments->count--;
    return DJ_OK;
}

static int prepare(dj_context *context, call *c, size_t count, char *const *args)
{
    c->positional = calloc(count + 1, sizeof *c->positional);
    if (!c->positional || !c->command_line)
        return dj_fail_memory(context, "the command line", 0);
    int err = dj_groups_own(context, &c->groups, c->command->options_bytes, &c->values);
    if (!err)
        err = c->command->list_options(context, c->values, &c->groups);
    if (!err)
        err = dj_groups_add(context, &c->groups, "Help", dj_help_options, &c->help);
    if (err)
        return err;
    c->arguments.items = c->positional;
    c->arguments.command_line = c->command_line;
    err = find_parser(c->command)(context, c->groups.list, c->groups.count, count, args, c->positional,
                                  &c->arguments.count);
    bool asks_help = c->help.help || c->help.help_all;
    if (!err && !asks_help)
        err = find_program(context, c->command, &c->arguments);
    if (err)
        return dj_fail_within(context, err, "%s", c->command->name);
    const dj_arguments none = {0};
    if (!c->groups.output || asks_help)
        return DJ_OK;
    bool files = c->groups.reads_files && !c->arguments.program;
    return dj_output_check(context, c->groups.output, files ? &c->arguments : &none);
}

static int run_command(dj_context *context, const dj_command *command, size_t count, char *const *args,
                       char *command_line)
{
    call c = {.command = command, .command_line = command_line};
    int err = prepare(context, &c, count, args);
    bool asks_help = c.help.help || c.help.help_all || (command->wraps_program && count == 0);
    if (!err)
        err = asks_help ? dj_help_run(context, command->name, c.help.help_all)
                        : command->run(context, c.values, &c.arguments);
    if (dj_context_warning(context)[0])
        dj_output_message("note: ", dj_context_warning(context));
    free(c.positional);
    dj_groups_free(&c.groups);
    bool program = c.arguments.program || command->runs_program || command->wraps_program;
    if (err < 0 && err != DJ_ERR_USAGE && program && !is_unread(err)) {
        dj_output_message("", dj_context_message(context));
        return DJ_EXIT_FAILED;
    }
    return err;
}

static int unknown_verb(dj_context *context, const char *word)
{
    dj_choices verbs = {0};
    for (size_t i = 0; i < dj_command_count(); i++)
        dj_choices_add(context, &verbs, dj_command_get(i)->name);
    const char *near = dj_choices_nearest(&verbs, word);
    int err = near ? dj_fail(context, DJ_ERR_USAGE,
                             "'%s' is neither a verb nor a file; did you mean 'deja %s'? ('deja --help' "
                             "lists the verbs)",
                             word, near)
                   : dj_fail(context, DJ_ERR_USAGE,
                             "'%s' is neither a verb nor a file; 'deja --help' lists the verbs", word);
    dj_choices_free(&verbs);
    return err;
}

static bool looks_like_file(const char *word)
{
    if (strcmp(word, "-") == 0 || strchr(word, '/') || strchr(word, '.'))
        return true;
    return access(word, R_OK) == 0;
}

static int print_version(dj_context *context)
{
    dj_output_options options = {0};
    dj_output *output = NULL;
    int err = dj_output_open(context, &options, &output);
    if (err)
        return err;
    fputs("deja " DJ_VERSION "\n", output->file);
    return dj_output_close(context, &output);
}

// The verb in the name of a link to this program, such as deja-cc; NULL: none.
static const dj_command *find_link(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const dj_command *command = strncmp(name, "deja-", 5) == 0 ? dj_command_find(name + 5) : NULL;
    return command && command->wraps_program ? command : NULL;
}

static int dispatch(dj_context *context, size_t count, char *const *args, char *command_line)
{
    const char *first = count > 1 ? args[1] : NULL;
    const dj_command *link = count > 0 ? find_link(args[0]) : NULL;
    if (link)
        return run_command(context, link, count - 1, args + 1, command_line);
    if (!first)
        return dj_fail(context, DJ_ERR_USAGE, "no verb and no trace given; 'deja --help' lists the verbs");
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "--help-all") == 0)
        return dj_help_run(context, NULL, false);
    if (strcmp(first, "--version") == 0)
        return print_version(context);
    const dj_command *command = dj_command_find(first);
    if (command)
        return run_command(context, command, count - 2, args + 2, command_line);
    command = dj_command_find("analyze");
    if (command && (first[0] == '-' || looks_like_file(first)))
        return run_command(context, command, count - 1, args + 1, command_line);
    return unknown_verb(context, first);
}

// If the caller closed a standard stream, the next file that is opened would get
// its number, and messages would be written into that file. Opens /dev/null for
// reading instead: writing fails, and is reported like any other write error.
// Programs that Deja runs find the stream closed.
static void reserve_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", O_RDONLY | O_CLOEXEC) != fd)
            return;
}

int main(int argc, char **argv)
{
    reserve_standard_streams();
    setlocale(LC_CTYPE, "");
    dj_context *context = NULL;
    if (dj_context_create(&context) != DJ_OK) {
        fputs("deja: out of memory\n", stderr);
        return DJ_EXIT_RESOURCE;
    }
    dj_interrupt_install(context);
    size_t count = argc > 0 ? (size_t)argc : 0;
    char *command_line = join_arguments(count, argv);
    int err = dispatch(context, count, argv, command_line);
    if (err < 0 && !is_unread(err))
        dj_output_message("", dj_context_message(context));
    int status = is_unread(err) ? DJ_EXIT_READER_LEFT : exit_status(err);
    free(command_line);
    dj_context_destroy(context);
    return status;
}
