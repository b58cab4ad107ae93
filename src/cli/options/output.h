// SPDX-License-Identifier: MIT
// Where results go: standard output, or a file that appears under its name
// only when it is whole. Every write is checked; dj_output_close tells.
#ifndef DEJA_CLI_OPTIONS_OUTPUT_H
#define DEJA_CLI_OPTIONS_OUTPUT_H

#include <deja/profile.h>
#include <stdio.h>

#include "cli/command.h"

typedef struct dj_output_options {
    const char *path; // NULL or "-": standard output
    bool to_errors;   // without a path: to standard error, since the other is not ours
    bool json;
    bool ascii;
    bool no_color;
    bool profiles;  // set by verbs that can keep a profile in FILE.dejap
    uint64_t width; // columns; 0: those of the terminal
} dj_output_options;

// Whether the result is kept as a profile in columns, since its file is called so.
bool dj_output_is_columns(const dj_output_options *options);

int dj_output_list(dj_context *context, dj_output_options *options, dj_groups *groups);

// Whether an -o file could be made, before hours of work go into what it is to
// hold, and is none of the files `read`. main asks for every verb that has
// listed the options.
int dj_output_check(dj_context *context, const dj_output_options *options, const dj_arguments *read);

typedef struct dj_output {
    FILE *file;       // write here; a fault is kept until dj_output_close
    const char *name; // for messages
    bool json;        // as asked for
    bool as_columns;  // dj_output_is_columns
    bool unicode;     // the locale is UTF-8 and --ascii was not given
    bool color;       // a terminal, no NO_COLOR, no --no-color
    bool terminal;
    unsigned columns; // by --width, COLUMNS or the terminal; 80 where none says
    bool sized;       // one of them does
} dj_output;

int dj_output_open(dj_context *context, const dj_output_options *options, dj_output **out);
// Flushes, closes, and gives an -o file its name. Frees and forgets *output in
// any case. DJ_ERR_IO when a write failed at any time since open.
int dj_output_close(dj_context *context, dj_output **output);
// Frees without naming the file; what went to standard output cannot be taken
// back. NULL inside is fine.
void dj_output_discard(dj_output **output);

// "deja: …" on standard error. What is in the text comes from files and programs that nobody has vouched
// for: no control character gets through but the ends of lines.
void dj_output_complain(const char *prefix, const char *text);
// The same, with a name between words of our own.
void dj_output_complain_of(const char *before, const char *name, const char *after);

// Says on standard error that numbers are estimates, for tables that have no place for it.
void dj_output_tell_estimate(const dj_provenance *from);

#endif
