// SPDX-License-Identifier: MIT
// Help, man pages and shell completion, all generated from the tables of
// commands and options.
#ifndef DEJA_CLI_HELP_HELP_H
#define DEJA_CLI_HELP_HELP_H

#include <stdio.h>

#include "cli/command.h"

// The options that every verb has.
typedef struct dj_help_values {
    bool help;
    bool help_all;
} dj_help_values;

extern const dj_option dj_help_options[];

// Prints the help of a topic, on standard output: a verb, or "engines"; NULL: the overview. `all` adds what
// `--help` leaves out. DJ_ERR_USAGE if there is no such topic.
int dj_help_run(dj_context *context, const char *topic, bool all);

// The functions below write to `out` without checking: the caller closes it and
// sees write errors. Those that return an error fail only when memory runs out.

void dj_help_overview(FILE *out);
void dj_help_verb(FILE *out, const dj_command *command, const dj_groups *groups, bool all);
int dj_help_engines(dj_context *context, FILE *out);

void dj_man_overview(FILE *out);
void dj_man_verb(FILE *out, const dj_command *command, const dj_groups *groups);
int dj_man_engines(dj_context *context, FILE *out);

// The options of a verb, with default values; freed with dj_groups_free.
int dj_help_list_options(dj_context *context, const dj_command *command, dj_groups *out);

#define DJ_ENGINES_TOPIC "engines"
#define DJ_ENGINES_SUMMARY "the algorithms that compute reuse distances, and their options"
#define DJ_ENGINES_USAGE "--engine NAME [options] FILE..."
extern const char dj_engines_description[];
extern const dj_example dj_engines_examples[];

enum dj_shell { DJ_SHELL_BASH, DJ_SHELL_ZSH, DJ_SHELL_FISH };
int dj_completion_print(dj_context *context, FILE *out, enum dj_shell shell);

#endif
