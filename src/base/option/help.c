// SPDX-License-Identifier: MIT
#include "base/option/option.h"

#include <string.h>

enum { HELP_COLUMN = 26 };

// Columns that a text takes on a terminal: bytes less the continuation bytes of UTF-8.
static size_t columns(const char *text, size_t bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

// Writes one paragraph; the cursor is at column `indent`, where later lines begin too.
static const char *wrap_paragraph(FILE *out, const char *text, size_t indent, size_t width)
{
    size_t at = indent;
    bool first = true;
    while (*text && !(text[0] == '\n' && text[1] == '\n')) {
        if (*text == ' ' || *text == '\n') {
            text++;
            continue;
        }
        size_t bytes = strcspn(text, " \n");
        size_t word = columns(text, bytes);
        if (!first && at + 1 + word > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (!first) {
            fputc(' ', out);
            at++;
        }
        fwrite(text, 1, bytes, out);
        at += word;
        text += bytes;
        first = false;
    }
    fputc('\n', out);
    return text;
}

void dj_text_continue_wrapped(FILE *out, const char *text, size_t indent, size_t width)
{
    wrap_paragraph(out, text, indent, width);
}

void dj_text_print_wrapped(FILE *out, const char *text, size_t indent, size_t width)
{
    while (*text) {
        fprintf(out, "%*s", (int)indent, "");
        text = wrap_paragraph(out, text, indent, width);
        text += strspn(text, "\n");
        if (*text)
            fputc('\n', out);
    }
}

static void print_choices(char *to, size_t room, const dj_option *o)
{
    size_t used = strlen(to);
    for (size_t i = 0; o->choices[i] && used < room; i++) {
        snprintf(to + used, room - used, "%s%s", i ? ", " : ": ", o->choices[i]);
        used = strlen(to);
    }
}

static void print_option(FILE *out, const dj_option *o, size_t width)
{
    char head[96], help[1024];
    if (o->letter)
        snprintf(head, sizeof head, "  -%c, --%s%s%s", o->letter, o->name, o->argument ? " " : "",
                 o->argument ? o->argument : "");
    else
        snprintf(head, sizeof head, "      --%s%s%s", o->name, o->argument ? " " : "",
                 o->argument ? o->argument : "");
    snprintf(help, sizeof help, "%s", o->help);
    if (o->type == DJ_OPTION_CHOICE)
        print_choices(help, sizeof help, o);
    size_t at = strlen(head);
    fputs(head, out);
    if (at + 2 > HELP_COLUMN) {
        fputc('\n', out);
        at = 0;
    }
    fprintf(out, "%*s", (int)(HELP_COLUMN - at), "");
    wrap_paragraph(out, help, HELP_COLUMN, width);
}

void dj_option_print_help(FILE *out, const dj_option_group *groups, size_t group_count, size_t width)
{
    for (size_t g = 0; g < group_count; g++) {
        if (!groups[g].options || !groups[g].options->name)
            continue;
        if (g == 0 || strcmp(groups[g].title, groups[g - 1].title) != 0)
            fprintf(out, "\n%s:\n", groups[g].title);
        for (const dj_option *o = groups[g].options; o->name; o++)
            print_option(out, o, width);
    }
}
