// SPDX-License-Identifier: MIT
// Binary readers on bytes made by hand.
#include "unit/reading.h"

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
    reading *r = reading_of(b.data, b.count, "no extension", NULL);
    assert_int_equal(r->err, DJ_OK);
    assert_string_equal(r->format, "oracleGeneral");
    assert_int_equal(r->columns, DJ_COLUMN_SIZE);
    assert_int_equal(r->count, 4);
    assert_int_equal(r->address[0], 7);
    assert_int_equal(r->address[1], UINT64_C(0x123456789abcdef0));
    assert_int_equal(r->size[0], 100);
    assert_int_equal(r->size[1], 0);
    assert_int_equal(r->size[2], 4000000000u);
    free(r);

    b.data[4 * 24] = 1; // a fifth record of one byte
    r = reading_as("oracleGeneral", b.data, b.count + 1);
    assert_int_equal(r->err, DJ_ERR_INPUT);
    assert_int_equal(r->count, 4);
    assert_non_null(strstr(r->message, "memory: byte 96:"));
    free(r);
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
    reading *r = reading_of(b.data, b.count, "no extension", NULL);
    assert_int_equal(r->err, DJ_ERR_INPUT);
    assert_non_null(strstr(r->message, "--format"));
    free(r);
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
    vscsi1_record(&b, 512, 0x2a, 0x100, 42932745);
    vscsi1_record(&b, 6656, 0x28, 0x100, 1);
    vscsi1_record(&b, 0, 0x35, 0x100, 0); // SYNCHRONIZE CACHE
    vscsi1_record(&b, 4096, 0x88, 0x100, UINT64_C(1) << 32);
    reading *r = reading_of(b.data, b.count, "no extension", NULL);
    assert_int_equal(r->err, DJ_OK);
    assert_string_equal(r->format, "vscsi");
    assert_int_equal(r->columns, DJ_COLUMN_SIZE | DJ_COLUMN_KIND);
    assert_int_equal(r->count, 4);
    assert_int_equal(r->address[0], UINT64_C(21981565440)); // 42932745 * 512
    assert_int_equal(r->address[1], 512);
    assert_int_equal(r->address[3], UINT64_C(1) << 41);
    assert_int_equal(r->size[1], 6656);
    assert_int_equal(r->kind[0], DJ_KIND_WRITE);
    assert_int_equal(r->kind[1], DJ_KIND_READ);
    assert_int_equal(r->kind[2], DJ_KIND_OTHER);
    assert_int_equal(r->kind[3], DJ_KIND_READ);
    free(r);
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
    reading *r = reading_as("vscsi", b.data, b.count);
    assert_int_equal(r->err, DJ_OK);
    assert_int_equal(r->count, 2);
    assert_int_equal(r->address[0], 1536);
    assert_int_equal(r->address[1], 2048);
    assert_int_equal(r->size[1], 1024);
    assert_int_equal(r->kind[0], DJ_KIND_WRITE);
    assert_int_equal(r->kind[1], DJ_KIND_READ);
    free(r);
}

static void vscsi_refuses(void **state)
{
    (void)state;
    bytes b = {.count = 0};
    vscsi1_record(&b, 512, 0x28, 0x100, 3);
    vscsi1_record(&b, 512, 0x28, 0x100, 3);
    vscsi1_record(&b, 512, 0x28, 0x300, 3); // unknown version in the midst
    reading *r = reading_as("vscsi", b.data, b.count);
    assert_int_equal(r->err, DJ_ERR_INPUT);
    assert_int_equal(r->count, 2);
    assert_non_null(strstr(r->message, "byte 64"));
    free(r);

    b.count = 32;
    vscsi1_record(&b, 512, 0x28, 0x100, UINT64_C(1) << 55); // 2^64 bytes
    r = reading_as("vscsi", b.data, b.count);
    assert_int_equal(r->err, DJ_ERR_INPUT);
    assert_int_equal(r->count, 1);
    assert_non_null(strstr(r->message, "byte 32"));
    free(r);

    b.count = 32;
    vscsi1_record(&b, 513, 0x28, 0x100, (UINT64_C(1) << 55) - 1); // the last sector and one byte
    r = reading_as("vscsi", b.data, b.count);
    assert_int_equal(r->err, DJ_ERR_INPUT);
    assert_int_equal(r->count, 1);
    free(r);

    memset(b.data, 'x', 200);
    r = reading_as("vscsi", b.data, 200);
    assert_int_equal(r->err, DJ_ERR_INPUT);
    assert_int_equal(r->count, 0);
    free(r);
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
    reading *r = reading_of(b.data, b.count, "no extension", NULL);
    static const uint64_t addresses[] = {0x5000, 0x1000, 0x1008, 0x1010, 0x1012, 0x1014};
    static const uint64_t sizes[] = {8, 8, 4, 2, 2, 1};
    static const uint32_t sites[] = {0, 1, 1, 2, 2, 3};
    static const uint8_t kinds[] = {0, 0, 1, 1, 1, 0};
    assert_int_equal(r->err, DJ_OK);
    assert_string_equal(r->format, "drmemtrace");
    assert_int_equal(r->count, 6);
    assert_memory_equal(r->address, addresses, sizeof addresses);
    assert_memory_equal(r->size, sizes, sizeof sizes);
    assert_memory_equal(r->site, sites, sizeof sites);
    assert_memory_equal(r->kind, kinds, sizeof kinds);

    static const struct {
        uint32_t index, type;
        uint64_t a, b, c;
    } events[] = {
        {0, DJ_EVENT_THREAD, 1001, 0, 0},   {0, DJ_EVENT_MODULE, 0, 0, 0},
        {0, DJ_EVENT_SITE, 0, 0, 0},        {1, DJ_EVENT_SITE, 1, 0, 0x400000},
        {3, DJ_EVENT_SITE, 2, 0, 0x400003}, {5, DJ_EVENT_THREAD, 1002, 0, 0},
        {5, DJ_EVENT_SITE, 3, 0, 0x400009},
    };
    assert_int_equal(r->event_count, 7);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(r->events[i].index, events[i].index);
        assert_int_equal(r->events[i].type, events[i].type);
        assert_int_equal(r->events[i].a, events[i].a);
        assert_int_equal(r->events[i].b, events[i].b);
        assert_int_equal(r->events[i].c, events[i].c);
    }
    free(r);
}

static void drmemtrace_instructions(void **state)
{
    (void)state;
    bytes b = {.count = 0};
    memtrace_example(&b);
    memtrace_record(&b, 10, 4, 0x500000);
    memtrace_record(&b, 17, 3, 0x00070502); // bundle: lengths 2, 5, 7
    memtrace_record(&b, 0, 8, 0x2000);
    dj_source_options options = {.format = "drmemtrace", .instructions = true};
    reading *r = reading_of(b.data, b.count, "memory", &options);
    static const uint64_t addresses[] = {0x5000,   0x400000, 0x1000,   0x1008,   0x400003, 0x1010,   0x1012,
                                         0x400000, 0x1014,   0x500000, 0x500004, 0x500006, 0x50000b, 0x2000};
    assert_int_equal(r->err, DJ_OK);
    assert_int_equal(r->count, 14);
    assert_memory_equal(r->address, addresses, sizeof addresses);
    assert_int_equal(r->kind[1], DJ_KIND_FETCH);
    assert_int_equal(r->size[1], 3);
    assert_int_equal(r->size[12], 7);
    assert_int_equal(r->site[13], r->site[12]); // the last of the bundle is the site of what follows
    free(r);
}

static void drmemtrace_refused(const bytes *b, size_t count, const char *message)
{
    reading *r = reading_as("drmemtrace", b->data, b->count);
    assert_int_equal(r->err, DJ_ERR_INPUT);
    assert_int_equal(r->count, count);
    assert_non_null(strstr(r->message, message));
    free(r);
}

static void drmemtrace_refuses(void **state)
{
    (void)state;
    bytes b = {.count = 0};
    memtrace_record(&b, 25, 0, 8);
    drmemtrace_refused(&b, 0, "version 8");
    b.count = 0;
    memtrace_begin(&b);
    memtrace_record(&b, 0, 8, 0x5000);
    memtrace_record(&b, 28, 12, 99);
    drmemtrace_refused(&b, 1, "byte 60: version 99");
    b.count = 60;
    memtrace_record(&b, 50, 0, 0);
    drmemtrace_refused(&b, 1, "byte 60: there is no record type 50");
    b.count = 60;
    memtrace_record(&b, 17, 1, 2);
    drmemtrace_refused(&b, 1, "byte 60: a bundle");
    b.count = 60;
    memtrace_record(&b, 10, 2, 0x400000);
    memtrace_record(&b, 17, 9, 0);
    drmemtrace_refused(&b, 1, "byte 72: a bundle");
    b.count = 65;
    drmemtrace_refused(&b, 1, "byte 60: the trace ends within a record: 5 of 12 bytes");
    b.count = 48;
    drmemtrace_refused(&b, 0, "--instructions");
    b.count = 0;
    put(&b, 2, 25); // 8-byte records of a 32-bit trace
    put(&b, 2, 0);
    put(&b, 4, 4);
    put(&b, 2, 28);
    put(&b, 2, 12);
    put(&b, 4, 4);
    drmemtrace_refused(&b, 0, "32-bit");
    b.count = 0;
    memtrace_record(&b, 10, 2, 0x400000);
    drmemtrace_refused(&b, 0, "no header");
}

static void fixed_width(void **state)
{
    (void)state;
    static const uint8_t data[] = {0, 0, 0, 1, 0x80, 0, 0, 2, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4};
    static const struct {
        const char *format, *name;
        size_t count;
        uint64_t keys[4];
    } cases[] = {
        {"u32be", "x.u32be", 4, {1, 0x80000002, 0xffffffff, 0x01020304}},
        {"u32le", "x.u32", 4, {0x01000000, 0x02000080, 0xffffffff, 0x04030201}},
        {"u64be", "x.U64BE", 2, {UINT64_C(0x0000000180000002), UINT64_C(0xffffffff01020304)}},
        {"u64le", "x.u64", 2, {UINT64_C(0x0200008001000000), UINT64_C(0x04030201ffffffff)}},
    };
    for (size_t i = 0; i < 4; i++) {
        reading *r = reading_of(data, sizeof data, cases[i].name, NULL);
        assert_int_equal(r->err, DJ_OK);
        assert_string_equal(r->format, cases[i].format);
        assert_int_equal(r->count, cases[i].count);
        assert_memory_equal(r->address, cases[i].keys, cases[i].count * 8);
        free(r);
        r = reading_as(cases[i].format, data, sizeof data - 1);
        assert_int_equal(r->err, DJ_ERR_INPUT);
        assert_int_equal(r->count, cases[i].count - 1);
        assert_non_null(strstr(r->message, cases[i].count == 4 ? "byte 12:" : "byte 8:"));
        free(r);
    }
    reading *r = reading_as("u64le", data + 1, 8); // not aligned
    assert_int_equal(r->err, DJ_OK);
    assert_int_equal(r->address[0], UINT64_C(0xff02000080010000));
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
