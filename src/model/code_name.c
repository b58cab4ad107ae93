// SPDX-License-Identifier: MIT
// Reads names as the demanglers of C++ and Rust write them: return type, nested names with template arguments
// and parameters, qualifiers.
#include "model/code_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char elided[] = "<…>", anonymous[] = "(anonymous namespace)", keyword[] = "operator";

typedef struct walk {
    const char *at;
    char *out;
    size_t used;
    enum dj_code_name how;
} walk;

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

// The length of the symbol of an operator, at its beginning; 0: it is a conversion, or a word.
static size_t symbol_length(const char *at)
{
    static const char *const symbols[] = {
        "<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "->", "==", "!=",
        "&&",  "||",  "++",  "--",  "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "<",
        ">",   "+",   "-",   "*",   "/",  "%",  "^",  "&",  "|",  "~",  "!",  "=",  ","};
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (begins(at, symbols[i]))
            return strlen(symbols[i]);
    return 0;
}

static bool is_operator(const char *start, const char *at)
{
    return begins(at, keyword) && !is_word(at[sizeof keyword - 1]) && (at == start || !is_word(at[-1]));
}

// The end of a group in brackets that begins at `at`, behind its last bracket; NULL: it has none.
static const char *skip_group(const char *start, const char *at)
{
    int round = 0, angle = 0;
    do {
        if (is_operator(start, at)) {
            at += sizeof keyword - 1;
            at += symbol_length(at);
            continue;
        }
        if (begins(at, "->")) {
            at += 2;
            continue;
        }
        round += (*at == '(' || *at == '{' || *at == '[') - (*at == ')' || *at == '}' || *at == ']');
        if (round == 0 || (round == 1 && *at == '('))
            angle += (*at == '<' && round == 0) - (*at == '>' && round == 0);
        at++;
    } while (*at && (round > 0 || angle > 0));
    return round == 0 && angle == 0 ? at : NULL;
}

static void put(walk *w, const char *from, size_t length)
{
    memcpy(w->out + w->used, from, length);
    w->used += length;
}

static char before(const walk *w)
{
    return w->used ? w->out[w->used - 1] : 0;
}

// Behind the qualifiers of a member function.
static const char *skip_qualifiers(const char *at)
{
    static const char *const qualifiers[] = {" const", " volatile", " &&", " &", " noexcept"};
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
        if (begins(at, qualifiers[i]) && !is_word(at[strlen(qualifiers[i])]))
            return skip_qualifiers(at + strlen(qualifiers[i]));
    return at;
}

// Parameters of the function, or of one that contains it.
static bool skip_parameters(walk *w, const char *end)
{
    if (w->how == DJ_CODE_NAME_DATA || begins(w->at, anonymous) || !w->used || before(w) == ' ')
        return false;
    const char *after = skip_qualifiers(end);
    if (*after && !begins(after, "::") && *after != '}' && *after != '#')
        return false;
    w->at = after;
    return true;
}

static bool put_group(walk *w, const char *start)
{
    const char *end = skip_group(start, w->at);
    if (!end)
        return false;
    if (*w->at == '(' && skip_parameters(w, end))
        return true;
    const bool generics = *w->at == '<' && (is_word(before(w)) || before(w) == ']' || before(w) == '}');
    const bool turbofish = *w->at == '<' && w->used > 2 && before(w) == ':';
    if ((generics || turbofish) && w->how != DJ_CODE_NAME_TEMPLATES) {
        w->used -= turbofish ? 2 : 0;
        put(w, elided, sizeof elided - 1);
        w->at = end;
        return true;
    }
    // Inside, only template arguments are left out, as in "<a::Vec<…> as b::Drop>".
    const char open = *w->at, close = open == '<' ? '>' : open == '(' ? ')' : '}';
    put(w, w->at++, 1);
    while (w->at < end - 1) {
        if (*w->at == '<' || *w->at == '(' || *w->at == '{') {
            if (!put_group(w, start))
                return false;
        } else {
            put(w, w->at++, 1);
        }
    }
    put(w, &close, 1);
    w->at = end;
    return true;
}

// "operator<< <char>" and "operator()" keep their symbol, and lose the arguments of a template.
static bool put_operator(walk *w, const char *start)
{
    put(w, w->at, sizeof keyword - 1);
    w->at += sizeof keyword - 1;
    size_t length = symbol_length(w->at);
    put(w, w->at, length);
    w->at += length;
    const char *arguments = w->at + (*w->at == ' ');
    if (length > 0 && *arguments == '<') {
        const char *end = skip_group(start, arguments);
        if (end && w->how == DJ_CODE_NAME_TEMPLATES)
            put(w, w->at, (size_t)(end - w->at));
        w->at = end ? end : w->at;
        return end;
    }
    // " new[]", or the type of a conversion, which ends at its parameters.
    bool good = true;
    while (length == 0 && good && *w->at && *w->at != '(') {
        if (*w->at == '<')
            good = put_group(w, start);
        else
            put(w, w->at++, 1);
    }
    return good;
}

static bool walk_all(walk *w, const char *full)
{
    const bool code = w->how != DJ_CODE_NAME_DATA;
    while (*w->at) {
        bool good = true;
        if (is_operator(full, w->at))
            good = put_operator(w, full);
        else if (*w->at == '<' || *w->at == '(' || *w->at == '{')
            good = put_group(w, full);
        else if (code && begins(w->at, "[abi:") && strchr(w->at, ']'))
            w->at = strchr(w->at, ']') + 1;
        else if (code && *w->at == ' ')
            w->used = 0, w->at++; // what precedes is the type of the result
        else
            put(w, w->at++, 1);
        if (!good)
            return false;
    }
    return w->used > 0;
}

// Names of C, and what is no name of a function: "0x1234 in libx.so", "vtable for X".
static bool is_plain(const char *full, enum dj_code_name how)
{
    static const char *const sorts[] = {" for ", " thunk ", " to ", "decltype", " in ", "*) ", "*)("};
    if (!strchr(full, '<') && (how == DJ_CODE_NAME_DATA || (!strchr(full, '(') && !strchr(full, '['))))
        return true;
    for (size_t i = 0; how != DJ_CODE_NAME_DATA && i < sizeof sorts / sizeof *sorts; i++) {
        const char *found = strstr(full, sorts[i]);
        const char *bracket = strpbrk(full, "<(");
        if (found && (!bracket || found < bracket))
            return true;
    }
    // A function that returns a pointer to a function is written around its own name.
    return how != DJ_CODE_NAME_DATA && strstr(full, " (*") && strstr(full, "))(");
}

char *dj_code_name(const char *full, enum dj_code_name how)
{
    if (is_plain(full, how))
        return strdup(full);
    // "<…>" may take the place of "<>".
    walk w = {.at = full, .out = malloc(2 * strlen(full) + sizeof elided), .how = how};
    if (!w.out)
        return NULL;
    if (!walk_all(&w, full)) {
        free(w.out);
        return strdup(full);
    }
    w.out[w.used] = 0;
    return w.out;
}
