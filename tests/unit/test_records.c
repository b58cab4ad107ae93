// SPDX-License-Identifier: MIT
// Binary readers on bytes made by hand.
#include "support/reading.h"

typedef struct bytes {
    uint8_t data[4096];
    size_t count;
} bytes;

// Appends `value` in `width` bytes, little-endian.
static void put(bytes *b, unsigned width, uint64_t value)
{
    for (unsigned i = 0; i < width; i++)
        b->data[b->count++] = (uint8_t)(value >> 8 * i);
}

static void reads(const bytes *b, const dj_source_options *options, const char *format, const char *expected)
{
    reading *r = reading_bytes(b->data, b->count, options);
    assert_string_equal(r->message, "");
    assert_string_equal(r->info.format, format);
    assert_string_equal(r->text, expected);
    free(r);
}

// What comes before the fault is there; the message has `part` in it.
static void refuses(const bytes *b, const char *format, const char *expected, const char *part)
{
    reading *r = reading_bytes(b->data, b->count, &(dj_source_options){.format = format});
    assert_int_equal(r->err, DJ_ERR_INPUT);
    assert_string_equal(r->text, expected);
    assert_non_null(strstr(r->message, part));
    free(r);
}

static void oracle_record(bytes *b, uint32_t time, uint64_t object, uint32_t size, int64_t next)
{
    put(b, 4, time);
    put(b, 8, object);
    put(b, 4, size);
    put(b, 8, (uint64_t)next);
}

static void oracle_general(void **state)
{
    (void)state;
    bytes b = {.count = 0};
    oracle_record(&b, 1, 7, 100, 2);
    oracle_record(&b, 1, UINT64_C(0x123456789abcdef0), 0, -1);
    oracle_record(&b, 2, 7, 4000000000u, 3);
    oracle_record(&b, 9, 7, 1, INT64_MAX);
    const char *expected = "7+100 123456789abcdef0+0 7+4000000000 7+1";
    reads(&b, NULL, "oracleGeneral", expected);
    put(&b, 1, 1);
    refuses(&b, "oracleGeneral", expected, "t: byte 96: the trace ends within a record: 1 of 24 bytes");
}

// The next access must be one to the same object, else these are other data.
static void oracle_general_is_not_guessed(void **state)
{
    (void)state;
    bytes b = {.count = 0};
    oracle_record(&b, 1, 7, 100, 2);
    oracle_record(&b, 1, 8, 100, -1);
    oracle_record(&b, 1, 9, 100, -1);
    oracle_record(&b, 1, 10, 100, -1);
    refuses(&b, NULL, "", "--format");
}

static void vscsi1_record(bytes *b, uint32_t size, uint16_t command, uint16_t version, uint64_t lbn)
{
    put(b, 4, 0x80000001);
    put(b, 4, size);
    put(b, 4, 1);
    put(b, 2, command);
    put(b, 2, version);
    put(b, 8, lbn);
    put(b, 8, 5633898368802);
}

static void vscsi_version_1(void **state)
{
    (void)state;
    bytes b = {.count = 0};
    vscsi1_record(&b, 512, 0x2a, 0x100, 42932745); // 512 * 42932745 = 0x51e341200
    vscsi1_record(&b, 6656, 0x28, 0x100, 1);
    vscsi1_record(&b, 0, 0x35, 0x100, 0);                  // SYNCHRONIZE CACHE
    vscsi1_record(&b, 4096, 0x88, 0x1, UINT64_C(1) << 32); // a bare version number
    reads(&b, NULL, "vscsi", "W51e341200+512 R200+6656 O0+0 R20000000000+4096");
}

static void vscsi2_record(bytes *b, uint32_t size, uint16_t command, uint64_t lbn)
{
    put(b, 2, command);
    put(b, 2, 0x200);
    put(b, 4, 5);
    put(b, 4, size);
    put(b, 4, 1);
    put(b, 8, lbn);
    put(b, 8, 5633898368802);
    put(b, 8, 300);
}

static void vscsi_version_2(void **state)
{
    (void)state;
    bytes b = {.count = 0};
    vscsi2_record(&b, 512, 0x0a, 3);
    vscsi2_record(&b, 1024, 0x08, 4);
    reads(&b, &(dj_source_options){.format = "vscsi"}, "vscsi", "W600+512 R800+1024");
    vscsi2_record(&b, 1024, 0x08, 4);
    vscsi2_record(&b, 1024, 0x08, 4);
    reads(&b, NULL, "vscsi", "W600+512 R800+1024 R800+1024 R800+1024");
}

static void vscsi_refuses(void **state)
{
    (void)state;
    bytes b = {.count = 0};
    vscsi1_record(&b, 512, 0x28, 0x100, 3);
    vscsi1_record(&b, 512, 0x28, 0x100, 3);
    vscsi1_record(&b, 512, 0x28, 0x300, 3); // unknown version in the midst
    refuses(&b, "vscsi", "R600+512 R600+512", "byte 64");
    b.count = 32;
    vscsi1_record(&b, 512, 0x28, 0x100, UINT64_C(1) << 55); // 2^64 bytes
    refuses(&b, "vscsi", "R600+512", "byte 32");
    b.count = 32;
    vscsi1_record(&b, 513, 0x28, 0x100, (UINT64_C(1) << 55) - 1); // the last sector and one byte
    refuses(&b, "vscsi", "R600+512", "byte 32");
    memset(b.data, 'x', 200);
    b.count = 200;
    refuses(&b, "vscsi", "", "byte 0");
}

static void memtrace_record(bytes *b, uint16_t type, uint16_t size, uint64_t address)
{
    put(b, 2, type);
    put(b, 2, size);
    put(b, 8, address);
}

static void memtrace_begin(bytes *b)
{
    memtrace_record(b, 25, 0, 4);    // header, version
    memtrace_record(b, 28, 12, 4);   // the version again, as a marker
    memtrace_record(b, 22, 4, 1001); // thread
    memtrace_record(b, 24, 4, 1000); // process
}

static void memtrace_example(bytes *b)
{
    memtrace_begin(b);
    memtrace_record(b, 0, 8, 0x5000);    // before any instruction
    memtrace_record(b, 47, 2, 0xc3c3);   // encoding
    memtrace_record(b, 10, 3, 0x400000); // instruction
    memtrace_record(b, 0, 8, 0x1000);
    memtrace_record(b, 1, 4, 0x1008);
    memtrace_record(b, 2, 1, 0x9999);    // prefetch
    memtrace_record(b, 30, 2, 0x400003); // perhaps fetched: yes
    memtrace_record(b, 1, 2, 0x1010);
    memtrace_record(b, 30, 2, 0x400003); // perhaps fetched: not again
    memtrace_record(b, 1, 2, 0x1012);
    memtrace_record(b, 22, 4, 1002);
    memtrace_record(b, 22, 4, 1002);     // no change
    memtrace_record(b, 48, 2, 0x400000); // taken jump
    memtrace_record(b, 29, 2, 0x400009); // not fetched
    memtrace_record(b, 0, 1, 0x1014);
    memtrace_record(b, 23, 4, 1002); // exit
    memtrace_record(b, 26, 0, 0);    // footer
}

static void drmemtrace_data(void **state)
{
    (void)state;
    bytes b = {.count = 0};
    memtrace_example(&b);
    reads(&b, NULL, "drmemtrace",
          "thread1001 module0 site0=0 R5000+8#0 site1=400000 R1000+8#1 W1008+4#1 site2=400003 W1010+2#2 "
          "W1012+2#2 thread1002 site3=400009 R1014+1#3");
}

static void drmemtrace_instructions(void **state)
{
    (void)state;
    bytes b = {.count = 0};
    memtrace_example(&b);
    memtrace_record(&b, 10, 4, 0x500000);
    memtrace_record(&b, 17, 3, 0x00070502); // bundle: lengths 2, 5, 7
    memtrace_record(&b, 0, 8, 0x2000);      // belongs to the last of them
    reads(&b, &(dj_source_options){.instructions = true}, "drmemtrace",
          "thread1001 module0 site0=0 R5000+8#0 site1=400000 I400000+3#1 R1000+8#1 W1008+4#1 site2=400003 "
          "I400003+2#2 W1010+2#2 W1012+2#2 thread1002 I400000+2#1 site3=400009 R1014+1#3 site4=500000 "
          "I500000+4#4 site5=500004 I500004+2#5 site6=500006 I500006+5#6 site7=50000b I50000b+7#7 R2000+8#7");
}

static void drmemtrace_refuses(void **state)
{
    (void)state;
    const char *one = "thread1001 module0 site0=0 R5000+8#0";
    bytes b = {.count = 0};
    memtrace_record(&b, 25, 0, 8);
    refuses(&b, "drmemtrace", "", "version 8");
    b.count = 0;
    memtrace_begin(&b);
    memtrace_record(&b, 0, 8, 0x5000);
    memtrace_record(&b, 28, 12, 99);
    refuses(&b, "drmemtrace", one, "byte 60: version 99");
    b.count = 60;
    memtrace_record(&b, 50, 0, 0);
    refuses(&b, "drmemtrace", one, "byte 60: there is no record type 50");
    b.count = 60;
    memtrace_record(&b, 17, 1, 2); // a bundle without an instruction before it
    refuses(&b, "drmemtrace", one, "byte 60: a bundle");
    b.count = 60;
    memtrace_record(&b, 10, 2, 0x400000);
    memtrace_record(&b, 17, 9, 0);
    refuses(&b, "drmemtrace", one, "byte 72: a bundle");
    b.count = 65;
    refuses(&b, "drmemtrace", one, "byte 60: the trace ends within a record: 5 of 12 bytes");
    b.count = 48;
    refuses(&b, "drmemtrace", "thread1001", "--instructions");
    b.count = 0;
    memtrace_record(&b, 10, 2, 0x400000);
    refuses(&b, "drmemtrace", "", "no header");
    b.count = 0;
    for (int i = 0; i < 3; i++) { // 8-byte records of a 32-bit trace
        put(&b, 2, i == 0 ? 25 : 28);
        put(&b, 2, i == 0 ? 0 : 12);
        put(&b, 4, 4);
    }
    refuses(&b, "drmemtrace", "", "32-bit");
}

static void fixed_width(void **state)
{
    (void)state;
    static const uint8_t data[] = {0, 0, 0, 1, 0x80, 0, 0, 2, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4};
    static const struct {
        const char *format, *name, *keys, *all_but_last, *offset;
    } cases[] = {
        {"u32be", "x.u32be", "1 80000002 ffffffff 1020304", "1 80000002 ffffffff", "byte 12:"},
        {"u32le", "x.u32", "1000000 2000080 ffffffff 4030201", "1000000 2000080 ffffffff", "byte 12:"},
        {"u64be", "x.U64BE", "180000002 ffffffff01020304", "180000002", "byte 8:"},
        {"u64le", "x.u64", "200008001000000 4030201ffffffff", "200008001000000", "byte 8:"},
    };
    for (size_t i = 0; i < 4; i++) {
        reading *r = reading_named(cases[i].name, data, sizeof data, NULL);
        assert_int_equal(r->err, DJ_OK);
        assert_string_equal(r->info.format, cases[i].format);
        assert_string_equal(r->text, cases[i].keys);
        free(r);
        bytes b = {.count = sizeof data - 1};
        memcpy(b.data, data, sizeof data);
        refuses(&b, cases[i].format, cases[i].all_but_last, cases[i].offset);
    }
    reading *r = reading_bytes(data + 1, 8, &(dj_source_options){.format = "u64le"}); // not aligned
    assert_string_equal(r->text, "ff02000080010000");
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracle_general),
        cmocka_unit_test(oracle_general_is_not_guessed),
        cmocka_unit_test(vscsi_version_1),
        cmocka_unit_test(vscsi_version_2),
        cmocka_unit_test(vscsi_refuses),
        cmocka_unit_test(drmemtrace_data),
        cmocka_unit_test(drmemtrace_instructions),
        cmocka_unit_test(drmemtrace_refuses),
        cmocka_unit_test(fixed_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
