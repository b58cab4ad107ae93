// SPDX-License-Identifier: MIT
#include "base/option/option.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/option/choices.h"

typedef struct parser {
    dj_context *context;
    const dj_option_group *groups;
    size_t group_count;
    char *const *args;
    size_t count;
    size_t at; // index of the argument being parsed
} parser;

enum { TYPE_MASK = 0x0f };

enum dj_option_type dj_option_get_type(const dj_option *option)
{
    return (enum dj_option_type)(option->type & TYPE_MASK);
}

bool dj_option_is_common(const dj_option *option)
{
    return (option->type & DJ_OPTION_COMMON) != 0;
}

size_t dj_option_value_bytes(const dj_option *option)
{
    switch (dj_option_get_type(option)) {
    case DJ_OPTION_UINT:
        return sizeof(uint64_t);
    case DJ_OPTION_REAL:
    case DJ_OPTION_SHARE:
        return sizeof(double);
    case DJ_OPTION_TEXT:
    case DJ_OPTION_OPTIONAL:
        return sizeof(char *);
    case DJ_OPTION_TEXTS:
        return sizeof(dj_texts);
    case DJ_OPTION_CHOICE:
        return sizeof(int);
    default:
        return sizeof(bool);
    }
}

bool dj_option_takes_value(const dj_option *option)
{
    enum dj_option_type type = dj_option_get_type(option);
    return type != DJ_OPTION_FLAG && type != DJ_OPTION_UNFLAG && type != DJ_OPTION_OPTIONAL;
}

bool dj_option_may_have_value(const dj_option *option)
{
    return dj_option_takes_value(option) || dj_option_get_type(option) == DJ_OPTION_OPTIONAL;
}

static bool has_name(const dj_option *option, const char *name, size_t length)
{
    return strlen(option->name) == length && memcmp(option->name, name, length) == 0;
}

static const dj_option *find_name(const parser *p, const char *name, size_t length)
{
    for (size_t g = 0; g < p->group_count; g++)
        for (const dj_option *o = p->groups[g].options; o && o->name; o++)
            if (has_name(o, name, length))
                return o;
    return NULL;
}

static const dj_option *find_letter(const parser *p, char letter)
{
    for (size_t g = 0; g < p->group_count; g++)
        for (const dj_option *o = p->groups[g].options; o && o->name; o++)
            if (o->letter == letter)
                return o;
    return NULL;
}

static const char *help_option(const parser *p)
{
    static const char all[] = "help-all";
    return find_name(p, all, strlen(all)) ? "--help-all" : "--help";
}

static int unknown_option(const parser *p, const char *name, size_t length)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), name);
    dj_choices known = {0};
    for (size_t g = 0; g < p->group_count; g++)
        for (const dj_option *o = p->groups[g].options; o && o->name; o++)
            dj_choices_add(p->context, &known, o->name);
    const char *near = dj_choices_nearest(&known, word);
    int err =
        near ? dj_fail(p->context, DJ_ERR_USAGE, "unknown option --%s; did you mean --%s?", word, near)
             : dj_fail(p->context, DJ_ERR_USAGE, "unknown option --%s; %s lists all", word, help_option(p));
    dj_choices_free(&known);
    return err;
}

static int set_choice(const parser *p, const dj_option *o, const char *text, int *value)
{
    dj_choices known = {0};
    for (int i = 0; o->choices[i]; i++) {
        if (strcmp(o->choices[i], text) == 0) {
            dj_choices_free(&known);
            *value = i;
            return DJ_OK;
        }
        dj_choices_add(p->context, &known, o->choices[i]);
    }
    int err = dj_fail(p->context, DJ_ERR_USAGE, "option --%s: '%s' is not one of %s", o->name, text,
                      dj_choices_list(&known));
    dj_choices_free(&known);
    return err;
}

static int set_real(const parser *p, const dj_option *o, const char *text, double *value)
{
    char *end = NULL;
    errno = 0;
    double parsed = strtod(text, &end);
    if (end == text || *end || !isfinite(parsed))
        return dj_fail(p->context, DJ_ERR_USAGE, "option --%s: '%s' is not a number", o->name, text);
    *value = parsed;
    return DJ_OK;
}

static int set_share(const parser *p, const dj_option *o, const char *text, double *value)
{
    double parsed;
    if (!dj_number_parse_share(text, &parsed))
        return dj_fail(p->context, DJ_ERR_USAGE, "option --%s: '%s' is not a share such as 0.05 or 5%%",
                       o->name, text);
    *value = parsed;
    return DJ_OK;
}

static int add_text(const parser *p, const dj_option *o, const char *text, dj_texts *texts)
{
    if (texts->count == DJ_TEXTS_MAX)
        return dj_fail(p->context, DJ_ERR_USAGE, "option --%s may be given %d times at most", o->name,
                       DJ_TEXTS_MAX);
    texts->items[texts->count++] = text;
    return DJ_OK;
}

static int set_value(const parser *p, const dj_option *o, void *slot, const char *text)
{
    switch (dj_option_get_type(o)) {
    case DJ_OPTION_FLAG:
        *(bool *)slot = true;
        return DJ_OK;
    case DJ_OPTION_UNFLAG:
        *(bool *)slot = false;
        return DJ_OK;
    case DJ_OPTION_UINT:
        if (!dj_number_parse(text, (uint64_t *)slot))
            return dj_fail(p->context, DJ_ERR_USAGE,
                           "option --%s: '%s' is not a whole number from 0 to 18446744073709551615", o->name,
                           text);
        return DJ_OK;
    case DJ_OPTION_REAL:
        return set_real(p, o, text, slot);
    case DJ_OPTION_SHARE:
        return set_share(p, o, text, slot);
    case DJ_OPTION_TEXT:
    case DJ_OPTION_OPTIONAL:
        *(const char **)slot = text;
        return DJ_OK;
    case DJ_OPTION_TEXTS:
        return add_text(p, o, text, slot);
    case DJ_OPTION_CHOICE:
        return set_choice(p, o, text, slot);
    }
    return dj_fail(p->context, DJ_ERR_USAGE, "option --%s has an unknown type", o->name);
}

// Components may share an option (two engines with a block size): the value is set in each.
static int set_everywhere(const parser *p, const dj_option *like, const char *text)
{
    for (size_t g = 0; g < p->group_count; g++)
        for (const dj_option *o = p->groups[g].options; o && o->name; o++) {
            if (strcmp(o->name, like->name) != 0)
                continue;
            int err = set_value(p, o, (char *)p->groups[g].values + o->offset, text);
            if (err)
                return err;
        }
    return DJ_OK;
}

// A value may begin with a dash (`-o -`, `--columns -,key`), but a known option
// in its place means that the value was forgotten.
static int next_value(parser *p, const dj_option *o, const char **out)
{
    if (p->at + 1 < p->count) {
        const char *next = p->args[p->at + 1];
        bool is_option = strcmp(next, "--") == 0 ||
                         (strncmp(next, "--", 2) == 0 && find_name(p, next + 2, strcspn(next + 2, "=")));
        if (!is_option) {
            p->at++;
            *out = next;
            return DJ_OK;
        }
    }
    return dj_fail(p->context, DJ_ERR_USAGE, "option --%s needs a value: --%s %s", o->name, o->name,
                   o->argument ? o->argument : "VALUE");
}

static int parse_long(parser *p, const char *name)
{
    size_t length = strcspn(name, "=");
    const dj_option *o = find_name(p, name, length);
    if (!o)
        return unknown_option(p, name, length);
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    if (dj_option_takes_value(o)) {
        int err = value ? DJ_OK : next_value(p, o, &value);
        if (err)
            return err;
    } else if (value && !dj_option_may_have_value(o)) {
        return dj_fail(p->context, DJ_ERR_USAGE, "option --%s takes no value", o->name);
    }
    return set_everywhere(p, o, value ? value : "");
}

static int parse_letters(parser *p, const char *letters)
{
    for (; *letters; letters++) {
        const dj_option *o = find_letter(p, *letters);
        if (!o)
            return dj_fail(p->context, DJ_ERR_USAGE, "unknown option -%c; %s lists all", *letters,
                           help_option(p));
        const char *value = "";
        bool ends = dj_option_takes_value(o);
        if (ends && letters[1]) {
            value = letters + 1;
        } else if (ends) {
            int err = next_value(p, o, &value);
            if (err)
                return err;
        }
        int err = set_everywhere(p, o, value);
        if (err || ends)
            return err;
    }
    return DJ_OK;
}

// Where positional arguments may appear.
enum words { ANYWHERE, LAST, ANYWHERE_AND_SEPARATOR };

static int parse(parser *p, enum words words, const char **positional, size_t *positional_count)
{
    bool options_ended = false;
    *positional_count = 0;
    for (; p->at < p->count; p->at++) {
        const char *arg = p->args[p->at];
        int err = DJ_OK;
        if (options_ended || arg[0] != '-' || arg[1] == '\0') {
            positional[(*positional_count)++] = arg;
            options_ended = options_ended || words == LAST;
        } else if (strcmp(arg, "--") == 0) {
            if (words == ANYWHERE_AND_SEPARATOR)
                positional[(*positional_count)++] = arg;
            options_ended = true;
        } else if (arg[1] == '-') {
            err = parse_long(p, arg + 2);
        } else {
            err = parse_letters(p, arg + 1);
        }
        if (err)
            return err;
    }
    return DJ_OK;
}

int dj_option_parse(dj_context *context, const dj_option_group *groups, size_t group_count, size_t count,
                    char *const *args, const char **positional, size_t *positional_count)
{
    parser p = {context, groups, group_count, args, count, 0};
    return parse(&p, ANYWHERE, positional, positional_count);
}

int dj_option_parse_until_word(dj_context *context, const dj_option_group *groups, size_t group_count,
                               size_t count, char *const *args, const char **positional,
                               size_t *positional_count)
{
    parser p = {context, groups, group_count, args, count, 0};
    return parse(&p, LAST, positional, positional_count);
}

int dj_option_parse_separated(dj_context *context, const dj_option_group *groups, size_t group_count,
                              size_t count, char *const *args, const char **positional,
                              size_t *positional_count)
{
    parser p = {context, groups, group_count, args, count, 0};
    return parse(&p, ANYWHERE_AND_SEPARATOR, positional, positional_count);
}

int dj_option_parse_leading(dj_context *context, const dj_option_group *groups, size_t group_count,
                            size_t count, char *const *args, const char **positional,
                            size_t *positional_count)
{
    parser p = {context, groups, group_count, args, count, 0};
    *positional_count = 0;
    for (; p.at < count && strncmp(args[p.at], "--", 2) == 0; p.at++) {
        const char *name = args[p.at] + 2;
        const dj_option *known = find_name(&p, name, strcspn(name, "="));
        if (!known || (strchr(name, '=') && !dj_option_may_have_value(known)))
            break;
        int err = parse_long(&p, name);
        if (err)
            return err;
    }
    for (; p.at < count; p.at++)
        positional[(*positional_count)++] = args[p.at];
    return DJ_OK;
}
