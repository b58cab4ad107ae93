// SPDX-License-Identifier: MIT
// Separated values: who names the columns, separators, quotes, and the effect of each column.
#include "support/reading.h"

#include <xxhash.h>

static reading *read_csv(const char *text, const char *columns, bool header)
{
    return reading_bytes(text, strlen(text),
                         &(dj_source_options){.format = "csv", .columns = columns, .header = header});
}

static void expect(const char *text, const char *columns, bool header, const char *expected)
{
    reading *r = read_csv(text, columns, header);
    if (r->err)
        print_error("%s\n", r->message);
    assert_string_equal(r->text, expected);
    assert_int_equal(r->err, DJ_OK);
    free(r);
}

static void expect_failure(const char *text, const char *columns, bool header, int err, const char *message)
{
    reading *r = read_csv(text, columns, header);
    if (!strstr(r->message, message))
        print_error("%s\n", r->message);
    assert_int_equal(r->err, err);
    assert_non_null(strstr(r->message, message));
    free(r);
}

static void columns_have_the_names_of_the_option(void **state)
{
    (void)state;
    expect("9,5,100,R,7\n", "time,key,size,op,thread", false, "thread0=7 R5+100");
    expect("9,5,100,rest,ignored\n", "-,key", false, "5");
    expect("x,y\n9,5\n", "time,key", true, "5");
    expect("5\n0x10\n", "key", false, "5 10");
    expect("5,9\n", "key,size,-,-", false, "5+9"); // skipped columns may be missing
}

static void separators_are_detected(void **state)
{
    (void)state;
    expect("9;5;1,5\n", "time,key,-", false, "5");
    expect("9\t 5 \ta b\n", "time,key,-", false, "5");
    expect(" 9   5  3\n", "time,key,size", false, "5+3");
    expect(" 9 , 5 , 3 \n", "time,key,size", false, "5+3");
    expect("9,,5\n", "-,-,key", false, "5");
}

static void quoted_fields_are_unquoted(void **state)
{
    (void)state;
    char expected[32];
    snprintf(expected, sizeof expected, "%" PRIx64 "+4", (uint64_t)XXH3_64bits("a,\"b\"", 5));
    expect("\"a,\"\"b\"\"\",4\n", "key,size", false, expected);
    expect("\"12\", \"4\" \n", "key,size", false, "c+4");
    expect_failure("\"12,4\n", "key,size", false, DJ_ERR_INPUT, "a field with matching quotes");
    expect_failure("\"12\"x,4\n", "key,size", false, DJ_ERR_INPUT, "a separator after it");
}

static void header_lines_name_the_columns(void **state)
{
    (void)state;
    expect("version,time,op,size,lbn\n1,5,2a,512,3\n1,5,28,1024,4\n", NULL, false, "W600+512 R800+1024");
    expect("Key;SIZE\n1;2\n", NULL, true, "1+2");
    expect("id,address\n1,2\n", NULL, false, "2");
    expect_failure("a,b\n1,2\n", NULL, false, DJ_ERR_USAGE, "--columns");
    expect_failure("a,b\n1,2\n", NULL, true, DJ_ERR_USAGE, "--columns");
    expect_failure("key,size\n", NULL, false, DJ_ERR_INPUT, "no accesses");
    expect_failure("lbn,size\n1,2\n", "lba,size", false, DJ_ERR_INPUT, "--header");
}

static void invalid_column_lists_are_refused(void **state)
{
    (void)state;
    expect_failure("1\n", "keys", false, DJ_ERR_USAGE, "'keys' is not a column");
    expect_failure("1\n", "time,size", false, DJ_ERR_USAGE, "one of key, address, offset and lba");
    expect_failure("1\n", "key,key", false, DJ_ERR_USAGE, "'key'");
    expect_failure("1\n", "key,,size", false, DJ_ERR_USAGE, "''");
    expect_failure("1\n", "", false, DJ_ERR_USAGE, "one of key, address, offset and lba");
}

static void the_class_follows_from_the_columns(void **state)
{
    (void)state;
    static const struct {
        const char *columns;
        enum dj_class kind;
        uint64_t block, unit;
        bool split;
        uint32_t have;
    } all[] = {
        {"key", DJ_CLASS_KEYS, 1, 0, false, 0},
        {"key,size,op,thread", DJ_CLASS_KEYS, 1, 0, false, DJ_COLUMN_SIZE | DJ_COLUMN_KIND},
        {"address,site", DJ_CLASS_MEMORY, 64, 1, false, DJ_COLUMN_SITE},
        {"offset,size,device", DJ_CLASS_BLOCK_IO, 4096, 1, true, DJ_COLUMN_SIZE | DJ_COLUMN_DEVICE},
        {"lba,sectors", DJ_CLASS_BLOCK_IO, 4096, 1, true, DJ_COLUMN_SIZE},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        reading *r = read_csv("1,2,3,4\n", all[i].columns, false);
        assert_int_equal(r->err, DJ_OK);
        assert_int_equal(r->info.kind, all[i].kind);
        assert_int_equal(r->info.default_block, all[i].block);
        assert_int_equal(r->info.unit_bytes, all[i].unit);
        assert_int_equal(r->info.default_split, all[i].split);
        assert_int_equal(r->info.columns, all[i].have);
        free(r);
    }
}

static void every_role_of_a_column_is_read(void **state)
{
    (void)state;
    expect("main,1\nmain,2\nworker,3\nmain,4\n", "thread,key", false,
           "thread0=main 1 2 thread1=worker 3 thread0 4");
    expect("sda,0,8\nsdb,0,8\nsda,1,1\n", "device,lba,sectors", false, "0+4096@0 0+4096@1 200+512@0");
    expect("0x400,0x10\n1024,0x18\nf.c:3,0x20\n", "pc,address", false,
           "module0 site0=400 10#0 18#0 site1=f.c:3 20#1");
    expect("get,1\nPUT,2\nincr,3\ndelete,4\n8a,5\n", "op,key", false, "R1 W2 M3 O4 W5");
    expect("i,1\nr,2\n", "op,address", false, "R2"); // fetches are ignored
}

// A 64-bit key leaves no space for a device: the key combines both.
static void device_and_key_are_combined(void **state)
{
    (void)state;
    static const char text[] = "a,1\nb,1\na,1\na,2\n";
    reading *r = read_csv(text, "device,key", false);
    char key[4][32];
    assert_int_equal(sscanf(r->text, "%31s %31s %31s %31s", key[0], key[1], key[2], key[3]), 4);
    assert_string_equal(key[0], key[2]);
    assert_string_not_equal(key[0], key[1]);
    assert_string_not_equal(key[0], key[3]);
    assert_string_not_equal(key[1], key[3]);
    free(r);
}

static void bad_values_are_refused(void **state)
{
    (void)state;
    static const char *const good = "1,2\n";
    static const struct {
        const char *columns, *line, *message;
    } all[] = {
        {"key,size", "1", "more columns"},
        {"key,size", ",1", "a key, found"},
        {"key,size", "1,-1", "a size below 2^64, found \"-1\""},
        {"key,size", "1,", "a size below 2^64"},
        {"key,size", "1,18446744073709551616", "a size below 2^64"},
        {"key,size", "18446744073709551616,1", "a key that, if a number, is below 2^64"},
        {"address,size", "x,1", "an address below 2^64, decimal or 0x, found \"x,1\""},
        {"address,size", "18446744073709551615,2", "an access that ends below 2^64"},
        {"lba,sectors", "36028797018963968,1", "a block address below 2^55"},
        {"lba,sectors", "1,36028797018963968", "a number of sectors below 2^55"},
        {"lba,sectors", "36028797018963967,2", "an access that ends below 2^64"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s\n", good, all[i].line);
        reading *r = read_csv(text, all[i].columns, false);
        if (!strstr(r->message, all[i].message))
            print_error("%s\n", r->message);
        assert_int_equal(r->err, DJ_ERR_INPUT);
        assert_int_equal(r->accesses, 1);
        assert_memory_equal(r->message, "t:2 (byte 4): ", 14);
        assert_non_null(strstr(r->message, all[i].message));
        free(r);
    }
}

// --columns alone selects csv.
static void the_columns_option_selects_csv(void **state)
{
    (void)state;
    reading *r = reading_bytes("1 2 3\n", 6, &(dj_source_options){.columns = "-,key"});
    assert_string_equal(r->info.format, "csv");
    assert_string_equal(r->text, "2");
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_have_the_names_of_the_option),
        cmocka_unit_test(separators_are_detected),
        cmocka_unit_test(quoted_fields_are_unquoted),
        cmocka_unit_test(header_lines_name_the_columns),
        cmocka_unit_test(invalid_column_lists_are_refused),
        cmocka_unit_test(the_class_follows_from_the_columns),
        cmocka_unit_test(every_role_of_a_column_is_read),
        cmocka_unit_test(device_and_key_are_combined),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(the_columns_option_selects_csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
