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
    const char *compilers[3]; // in order of preference; NULL after the last
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
    {"with", 0, DJ_OPTION_TEXT | DJ_OPTION_COMMON, offsetof(options, with), "COMPILER",
     "use COMPILER, a gcc or clang. It may follow another command, as in 'ccache gcc'", NULL},
    {"loops", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, offsetof(options, loops), NULL,
     "also record control flow, so that loop iterations are known", NULL},
    {"as-written", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, offsetof(options, as_written), NULL,
     "with gcc: count accesses as in the source, whatever the optimizer does with them", NULL},
    {"plain", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, offsetof(options, plain), NULL,
     "call the compiler without instrumenting", NULL},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static int list_options(dj_context *context, options *o, dj_groups *groups, const language *l)
{
    o->language = l;
    return dj_groups_add(context, groups, "Options, which must precede the compiler's", table, o);
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

// Adds options from the environment; the command line takes precedence. Text values point into `words`.
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
        err = dj_fail(context, DJ_ERR_USAGE, "'%s' is not an option of 'deja cc'", rest[0]);
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
    char *path; // of its first word
    char *last; // path of its last word
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

// On failure *status is the exit status.
static int find_compiler(dj_context *context, const options *o, call *wanted, int *status)
{
    const char *chosen = o->with ? o->with : getenv(o->language->variable);
    const char *const *defaults = o->language->compilers;
    int err;
    *status = DJ_STATUS_FAILED;
    if (chosen && *chosen) {
        err = dj_words_add_text(context, &wanted->compiler, chosen);
        if (!err && wanted->compiler.count == 0)
            err = dj_fail(context, DJ_ERR_USAGE, "the name of the compiler is empty");
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
        return dj_fail(context, DJ_ERR_USAGE,
                       "compiler '%s' not found; install one, as with 'apt-get install %s', or name another "
                       "with --with or in %s",
                       chosen && *chosen ? wanted->compiler.items[0] : o->language->compilers[0],
                       o->language->compilers[0], o->language->variable);
    return err ? err : refuse_itself(context, wanted->path);
}

// 'deja cc gcc a.c': the linker would look for an object file with the name of the compiler.
static int refuse_compiler(dj_context *context, const char *first)
{
    char *path = NULL;
    int status;
    if (first[0] == '-' || strchr(first, '.') || access(first, F_OK) == 0 ||
        dj_program_find(context, first, &path, &status) != DJ_OK)
        return DJ_OK;
    free(path);
    return dj_fail(context, DJ_ERR_USAGE, "there is no file '%s' here; to compile with %s, use --with %s",
                   first, first, first);
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
        dj_output_message_about("note: Deja does not support ", uninstrumented,
                                "; compiling without instrumentation");
    // The specs file for gcc reads it.
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
    if (!err && arguments->count)
        err = refuse_compiler(context, arguments->items[0]);
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
    dj_output_message("", dj_context_message(context));
    return status;
}

#define DESCRIPTION                                                                                          \
    "Calls a compiler so that the program itself reports its memory accesses: 'deja run' then needs no "     \
    "Valgrind. Compile and link with this command; all arguments are the compiler's, except for the "        \
    "options below, which must come first. Run without Deja, the program behaves as usual."

#define DETAILS                                                                                              \
    "Compiled code calls a Deja library at each access, call and return. Linked programs contain the "       \
    "full path of that library, and a mark by which 'deja run' recognizes them. -g is added, unless there "  \
    "is a similar option, and frame pointers are kept. Statically linked programs, shared libraries, "       \
    "plugins and link-time optimization work; sanitizers with their own library (address, thread, leak) do " \
    "not. 32-bit code is compiled without instrumentation.\n"                                                \
    "\n"                                                                                                     \
    "The compiler is the one named by --with or by the environment variable " /* NAME, default … */

#define DETAILS_END                                                                                          \
    ". The variable DEJA_CC_OPTIONS may contain options of this command, for build systems that accept "     \
    "only the name of a compiler. The exit status is the compiler's; 2 if Deja rejects an argument, 127 if " \
    "there is no compiler. docs/recompiling.md explains what is counted and what is not. Without "           \
    "arguments, or with --help as the first, this help is printed."

static const dj_example c_examples[] = {
    {"deja cc -O2 -o program a.c b.c && deja run ./program", "Compiles a program and profiles it."},
    {"CC=\"deja cc\" CXX=\"deja c++\" FC=\"deja fc\" ./configure && make", "Builds a package."},
    {"cmake -DCMAKE_C_COMPILER=deja-cc -DCMAKE_CXX_COMPILER=deja-c++ ..", "Configures a CMake build."},
    {"make CC=\"deja cc --with clang\"", "Uses another compiler."},
    {NULL, NULL},
};

static const dj_example cxx_examples[] = {
    {"deja c++ -O2 -o program a.cpp && deja run ./program", "Compiles a program and profiles it."},
    {"cmake -DCMAKE_CXX_COMPILER=deja-c++ ..", "Builds a package."},
    {NULL, NULL},
};

static const dj_example fortran_examples[] = {
    {"deja fc -O2 -o program a.f90 && deja run ./program", "Compiles a program and profiles it."},
    {"make FC=\"deja fc\"", "Builds a package."},
    {NULL, NULL},
};

const dj_command dj_command_cc = {
    .name = "cc",
    .summary = "build C programs that are traced without Valgrind",
    .usage = "[options] COMPILER ARGUMENTS",
    .description = DESCRIPTION,
    .details = DETAILS "DEJA_CC, or else gcc, or else cc" DETAILS_END,
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
    .usage = "[options] COMPILER ARGUMENTS",
    .description = DESCRIPTION,
    .details = DETAILS "DEJA_CXX, or else g++, or else c++" DETAILS_END,
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
    .usage = "[options] COMPILER ARGUMENTS",
    .description = DESCRIPTION,
    .details = DETAILS "DEJA_FC, or else gfortran" DETAILS_END,
    .examples = fortran_examples,
    .runs_program = true,
    .wraps_program = true,
    .options_bytes = sizeof(options),
    .list_options = list_fortran,
    .run = run,
};
