// SPDX-License-Identifier: MIT
// Names of functions: C++ names demangled, procedures of Fortran modules as module::name.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/code.h"

enum { NAME_CAPACITY = 1 << 14, MANGLED_MOST = 1024 };

// From libstdc++. It fails on names that are very long or deeply nested.
char *__cxa_demangle(const char *mangled, char *buffer, size_t *bytes, int *status);

// The hash that ends the names of rustc: "::h" and 16 digits.
static char *find_hash(char *text)
{
    enum { DIGITS = 16, LENGTH = DIGITS + 3 };
    size_t length = strlen(text);
    char *hash = length > LENGTH ? text + length - LENGTH : NULL;
    return hash && strncmp(hash, "::h", 3) == 0 && strspn(hash + 3, "0123456789abcdef") == DIGITS ? hash
                                                                                                  : NULL;
}

// What a word between two dollar signs stands for; 0: unknown.
static char read_escape(const char *word, size_t length)
{
    static const struct {
        const char *word;
        char sign;
    } escapes[] = {{"SP", '@'}, {"BP", '*'}, {"RF", '&'}, {"LT", '<'},
                   {"GT", '>'}, {"LP", '('}, {"RP", ')'}, {"C", ','}};
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (strlen(escapes[i].word) == length && strncmp(escapes[i].word, word, length) == 0)
            return escapes[i].sign;
    char *end = NULL;
    unsigned long code = length > 1 && *word == 'u' ? strtoul(word + 1, &end, 16) : 0;
    return code >= ' ' && code <= '~' && end == word + length ? (char)code : 0;
}

// Names of Rust look like those of C++, but for a hash and escapes: "_$LT$a..B$u20$as$u20$C$GT$::f::h…".
static void read_rust(char *text)
{
    char *hash = find_hash(text), *to = text;
    if (!hash)
        return;
    *hash = 0;
    for (const char *at = text; *at;) {
        const char *end = *at == '$' ? strchr(at + 1, '$') : NULL;
        const char sign = end ? read_escape(at + 1, (size_t)(end - at - 1)) : 0;
        const bool begins = at == text || at[-1] == ':';
        if (sign) {
            *to++ = sign;
            at = end + 1;
        } else if (*at == '_' && at[1] == '$' && begins) {
            at++;
        } else if (*at == '.' && at[1] == '.') {
            *to++ = ':';
            *to++ = ':';
            at += 2;
        } else {
            *to++ = *at++;
        }
    }
    *to = 0;
}

bool dj_function_demangle(const char *linkage, char *text, size_t capacity)
{
    int status = 0;
    if (strncmp(linkage, "_Z", 2) != 0 || strlen(linkage) > MANGLED_MOST)
        return false;
    char *demangled = __cxa_demangle(linkage, NULL, NULL, &status);
    size_t length = demangled ? strlen(demangled) : 0;
    bool fits = length > 0 && length < capacity;
    if (fits)
        memcpy(text, demangled, length + 1);
    char *clone = fits ? strstr(text, " [clone ") : NULL;
    if (clone) // a compiler-made copy is still the function
        *clone = 0;
    free(demangled);
    if (fits)
        read_rust(text);
    return fits;
}

// "__grid_MOD_relax" → "grid::relax"
static bool read_fortran(const char *linkage, char *text, size_t capacity)
{
    const char *between = strncmp(linkage, "__", 2) == 0 ? strstr(linkage + 2, "_MOD_") : NULL;
    if (!between || between == linkage + 2 || !between[5])
        return false;
    int length = snprintf(text, capacity, "%.*s::%s", (int)(between - linkage - 2), linkage + 2, between + 5);
    return length > 0 && (size_t)length < capacity;
}

static bool read_linkage(const char *linkage, char *text, size_t capacity)
{
    return dj_function_demangle(linkage, text, capacity) || read_fortran(linkage, text, capacity);
}

// Without the version: "memcpy@@GLIBC_2.14".
static size_t name_length(const char *linkage)
{
    size_t length = strcspn(linkage, "@");
    return length > 0 && length < NAME_CAPACITY ? length : strnlen(linkage, NAME_CAPACITY - 1);
}

const char *dj_function_readable(dj_symbols *symbols, const char *linkage, const char *plain)
{
    char text[NAME_CAPACITY];
    if (linkage && read_linkage(linkage, text, sizeof text))
        return dj_symbols_keep(symbols, text);
    if (plain || !linkage)
        return dj_symbols_keep(symbols, plain);
    snprintf(text, sizeof text, "%.*s", (int)name_length(linkage), linkage);
    return dj_symbols_keep(symbols, text);
}

// The bracket that matches the one at `end`; NULL: none.
static char *opening(char *text, char *end, char open, char close)
{
    int depth = 0;
    for (char *at = end; at >= text; at--) {
        depth += (*at == close) - (*at == open);
        if (depth == 0)
            return at;
    }
    return NULL;
}

static void cut_suffix(char *text, const char *suffix)
{
    size_t length = strlen(text), its = strlen(suffix);
    if (length > its && strcmp(text + length - its, suffix) == 0)
        text[length - its] = 0;
}

// Removes qualifiers and parameters.
static void cut_parameters(char *text)
{
    static const char *const qualifiers[] = {" &&", " &", " volatile", " const"};
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
        cut_suffix(text, qualifiers[i]);
    size_t length = strlen(text);
    char *open = length && text[length - 1] == ')' ? opening(text, text + length - 1, '(', ')') : NULL;
    bool named = open && strcmp(open, "()") == 0 && open - text >= 8 && strncmp(open - 8, "operator", 8) == 0;
    if (open && open > text && !named)
        *open = 0;
}

static void cut_template(char *text)
{
    size_t length = strlen(text);
    char *open = length && text[length - 1] == '>' ? opening(text, text + length - 1, '<', '>') : NULL;
    if (open && open > text && !strstr(text, "operator"))
        *open = 0;
}

// Removes the return type: everything before the last space outside of brackets.
static const char *without_type(const char *text)
{
    const char *from = text;
    int depth = 0;
    if (strstr(text, "operator"))
        return text;
    for (const char *at = text; *at; at++) {
        depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
        if (*at == ' ' && depth == 0)
            from = at + 1;
    }
    return from;
}

bool dj_function_is_called(const char *linkage, const char *name)
{
    char text[NAME_CAPACITY];
    size_t length = strlen(name);
    if (strcmp(linkage, name) == 0 || (strncmp(linkage, name, length) == 0 && linkage[length] == '@'))
        return true;
    if (!read_linkage(linkage, text, sizeof text)) {
        // A clone ("f.isra.0"), or the underscore that Fortran adds.
        return strncmp(linkage, name, length) == 0 &&
               (linkage[length] == '.' || strcmp(linkage + length, "_") == 0);
    }
    if (strcmp(text, name) == 0)
        return true;
    cut_parameters(text);
    if (strcmp(text, name) == 0 || strcmp(without_type(text), name) == 0)
        return true;
    cut_template(text);
    return strcmp(without_type(text), name) == 0;
}
