// SPDX-License-Identifier: MIT
#include "cli/help.h"

#include <deja/version.h>

#include "base/option/option.h"

enum { WIDTH = 80 };

void dj_help_overview(FILE *out)
{
    fputs("deja " DJ_VERSION " - data locality by reuse distance\n"
          "\n"
          "Usage: deja VERB [options] [FILE...]\n"
          "       deja FILE...             the same as deja analyze FILE...\n"
          "\n"
          "Verbs:\n",
          out);
    for (size_t i = 0; i < dj_command_count(); i++)
        fprintf(out, "  %-10s %s\n", dj_command_get(i)->name, dj_command_get(i)->summary);
    fputs("\n"
          "  -h, --help     this help; 'deja VERB --help' explains a verb, with examples\n"
          "      --version  print the version\n"
          "\n"
          "Exit status: 0 good, 1 a threshold was crossed, 2 usage, 3 bad input,\n"
          "4 out of a resource (memory, disk), 130 interrupted with a partial result.\n",
          out);
}

void dj_help_verb(FILE *out, const dj_command *command, const dj_groups *groups)
{
    fprintf(out, "deja %s - %s\n\nUsage: deja %s %s\n\n", command->name, command->summary, command->name,
            command->usage);
    dj_text_print_wrapped(out, command->description, 0, WIDTH);
    dj_option_print_help(out, groups->list, groups->count, WIDTH);
    if (!command->examples || !command->examples->command)
        return;
    fputs("\nExamples:\n", out);
    for (const dj_example *e = command->examples; e->command; e++) {
        fprintf(out, "  %s\n", e->command);
        dj_text_print_wrapped(out, e->text, 6, WIDTH);
    }
}
