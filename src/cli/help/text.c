// SPDX-License-Identifier: MIT
#include "cli/help/help.h"

#include <deja/engine.h>
#include <deja/version.h>
#include <string.h>

#include "base/option/option.h"
#include "cli/options/trace.h"

enum { WIDTH = 80, NAME_COLUMN = 15, FEW_EXAMPLES = 3 };

const dj_option dj_help_options[] = {
    {"help", 'h', DJ_OPTION_FLAG, offsetof(dj_help_values, help), NULL, "explain the common options", NULL},
    {"help-all", 0, DJ_OPTION_FLAG, offsetof(dj_help_values, help_all), NULL, "explain all options", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static const char version_line[] = "deja " DJ_VERSION " - data locality by reuse distance\n";

void dj_help_overview(FILE *out)
{
    fputs(version_line, out);
    fputs("\n"
          "Usage: deja VERB [options] [FILE...]\n"
          "       deja FILE...             short for deja analyze FILE...\n"
          "\n"
          "Verbs:\n",
          out);
    for (size_t i = 0; i < dj_command_count(); i++)
        fprintf(out, "  %-10s %s\n", dj_command_get(i)->name, dj_command_get(i)->summary);
    fputs("\n"
          "  deja VERB --help      explain a verb: its common options, with examples\n"
          "  deja VERB --help-all  explain it in full, with all options\n"
          "  deja help engines     the algorithms behind --engine, and their options\n"
          "  deja --version        print the version\n"
          "\n"
          "Exit status: 0 success, 1 a threshold was exceeded, 2 wrong usage, 3 bad input,\n"
          "4 out of memory, disk space or another resource, 130 interrupted (the result\n"
          "is partial).\n",
          out);
}

static void print_heading(FILE *out, const char *name, const char *summary, const char *usage)
{
    fprintf(out, "deja %s - %s\n\nUsage: deja %s\n\n", name, summary, usage);
}

static void print_examples(FILE *out, const dj_example *examples, size_t most)
{
    if (!examples || !examples->command)
        return;
    fputs("\nExamples:\n", out);
    for (size_t i = 0; i < most && examples[i].command; i++) {
        fprintf(out, "  %s\n", examples[i].command);
        dj_text_print_wrapped(out, examples[i].text, 6, WIDTH);
    }
}

// The groups of a verb without those of the engines, which have a page of their own.
static void print_groups(FILE *out, const dj_groups *groups, unsigned how)
{
    size_t after = groups->engine_first + groups->engine_count;
    size_t before = groups->engine_count ? groups->engine_first : groups->count;
    dj_option_print_help(out, groups->list, before, how, WIDTH);
    if (before < groups->count)
        dj_option_print_help(out, groups->list + after, groups->count - after, how, WIDTH);
}

static void print_words(FILE *out, const dj_groups *groups)
{
    fprintf(out, "\n%s:\n", groups->words_title);
    for (size_t i = 0; groups->words[i]; i++) {
        fprintf(out, "  %-*s", NAME_COLUMN - 2, groups->words[i]);
        dj_text_continue_wrapped(out, groups->word_help[i], NAME_COLUMN, WIDTH);
    }
}

static void print_references(FILE *out, const dj_command *command, const dj_groups *groups)
{
    fprintf(out, "\n'deja %s --help-all' shows all options, with details and more examples.\n",
            command->name);
    if (groups->engine_count)
        fputs("'deja help engines' shows the engines and their options.\n", out);
}

void dj_help_verb(FILE *out, const dj_command *command, const dj_groups *groups, bool all)
{
    char usage[160];
    snprintf(usage, sizeof usage, "%s %s", command->name, command->usage);
    print_heading(out, command->name, command->summary, usage);
    dj_text_print_wrapped(out, command->description, 0, WIDTH);
    if (groups->word_help)
        print_words(out, groups);
    if (all && command->details) {
        fputc('\n', out);
        dj_text_print_wrapped(out, command->details, 0, WIDTH);
    }
    fputs(all ? "\nCommon options:\n" : "\nOptions:\n", out);
    print_groups(out, groups, DJ_PRINT_COMMON | (all ? 0 : DJ_PRINT_BRIEF));
    if (all)
        print_groups(out, groups, DJ_PRINT_OTHER | DJ_PRINT_TITLES);
    if (all && groups->engine_count)
        fputs("\n'deja help engines' shows the engines and their options.\n", out);
    if (!all)
        print_references(out, command, groups);
    print_examples(out, command->examples, all ? SIZE_MAX : FEW_EXAMPLES);
}

const char dj_engines_description[] =
    "An engine computes the reuse distance of each access. --engine NAME selects one, in every verb that "
    "analyzes a trace or a program; without it Deja chooses, as described below. All engines compute the "
    "same, exact distances, except for those that are called an estimate; they differ in speed and "
    "memory.\n\n"
    "An engine's own options have no effect on the others, and are refused when another engine is selected. "
    "'deja info engines' shows what each engine can do and what it costs.";

const dj_example dj_engines_examples[] = {
    {"deja analyze --threads 8 big.trace", "Uses eight threads; the engine is then parallel."},
    {"deja mrc --engine tree cdn.trace", "Uses an engine that can compute byte distances."},
    {NULL, NULL},
};

int dj_help_engines(dj_context *context, FILE *out)
{
    dj_trace_options trace = {0};
    dj_groups groups = {0};
    int err = dj_trace_list_engines(context, &trace, &groups);
    if (!err) {
        print_heading(out, DJ_ENGINES_TOPIC, DJ_ENGINES_SUMMARY, "VERB " DJ_ENGINES_USAGE);
        dj_text_print_wrapped(out, dj_engines_description, 0, WIDTH);
        fputs("\nEngines:\n", out);
        for (size_t i = 0; i < dj_engine_count(); i++) {
            fprintf(out, "  %-*s", NAME_COLUMN - 2, dj_engine_get(i)->name);
            dj_text_continue_wrapped(out, dj_engine_get(i)->summary, NAME_COLUMN, WIDTH);
        }
        dj_option_print_help(out, groups.list, groups.count,
                             DJ_PRINT_COMMON | DJ_PRINT_OTHER | DJ_PRINT_TITLES, WIDTH);
        print_examples(out, dj_engines_examples, SIZE_MAX);
    }
    dj_groups_free(&groups);
    return err;
}

int dj_help_list_options(dj_context *context, const dj_command *command, dj_groups *out)
{
    void *values = NULL;
    int err = dj_groups_own(context, out, command->options_bytes, &values);
    return err ? err : command->list_options(context, values, out);
}
