// SPDX-License-Identifier: MIT
// Bad lines of the text formats: the message names the trace, the line, the byte where it begins, what was
// expected and what was found; all accesses before it are kept.
#include "support/reading.h"

typedef struct bad {
    const char *format;
    const char *good;  // comes first, and is read
    uint64_t accesses; // that `good` contains
    const char *bad;
    const char *expected; // part of the message
} bad;

#define KV "op_time,key,key_size,op,op_count,size\n"
#define BLOCK "block_id,io_size,io_offset,op_name,rs_shard_id\n"
#define TOO_BIG "18446744073709551616" // 2^64

static const bad cases[] = {
    {"text", "1\n", 1, TOO_BIG, "a number below 2^64, found \"18446744073709551616\""},
    {"text", "1\n2\n", 2, "0x10000000000000000", "a number below 2^64"},
    {"text", "word\n", 1, "a\001b", "without control characters, found \"a\\x01b\""},
    {"alibaba", "1,R,0,1,2\n", 1, "x,R,0,1,2", "a device number below 2^32 and a comma, found \"x,R,0,1,2\""},
    {"alibaba", "1,R,0,1,2\n", 1, "4294967296,R,0,1,2", "a device number below 2^32"},
    {"alibaba", "1,R,0,1,2\n", 1, "1,X,0,1,2", "R or W, found \"X,0,1,2\""},
    {"alibaba", "1,R,0,1,2\n", 1, "1,R", "an offset in bytes below 2^64, found the end of the line"},
    {"alibaba", "1,R,0,1,2\n", 1, "1,R,-1,1,2", "an offset in bytes below 2^64, found \"-1,1,2\""},
    {"alibaba", "1,R,0,1,2\n", 1, "1,R,0,-1,2", "a length in bytes below 2^64, found \"-1,2\""},
    {"alibaba", "1,R,0,1,2\n", 1, "1,R,0," TOO_BIG ",2", "a length in bytes below 2^64"},
    {"alibaba", "1,R,0,1,2\n", 1, "1,R,18446744073709551615,2,2", "an access that ends below 2^64"},
    {"alibaba", "1,R,0,1,2\n", 1, "1,R,0,1,", "a time stamp, found the end of the line"},
    {"alibaba", "1,R,0,1,2\n", 1, "1,R,0,1,2,3", "the end of the line, found \",3\""},
    {"msr", "1,h,0,Read,0,1,2\n", 1, ",h,0,Read,0,1,2", "a time stamp and a comma"},
    {"msr", "1,h,0,Read,0,1,2\n", 1, "1,,0,Read,0,1,2", "a host name, found \",0,Read,0,1,2\""},
    {"msr", "1,h,0,Read,0,1,2\n", 1, "1,h,x,Read,0,1,2", "a disk number below 2^32"},
    {"msr", "1,h,0,Read,0,1,2\n", 1, "1,h,0,Flush,0,1,2", "Read or Write, found \"Flush,0,1,2\""},
    {"msr", "1,h,0,Read,0,1,2\n", 1, "1,h,0,Read,x,1,2", "an offset in bytes"},
    {"msr", "1,h,0,Read,0,1,2\n", 1, "1,h,0,Read,0,x,2", "a size in bytes"},
    {"msr", "1,h,0,Read,0,1,2\n", 1, "1,h,0,Read,2,18446744073709551615,2", "an access that ends below 2^64"},
    {"msr", "1,h,0,Read,0,1,2\n", 1, "1,h,0,Read,0,1", "a response time"},
    {"msr", "1,h,0,Read,0,1,2\n", 1, "1,h,0,Read,0,1,2,3", "the end of the line"},
    {"spc", "0,1,512,R,0\n", 1, "0,36028797018963968,512,R,0", "a block address (LBA) below 2^55"},
    {"spc", "0,1,512,R,0\n", 1, "0,36028797018963967,513,R,0", "an access that ends below 2^64"},
    {"spc", "0,1,512,R,0\n", 1, "0,1,512,Q,0", "R or W"},
    {"spc", "0,1,512,R,0\n", 1, "0,1,512,R", "a time stamp"},
    {"spc", "0,1,512,R,0\n", 1, "0,1,512,R,0 x", "a comma or the end of the line"},
    {"ascii5", "1 0 1 1 1\n", 1, "1 0 1 1 2", "1 (read) or 0 (write)"},
    {"ascii5", "1 0 1 1 1\n", 1, "1 0 1 36028797018963968 1", "a number of sectors below 2^55"},
    {"ascii5", "1 0 1 1 1\n", 1, "1 0 1 1", "a number of sectors"},
    {"ascii5", "1 0 1 1 1\n", 1, "1 0 1 1 1 1", "the end of the line"},
    {"arc", "1 1 0 0\n", 1, "1 1 0", "a third number"},
    {"arc", "1 1 0 0\n", 1, "1 1 0 0 0", "the end of the line"},
    {"arc", "1 1 0 0\n", 1, "18446744073709551615 2 0 0", "an access that ends below 2^64"},
    {"arc", "1 1 0 0\n", 1, "1 -1 0 0", "a number of blocks below 2^64, found \"-1 0 0\""},
    {"webcachesim", "1 1 1\n", 1, "1 1", "a decimal id below 2^64"},
    {"webcachesim", "1 1 1\n", 1, "1 1 -1", "a size below 2^64"},
    {"webcachesim", "1 1 1\n", 1, "1 1 1x", "a size below 2^64"},
    {"webcachesim", "1 1 1\n", 1, "one 1 1", "a time"},
    {"ramulator", "1 1 1\n", 2, "1", "a number of bubbles"},
    {"ramulator", "1 1 1\n", 2, "1 x", "a read address"},
    {"ramulator", "1 1 1\n", 2, "1 1 x", "a write address"},
    {"ramulator", "1 1 1\n", 2, "1 1 1 1", "the end of the line"},
    {"address", "l 0x1 1\n", 1, "x 0x1 1", "l (load) or s (store)"},
    {"address", "l 0x1 1\n", 1, "l 0x10000000000000000 1", "a hexadecimal address below 2^64"},
    {"address", "l 0x1 1\n", 1, "l 0x1", "a hexadecimal address below 2^64"},
    {"address", "l 0x1 1\n", 1, "l 0x1 1 1", "the end of the line"},
    {"hexrw", "1 R\n", 1, "1 1", "R or W before or after the address"},
    {"hexrw", "1 R\n", 1, "R W", "a hexadecimal address below 2^64, found \"W\""},
    {"hexrw", "1 R\n", 1, "R", "a hexadecimal address below 2^64, found the end of the line"},
    {"hexrw", "1 R\n", 1, "R 1g", "a hexadecimal address"},
    {"hexrw", "1 R\n", 1, "R 1 1", "the end of the line"},
    {"dinero", "0 1\n", 1, "5 1", "a label from 0 to 4"},
    {"dinero", "0 1\n", 1, "0 x", "a hexadecimal address"},
    {"lirs", "0\n*\n", 1, "x", "a block number below 2^64, or *"},
    {"lirs", "0\n", 1, "1 2", "the end of the line, found \"2\""},
    {"lackey", " L 1,1\n", 1, " X 1,1", "I, L, S, M or a Valgrind message"},
    {"lackey", " L 1,1\n", 1, "L", "a hexadecimal address"},
    {"lackey", " L 1,1\n", 1, " L 1", "a hexadecimal address below 2^64 and a comma"},
    {"lackey", " L 1,1\n", 1, " L 1,x", "a size below 2^64"},
    {"lackey", " L 1,1\n", 1, " L 1,1 x", "the end of the line"},
    {"lackey", " L 1,1\n", 1, " L ffffffffffffffff,2", "an access that ends below 2^64"},
    {"cachelib-kv", "", 0, "1,2,3", "a header with the columns key, op, size and op_count"},
    {"cachelib-kv", KV "1,a,1,GET,1,5\n", 1, "1,a,1,GET,1", "more columns, found the end of the line"},
    {"cachelib-kv", KV "1,a,1,GET,1,5\n", 1, "1,,1,GET,1,5", "a key"},
    {"cachelib-kv", KV "1,a,1,GET,1,5\n", 1, "1,a,1,GET,0,5", "an op_count from 1 to 2^32 - 1"},
    {"cachelib-kv", KV "1,a,1,GET,1,5\n", 1, "1,a,1,GET,4294967296,5", "an op_count from 1 to 2^32 - 1"},
    {"cachelib-kv", KV "1,a,1,GET,1,5\n", 1, "1,a,1,GET,1,-5", "a size below 2^64"},
    {"cachelib-block", BLOCK "a,1,0,get,0\n", 1, ",1,0,get,0", "a block id"},
    {"cachelib-block", BLOCK "a,1,0,get,0\n", 1, "a,x,0,get,0", "a size in bytes"},
    {"cachelib-block", BLOCK "a,1,0,get,0\n", 1, "a,1,x,get,0", "an offset in bytes"},
    {"cachelib-block", BLOCK "a,1,0,get,0\n", 1, "a,1,0,get,x", "a shard number"},
    {"cachelib-block", BLOCK "a,1,0,get,0\n", 1, "a,2,18446744073709551615,get,0", "ends below 2^64"},
    {"cachelib-block", "", 0, "block_id,io_size", "a header with the columns"},
    {"mooncake", "{\"hash_ids\":[1]}\n", 1, "[1]", "a JSON object"},
    {"csv", "key,size\nk,1\n", 1, "a\001b,1", "without control characters, found \"a\\x01b,1\""},
    {"cachelib-kv", KV "1,k,1,GET,1,0\n", 1, "1,k\033[2J,1,GET,1,0", "without control characters"},
    {"mooncake", "{\"hash_ids\":[1]}\n", 1, "{\"a\":1}", "a member hash_ids"},
    {"mooncake", "{\"hash_ids\":[1]}\n", 1, "{\"Hash_ids\":[1]}", "a member hash_ids"},
    {"mooncake", "{\"hash_ids\":[1]}\n", 1, "{\"hash_ids\":[1],\"hash_ids\":[1]}",
     "only one member hash_ids"},
    {"mooncake", "{\"hash_ids\":[1]}\n", 1, "{\"hash_ids\":[-1]}",
     "a list of integers from 0 to 2^64 - 1, found \"-1]}\""},
    {"mooncake", "{\"hash_ids\":[1]}\n", 1, "{\"hash_ids\":[1.5]}", "a list of integers"},
    {"mooncake", "{\"hash_ids\":[1]}\n", 1, "{\"hash_ids\":[" TOO_BIG "]}", "a list of integers"},
    {"mooncake", "{\"hash_ids\":[1]}\n", 1, "{\"hash_ids\":[2,3}", "a list of integers"},
    {"mooncake", "{\"hash_ids\":[1]}\n", 1, "{\"hash_ids\":[2],\"a\":nul}", "a JSON value"},
    {"mooncake", "{\"hash_ids\":[1]}\n", 1, "{\"hash_ids\":[2]} x", "at the end of the line"},
    {"mooncake", "{\"hash_ids\":[1]}\n", 1, "{\"hash_ids\":[2]", "at the end of the line"},
};

static void check(const bad *b, const char *after)
{
    char text[4096], place[64];
    unsigned line = 1;
    snprintf(text, sizeof text, "%s%s%s", b->good, b->bad, after);
    for (const char *at = b->good; *at; at++)
        line += *at == '\n';
    reading *r = reading_text(text, b->format);
    snprintf(place, sizeof place, "t:%u (byte %zu): expected ", line, strlen(b->good));
    if (r->err != DJ_ERR_INPUT || !strstr(r->message, b->expected) ||
        strncmp(r->message, place, strlen(place)) != 0)
        print_error("%s, '%s': %d '%s', not '%s…%s'\n", b->format, b->bad, r->err, r->message, place,
                    b->expected);
    assert_int_equal(r->err, DJ_ERR_INPUT);
    assert_non_null(strstr(r->message, b->expected));
    assert_memory_equal(r->message, place, strlen(place));
    assert_int_equal(r->accesses, b->accesses);
    free(r);
}

static void bad_lines_are_reported(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check(&cases[i], "");
        check(&cases[i], "\r\n");
        check(&cases[i], "\nmore lines\n");
    }
}

static void refuses_binary(const dj_source_options *options)
{
    static const uint8_t data[64] = {0xf4, 0, 0,    0x80, 0, 2, 0, 0,    1,    0,
                                     0,    0, 0x2a, 0,    0, 1, 9, 0x1a, 0x8f, 2};
    reading *r = reading_bytes(data, sizeof data, options);
    if (r->err != DJ_ERR_INPUT)
        print_error("%s: %d\n", options->format, r->err);
    assert_int_equal(r->err, DJ_ERR_INPUT);
    assert_int_equal(r->accesses, 0);
    free(r);
}

// Binary data is refused at its first line, for every format.
static void binary_data_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < dj_format_count(); i++) {
        dj_format_info info;
        assert_int_equal(dj_format_get(i, &info), DJ_OK);
        if (!info.binary)
            refuses_binary(&(dj_source_options){.format = info.name});
    }
    refuses_binary(&(dj_source_options){.format = "csv", .columns = "address"});
    refuses_binary(&(dj_source_options){.format = "csv", .columns = "key"});
    refuses_binary(&(dj_source_options){.format = "csv", .columns = "key", .header = true});
}

static void a_line_over_the_limit_is_refused(void **state)
{
    (void)state;
    size_t bytes = (4u << 20) + 2;
    char *text = malloc(bytes);
    memset(text, '1', bytes);
    text[0] = '7';
    text[1] = '\n';
    for (size_t i = 0; i < dj_format_count(); i++) {
        dj_format_info info;
        assert_int_equal(dj_format_get(i, &info), DJ_OK);
        if (info.binary)
            continue;
        dj_source_options options = {.format = info.name, .columns = strcmp(info.name, "csv") ? NULL : "key"};
        reading *r = reading_bytes(text, bytes, &options);
        assert_int_equal(r->err, DJ_ERR_INPUT);
        free(r);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_lines_are_reported),
        cmocka_unit_test(binary_data_is_refused),
        cmocka_unit_test(a_line_over_the_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
