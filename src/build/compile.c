// SPDX-License-Identifier: MIT
#include "build/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/compiler_arguments.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

enum dj_compiler dj_compiler_guess(const dj_words *compiler, const char *path)
{
    for (size_t i = 0; i < compiler->count; i++)
        if (strstr(base_name(compiler->items[i]), "clang"))
            return DJ_COMPILER_CLANG;
    char *real = realpath(path, NULL);
    bool clang = real && strstr(base_name(real), "clang");
    free(real);
    return clang ? DJ_COMPILER_CLANG : DJ_COMPILER_GCC;
}

int dj_compiler_find_plugin(dj_context *context, const char *folder, const char *path, char **plugin)
{
    char *real = realpath(path, NULL);
    const char *dash = real ? strrchr(base_name(real), '-') : NULL;
    bool has_version = dash && dash[1] && dash[1 + strspn(dash + 1, "0123456789")] == '\0';
    int got = has_version ? asprintf(plugin, "%s/gcc-plugin-%s.so", folder, dash + 1) : 0;
    free(real);
    if (got < 0)
        return dj_fail_memory(context, "a file name", 0);
    if (got == 0 || access(*plugin, R_OK) != 0) {
        if (got)
            free(*plugin);
        *plugin = NULL;
    }
    return DJ_OK;
}

static int add_path(dj_context *context, dj_words *out, const char *before, const dj_compile *c,
                    const char *file)
{
    char *word = NULL;
    if (asprintf(&word, "%s%s/%s", before, c->folder, file) < 0)
        return dj_fail_memory(context, "a file name", 0);
    int err = dj_words_add(context, out, word);
    free(word);
    return err;
}

static int add_gcc(dj_context *context, dj_words *out, const dj_compile *c)
{
    // The plugin recognizes --as-written by these, and counts accesses before the optimizer sees them. Calls
    // of functions that are declared pure are not merged either.
    static const char *const as_written[] = {"-fno-tree-pre",     "-fno-code-hoisting",
                                             "-fno-tree-loop-im", "-fno-tree-fre",
                                             "-fno-tree-dse",     "-fno-tree-dominator-opts"};
    int err = add_path(context, out, "-specs=", c, "gcc.specs");
    char *plugin = NULL;
    if (!err && c->plugin && asprintf(&plugin, "-fplugin=%s", c->plugin) < 0)
        err = dj_fail_memory(context, "a file name", 0);
    else if (!err && plugin)
        err = dj_words_add(context, out, plugin);
    free(plugin);
    if (!err && c->as_written)
        err = dj_words_add_all(context, out, as_written, LENGTH(as_written));
    if (!err && c->loops)
        err = dj_words_add(context, out, "-fsanitize-coverage=trace-pc");
    return err;
}

static int add_for_linker(dj_context *context, dj_words *out, const dj_words *words)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < words->count; i++)
        err = dj_words_add_all(context, out, (const char *const[]){"-Xlinker", words->items[i]}, 2);
    return err;
}

// For clang: what the specs file tells gcc to do.
static int add_clang_link(dj_context *context, dj_words *out, const dj_compile *c, bool is_static)
{
    static const char *const needed[] = {"--push-state", "--no-as-needed"};
    dj_words words = {0}, with_options = {0};
    int err = add_path(context, &words, "", c, "instrumented.note");
    if (!err && is_static)
        err = add_path(context, &words, "@", c, "wrap.options");
    if (!err && is_static)
        err = dj_words_add(context, &words, "--whole-archive");
    else if (!err)
        err = dj_words_add_all(context, &words, needed, LENGTH(needed));
    if (!err)
        err = add_path(context, &words, "", c, is_static ? "libdeja-rt.a" : DJ_BUILD_LIBRARY);
    if (!err)
        err = dj_words_add(context, &words, is_static ? "--no-whole-archive" : "--pop-state");
    // clang would read the file of linker options as its own options.
    if (!err)
        err = dj_words_expand(context, &with_options, (const char *const *)words.items, words.count);
    if (!err)
        err = add_for_linker(context, out, &with_options);
    dj_words_free(&words);
    dj_words_free(&with_options);
    return err;
}

static int add_clang(dj_context *context, dj_words *out, const dj_compile *c,
                     const dj_compiler_arguments *arguments)
{
    // For -fsanitize=thread and -fsanitize-coverage the driver itself would link a library; -Xclang options
    // bypass it, and follow the user's own. Accesses of more than 16 bytes are not instrumented, so
    // vectorization is disabled; a later -O2 would override -fno-vectorize.
    static const char *const compiling[] = {
        "--start-no-unused-arguments",
        "-g",
        "-Xclang",
        "-fsanitize=thread",
        "-Xclang",
        "-mframe-pointer=all",
        "-mllvm",
        "-tsan-instrument-read-before-write=1",
        "-mllvm",
        "-vectorize-loops=0",
        "-mllvm",
        "-vectorize-slp=0",
    };
    static const char *const coverage[] = {"-Xclang", "-fsanitize-coverage-type=3", "-Xclang",
                                           "-fsanitize-coverage-trace-pc"};
    int err = dj_words_add_all(context, out, compiling, LENGTH(compiling));
    if (!err && c->loops)
        err = dj_words_add_all(context, out, coverage, LENGTH(coverage));
    if (!err && arguments->links)
        err = add_clang_link(context, out, c, arguments->is_static);
    return err ? err : dj_words_add(context, out, "--end-no-unused-arguments");
}

static int check(dj_context *context, const dj_compile *c, const dj_compiler_arguments *arguments)
{
    if (arguments->sanitizer)
        return dj_fail(context, DJ_ERR_USAGE,
                       "-fsanitize=%s links a library that conflicts with Deja's; leave out the option, or "
                       "compile without Deja",
                       arguments->sanitizer);
    if (c->as_written && c->kind == DJ_COMPILER_CLANG)
        return dj_fail(
            context, DJ_ERR_UNSUPPORTED,
            "--as-written: clang cannot prevent its optimizer from moving and merging accesses; compile "
            "with gcc, or with -O0");
    if (c->as_written && !c->plugin)
        return dj_fail(
            context, DJ_ERR_UNSUPPORTED,
            "--as-written: Deja has no plugin for this gcc, without which the optimizer moves and "
            "merges accesses; compile with -O0 alone, or build Deja with the headers of this gcc's "
            "plugins (Debian: gcc-12-plugin-dev) and let it be the default gcc");
    return DJ_OK;
}

int dj_compile_make(dj_context *context, const dj_compile *c, dj_words *out, const char **uninstrumented)
{
    dj_words expanded = {0};
    int err = dj_words_expand(context, &expanded, c->args, c->count);
    dj_compiler_arguments arguments =
        dj_compiler_arguments_scan((const char *const *)expanded.items, expanded.count);
    *uninstrumented = arguments.narrow;
    if (!err && !arguments.narrow)
        err = check(context, c, &arguments);
    if (!err)
        err = dj_words_add_all(context, out, (const char *const *)c->compiler->items, c->compiler->count);
    if (!err && !arguments.narrow)
        err =
            c->kind == DJ_COMPILER_CLANG ? add_clang(context, out, c, &arguments) : add_gcc(context, out, c);
    dj_words_free(&expanded);
    return err ? err : dj_words_add_all(context, out, c->args, c->count);
}
