// SPDX-License-Identifier: MIT
// A verb of the command line is one file, src/cli/cmd_VERB.c, which exports
// `const dj_command dj_command_VERB`, and one line in the table of commands.c.
//
//     typedef struct options {
//         dj_trace_options trace;        // reading.h: --format … --block --split --engine
//         dj_output_options output;  // output.h: --json -o --ascii --no-color
//         bool fingerprint;          // the verb's own
//     } options;
//
//     static const dj_option table[] = {
//         {"fingerprint", 0, DJ_OPTION_FLAG, offsetof(options, fingerprint), NULL, "hash all distances",
//         NULL}, {NULL, 0, 0, 0, NULL, NULL, NULL}};
//
//     static int list_options(dj_context *context, void *values, dj_groups *groups)
//     {
//         options *o = values; // zeroed; set other defaults here
//         int err = dj_groups_add(context, groups, "Analysis", table, o);
//         if (!err)
//             err = dj_trace_list(context, &o->trace, groups);
//         return err ? err : dj_output_list(context, &o->output, groups);
//     }
//
//     static int run(dj_context *context, void *values, const dj_arguments *arguments)
//     {
//         options *o = values;
//         dj_plan plan; // which block size, split and engine
//         dj_source *source = NULL;
//         dj_output *output = NULL;
//         int err = dj_trace_open(context, &o->trace, arguments, &source, &plan);
//         if (!err)
//             err = dj_output_open(context, &o->output, &output);
//         if (err)
//             goto fail;
//         … dj_meter in on_progress (progress.h); fprintf(output->file, …) …
//         err = dj_output_close(context, &output); // reports every write that failed
//     fail:
//         dj_output_discard(&output); // nothing is left of an -o file
//         dj_source_close(source);
//         return err;
//     }
//
//     const dj_command dj_command_analyze = {.name = "analyze", …};
//
// What `run` returns becomes the exit status: 0 good, DJ_EXIT_THRESHOLD, or a
// negative enum dj_err, whose message main prints as `deja: …`. After a part of
// the trace was read (bad input, Ctrl-C) print the partial result first, then
// return the error with its message still in the context (dj_output_close
// leaves the message alone when it succeeds).
#ifndef DEJA_CLI_COMMAND_H
#define DEJA_CLI_COMMAND_H

#include <deja/option.h>

enum {
    DJ_EXIT_GOOD = 0,
    DJ_EXIT_THRESHOLD = 1, // a threshold that the user set was crossed
    DJ_EXIT_USAGE = 2,
    DJ_EXIT_INPUT = 3,
    DJ_EXIT_RESOURCE = 4,
    DJ_EXIT_FAILED = 125,      // in place of 3 and 4 where else the status of a program is handed on
    DJ_EXIT_INTERRUPTED = 130, // as shells have it for Ctrl-C; the result is partial
};

// What is left of the command line after the options.
typedef struct dj_arguments {
    const char *const *items;
    size_t count;
    const char *command_line; // as typed, for the provenance of profiles
    bool program;             // they are a program and its arguments
} dj_arguments;

// The option groups of a verb, and memory that lives as long as they do.
typedef struct dj_groups {
    dj_option_group *list;
    size_t count;
    void **owned;
    size_t owned_count;
    size_t engine_first, engine_count;      // the groups with options of engines
    const struct dj_output_options *output; // set by dj_output_list; NULL: none
    bool reads_files;                       // the arguments are files
    const char *const *words; // the arguments are some of these, NULL-terminated; NULL: anything
} dj_groups;

int dj_groups_add(dj_context *context, dj_groups *groups, const char *title, const dj_option *options,
                  void *values);
// Zeroed memory that is freed with the groups, after the verb has run.
int dj_groups_own(dj_context *context, dj_groups *groups, size_t bytes, void **out);
void dj_groups_free(dj_groups *groups);

typedef struct dj_example {
    const char *command; // NULL ends a list
    const char *text;    // what it does, one sentence
} dj_example;

typedef struct dj_command {
    const char *name;
    const char *summary;     // one line, lower case, no final period
    const char *usage;       // what follows the verb: "[options] FILE..."
    const char *description; // one or two paragraphs, separated by an empty line
    const char *details;     // more paragraphs, for --help-all and the man page; may be NULL
    const dj_example *examples;
    // It runs a program, whose options follow its name, and exits with its
    // status; failures of our own but for usage are DJ_EXIT_FAILED then.
    bool runs_program;
    // What follows "--" is such a program; without it the arguments are files.
    bool may_run_program;
    // Moreover its own options come first, and all that follows is the program's;
    // deja-VERB is the same as deja VERB.
    bool wraps_program;
    size_t options_bytes; // of the structure that the tables fill in
    // Sets defaults in `values` (zeroed before) and lists the option tables.
    int (*list_options)(dj_context *context, void *values, dj_groups *groups);
    int (*run)(dj_context *context, void *values, const dj_arguments *arguments);
} dj_command;

size_t dj_command_count(void);
const dj_command *dj_command_get(size_t index);
const dj_command *dj_command_find(const char *name); // NULL: none

#endif
