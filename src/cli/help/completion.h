// SPDX-License-Identifier: MIT
// What the completion scripts of all shells share.
#ifndef DEJA_CLI_HELP_COMPLETION_H
#define DEJA_CLI_HELP_COMPLETION_H

#include <stdio.h>

#include "cli/command.h"

// What completes the value of an option, or the arguments of a verb.
enum dj_completion_kind {
    DJ_COMPLETE_NOTHING, // a number or a name that the shell cannot know
    DJ_COMPLETE_WORDS,   // one of a list
    DJ_COMPLETE_LIST,    // several of a list, separated by commas
    DJ_COMPLETE_FILES,
    DJ_COMPLETE_FOLDERS,
    DJ_COMPLETE_PROGRAMS, // a program, then its arguments
};

// A verb and its options, as the completion of a shell needs them.
typedef struct dj_completed {
    const dj_command *command;
    dj_groups groups;
    enum dj_completion_kind arguments;
    const char *const *words; // DJ_COMPLETE_WORDS
} dj_completed;

// Freed with dj_groups_free(&out->groups).
int dj_completed_open(dj_context *context, const dj_command *command, dj_completed *out);

// Calls `visit` for each option of the verb, once for each name, `--help` and `--help-all` included.
typedef void dj_completed_visit(FILE *out, const dj_completed *verb, const dj_option *option);
void dj_completed_each(FILE *out, const dj_completed *verb, dj_completed_visit *visit);

enum dj_completion_kind dj_completed_value(const dj_option *option);
// Number of bytes in the first sentence of the help.
size_t dj_completed_help(const dj_option *option);

// The words, separated by blanks.
void dj_completed_words(FILE *out, const char *const *words);
// The names of all verbs, separated by blanks.
void dj_completed_verbs(FILE *out);
// Text within single quotes. Characters in `special` get a backslash; `quote` replaces a single quote.
void dj_completed_quote(FILE *out, const char *text, size_t bytes, const char *special, const char *quote);

int dj_completion_bash(dj_context *context, FILE *out);
int dj_completion_zsh(dj_context *context, FILE *out);
int dj_completion_fish(dj_context *context, FILE *out);

#endif
