// SPDX-License-Identifier: MIT
// Detection of formats from content and name.
#include "support/reading.h"

#include "support/context.h"
#include "trace/registry.h"

// The name of the format, or "" if none fits.
static const char *detect(const char *text, const char *path)
{
    dj_head head = {(const uint8_t *)text, strlen(text), true, path};
    const dj_format *format = NULL;
    (void)dj_format_detect(context, &head, &format);
    return format ? format->info.name : "";
}

typedef struct sample {
    const char *text, *path, *format;
} sample;

static const sample samples[] = {
    {"1\n2\n3\n", "t", "text"},
    {"0x10\n0x20\n", "t", "text"},
    {"/index.html\n/a.png\n", "t", "text"},
    {"# comment\n1\n", "t.txt", "text"},
    {"1\n2\n*\n3\n", "t", "lirs"},
    {"1\n2\n", "lirs/sprite.trace", "lirs"},
    {"230027 8 0 0\n1842745 64 0 1\n", "t", "arc"},
    {"1 1 0 0\n2 1 0 0\n", "t", "arc"},
    {"1 0 68\n2 1 7454\n3 2 40773\n", "t", "webcachesim"},
    {"1 0 68\n1 1 7454\n", "t", "webcachesim"},
    {"1 0 68 5 6 7\n1 1 7454 9 8 7\n", "t", "webcachesim"},
    {"1 0 68 3\n2 1 7454 4\n2 8 1 0\n", "t", "webcachesim"},
    {"9 89618496\n3 89619008\n", "t", "ramulator"},
    {"0 9618752\n9 89528192 100\n3 89619008\n", "t", "ramulator"},
    {"9 89618496 1\n3 89619008 1\n", "t", "ramulator"}, // times never decrease
    {"0 7fff5a8\n2 400\n1 0\n", "t", "dinero"},
    {"0 100\n2 400\n", "t.din", "dinero"},
    {"0x7f00 R\n0x7f40 W\n", "t", "hexrw"},
    {"R 100\nW 200\n", "t", "hexrw"},
    {"l 0x1fffff58 1\ns 0x1fffff50 2\n", "t", "address"},
    {"==1== Lackey\nI  04016b90,3\n S 1ffeffe7e0,8\n", "t", "lackey"},
    {"11413000 0 657728 16 1\n11565000 1 31244784 64 0\n", "t", "ascii5"},
    {"3,R,8192,4096,1577808000000\n", "t.csv", "alibaba"},
    {"128166372003061629,hm,1,Read,383496192,32768,113736\n", "t.csv", "msr"},
    {"0,20941264,8192,W,0.551706\n", "t", "spc"},
    {"op_time,key,key_size,op,op_count,size\n1,a,1,GET,1,5\n", "t.csv", "cachelib-kv"},
    {"op_time,block_id,io_size,io_offset,op_name\n1,a,1,0,get\n", "t.csv", "cachelib-block"},
    {"version,time,op,size,lbn\n1,5,2a,512,3\n", "t.csv", "csv"},
    {"time;key\n1;a\n", "t", "csv"},
    {"{\"timestamp\": 0, \"hash_ids\": [0, 1]}\n", "t.jsonl", "mooncake"},
    // No format fits; it must not be read as one key per line.
    {"1,2,3\n4,5,6\n", "t", ""},
    {"Lorem ipsum dolor\nsit amet\n", "t", ""},
    {"==1== Lackey\n==1== bye\n", "t", ""},
    {"{\"timestamp\": 0}\n", "t", ""},
    {"\n\n", "t", ""},
};

// Files of Deja that are not traces.
static void others_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *verb;
    } files[] = {
        {"\x89"
         "DJP\r\n",
         "'deja report'"},
        {"{\"schema\": \"deja-profile\", \"version\": 1}\n", "'deja co-run'"},
        {" \n{ \"schema\":\"deja-profile\"}", "'deja mrc'"},
        {"\x89"
         "DSUM\r\n",
         "'deja join'"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        assert_string_equal(detect(files[i].text, "t"), "");
        assert_non_null(strstr(dj_context_message(context), files[i].verb));
        assert_null(strstr(dj_context_message(context), "no trace format fits"));
    }
}

static void formats_are_detected(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const char *found = detect(samples[i].text, samples[i].path);
        if (strcmp(found, samples[i].format) != 0)
            print_error("%s", samples[i].text);
        assert_string_equal(found, samples[i].format);
    }
}

// A head may end in the middle of a line; the rest is unknown.
static void an_incomplete_last_line_is_ignored(void **state)
{
    (void)state;
    static const char text[] = "l 0x1fffff58 1\ns 0x1ff";
    dj_head head = {(const uint8_t *)text, strlen(text), false, "t"};
    const dj_format *format = NULL;
    assert_int_equal(dj_format_detect(context, &head, &format), DJ_OK);
    assert_string_equal(format->info.name, "address");
    head.whole = true;
    assert_int_equal(dj_format_detect(context, &head, &format), DJ_ERR_INPUT);
    assert_null(format);
}

// Increasing keys look like the times, objects and next accesses of oracleGeneral. The name decides, and
// without a name nothing does.
static void increasing_keys_are_no_records(void **state)
{
    (void)state;
    enum { KEYS = 30, WIDTH = 8, FIRST = 5000 };
    uint8_t bytes[KEYS * WIDTH] = {0};
    const dj_format *format = NULL;
    for (unsigned i = 0; i < KEYS; i++) {
        bytes[i * WIDTH] = (uint8_t)(FIRST + i);
        bytes[i * WIDTH + 1] = (uint8_t)((FIRST + i) >> 8);
    }
    dj_head head = {bytes, sizeof bytes, true, "scan.u64le"};
    assert_int_equal(dj_format_detect(context, &head, &format), DJ_OK);
    assert_string_equal(format->info.name, "u64le");
    head.path = "scan";
    assert_int_equal(dj_format_detect(context, &head, &format), DJ_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_are_detected),
        cmocka_unit_test(others_are_named),
        cmocka_unit_test(an_incomplete_last_line_is_ignored),
        cmocka_unit_test(increasing_keys_are_no_records),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
