// SPDX-License-Identifier: MIT
// deja cc, deja c++, deja fc: compilers that instrument programs.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/option/option.h"
#include "base/support_dir.h"
#include "build/compile.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/options/output.h"
#include "live/program.h"

#define SETTINGS "DEJA_CC_OPTIONS"

typedef struct language {
    const char *variable;
    const char *compilers[3]; // the first that is there; the last is NULL
} language;

static const language c = {"DEJA_CC", {"gcc", "cc"}};
static const language cxx = {"DEJA_CXX", {"g++", "c++"}};
static const language fortran = {"DEJA_FC", {"gfortran"}};

typedef struct options {
    const language *language;
    const char *with;
    bool loops;
    bool as_written;
    bool plain;
} options;

static const dj_option table[] = {
    {"with", 0, DJ_OPTION_TEXT, offsetof(options, with), "COMPILER",
     "call COMPILER, of the family of gcc or clang, which may have words before it, as in 'ccache gcc'",
     NULL},
    {"loops", 0, DJ_OPTION_FLAG, offsetof(options, loops), NULL,
     "let the program also tell where control passes, so that iterations of loops are known", NULL},
    {"as-written", 0, DJ_OPTION_FLAG, offsetof(options, as_written), NULL,
     "with gcc: count accesses that the optimizer would move out of loops or merge with others", NULL},
    {"plain", 0, DJ_OPTION_FLAG, offsetof(options, plain), NULL, "call the compiler as it is", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, options *o, dj_groups *groups, const language *l)
{
    o->language = l;
    return dj_groups_add(context, groups, "Options, before those of the compiler", table, o);
}

static int list_c(dj_context *context, void *values, dj_groups *groups)
{
    return list_options(context, values, groups, &c);
}

static int list_cxx(dj_context *context, void *values, dj_groups *groups)
{
    return list_options(context, values, groups, &cxx);
}

static int list_fortran(dj_context *context, void *values, dj_groups *groups)
{
    return list_options(context, values, groups, &fortran);
}

// What the environment asks for; the command line goes before it. The texts lie in `words`.
static int add_settings(dj_context *context, options *o, dj_words *words)
{
    const char *text = getenv(SETTINGS);
    options set = {0};
    dj_option_group group = {"", table, &set};
    size_t left = 0;
    int err = text ? dj_words_add_text(context, words, text) : DJ_OK;
    if (err || words->count == 0)
        return err;
    const char **rest = calloc(words->count, sizeof *rest);
    if (!rest)
        return dj_fail_memory(context, "the command line", 0);
    err = dj_option_parse_leading(context, &group, 1, words->count, words->items, rest, &left);
    if (!err && left)
        err = dj_fail(context, DJ_ERR_USAGE, "'%s' is none of the wrapper's own options", rest[0]);
    free(rest);
    if (err)
        return dj_fail_within(context, err, SETTINGS);
    o->with = o->with ? o->with : set.with;
    o->loops = o->loops || set.loops;
    o->as_written = o->as_written || set.as_written;
    o->plain = o->plain || set.plain;
    return DJ_OK;
}

typedef struct call {
    dj_words settings;
    dj_words compiler;
    char *path; // of the first word of it
    char *last; // of the last
    char *folder;
    char *plugin;
    dj_words command;
} call;

static void free_call(call *wanted)
{
    dj_words_free(&wanted->settings);
    dj_words_free(&wanted->compiler);
    dj_words_free(&wanted->command);
    free(wanted->path);
    free(wanted->last);
    free(wanted->plugin);
    free(wanted->folder);
}

static int refuse_itself(dj_context *context, const char *path)
{
    char *real = realpath(path, NULL), *self = realpath("/proc/self/exe", NULL);
    bool same = real && self && strcmp(real, self) == 0;
    free(real);
    free(self);
    return same ? dj_fail(context, DJ_ERR_USAGE, "'%s' is Deja itself, not a compiler", path) : DJ_OK;
}

// On failure *status is what to exit with.
static int find_compiler(dj_context *context, const options *o, call *wanted, int *status)
{
    const char *chosen = o->with ? o->with : getenv(o->language->variable);
    const char *const *defaults = o->language->compilers;
    int err;
    *status = DJ_STATUS_FAILED;
    if (chosen && *chosen) {
        err = dj_words_add_text(context, &wanted->compiler, chosen);
        if (!err && wanted->compiler.count == 0)
            err = dj_fail(context, DJ_ERR_USAGE, "the name of the compiler is blank");
        if (!err)
            err = dj_program_find(context, wanted->compiler.items[0], &wanted->path, status);
    } else {
        do
            err = dj_program_find(context, *defaults, &wanted->path, status);
        while (err && *status == DJ_STATUS_NOT_FOUND && *++defaults);
        if (!err)
            err = dj_words_add(context, &wanted->compiler, *defaults);
    }
    if (err && *status == DJ_STATUS_NOT_FOUND)
        return dj_fail(
            context, DJ_ERR_USAGE,
            "there is no compiler '%s'; install one, as with 'apt-get install %s', or name another "
            "with --with or in %s",
            chosen && *chosen ? wanted->compiler.items[0] : o->language->compilers[0],
            o->language->compilers[0], o->language->variable);
    return err ? err : refuse_itself(context, wanted->path);
}

static int make_command(dj_context *context, const options *o, const dj_arguments *arguments, call *wanted)
{
    if (o->plain) {
        int err = dj_words_add_all(context, &wanted->command, (const char *const *)wanted->compiler.items,
                                   wanted->compiler.count);
        return err ? err : dj_words_add_all(context, &wanted->command, arguments->items, arguments->count);
    }
    int status, err = dj_support_dir_find(context, DJ_BUILD_LIBRARY, &wanted->folder);
    if (err)
        return err;
    const char *last = wanted->compiler.items[wanted->compiler.count - 1];
    if (dj_program_find(context, last, &wanted->last, &status) != DJ_OK)
        wanted->last = NULL;
    const char *proper = wanted->last ? wanted->last : wanted->path;
    err = dj_compiler_find_plugin(context, wanted->folder, proper, &wanted->plugin);
    if (err)
        return err;
    const dj_compile compile = {.compiler = &wanted->compiler,
                                .kind = dj_compiler_guess(&wanted->compiler, proper),
                                .folder = wanted->folder,
                                .plugin = wanted->plugin,
                                .loops = o->loops,
                                .as_written = o->as_written,
                                .args = arguments->items,
                                .count = arguments->count};
    const char *uninstrumented = NULL;
    err = dj_compile_make(context, &compile, &wanted->command, &uninstrumented);
    if (!err && uninstrumented)
        fprintf(stderr, "deja: note: Deja has no library for %s; this is compiled as without Deja\n",
                uninstrumented);
    // The specs file of gcc asks for it.
    return !err && setenv("DEJA_LIB", wanted->folder, 1) != 0 ? dj_fail_memory(context, "the environment", 0)
                                                              : err;
}

static int run(dj_context *context, void *values, const dj_arguments *arguments)
{
    options *o = values;
    call wanted = {0};
    int status = DJ_STATUS_FAILED;
    int err = add_settings(context, o, &wanted.settings);
    if (!err)
        err = find_compiler(context, o, &wanted, &status);
    bool missing = err && status != DJ_STATUS_FAILED;
    if (!err)
        err = make_command(context, o, arguments, &wanted);
    if (!err) {
        dj_interrupt_restore();
        execv(wanted.path, wanted.command.items);
        err = dj_fail(context, DJ_ERR_IO, "cannot run '%s': %s", wanted.path, strerror(errno));
    }
    free_call(&wanted);
    if (!missing)
        return err;
    dj_output_complain("", dj_context_message(context));
    return status;
}

#define DESCRIPTION                                                                                          \
    "Calls a compiler so that the program tells its accesses to memory itself: 'deja run' then needs no "    \
    "Valgrind and counts what the source does. All arguments are the compiler's and are handed on as they "  \
    "are; only the options below are ours, and only before all others. Without arguments, or with --help "   \
    "as the first, this help is printed.\n"                                                                  \
    "\n"                                                                                                     \
    "What is compiled calls a library of Deja's at each access, call and return, and what is linked gets "   \
    "that library, by its full path, and a mark by which 'deja run' knows it. Run without Deja, the "        \
    "program behaves as usual and says nothing. Compile and link with the same wrapper. -g is added, "       \
    "unless there is an option like it, and frame pointers are kept. Statically linked programs, shared "    \
    "libraries, plugins and link-time optimization work; sanitizers with a library of their own "            \
    "(address, thread, leak) do not. Code for 32 bits is compiled without Deja.\n"                           \
    "\n"                                                                                                     \
    "The compiler is the one named by --with or by the environment variable " /* NAME, default … */

#define DESCRIPTION_END                                                                                      \
    ". The variable DEJA_CC_OPTIONS may hold options as below, for build systems that take a compiler "      \
    "without any. The exit status is the compiler's; 2 when Deja refuses an argument, 127 when there is no " \
    "compiler. What is counted, and what is not, is told in docs/recompiling.md."

static const dj_example c_examples[] = {
    {"deja cc -O2 -o program a.c b.c && deja run ./program", "Compiles a program and profiles it."},
    {"CC=\"deja cc\" CXX=\"deja c++\" FC=\"deja fc\" ./configure && make", "Builds a whole package."},
    {"cmake -DCMAKE_C_COMPILER=deja-cc -DCMAKE_CXX_COMPILER=deja-c++ ..", "Likewise with CMake."},
    {"make CC=\"deja cc --with clang\"", "Takes another compiler."},
    {NULL, NULL},
};

static const dj_example cxx_examples[] = {
    {"deja c++ -O2 -o program a.cpp && deja run ./program", "Compiles a program and profiles it."},
    {"cmake -DCMAKE_CXX_COMPILER=deja-c++ ..", "Builds a whole package."},
    {NULL, NULL},
};

static const dj_example fortran_examples[] = {
    {"deja fc -O2 -o program a.f90 && deja run ./program", "Compiles a program and profiles it."},
    {"make FC=\"deja fc\"", "Builds a whole package."},
    {NULL, NULL},
};

const dj_command dj_command_cc = {
    .name = "cc",
    .summary = "build C programs that are traced without Valgrind",
    .usage = "[options] ARGUMENTS OF THE COMPILER",
    .description = DESCRIPTION "DEJA_CC, or else gcc, or else cc" DESCRIPTION_END,
    .examples = c_examples,
    .runs_program = true,
    .wraps_program = true,
    .options_bytes = sizeof(options),
    .list_options = list_c,
    .run = run,
};

const dj_command dj_command_cxx = {
    .name = "c++",
    .summary = "build C++ programs that are traced without Valgrind",
    .usage = "[options] ARGUMENTS OF THE COMPILER",
    .description = DESCRIPTION "DEJA_CXX, or else g++, or else c++" DESCRIPTION_END,
    .examples = cxx_examples,
    .runs_program = true,
    .wraps_program = true,
    .options_bytes = sizeof(options),
    .list_options = list_cxx,
    .run = run,
};

const dj_command dj_command_fc = {
    .name = "fc",
    .summary = "build Fortran programs that are traced without Valgrind",
    .usage = "[options] ARGUMENTS OF THE COMPILER",
    .description = DESCRIPTION "DEJA_FC, or else gfortran" DESCRIPTION_END,
    .examples = fortran_examples,
    .runs_program = true,
    .wraps_program = true,
    .options_bytes = sizeof(options),
    .list_options = list_fortran,
    .run = run,
};
