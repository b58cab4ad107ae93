// SPDX-License-Identifier: MIT
// A verb is one file, src/cli/verbs/VERB.c, that defines `const dj_command
// dj_command_VERB`, and one line in the table of commands.c.
//
//     typedef struct options {
//         dj_trace_options trace;   // options/trace.h: --format … --block --split --engine
//         dj_output_options output; // options/output.h: --json -o --ascii --no-color
//         bool fingerprint;         // the verb's own
//     } options;
//
//     static const dj_option table[] = {
//         {"fingerprint", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, offsetof(options, fingerprint), NULL,
//          "hash all distances", NULL},
//         {NULL, 0, 0, 0, NULL, NULL, NULL},
//     };
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
//         dj_plan plan; // block size, splitting and engine
//         dj_source *source = NULL;
//         dj_output *output = NULL;
//         int err = dj_trace_open(context, &o->trace, arguments, &source, &plan);
//         if (!err)
//             err = dj_output_open(context, &o->output, &output);
//         if (err)
//             goto fail;
//         … dj_meter in on_progress (progress.h); fprintf(output->file, …) …
//         err = dj_output_close(context, &output); // reports all failed writes
//     fail:
//         dj_output_discard(&output); // removes an incomplete -o file
//         dj_source_close(source);
//         return err;
//     }
//
//     const dj_command dj_command_analyze = {.name = "analyze", …};
//
// The result of `run` becomes the exit status: DJ_EXIT_GOOD, DJ_EXIT_THRESHOLD, or
// a negative enum dj_err, whose message main prints as `deja: …`. If only a part of
// the trace could be read (bad input, Ctrl-C), print the partial result first, then
// return the error. Its message stays in the context: a successful dj_output_close
// does not change it.
#ifndef DEJA_CLI_COMMAND_H
#define DEJA_CLI_COMMAND_H

#include <deja/option.h>

enum {
    DJ_EXIT_GOOD = 0,
    DJ_EXIT_THRESHOLD = 1, // a threshold set by the user was exceeded
    DJ_EXIT_USAGE = 2,
    DJ_EXIT_INPUT = 3,
    DJ_EXIT_RESOURCE = 4,
    DJ_EXIT_FAILED = 125,      // replaces 3 and 4 in verbs that return a program's status
    DJ_EXIT_INTERRUPTED = 130, // as shells return for Ctrl-C; the result is partial
    DJ_EXIT_READER_LEFT = 141, // as shells return for SIGPIPE; nobody reads the rest
};

// The arguments that are not options.
typedef struct dj_arguments {
    const char *const *items;
    size_t count;
    const char *command_line; // as typed, for the provenance of profiles
    bool program;             // the items are a program and its arguments
} dj_arguments;

// The option groups of a verb, and memory with the same lifetime.
typedef struct dj_groups {
    dj_option_group *list;
    size_t count;
    void **owned;
    size_t owned_count;
    size_t engine_first, engine_count;      // the groups with the options of engines
    const struct dj_output_options *output; // set by dj_output_list; NULL: none
    bool reads_files;                       // the arguments are files
    const char *const *words;               // possible arguments, NULL-terminated; NULL: any
    const char *const *word_help;           // what each of them means; NULL: not explained
    const char *words_title;                // heading for them in the help
} dj_groups;

int dj_groups_add(dj_context *context, dj_groups *groups, const char *title, const dj_option *options,
                  void *values);
// Adds a copy of the table in which the option `name` has these choices.
int dj_groups_add_with_choices(dj_context *context, dj_groups *groups, const char *title,
                               const dj_option *options, void *values, const char *name,
                               const char *const *choices);
// Allocates zeroed memory that is freed with the groups, after the verb has run.
int dj_groups_own(dj_context *context, dj_groups *groups, size_t bytes, void **out);
void dj_groups_free(dj_groups *groups);

typedef struct dj_example {
    const char *command; // NULL ends a list
    const char *text;    // one sentence: what it does
} dj_example;

typedef struct dj_command {
    const char *name;
    const char *summary;     // one line, lower case, no final period
    const char *usage;       // what follows the verb: "[options] FILE..."
    const char *description; // one or two paragraphs, separated by an empty line
    const char *details;     // more paragraphs, for --help-all and the man page; may be NULL
    const dj_example *examples;
    // The arguments are a program and its own arguments. The verb exits with the
    // program's status; its own failures, except usage errors, are DJ_EXIT_FAILED.
    bool runs_program;
    // The same for arguments after "--"; without "--" the arguments are files.
    bool may_run_program;
    // The verb calls another program (a compiler): its own options come first, and
    // everything else belongs to that program. deja-VERB is a synonym of deja VERB.
    bool wraps_program;
    size_t options_bytes; // size of the structure that receives the values
    // Sets defaults in `values`, which is zeroed, and adds the option tables.
    int (*list_options)(dj_context *context, void *values, dj_groups *groups);
    int (*run)(dj_context *context, void *values, const dj_arguments *arguments);
} dj_command;

size_t dj_command_count(void);
const dj_command *dj_command_get(size_t index);
const dj_command *dj_command_find(const char *name); // NULL: none

#endif
