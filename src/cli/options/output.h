// SPDX-License-Identifier: MIT
// Where results go: standard output, or a file that appears under its name only
// when it is complete. Every write is checked; dj_output_close reports failures.
#ifndef DEJA_CLI_OPTIONS_OUTPUT_H
#define DEJA_CLI_OPTIONS_OUTPUT_H

#include <deja/profile.h>
#include <stdio.h>

#include "cli/command.h"

typedef struct dj_output_options {
    const char *path; // NULL or "-": standard output
    bool to_errors;   // without a path, use standard error: standard output is the program's
    bool json;
    bool ascii;
    bool no_color;
    bool profiles;  // the verb can store a profile in FILE.dejap
    uint64_t width; // columns; 0: from the environment or terminal
} dj_output_options;

// Whether the result is stored as a profile in columns: the path ends in .dejap.
bool dj_output_is_columns(const dj_output_options *options);

int dj_output_list(dj_context *context, dj_output_options *options, dj_groups *groups);

// Checks, before any work is done, that the -o file can be created and is none of
// the input files `read`. main calls this for every verb with these options.
int dj_output_check(dj_context *context, const dj_output_options *options, const dj_arguments *read);

typedef struct dj_output {
    FILE *file;       // write here; errors are reported by dj_output_close
    const char *name; // for messages
    bool json;        // --json
    bool as_columns;  // dj_output_is_columns
    bool unicode;     // the locale is UTF-8 and --ascii was not given
    bool color;       // a terminal, no NO_COLOR, no --no-color
    bool terminal;
    unsigned columns; // from --width, COLUMNS or the terminal; 80 otherwise
    bool sized;       // `columns` is not the default
} dj_output;

int dj_output_open(dj_context *context, const dj_output_options *options, dj_output **out);
// Flushes, closes, and renames an -o file to its final name. Always frees *output
// and sets it to NULL. DJ_ERR_IO if any write since open failed.
int dj_output_close(dj_context *context, dj_output **output);
// Frees *output and removes the temporary file of -o. *output may be NULL. Bytes already
// written to standard output stay there.
void dj_output_discard(dj_output **output);
// Whether a write failed because nobody reads the pipe anymore: no reason to complain.
bool dj_output_reader_left(void);

// Closes the output after success, else discards it and returns `err`: an incomplete result never gets its
// final name. For DJ_ERR_IO the message becomes that of the failed write, if there was one.
int dj_output_end(dj_context *context, int err, dj_output **output);

// Prints "deja: …" to standard error. The text may contain strings from untrusted files and programs:
// they cannot begin another line or control the terminal.
void dj_output_message(const char *prefix, const char *text);
// The same with an untrusted name between trusted text.
void dj_output_message_about(const char *before, const char *name, const char *after);

// Warns on standard error if the numbers are estimates, for formats without a place for it.
void dj_output_warn_estimate(const dj_provenance *from);

#endif
