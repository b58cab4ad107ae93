// SPDX-License-Identifier: MIT
#include "build/compiler_arguments.h"

#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static bool is_one_of(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

// Options whose value is the next word.
static bool takes_next(const char *word)
{
    static const char *const list[] = {
        "-o",           "-x",
        "-I",           "-D",
        "-U",           "-L",
        "-l",           "-A",
        "-B",           "-T",
        "-u",           "-z",
        "-e",           "-G",
        "-MF",          "-MT",
        "-MQ",          "-include",
        "-imacros",     "-isystem",
        "-iquote",      "-idirafter",
        "-iprefix",     "-imultilib",
        "-iwithprefix", "-iwithprefixbefore",
        "-isysroot",    "-Xlinker",
        "-Xassembler",  "-Xclang",
        "-mllvm",       "-target",
        "--param",      "--sysroot",
        "-aux-info",    "-dumpbase",
        "-dumpdir",     "-dumpbase-ext",
        "-wrapper",     "-specs",
        "--specs",      "-Xpreprocessor",
        "-J",           "--config",
        "-arch",        "-ivfsoverlay",
        "--output",     "-Xanalyzer",
    };
    return is_one_of(word, list, LENGTH(list));
}

// Options that suppress linking.
static bool stops_early(const char *word)
{
    static const char *const list[] = {
        "-c", "-S",        "-E",           "-M",        "-MM",          "-fsyntax-only",
        "-r", "--compile", "--preprocess", "--analyze", "--precompile", "--assemble",
    };
    return is_one_of(word, list, LENGTH(list));
}

static bool is_header(const char *word)
{
    static const char *const endings[] = {".h", ".hh", ".hpp", ".hxx", ".H", ".h++", ".tcc"};
    const char *dot = strrchr(word, '.');
    return dot && is_one_of(dot, endings, LENGTH(endings));
}

// Sanitizers with their own callbacks or allocators.
static const char *const conflicting[] = {
    "address", "kernel-address", "hwaddress", "kernel-hwaddress", "thread",
    "memory",  "kernel-memory",  "leak",      "dataflow",         "memtag",
};

typedef struct sanitizers {
    bool on[LENGTH(conflicting)];
} sanitizers;

static void set_sanitizers(sanitizers *s, const char *list, bool on)
{
    while (*list) {
        size_t length = strcspn(list, ",");
        for (size_t i = 0; i < LENGTH(conflicting); i++)
            if ((strlen(conflicting[i]) == length && memcmp(conflicting[i], list, length) == 0) ||
                (!on && length == 3 && memcmp(list, "all", 3) == 0))
                s->on[i] = on;
        list += length + (list[length] == ',');
    }
}

static const char *begins(const char *word, const char *with)
{
    size_t length = strlen(with);
    return strncmp(word, with, length) == 0 ? word + length : NULL;
}

static const char *find_narrow(const char *word)
{
    static const char *const list[] = {"-m32", "-mx32", "-m16"};
    for (size_t i = 0; i < LENGTH(list); i++)
        if (strcmp(word, list[i]) == 0)
            return list[i];
    return NULL;
}

static void scan_option(dj_compiler_arguments *found, sanitizers *s, const char *word)
{
    const char *list;
    if (strcmp(word, "-static") == 0 || strcmp(word, "-static-pie") == 0 || strcmp(word, "--static") == 0)
        found->is_static = true;
    else if (find_narrow(word))
        found->narrow = find_narrow(word);
    else if (strcmp(word, "-m64") == 0)
        found->narrow = NULL;
    else if ((list = begins(word, "-fsanitize=")) != NULL)
        set_sanitizers(s, list, true);
    else if ((list = begins(word, "-fno-sanitize=")) != NULL)
        set_sanitizers(s, list, false);
}

dj_compiler_arguments dj_compiler_arguments_scan(const char *const *args, size_t count)
{
    dj_compiler_arguments found = {0};
    sanitizers s = {0};
    bool inputs = false, stops = false, header_language = false;
    for (size_t i = 0; i < count; i++) {
        const char *word = args[i];
        if (word[0] != '-' || word[1] == '\0' || begins(word, "-l")) {
            inputs = inputs || !is_header(word);
        } else if (takes_next(word)) {
            i++;
            if (strcmp(word, "-x") == 0 && i < count)
                header_language = strstr(args[i], "-header") != NULL;
        } else {
            stops = stops || stops_early(word);
            if (begins(word, "-x"))
                header_language = strstr(word, "-header") != NULL;
            scan_option(&found, &s, word);
        }
    }
    found.links = inputs && !stops && !header_language;
    for (size_t i = 0; i < LENGTH(conflicting) && !found.sanitizer; i++)
        if (s.on[i])
            found.sanitizer = conflicting[i];
    return found;
}
