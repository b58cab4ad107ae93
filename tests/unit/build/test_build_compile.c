// SPDX-License-Identifier: MIT
// Compiler command lines, and splitting texts and response files into words.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build/compile.h"
#include "support/context.h"

static char line[4096]; // the words of a list, each in brackets

static const char *show(const dj_words *words)
{
    line[0] = '\0';
    for (size_t i = 0; i < words->count; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), "[%s]", words->items[i]);
    assert_true(words->count == 0 || words->items[words->count] == NULL);
    return line;
}

static void texts_are_split_like_shell_words(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {" \n\t", ""},
        {"a  b\nc", "[a][b][c]"},
        {"'a b' \"c d\"", "[a b][c d]"},
        {"a\\ b \\'c", "[a b]['c]"},
        {"-DX='\"text\"'", "[-DX=\"text\"]"},
        {"'it'\\''s'", "[it's]"},
        {"'' a", "[][a]"},
        {"'open", "[open]"},
        {"end\\", "[end\\]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dj_words words = {0};
        assert_int_equal(dj_words_add_text(context, &words, cases[i][0]), DJ_OK);
        assert_string_equal(show(&words), cases[i][1]);
        dj_words_free(&words);
    }
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void response_files_are_expanded(void **state)
{
    (void)state;
    char folder[] = "/tmp/deja-build-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    write_file("outer", "-O2 @inner 'c d'");
    write_file("inner", "a\nb\n");
    write_file("itself", "@itself");
    write_file("empty", "");
    const char *const items[] = {"x", "@outer", "@empty", "@missing", "y"};
    dj_words words = {0};
    assert_int_equal(dj_words_expand(context, &words, items, 5), DJ_OK);
    assert_string_equal(show(&words), "[x][-O2][a][b][c d][@missing][y]");
    dj_words_free(&words);
    const char *const endless[] = {"@itself"};
    assert_int_equal(dj_words_expand(context, &words, endless, 1), DJ_OK);
    assert_string_equal(show(&words), "[@itself]");
    dj_words_free(&words);
    unlink("outer");
    unlink("inner");
    unlink("itself");
    unlink("empty");
    assert_int_equal(chdir("/"), 0);
    rmdir(folder);
}

typedef struct example {
    const char *compiler;
    const char *options; // letters: l loops, w as written, p with the plugin
    const char *arguments;
    const char *expected;
} example;

#define CLANG_BEGIN                                                                                          \
    "[--start-no-unused-arguments][-g][-Xclang][-fsanitize=thread][-Xclang][-mframe-pointer=all]"            \
    "[-mllvm][-tsan-instrument-read-before-write=1][-mllvm][-vectorize-loops=0][-mllvm][-vectorize-slp=0]"
#define CLANG_LOOPS "[-Xclang][-fsanitize-coverage-type=3][-Xclang][-fsanitize-coverage-trace-pc]"
#define CLANG_END "[--end-no-unused-arguments]"
#define NOTE "[-Xlinker][/f/instrumented.note]"
#define SHARED                                                                                               \
    NOTE "[-Xlinker][--push-state][-Xlinker][--no-as-needed][-Xlinker][/f/libdeja-rt.so]"                    \
         "[-Xlinker][--pop-state]"
// The response file does not exist, so its name stays.
#define STATIC                                                                                               \
    NOTE "[-Xlinker][@/f/wrap.options][-Xlinker][--whole-archive][-Xlinker][/f/libdeja-rt.a]"                \
         "[-Xlinker][--no-whole-archive]"

static const example examples[] = {
    {"gcc", "", "-O2 a.c -o a", "[gcc][-specs=/f/gcc.specs][-O2][a.c][-o][a]"},
    {"ccache gcc", "", "-c a.c", "[ccache][gcc][-specs=/f/gcc.specs][-c][a.c]"},
    {"gcc", "p", "-c a.c", "[gcc][-specs=/f/gcc.specs][-fplugin=/f/plugin.so][-c][a.c]"},
    {"clang", "p", "-c a.c", "[clang]" CLANG_BEGIN CLANG_END "[-c][a.c]"},
    {"gcc", "l", "-c a.c", "[gcc][-specs=/f/gcc.specs][-fsanitize-coverage=trace-pc][-c][a.c]"},
    {"gcc", "wp", "-c a.c",
     "[gcc][-specs=/f/gcc.specs][-fplugin=/f/plugin.so][-fno-tree-pre][-fno-code-hoisting][-fno-tree-loop-im]"
     "[-fno-tree-fre][-fno-tree-dse][-fno-tree-dominator-opts][-c][a.c]"},
    {"gcc", "", "", "[gcc][-specs=/f/gcc.specs]"},
    {"gcc", "", "@missing", "[gcc][-specs=/f/gcc.specs][@missing]"},
    {"gcc", "", "-m32 a.c", "[gcc][-m32][a.c]"},
    {"gcc", "lw", "-m32 -fsanitize=address a.c", "[gcc][-m32][-fsanitize=address][a.c]"},
    {"clang", "", "-c a.c", "[clang]" CLANG_BEGIN CLANG_END "[-c][a.c]"},
    {"clang-14", "", "--version", "[clang-14]" CLANG_BEGIN CLANG_END "[--version]"},
    {"/opt/clang/bin/clang++", "l", "a.o",
     "[/opt/clang/bin/clang++]" CLANG_BEGIN CLANG_LOOPS SHARED CLANG_END "[a.o]"},
    {"clang", "", "-shared a.o", "[clang]" CLANG_BEGIN SHARED CLANG_END "[-shared][a.o]"},
    {"clang", "", "-static a.c", "[clang]" CLANG_BEGIN STATIC CLANG_END "[-static][a.c]"},
    {"clang", "", "-r a.o", "[clang]" CLANG_BEGIN CLANG_END "[-r][a.o]"},
    {"clang", "", "-m32 a.c", "[clang][-m32][a.c]"},
    // Refused.
    {"gcc", "", "-fsanitize=address a.c", NULL},
    {"clang", "", "-fsanitize=thread a.c", NULL},
    {"clang", "wp", "a.c", NULL},
    {"gcc", "w", "a.c", NULL},
};

static void compiler_command_lines_are_as_expected(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const example *m = &examples[i];
        dj_words compiler = {0}, arguments = {0}, out = {0};
        const char *uninstrumented;
        assert_int_equal(dj_words_add_text(context, &compiler, m->compiler), DJ_OK);
        assert_int_equal(dj_words_add_text(context, &arguments, m->arguments), DJ_OK);
        const dj_compile compile = {.compiler = &compiler,
                                    .kind = dj_compiler_guess(&compiler, "/no/such/file"),
                                    .folder = "/f",
                                    .plugin = strchr(m->options, 'p') ? "/f/plugin.so" : NULL,
                                    .loops = strchr(m->options, 'l') != NULL,
                                    .as_written = strchr(m->options, 'w') != NULL,
                                    .args = (const char *const *)arguments.items,
                                    .count = arguments.count};
        int err = dj_compile_make(context, &compile, &out, &uninstrumented);
        assert_int_equal(err == DJ_OK, m->expected != NULL);
        if (!err)
            assert_string_equal(show(&out), m->expected);
        assert_int_equal(uninstrumented != NULL, strstr(m->arguments, "-m32") != NULL);
        dj_words_free(&compiler);
        dj_words_free(&arguments);
        dj_words_free(&out);
    }
}

static void a_plugin_is_found_for_its_gcc_version(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"x-gcc-12", "12"}, {"gcc-9", NULL}, {"gcc", NULL},
        {"gcc-12.2", NULL}, {"gcc-", NULL},  {"none-12", NULL},
    };
    char folder[] = "/tmp/deja-build-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/gcc-plugin-12.so", folder);
    write_file(path, "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *plugin = NULL;
        snprintf(path, sizeof path, "%s/%s", folder, cases[i][0]);
        if (strncmp(cases[i][0], "none", 4) != 0)
            write_file(path, "");
        assert_int_equal(dj_compiler_find_plugin(context, folder, path, &plugin), DJ_OK);
        assert_int_equal(plugin != NULL, cases[i][1] != NULL);
        free(plugin);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/gcc-plugin-12.so", folder);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_split_like_shell_words),
        cmocka_unit_test(response_files_are_expanded),
        cmocka_unit_test(compiler_command_lines_are_as_expected),
        cmocka_unit_test(a_plugin_is_found_for_its_gcc_version),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
