// SPDX-License-Identifier: MIT
// Command lines that are shown to users, who may copy them into a shell.
#ifndef DEJA_BASE_SHELL_WORD_H
#define DEJA_BASE_SHELL_WORD_H

#include <stdio.h>

// Prints a word of a command line, in quotes where a shell needs them.
void dj_shell_word_print(FILE *out, const char *word);

#endif
