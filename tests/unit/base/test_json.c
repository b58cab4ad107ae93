// SPDX-License-Identifier: MIT
#include "unit/lane.h"

#include <float.h>
#include <jansson.h>
#include <math.h>

#include "base/json/reader.h"
#include "base/json/writer.h"

// The output, as an independent reader sees it.
static json_t *write_and_parse(void (*write)(dj_json_writer *json))
{
    char *text = NULL;
    size_t bytes = 0;
    dj_json_writer json = {.out = open_memstream(&text, &bytes)};
    assert_non_null(json.out);
    dj_json_begin_object(&json, NULL);
    write(&json);
    dj_json_end_object(&json);
    dj_json_finish(&json);
    fclose(json.out);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("%s in:\n%s", error.text, text);
    free(text);
    return root;
}

static void write_all(dj_json_writer *json)
{
    dj_json_text(json, "text", "a\"b\\c\n\x01\x7f \xc3\xa9 \xf0\x9f\x98\x80");
    dj_json_text(json, "broken", "x\xff\xc3y\xed\xa0\x80");
    dj_json_uint(json, "zero", 0);
    dj_json_uint(json, "most", INT64_MAX);
    dj_json_uint(json, "more", UINT64_C(1) << 63);
    dj_json_uint(json, "all", UINT64_MAX);
    dj_json_int(json, "least", INT64_MIN);
    dj_json_real(json, "third", 1.0 / 3);
    dj_json_real(json, "tiny", DBL_MIN);
    dj_json_real(json, "nan", NAN);
    dj_json_bool(json, "yes", true);
    dj_json_null(json, "nothing");
    dj_json_hex(json, "hex", 0xabc);
    dj_json_begin_list(json, "empty");
    dj_json_end_list(json);
    dj_json_begin_list(json, "rows");
    for (uint64_t i = 0; i < 3; i++) {
        dj_json_begin_row(json, NULL);
        dj_json_uint(json, "i", i);
        dj_json_begin_list(json, "inner");
        dj_json_uint(json, NULL, 10 * i);
        dj_json_uint(json, NULL, 10 * i + 1);
        dj_json_end_list(json);
        dj_json_end_object(json);
    }
    dj_json_end_list(json);
}

static void written_json_is_valid(void **state)
{
    (void)state;
    json_t *root = write_and_parse(write_all);
    assert_string_equal(json_string_value(json_object_get(root, "text")),
                        "a\"b\\c\n\x01\x7f \xc3\xa9 \xf0\x9f\x98\x80");
    assert_string_equal(json_string_value(json_object_get(root, "broken")),
                        "x\xef\xbf\xbd\xef\xbf\xbdy\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    assert_true(json_is_integer(json_object_get(root, "zero")));
    assert_true(json_integer_value(json_object_get(root, "most")) == INT64_MAX);
    assert_true(json_integer_value(json_object_get(root, "least")) == INT64_MIN);
    assert_string_equal(json_string_value(json_object_get(root, "more")), "9223372036854775808");
    assert_string_equal(json_string_value(json_object_get(root, "all")), "18446744073709551615");
    assert_true(json_number_value(json_object_get(root, "third")) == 1.0 / 3);
    assert_true(json_number_value(json_object_get(root, "tiny")) == DBL_MIN);
    assert_true(json_is_null(json_object_get(root, "nan")));
    assert_true(json_is_true(json_object_get(root, "yes")));
    assert_true(json_is_null(json_object_get(root, "nothing")));
    assert_string_equal(json_string_value(json_object_get(root, "hex")), "0000000000000abc");
    assert_int_equal(json_array_size(json_object_get(root, "empty")), 0);
    json_t *row = json_array_get(json_object_get(root, "rows"), 2);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(row, "inner"), 1)), 21);
    json_decref(root);
}

typedef struct values {
    int64_t side;
    uint64_t number, hex, sum;
    double real;
    bool flag;
    char *text;
} values;

static int add(dj_json_reader *reader, void *target)
{
    uint64_t value = 0;
    int err = dj_json_read_uint(reader, &value);
    ((values *)target)->sum += value;
    return err;
}

static int add_all(dj_json_reader *reader, void *value)
{
    return dj_json_read_list(reader, add, value);
}

static int read_side(dj_json_reader *reader, void *value)
{
    return dj_json_read_int(reader, &((values *)value)->side);
}

static const dj_json_field fields[] = {
    {.name = "number", .type = DJ_JSON_UINT, .required = true, .offset = offsetof(values, number)},
    {.name = "hex", .type = DJ_JSON_HEX, .offset = offsetof(values, hex)},
    {.name = "real", .type = DJ_JSON_REAL, .offset = offsetof(values, real)},
    {.name = "flag", .type = DJ_JSON_BOOL, .offset = offsetof(values, flag)},
    {.name = "text", .type = DJ_JSON_TEXT, .offset = offsetof(values, text)},
    {.name = "side", .type = DJ_JSON_CALL, .call = read_side},
    {.name = "list", .type = DJ_JSON_CALL, .call = add_all},
    {.name = NULL},
};

static int read_values(dj_context *context, const char *text, values *out)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    dj_json_reader *reader = NULL;
    assert_non_null(in);
    assert_int_equal(dj_json_reader_create(context, in, "t.json", &reader), DJ_OK);
    int err = dj_json_read_object(reader, fields, out, NULL);
    if (err == DJ_OK)
        err = dj_json_expect_end(reader);
    dj_json_reader_destroy(reader);
    fclose(in);
    return err;
}

static void valid_json_is_read(void **state)
{
    (void)state;
    dj_context *context = make_context();
    values found = {0};
    const char *text = " {\"number\": \"18446744073709551615\", \"hex\":\"00ff\",\"real\":-1.5e3,\n"
                       "\"flag\" : true , \"unknown\":{\"a\":[1,{},[],null,false,\"x\"]}, \"text\":"
                       "\"\\u00e9\\ud83d\\ude00\\n\\/\\\\\", \"list\":[1, 2,3 ] }\n";
    assert_int_equal(read_values(context, text, &found), DJ_OK);
    assert_true(found.number == UINT64_MAX);
    assert_int_equal(found.hex, 255);
    assert_true(found.real == -1500);
    assert_true(found.flag);
    assert_int_equal(found.sum, 6);
    assert_string_equal(found.text, "\xc3\xa9\xf0\x9f\x98\x80\n/\\");
    free(found.text);
    found = (values){0};
    assert_int_equal(read_values(context, "{\"number\":7,\"text\":\"\"}", &found), DJ_OK);
    assert_string_equal(found.text, "");
    free(found.text);
    dj_context_destroy(context);
}

static void negative_numbers_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } known[] = {{"{\"number\":0,\"side\":-9223372036854775808}", INT64_MIN},
                 {"{\"number\":0,\"side\":9223372036854775807}", INT64_MAX},
                 {"{\"number\":0,\"side\":-8}", -8},
                 {"{\"number\":0,\"side\":-0}", 0}};
    dj_context *context = make_context();
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        values found = {.side = 1};
        assert_int_equal(read_values(context, known[i].text, &found), DJ_OK);
        assert_true(found.side == known[i].value);
    }
    dj_context_destroy(context);
}

static void invalid_json_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "x",
        "[",
        "{",
        "{}",
        "{\"number\"}",
        "{\"number\":}",
        "{\"number\":1",
        "{\"number\":1}}",
        "{\"number\":-1}",
        "{\"number\":1.5}",
        "{\"number\":18446744073709551616}",
        "{\"number\":\"1x\"}",
        "{\"number\":\"\"}",
        "{\"number\":1,}",
        "{\"number\":1 \"hex\":\"1\"}",
        "{\"number\":1,\"number\":2}",
        "{\"number\":1,\"hex\":\"11111111111111111\"}",
        "{\"number\":1,\"hex\":\"g\"}",
        "{\"number\":1,\"flag\":maybe}",
        "{\"number\":1,\"flag\":trux}",
        "{\"number\":1,\"text\":\"\\x\"}",
        "{\"number\":1,\"text\":\"\\u12\"}",
        "{\"number\":1,\"text\":\"\\ud800\"}",
        "{\"number\":1,\"text\":\"\\u0000\"}",
        "{\"number\":1,\"text\":\"a\nb\"}",
        "{\"number\":1,\"text\":\"a",
        "{\"number\":1,\"list\":[1,]}",
        "{\"number\":1,\"list\":{}}",
        "{\"number\":1,\"real\":1.2.3}",
        "{\"number\":1,\"other\":nul}",
        "{\"number\":1,\"side\":-}",
        "{\"number\":1,\"side\":--1}",
        "{\"number\":1,\"side\":-1.5}",
        "{\"number\":1,\"side\":\"-1\"}",
        "{\"number\":1,\"side\":9223372036854775808}",
        "{\"number\":1,\"side\":-9223372036854775809}",
        "{1:2}",
    };
    dj_context *context = make_context();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        values found = {0};
        if (read_values(context, bad[i], &found) != DJ_ERR_INPUT)
            fail_msg("accepted: %s", bad[i]);
        assert_int_equal(strncmp(dj_context_message(context), "t.json:", 7), 0);
        free(found.text);
    }
    values found = {0};
    assert_int_equal(read_values(context, "{\n\"number\":1,\n\"flag\": 3}", &found), DJ_ERR_INPUT);
    assert_string_equal(dj_context_message(context), "t.json:3: expected true or false, found '3'");
    dj_context_destroy(context);
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    enum { LEVELS = 100000 };
    char *text = malloc(LEVELS + 32);
    assert_non_null(text);
    memcpy(text, "{\"x\":", 5);
    memset(text + 5, '[', LEVELS);
    text[LEVELS + 5] = 0;
    dj_context *context = make_context();
    values found = {0};
    assert_int_equal(read_values(context, text, &found), DJ_ERR_INPUT);
    free(text);
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_json_is_valid),     cmocka_unit_test(valid_json_is_read),
        cmocka_unit_test(negative_numbers_are_read), cmocka_unit_test(invalid_json_is_refused),
        cmocka_unit_test(nesting_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
