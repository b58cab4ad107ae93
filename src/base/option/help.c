// SPDX-License-Identifier: MIT
#include "base/option/option.h"

#include <string.h>

enum { HELP_COLUMN = 26 };

// Columns that a text occupies on a terminal: its bytes without UTF-8 continuation bytes.
static size_t columns(const char *text, size_t bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

// Writes one paragraph. The cursor is at column `indent`, where the other lines begin too.
// Returns the end of the paragraph.
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

static void add_choices(char *to, size_t capacity, const dj_option *o)
{
    size_t used = strlen(to);
    for (size_t i = 0; o->choices[i] && used < capacity; i++) {
        snprintf(to + used, capacity - used, "%s%s", i ? ", " : ": ", o->choices[i]);
        used = strlen(to);
    }
}

static size_t sentence_length(const char *text)
{
    const char *end = strstr(text, ". ");
    return end ? (size_t)(end - text) : strlen(text);
}

// The choices follow the first sentence, which describes them.
static void compose_help(char *to, size_t capacity, const dj_option *o, bool brief)
{
    size_t length = sentence_length(o->help);
    snprintf(to, capacity, "%.*s", (int)length, o->help);
    if (dj_option_get_type(o) == DJ_OPTION_CHOICE)
        add_choices(to, capacity, o);
    size_t used = strlen(to);
    if (!brief)
        snprintf(to + used, capacity - used, "%s", o->help + length);
}

static void print_option(FILE *out, const dj_option *o, bool brief, size_t width)
{
    char head[96], value[64] = "", help[1024];
    if (o->argument)
        snprintf(value, sizeof value, dj_option_takes_value(o) ? " %s" : "[=%s]", o->argument);
    if (o->letter)
        snprintf(head, sizeof head, "  -%c, --%s%s", o->letter, o->name, value);
    else
        snprintf(head, sizeof head, "      --%s%s", o->name, value);
    compose_help(help, sizeof help, o, brief);
    size_t at = strlen(head);
    fputs(head, out);
    if (at + 2 > HELP_COLUMN) {
        fputc('\n', out);
        at = 0;
    }
    fprintf(out, "%*s", (int)(HELP_COLUMN - at), "");
    wrap_paragraph(out, help, HELP_COLUMN, width);
}

void dj_option_print_help(FILE *out, const dj_option_group *groups, size_t group_count, unsigned how,
                          size_t width)
{
    const char *title = "";
    for (size_t g = 0; g < group_count; g++)
        for (const dj_option *o = groups[g].options; o && o->name; o++) {
            if (!(how & (dj_option_is_common(o) ? DJ_PRINT_COMMON : DJ_PRINT_OTHER)))
                continue;
            if ((how & DJ_PRINT_TITLES) && strcmp(title, groups[g].title) != 0)
                fprintf(out, "\n%s:\n", title = groups[g].title);
            print_option(out, o, how & DJ_PRINT_BRIEF, width);
        }
}
