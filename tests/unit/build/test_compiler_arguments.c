// SPDX-License-Identifier: MIT
// Recognizes from compiler arguments whether they link, statically, for 32 bits, and with which sanitizer.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "build/compiler_arguments.h"
#include "build/words.h"
#include "support/context.h"

typedef struct example {
    const char *arguments;
    bool links;
    bool is_static;
    const char *narrow;
    const char *sanitizer;
} example;

static const example examples[] = {
    {"a.c", true, false, NULL, NULL},
    {"-O2 -o program a.c b.o -lm", true, false, NULL, NULL},
    {"", false, false, NULL, NULL},
    {"-v", false, false, NULL, NULL},
    {"--version", false, false, NULL, NULL},
    {"-print-search-dirs", false, false, NULL, NULL},
    {"-dumpmachine", false, false, NULL, NULL},
    {"-c a.c", false, false, NULL, NULL},
    {"a.c -S", false, false, NULL, NULL},
    {"-E -", false, false, NULL, NULL},
    {"-M a.c", false, false, NULL, NULL},
    {"-MM a.c", false, false, NULL, NULL},
    {"-MD -MF a.d -MT a.o a.c", true, false, NULL, NULL},
    {"-fsyntax-only a.c", false, false, NULL, NULL},
    {"-r a.o b.o -o c.o", false, false, NULL, NULL},
    {"-x c -", true, false, NULL, NULL},
    {"-xc -", true, false, NULL, NULL},
    {"a.o", true, false, NULL, NULL},
    {"-lfoo", true, false, NULL, NULL},
    {"-shared -fPIC a.c -o liba.so", true, false, NULL, NULL},
    {"-static a.c", true, true, NULL, NULL},
    {"-static-pie a.c", true, true, NULL, NULL},
    {"-static-libgcc a.c", true, false, NULL, NULL},
    {"-nostdlib -nostartfiles a.S", true, false, NULL, NULL},
    {"a.h", false, false, NULL, NULL},
    {"-x c-header a", false, false, NULL, NULL},
    {"-xc++-header a", false, false, NULL, NULL},
    // Values of other options.
    {"-o -c a.c", true, false, NULL, NULL},
    {"-I folder -D name -include file", false, false, NULL, NULL},
    {"-Xlinker -r a.o", true, false, NULL, NULL},
    {"-o", false, false, NULL, NULL},
    {"-include a.h -v", false, false, NULL, NULL},
    // 32 bits.
    {"-m32 a.c", true, false, "-m32", NULL},
    {"-mx32 -c a.c", false, false, "-mx32", NULL},
    {"-m32 -m64 a.c", true, false, NULL, NULL},
    // Sanitizers.
    {"-fsanitize=address a.c", true, false, NULL, "address"},
    {"-fsanitize=undefined,address -c a.c", false, false, NULL, "address"},
    {"-fsanitize=thread -c a.c", false, false, NULL, "thread"},
    {"-fsanitize=leak a.c", true, false, NULL, "leak"},
    {"-fsanitize=undefined a.c", true, false, NULL, NULL},
    {"-fsanitize=address -fno-sanitize=address a.c", true, false, NULL, NULL},
    {"-fsanitize=address,thread -fno-sanitize=all a.c", true, false, NULL, NULL},
    {"-fno-sanitize=all -fsanitize=memory a.c", true, false, NULL, "memory"},
    {"-fsanitize=address-not a.c", true, false, NULL, NULL},
};

static void arguments_are_recognized(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const example *e = &examples[i];
        dj_words words = {0};
        assert_int_equal(dj_words_add_text(context, &words, e->arguments), DJ_OK);
        dj_compiler_arguments found =
            dj_compiler_arguments_scan((const char *const *)words.items, words.count);
        dj_words_free(&words);
        if (found.links != e->links || found.is_static != e->is_static)
            fail_msg("%s: links %d, static %d", e->arguments, found.links, found.is_static);
        assert_string_equal(found.narrow ? found.narrow : "", e->narrow ? e->narrow : "");
        assert_string_equal(found.sanitizer ? found.sanitizer : "", e->sanitizer ? e->sanitizer : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_recognized),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
