// SPDX-License-Identifier: MIT
// The test vectors of RFC 4648, and texts longer than the buffer.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/base64.h"

static char *encode(const char *bytes, size_t count)
{
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    dj_base64_write(file, bytes, count);
    fclose(file);
    return text;
}

static void test_vectors(void **state)
{
    (void)state;
    static const char *const vectors[][2] = {{"", ""},
                                             {"f", "Zg=="},
                                             {"fo", "Zm8="},
                                             {"foo", "Zm9v"},
                                             {"foob", "Zm9vYg=="},
                                             {"fooba", "Zm9vYmE="},
                                             {"foobar", "Zm9vYmFy"},
                                             {"\xfb\xff\xbf", "+/+/"}};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        char *text = encode(vectors[i][0], strlen(vectors[i][0]));
        assert_string_equal(text, vectors[i][1]);
        free(text);
    }
}

// Three zero bytes are AAAA.
static void test_long_texts(void **state)
{
    (void)state;
    for (size_t triples = 1000; triples < 1100; triples++) {
        char *zeros = calloc(triples, 3), *text = encode(zeros, 3 * triples);
        assert_int_equal(strlen(text), 4 * triples);
        assert_int_equal(strspn(text, "A"), 4 * triples);
        free(text);
        free(zeros);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors), cmocka_unit_test(test_long_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
