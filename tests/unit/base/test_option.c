// SPDX-License-Identifier: MIT
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/option/option.h"
#include "support/context.h"

typedef struct values {
    bool flag, quiet, on;
    uint64_t count;
    double share, part;
    const char *text, *perhaps;
    int color;
} values;

static const char *const colors[] = {"red", "green", NULL};

static const dj_option table[] = {
    {"flag", 'f', DJ_OPTION_FLAG, offsetof(values, flag), NULL, "a flag", NULL},
    {"quiet", 'q', DJ_OPTION_FLAG, offsetof(values, quiet), NULL, "another", NULL},
    {"no-on", 0, DJ_OPTION_UNFLAG, offsetof(values, on), NULL, "off", NULL},
    {"count", 'c', DJ_OPTION_UINT, offsetof(values, count), "N", "a number", NULL},
    {"share", 0, DJ_OPTION_REAL, offsetof(values, share), "R", "a share", NULL},
    {"part", 0, DJ_OPTION_SHARE, offsetof(values, part), "P", "a part", NULL},
    {"text", 't', DJ_OPTION_TEXT, offsetof(values, text), "WORD", "a text", NULL},
    {"perhaps", 0, DJ_OPTION_OPTIONAL, offsetof(values, perhaps), "N", "a value or none", NULL},
    {"color", 0, DJ_OPTION_CHOICE, offsetof(values, color), "NAME", "a colour", colors},
    {NULL, 0, 0, 0, NULL, NULL, NULL},
};

static values got, got_twin;
static const char *positional[16];
static size_t positional_count;

typedef int parser(dj_context *, const dj_option_group *, size_t, size_t, char *const *, const char **,
                   size_t *);

// Splits the line at blanks and parses it with two groups that share a table.
static int parse_by(parser *by, const char *line)
{
    static char copy[256];
    char *args[16];
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        args[count++] = word;
    got = got_twin = (values){.on = true};
    dj_option_group groups[] = {{"One", table, &got}, {"Two", table, &got_twin}};
    return by(context, groups, 2, count, args, positional, &positional_count);
}

static int parse(const char *line)
{
    return parse_by(dj_option_parse, line);
}

static void every_spelling_of_an_option_is_parsed(void **state)
{
    (void)state;
    assert_int_equal(parse("--flag --count 7 --share=0.5 --text word --color green --no-on"), DJ_OK);
    assert_true(got.flag && !got.on && !got.quiet);
    assert_int_equal(got.count, 7);
    assert_true(got.share == 0.5);
    assert_int_equal(parse("--part 0.1%"), DJ_OK);
    assert_true(got.part == 0.001);
    assert_int_equal(parse("--part=0.001"), DJ_OK);
    assert_true(got.part == 0.001 && got_twin.part == 0.001);
    assert_int_equal(parse("--flag --count 7 --share=0.5 --text word --color green --no-on"), DJ_OK);
    assert_string_equal(got.text, "word");
    assert_int_equal(got.color, 1);
    assert_int_equal(positional_count, 0);

    assert_int_equal(parse("-fqc0x1F -tword"), DJ_OK);
    assert_true(got.flag && got.quiet);
    assert_int_equal(got.count, 31);
    assert_string_equal(got.text, "word");
    assert_int_equal(parse("-c 8 -c 9"), DJ_OK);
    assert_int_equal(got.count, 9);
}

// The next word is no value: it may be the name of a file.
static void an_optional_value_follows_an_equals_sign(void **state)
{
    (void)state;
    assert_int_equal(parse("--flag 5"), DJ_OK);
    assert_null(got.perhaps);
    assert_int_equal(parse("--perhaps 5"), DJ_OK);
    assert_string_equal(got.perhaps, "");
    assert_int_equal(positional_count, 1);
    assert_int_equal(parse("--perhaps=5 a"), DJ_OK);
    assert_string_equal(got.perhaps, "5");
    assert_string_equal(got_twin.perhaps, "5");
    assert_int_equal(positional_count, 1);
}

static void a_name_in_two_groups_is_set_in_both(void **state)
{
    (void)state;
    assert_int_equal(parse("--count 3"), DJ_OK);
    assert_int_equal(got.count, 3);
    assert_int_equal(got_twin.count, 3);
}

static void arguments_are_kept_in_order(void **state)
{
    (void)state;
    assert_int_equal(parse("a --flag b - -- --count -x"), DJ_OK);
    const char *const expected[] = {"a", "b", "-", "--count", "-x"};
    assert_int_equal(positional_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(positional[i], expected[i]);
    assert_int_equal(got.count, 0);
}

static void values_may_begin_with_a_dash(void **state)
{
    (void)state;
    assert_int_equal(parse("--text -,key -t - --flag"), DJ_OK);
    assert_string_equal(got.text, "-");
    assert_true(got.flag);
}

static void options_after_the_program_belong_to_it(void **state)
{
    (void)state;
    assert_int_equal(parse_by(dj_option_parse_leading, "--count=7 --text -x -f --flag a -- b"), DJ_OK);
    assert_int_equal(got.count, 7);
    assert_string_equal(got.text, "-x");
    assert_false(got.flag);
    const char *const expected[] = {"-f", "--flag", "a", "--", "b"};
    assert_int_equal(positional_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(positional[i], expected[i]);
    // Similar options of other programs.
    assert_int_equal(parse_by(dj_option_parse_leading, "--flag=x --count 3"), DJ_OK);
    assert_int_equal(positional_count, 3);
    assert_int_equal(parse_by(dj_option_parse_leading, "--flags"), DJ_OK);
    assert_int_equal(positional_count, 1);
    assert_int_equal(parse_by(dj_option_parse_leading, "--flag --text"), DJ_ERR_USAGE);
    assert_int_equal(parse_by(dj_option_parse_leading, ""), DJ_OK);
    assert_int_equal(positional_count, 0);
}

static void refused(const char *line, const char *words)
{
    assert_int_equal(parse(line), DJ_ERR_USAGE);
    if (!strstr(dj_context_message(context), words))
        fail_msg("'%s' lacks '%s'", dj_context_message(context), words);
}

static void errors_suggest_a_remedy(void **state)
{
    (void)state;
    refused("--cuont 3", "did you mean --count?");
    refused("--colour green", "did you mean --color?");
    refused("--cou=3", "did you mean --count?");
    refused("--zzzzzzz", "unknown option --zzzzzzz");
    refused("-z", "unknown option -z");
    refused("-fz", "unknown option -z");
    refused("--count", "needs a value: --count N");
    refused("--text --flag", "needs a value: --text WORD");
    refused("--text --", "needs a value");
    refused("--flag=yes", "takes no value");
    refused("--count -1", "'-1' is not a whole number");
    refused("--count 18446744073709551616", "not a whole number");
    refused("--count 1x", "not a whole number");
    refused("--count=", "not a whole number");
    refused("--share x", "not a number");
    refused("--share nan", "not a number");
    refused("--part x", "not a share such as 0.05 or 5%");
    refused("--part -1", "not a share");
    refused("--part 101%", "not a share");
    refused("--part nan", "not a share");
    refused("--color blue", "not one of red, green");
}

static void nothing_is_suggested_without_a_similar_name(void **state)
{
    (void)state;
    assert_int_equal(parse("--zzzzzzz"), DJ_ERR_USAGE);
    assert_null(strstr(dj_context_message(context), "did you mean"));
    const char *const words[] = {"analyze", "stats", "mrc"};
    assert_string_equal(dj_nearest_word("analyse", words, 3), "analyze");
    assert_string_equal(dj_nearest_word("mcr", words, 3), "mrc");
    assert_null(dj_nearest_word("x", words, 3));
    assert_null(dj_nearest_word("", words, 3));
}

static void help_wraps_within_its_width(void **state)
{
    (void)state;
    static const dj_option long_table[] = {
        {"name", 'n', DJ_OPTION_TEXT, 0, "WORD", "one two three four five six seven eight nine ten eleven",
         NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL},
    };
    dj_option_group group = {"Group", long_table, NULL};
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    dj_option_print_help(file, &group, 1, DJ_PRINT_OTHER | DJ_PRINT_TITLES, 50);
    fclose(file);
    assert_string_equal(text, "\nGroup:\n"
                              "  -n, --name WORD         one two three four five\n"
                              "                          six seven eight nine ten\n"
                              "                          eleven\n");
    free(text);
}

static char *print(unsigned how)
{
    static const dj_option some[] = {
        {"often", 0, DJ_OPTION_CHOICE | DJ_OPTION_COMMON, 0, "NAME", "a colour. More about it", colors},
        {"seldom", 0, DJ_OPTION_TEXT | DJ_OPTION_FILE, 0, "FILE", "a file", NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL},
    };
    static const dj_option more[] = {
        {"flag", 0, DJ_OPTION_FLAG | DJ_OPTION_COMMON, 0, NULL, "a flag", NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL},
    };
    const dj_option_group groups[] = {{"Some", some, NULL}, {"More", more, NULL}};
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    dj_option_print_help(file, groups, 2, how, 80);
    fclose(file);
    return text;
}

static void help_prints_only_the_requested_options(void **state)
{
    (void)state;
    static const struct {
        unsigned how;
        const char *text;
    } cases[] = {
        {DJ_PRINT_COMMON | DJ_PRINT_BRIEF, "      --often NAME        a colour: red, green\n"
                                           "      --flag              a flag\n"},
        {DJ_PRINT_COMMON, "      --often NAME        a colour: red, green. More about it\n"
                          "      --flag              a flag\n"},
        {DJ_PRINT_OTHER | DJ_PRINT_TITLES, "\nSome:\n      --seldom FILE       a file\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = print(cases[i].how);
        assert_string_equal(text, cases[i].text);
        free(text);
    }
}

static void flags_do_not_change_the_type(void **state)
{
    (void)state;
    const dj_option list = {"by", 0,     DJ_OPTION_TEXT | DJ_OPTION_LIST | DJ_OPTION_COMMON, 0, "LIST",
                            "",   colors};
    assert_int_equal(dj_option_get_type(&list), DJ_OPTION_TEXT);
    assert_int_equal(dj_option_value_bytes(&list), sizeof(char *));
    assert_true(dj_option_takes_value(&list) && dj_option_is_common(&list));
}

static void roff_is_escaped(void **state)
{
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    dj_text_print_roff(file, ".dot --x a\\b\n\n'quote");
    fclose(file);
    assert_string_equal(text, "\\&.dot \\-\\-x a\\eb\n.PP\n\\&'quote\n");
    free(text);
}

static void a_separator_is_kept_among_the_arguments(void **state)
{
    (void)state;
    assert_int_equal(parse_by(dj_option_parse_separated, "a -f b -- -q -- c"), DJ_OK);
    assert_true(got.flag);
    assert_false(got.quiet);
    static const char *const expected[] = {"a", "b", "--", "-q", "--", "c"};
    assert_int_equal(positional_count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < positional_count; i++)
        assert_string_equal(positional[i], expected[i]);
    assert_int_equal(parse_by(dj_option_parse_separated, "a b"), DJ_OK);
    assert_int_equal(positional_count, 2);
    assert_int_equal(parse_by(dj_option_parse_separated, "--text --"), DJ_ERR_USAGE);
}

enum { MANY = 300 };

// The last of many is suggested like the first, and all choices are listed.
static void the_number_of_options_and_choices_is_unlimited(void **state)
{
    (void)state;
    static char names[MANY][32];
    static dj_option options[MANY + 1];
    static const char *choices[MANY + 1];
    int chosen = 0;
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "%c%c%c-chosen-%d", 'a' + i % 26, 'a' + i / 26, 'z' - i % 26, i);
        options[i] = (dj_option){names[i], 0, DJ_OPTION_CHOICE, 0, "NAME", "one of many", choices};
        choices[i] = names[i];
    }
    snprintf(names[MANY - 1], sizeof names[MANY - 1], "unmistakable");
    const dj_option_group group = {"Many", options, &chosen};
    char wrong[] = "--unmistakeable", right[] = "--unmistakable", unknown[] = "nothing of the kind";
    char *typo[] = {wrong}, *choice[] = {right, unknown};
    assert_int_equal(dj_option_parse(context, &group, 1, 1, typo, positional, &positional_count),
                     DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "did you mean --unmistakable?"));
    assert_int_equal(dj_option_parse(context, &group, 1, 2, choice, positional, &positional_count),
                     DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), names[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_separator_is_kept_among_the_arguments),
        cmocka_unit_test(every_spelling_of_an_option_is_parsed),
        cmocka_unit_test(an_optional_value_follows_an_equals_sign),
        cmocka_unit_test(a_name_in_two_groups_is_set_in_both),
        cmocka_unit_test(arguments_are_kept_in_order),
        cmocka_unit_test(values_may_begin_with_a_dash),
        cmocka_unit_test(options_after_the_program_belong_to_it),
        cmocka_unit_test(errors_suggest_a_remedy),
        cmocka_unit_test(nothing_is_suggested_without_a_similar_name),
        cmocka_unit_test(help_wraps_within_its_width),
        cmocka_unit_test(help_prints_only_the_requested_options),
        cmocka_unit_test(flags_do_not_change_the_type),
        cmocka_unit_test(roff_is_escaped),
        cmocka_unit_test(the_number_of_options_and_choices_is_unlimited),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
