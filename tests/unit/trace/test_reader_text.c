// SPDX-License-Identifier: MIT
// One key per line: the fast path for plain numbers, and everything else.
#include "support/reading.h"

#include <unistd.h>
#include <xxhash.h>

#include "base/random.h"

static void expect(const char *text, const char *expected)
{
    reading *r = reading_text(text, "text");
    assert_string_equal(r->text, expected);
    assert_int_equal(r->err, DJ_OK);
    free(r);
}

static void numbers_are_keys(void **state)
{
    (void)state;
    expect("0\n1\n10\n", "0 1 a");
    expect("0x1F\n0Xab\n  12\t\n007\n", "1f ab c 7");
    expect("18446744073709551615\n0xffffffffffffffff\n", "ffffffffffffffff ffffffffffffffff");
    expect("00000000000000000000000000000005\n", "5");
    expect("\n \n\r\n# a comment\n#\n1\n\n", "1");
    expect("\xef\xbb\xbf"
           "3\n",
           "3");
    expect("1", "1");
}

static void hashed(const char *line, const char *key)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%" PRIx64, (uint64_t)XXH3_64bits(key, strlen(key)));
    expect(line, expected);
}

static void words_are_hashed(void **state)
{
    (void)state;
    hashed("word\n", "word");
    hashed("  two words \r\n", "two words");
    hashed("#tag\n", "#tag");
    hashed("-5\n", "-5");
    hashed("12ab\n", "12ab");
    hashed("0x\n", "0x");
    hashed("0xfg\n", "0xfg");
    hashed("1.5\n", "1.5");
    hashed("1 2\n", "1 2");
    hashed("\xc3\xa9t\xc3\xa9", "\xc3\xa9t\xc3\xa9");
}

// Numbers of every length at every position of a buffer, some with CR, leading blanks or 0x between them,
// compared with what was written.
static void numbers_of_all_lengths_are_read(void **state)
{
    (void)state;
    enum { LINES = 200000 };
    uint64_t *keys = malloc(LINES * sizeof *keys);
    char *text = malloc(LINES * 32);
    size_t used = 0;
    dj_random random;
    dj_random_seed(&random, 1);
    for (size_t i = 0; i < LINES; i++) {
        static const char *const shapes[] = {"%" PRIu64 "\n",   "%" PRIu64 "\n",  "%" PRIu64 "\n",
                                             "%" PRIu64 "\r\n", " %" PRIu64 "\n", "0x%" PRIx64 "\n"};
        unsigned bits = (unsigned)dj_random_below(&random, 65);
        keys[i] = bits ? dj_random_next(&random) >> (64 - bits) : 0;
        size_t shape = i < LINES / 2 ? 0 : (size_t)dj_random_below(&random, sizeof shapes / sizeof *shapes);
        used += (size_t)sprintf(text + used, shapes[shape], keys[i]); // NOLINT: the shapes are above
    }
    dj_context *context = NULL;
    dj_source *source = NULL;
    dj_batch *batch = NULL;
    uint64_t at = 0;
    assert_int_equal(dj_context_create(&context), DJ_OK);
    assert_int_equal(
        dj_source_open_memory(context, text, used, "t", &(dj_source_options){.format = "text"}, &source),
        DJ_OK);
    while (dj_source_next(source, context, &batch) == DJ_OK && batch) {
        assert_int_equal(batch->first, at);
        for (uint32_t i = 0; i < batch->count; i++)
            assert_int_equal(batch->column.address[i], keys[at++]);
        dj_batch_release(batch);
    }
    assert_int_equal(at, LINES);
    dj_source_close(source);
    dj_context_destroy(context);
    free(text);
    free(keys);
}

// The fast path must not read past the last byte, nor count lines wrongly.
static void errors_name_the_line(void **state)
{
    (void)state;
    char text[4096];
    size_t used = 0;
    for (unsigned i = 0; i < 300; i++)
        used += (size_t)sprintf(text + used, i % 7 == 3 ? "\n" : i % 5 ? "123456789\n" : "x\n");
    sprintf(text + used, "99999999999999999999\n1\n");
    reading *r = reading_text(text, "text");
    char place[64];
    snprintf(place, sizeof place, "t:301 (byte %zu): ", used);
    assert_int_equal(r->err, DJ_ERR_INPUT);
    assert_memory_equal(r->message, place, strlen(place));
    free(r);
}

static void text_cut_anywhere_keeps_its_lines(void **state)
{
    (void)state;
    static const char text[] = "12345678\n123456781234567\n1\n12\r\n1234567812345678\n";
    for (size_t bytes = 1; bytes < sizeof text; bytes++) {
        char *cut = malloc(bytes); // so that a sanitizer detects reading one byte too many
        memcpy(cut, text, bytes);
        uint64_t lines = 0;
        for (size_t i = 0; i < bytes; i++)
            lines += (i == 0 || cut[i - 1] == '\n') && cut[i] != '\n';
        reading *r = reading_bytes(cut, bytes, &(dj_source_options){.format = "text"});
        assert_int_equal(r->err, DJ_OK);
        assert_int_equal(r->accesses, lines);
        free(r);
        free(cut);
    }
}

// Several files are one trace; each has its own line numbers.
static void several_files_are_read_as_one(void **state)
{
    (void)state;
    char a[] = "/tmp/deja-text-XXXXXX", b[] = "/tmp/deja-text-XXXXXX";
    int fa = mkstemp(a), fb = mkstemp(b);
    assert_int_equal(write(fa, "1\n2", 3), 3);
    assert_int_equal(write(fb, "3\n99999999999999999999\n", 23), 23);
    dj_context *context = NULL;
    dj_source *source = NULL;
    dj_batch *batch = NULL;
    uint64_t keys = 0;
    const char *paths[] = {a, b};
    int err;
    assert_int_equal(dj_context_create(&context), DJ_OK);
    assert_int_equal(dj_source_open(context, paths, 2, &(dj_source_options){.format = "text"}, &source),
                     DJ_OK);
    while ((err = dj_source_next(source, context, &batch)) == DJ_OK && batch) {
        for (uint32_t i = 0; i < batch->count; i++)
            keys = keys * 10 + batch->column.address[i];
        dj_batch_release(batch);
    }
    assert_int_equal(err, DJ_ERR_INPUT);
    assert_int_equal(keys, 123);
    assert_non_null(strstr(dj_context_message(context), ":2 (byte 2): "));
    assert_memory_equal(dj_context_message(context), b, strlen(b));
    dj_source_close(source);
    dj_context_destroy(context);
    close(fa);
    close(fb);
    unlink(a);
    unlink(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_keys),
        cmocka_unit_test(words_are_hashed),
        cmocka_unit_test(numbers_of_all_lengths_are_read),
        cmocka_unit_test(errors_name_the_line),
        cmocka_unit_test(text_cut_anywhere_keeps_its_lines),
        cmocka_unit_test(several_files_are_read_as_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
