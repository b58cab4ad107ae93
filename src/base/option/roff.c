// SPDX-License-Identifier: MIT
#include "base/option/option.h"

#include <string.h>

// Dashes are typed by users, so they must stay ASCII; a leading dot or quote is a request to roff.
static void escape(FILE *out, const char *text, size_t bytes, bool line_begins)
{
    if (line_begins && bytes && (*text == '.' || *text == '\''))
        fputs("\\&", out);
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '-')
            fputs("\\-", out);
        else if (text[i] == '\\')
            fputs("\\e", out);
        else
            fputc(text[i], out);
    }
}

void dj_text_print_roff(FILE *out, const char *text)
{
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        escape(out, text, bytes, true);
        fputc('\n', out);
        text += bytes;
        if (text[0] == '\n' && text[1] == '\n')
            fputs(".PP\n", out);
        text += strspn(text, "\n");
    }
}

static void print_option(FILE *out, const dj_option *o)
{
    fputs(".TP\n", out);
    if (o->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", out);
    escape(out, o->name, strlen(o->name), false);
    fputs("\\fR", out);
    if (o->argument)
        fprintf(out, " \\fI%s\\fR", o->argument);
    fputc('\n', out);
    escape(out, o->help, strlen(o->help), true);
    if (o->type == DJ_OPTION_CHOICE)
        for (size_t i = 0; o->choices[i]; i++) {
            fputs(i ? ", " : ": ", out);
            escape(out, o->choices[i], strlen(o->choices[i]), false);
        }
    fputs(".\n", out);
}

void dj_option_print_roff(FILE *out, const dj_option_group *groups, size_t group_count)
{
    for (size_t g = 0; g < group_count; g++) {
        if (!groups[g].options || !groups[g].options->name)
            continue;
        if (g == 0 || strcmp(groups[g].title, groups[g - 1].title) != 0) {
            fputs(".SS ", out);
            escape(out, groups[g].title, strlen(groups[g].title), false);
            fputc('\n', out);
        }
        for (const dj_option *o = groups[g].options; o->name; o++)
            print_option(out, o);
    }
}
