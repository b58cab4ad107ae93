// SPDX-License-Identifier: MIT
#include "base/option/option.h"

#include <string.h>

// Users copy dashes into a shell, so they must stay ASCII. A leading dot or quote would start a request.
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
        fprintf(out, dj_option_takes_value(o) ? " \\fI%s\\fR" : "[=\\fI%s\\fR]", o->argument);
    fputc('\n', out);
    const char *end = strstr(o->help, ". ");
    size_t sentence = end ? (size_t)(end - o->help) : strlen(o->help);
    escape(out, o->help, sentence, true);
    if (dj_option_get_type(o) == DJ_OPTION_CHOICE)
        for (size_t i = 0; o->choices[i]; i++) {
            fputs(i ? ", " : ": ", out);
            escape(out, o->choices[i], strlen(o->choices[i]), false);
        }
    escape(out, o->help + sentence, strlen(o->help) - sentence, false);
    fputs(".\n", out);
}

void dj_option_print_roff(FILE *out, const dj_option_group *groups, size_t group_count, unsigned how)
{
    const char *title = "";
    for (size_t g = 0; g < group_count; g++)
        for (const dj_option *o = groups[g].options; o && o->name; o++) {
            if (!(how & (dj_option_is_common(o) ? DJ_PRINT_COMMON : DJ_PRINT_OTHER)))
                continue;
            if ((how & DJ_PRINT_TITLES) && strcmp(title, groups[g].title) != 0) {
                title = groups[g].title;
                fputs(".SS ", out);
                escape(out, title, strlen(title), false);
                fputc('\n', out);
            }
            print_option(out, o);
        }
}
