// SPDX-License-Identifier: MIT
// Help, man pages and shell completion, all made from the tables of commands
// and options.
#ifndef DEJA_CLI_HELP_H
#define DEJA_CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"

// Each stops at the first table that cannot be listed (out of memory); faults
// in writing are the caller's to see.
void dj_help_overview(FILE *out);
void dj_help_verb(FILE *out, const dj_command *command, const dj_groups *groups);

void dj_man_overview(FILE *out);
void dj_man_verb(FILE *out, const dj_command *command, const dj_groups *groups);

enum dj_shell { DJ_SHELL_BASH, DJ_SHELL_ZSH, DJ_SHELL_FISH };
int dj_completion_print(dj_context *context, FILE *out, enum dj_shell shell);

#endif
