// SPDX-License-Identifier: MIT
// JSON lines of a language-model server: accepts the same lines as a full JSON parser, and long lists
// continue across batches.
#include "support/reading.h"

#include <jansson.h>

#include "base/random.h"

// Writes a random JSON value, or occasionally something invalid.
static void write_value(FILE *out, dj_random *random, int depth)
{
    static const char *const scalars[] = {
        "0",    "-1",      "1.5",         "-0.25e-3",    "1E+9",        "true", "false", "null",
        "\"\"", "\"a b\"", "\"\\\"\\n\"", "\"\\u00e9\"", "01",          "1.",   ".5",    "+1",
        "tru",  "\"\\x\"", "-",           "1e",          "\"\\u12g4\"", "nan",  "'a'",   ""};
    enum { GOOD = 12, ALL = sizeof scalars / sizeof *scalars };
    uint64_t choice = dj_random_below(random, depth < 4 ? 10 : 8);
    if (choice < 8) {
        bool bad = dj_random_below(random, 12) == 0;
        uint64_t at = bad ? GOOD + dj_random_below(random, ALL - GOOD) : dj_random_below(random, GOOD);
        fputs(scalars[at], out);
        return;
    }
    uint64_t count = dj_random_below(random, 4);
    fputc(choice == 8 ? '[' : '{', out);
    for (uint64_t i = 0; i < count; i++) {
        if (choice == 9)
            fprintf(out, " \"k%d%" PRIu64 "\" :", depth, i);
        write_value(out, random, depth + 1);
        fputs(i + 1 < count ? " ," : "", out);
    }
    if (dj_random_below(random, 100) != 0)
        fputc(choice == 8 ? ']' : '}', out);
}

static void write_line(FILE *out, dj_random *random)
{
    uint64_t before = dj_random_below(random, 3), after = dj_random_below(random, 3);
    fputc('{', out);
    for (uint64_t i = 0; i < before; i++) {
        fprintf(out, "\"b%" PRIu64 "\": ", i);
        write_value(out, random, 0);
        fputs(", ", out);
    }
    fputs("\"hash_ids\": [1, 2 ,3]", out);
    for (uint64_t i = 0; i < after; i++) {
        fprintf(out, ", \"a%" PRIu64 "\": ", i);
        write_value(out, random, 0);
    }
    fputc('}', out);
}

static void exactly_valid_json_is_accepted(void **state)
{
    (void)state;
    dj_random random;
    unsigned good = 0, bad = 0;
    dj_random_seed(&random, 7);
    for (unsigned i = 0; i < 3000; i++) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&text, &bytes);
        write_line(out, &random);
        fclose(out);
        json_t *json = json_loadb(text, bytes, JSON_DECODE_INT_AS_REAL, NULL);
        reading *r = reading_text(text, "mooncake");
        if ((json != NULL) != (r->err == DJ_OK))
            print_error("%s: %s\n", text, r->message);
        assert_int_equal(r->err, json ? DJ_OK : DJ_ERR_INPUT);
        assert_string_equal(r->text, json ? "1 2 3" : "");
        good += json != NULL;
        bad += json == NULL;
        json_decref(json);
        free(r);
        free(text);
    }
    assert_true(good > 500 && bad > 500);
}

static void a_long_list_spans_batches(void **state)
{
    (void)state;
    enum { IDS = 3 * DJ_BATCH_CAPACITY + 5 };
    char *text = malloc(IDS * 12 + 100);
    size_t used = (size_t)sprintf(text, "{\"hash_ids\":[7]}\n{\"hash_ids\":[");
    for (unsigned i = 0; i < IDS; i++)
        used += (size_t)sprintf(text + used, "%s%u", i ? ", " : "", i);
    used += (size_t)sprintf(text + used, "], \"x\": 1}\n{\"hash_ids\":[8]}\n");
    dj_context *context = NULL;
    dj_source *source = NULL;
    dj_batch *batch = NULL;
    uint64_t at = 0;
    assert_int_equal(dj_context_create(&context), DJ_OK);
    assert_int_equal(
        dj_source_open_memory(context, text, used, "t", &(dj_source_options){.format = "mooncake"}, &source),
        DJ_OK);
    while (dj_source_next(source, context, &batch) == DJ_OK && batch) {
        for (uint32_t i = 0; i < batch->count; i++, at++)
            assert_int_equal(batch->column.address[i], at == 0 ? 7 : at == IDS + 1 ? 8 : at - 1);
        dj_batch_release(batch);
    }
    assert_int_equal(at, IDS + 2);
    dj_source_close(source);
    dj_context_destroy(context);
    free(text);
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    char text[1024];
    for (int depth = 60; depth < 70; depth++) {
        size_t used = (size_t)sprintf(text, "{\"a\":");
        for (int i = 0; i < depth; i++)
            text[used++] = '[';
        text[used++] = '1';
        for (int i = 0; i < depth; i++)
            text[used++] = ']';
        sprintf(text + used, ",\"hash_ids\":[5]}");
        reading *r = reading_text(text, "mooncake");
        assert_int_equal(r->err, depth <= 64 ? DJ_OK : DJ_ERR_INPUT);
        free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exactly_valid_json_is_accepted),
        cmocka_unit_test(a_long_list_spans_batches),
        cmocka_unit_test(nesting_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
