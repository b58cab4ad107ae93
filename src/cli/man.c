// SPDX-License-Identifier: MIT
// Man pages. No date in the header: pages change only when the text does.
#include <ctype.h>
#include <deja/version.h>

#include "base/option/option.h"
#include "cli/help.h"

static void heading(FILE *out, const char *name, const char *summary)
{
    fputs(".\\\" SPDX-License-Identifier: MIT\n.\\\" Made by 'deja help --form man'; do not edit.\n.TH DEJA",
          out);
    if (*name) {
        fputs("\\-", out);
        for (const char *c = name; *c; c++)
            fputc(toupper((unsigned char)*c), out);
    }
    fprintf(out, " 1 \"\" \"deja " DJ_VERSION "\" \"Deja\"\n.SH NAME\ndeja%s%s \\- ", *name ? "\\-" : "",
            name);
    dj_text_print_roff(out, summary);
}

static void exit_status(FILE *out)
{
    static const char *const rows[][2] = {
        {"0", "good"},
        {"1", "a threshold that was asked for is crossed"},
        {"2", "wrong usage"},
        {"3", "bad input: a trace or profile is not what it should be"},
        {"4", "out of a resource: memory, disk, a pipe that was closed"},
        {"130", "interrupted; the result was printed and is marked partial"},
    };
    fputs(".SH EXIT STATUS\n", out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fprintf(out, ".TP\n.B %s\n", rows[i][0]);
        dj_text_print_roff(out, rows[i][1]);
    }
}

void dj_man_overview(FILE *out)
{
    heading(out, "", "data locality by reuse distance");
    fputs(".SH SYNOPSIS\n.B deja\n.I VERB\n[options] [\\fIFILE\\fR...]\n.br\n.B deja\n\\fIFILE\\fR...\n"
          ".SH DESCRIPTION\n",
          out);
    dj_text_print_roff(
        out,
        "Deja measures data locality by reuse distance: the number of distinct data elements accessed "
        "strictly between two consecutive accesses to the same element. A fully associative LRU cache of c "
        "elements hits exactly those accesses whose distance is below c, so one pass over a trace tells "
        "the misses of every cache size.\n\n"
        "The first access to an element is called cold; its distance is infinite.\n\n"
        "Without a verb, deja FILE is deja analyze FILE.");
    fputs(".SH VERBS\n", out);
    for (size_t i = 0; i < dj_command_count(); i++) {
        fprintf(out, ".TP\n.BR deja\\-%s (1)\n", dj_command_get(i)->name);
        dj_text_print_roff(out, dj_command_get(i)->summary);
    }
    fputs(".SH SIZES\n", out);
    dj_text_print_roff(
        out, "A bare whole number is a number of blocks. With B, K, M, G or T (also KB, KiB and so on, all "
             "powers of 1024) it is bytes, rounded down to whole blocks; keys have no size in bytes. The "
             "size of a block itself and those of --caches are bytes with or without a unit.");
    fputs(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\n", out);
    dj_text_print_roff(out, "when set and not empty, nothing is coloured");
    fputs(".TP\n.BR LC_ALL \", \" LC_CTYPE \", \" LANG\n", out);
    dj_text_print_roff(out, "plots use Unicode when the locale is UTF-8, ASCII otherwise");
    exit_status(out);
}

void dj_man_verb(FILE *out, const dj_command *command, const dj_groups *groups)
{
    heading(out, command->name, command->summary);
    fprintf(out, ".SH SYNOPSIS\n.B deja %s\n", command->name);
    dj_text_print_roff(out, command->usage);
    fputs(".SH DESCRIPTION\n", out);
    dj_text_print_roff(out, command->description);
    fputs(".SH OPTIONS\n", out);
    dj_option_print_roff(out, groups->list, groups->count);
    if (command->examples && command->examples->command) {
        fputs(".SH EXAMPLES\n", out);
        for (const dj_example *e = command->examples; e->command; e++) {
            fputs(".TP\n", out);
            dj_text_print_roff(out, e->command);
            dj_text_print_roff(out, e->text);
        }
    }
    if (!command->runs_program) // whose status it is; the description tells
        exit_status(out);
    fputs(".SH SEE ALSO\n.BR deja (1)\n", out);
}
