// SPDX-License-Identifier: MIT
// Checks the records of a program against an oracle that knows memory byte by byte: an element is where it
// begins, and every byte has an identity while some record covers it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "annotations/records.h"
#include "support/context.h"

enum { MEMORY = 600, RECORDS = 12, ORIGIN = 0x10000 };

typedef struct truth {
    uint64_t base, bytes, element; // bytes 0: none
} truth;

typedef struct oracle {
    truth live[RECORDS];
    uint64_t id[MEMORY];
    uint64_t next;
    struct {
        uint64_t entry, base;
    } entries[64];
    size_t entry_count;
} oracle;

static bool covers(const truth *t, uint64_t at)
{
    return at - t->base < t->bytes;
}

static void oracle_clean(oracle *o)
{
    for (uint64_t at = 0; at < MEMORY; at++) {
        bool any = false;
        for (size_t i = 0; i < RECORDS; i++)
            any |= covers(&o->live[i], at);
        o->id[at] = any ? o->id[at] : 0;
    }
}

static void oracle_forget(oracle *o, uint64_t base)
{
    for (size_t i = 0; i < RECORDS; i++)
        if (o->live[i].bytes && o->live[i].base == base)
            o->live[i].bytes = 0;
    size_t kept = 0;
    for (size_t i = 0; i < o->entry_count; i++)
        if (o->entries[i].base != base)
            o->entries[kept++] = o->entries[i];
    o->entry_count = kept;
    oracle_clean(o);
}

static truth *oracle_find(oracle *o, uint64_t base)
{
    for (size_t i = 0; i < RECORDS; i++)
        if (o->live[i].bytes && o->live[i].base == base)
            return &o->live[i];
    for (size_t i = 0; i < o->entry_count; i++)
        if (o->entries[i].entry == base)
            return oracle_find(o, o->entries[i].base);
    return NULL;
}

// False: there are too many.
static bool oracle_data(oracle *o, uint64_t base, uint64_t bytes, uint64_t element)
{
    oracle_forget(o, base);
    size_t free = 0;
    while (free < RECORDS && o->live[free].bytes)
        free++;
    if (free == RECORDS)
        return false;
    size_t kept = 0; // a new base replaces an entry
    for (size_t i = 0; i < o->entry_count; i++)
        if (o->entries[i].entry != base)
            o->entries[kept++] = o->entries[i];
    o->entry_count = kept;
    o->live[free] = (truth){base, bytes, element};
    for (uint64_t at = base; at < base + bytes; at++)
        o->id[at] = o->id[at] ? o->id[at] : ++o->next;
    return true;
}

static void oracle_partial(oracle *o, uint64_t base, uint64_t entry)
{
    truth *t = oracle_find(o, base);
    truth *there = oracle_find(o, entry);
    if (!t || !covers(t, entry) || (there && there->base == entry) || o->entry_count == 64)
        return;
    for (size_t i = 0; i < o->entry_count; i++)
        if (o->entries[i].entry == entry) {
            o->entries[i].base = t->base;
            return;
        }
    o->entries[o->entry_count].entry = entry;
    o->entries[o->entry_count++].base = t->base;
}

static uint64_t oracle_access(oracle *o, uint64_t base, uint64_t address)
{
    const truth *t = oracle_find(o, base);
    if (!t || !covers(t, address))
        return 0;
    return o->id[t->base + (address - t->base) / t->element * t->element];
}

static uint64_t access_number(dj_records *r, uint64_t base, uint64_t address)
{
    const dj_record *record = dj_records_find(r, base);
    if (!record || address - record->base >= record->bytes)
        return 0;
    uint64_t index = dj_record_index(record, address - record->base), number = record->first + index;
    if (record->cells)
        assert_int_equal(
            dj_cells_number(r, context, record, record->base + index * record->element_bytes, &number),
            DJ_OK);
    return number;
}

static uint64_t claimed[1 << 20]; // by number: the serial of its claim
static uint64_t claims;

static int claim(void *user, dj_context *claiming, uint64_t first, uint64_t count, const dj_record *record)
{
    (void)user;
    (void)claiming;
    (void)record;
    claims++;
    for (uint64_t i = first; i < first + count && i < sizeof claimed / sizeof *claimed; i++) {
        assert_int_equal(claimed[i], 0); // never used before
        claimed[i] = claims;
    }
    return DJ_OK;
}

static int release(void *user, dj_context *releasing, uint64_t first)
{
    (void)user;
    (void)releasing;
    assert_true(claimed[first] != 0);
    return DJ_OK;
}

static const dj_records_ops ops = {claim, release};

static uint64_t random_below(uint64_t n)
{
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % n;
}

// Two accesses have the same number exactly if they have the same identity.
static void check_identity(uint64_t *to, uint64_t *from, uint64_t number, uint64_t id)
{
    if (to[number] == 0 && from[id] == 0) {
        to[number] = id;
        from[id] = number;
    }
    assert_int_equal(to[number], id);
    assert_int_equal(from[id], number);
}

static void random_run(unsigned span, unsigned steps)
{
    static uint64_t to[1 << 20], from[1 << 20];
    static const uint64_t elements[] = {1, 2, 3, 4, 8, 12, 24, 7};
    oracle o = {0};
    dj_records r;
    memset(to, 0, sizeof to);
    memset(from, 0, sizeof from);
    memset(claimed, 0, sizeof claimed);
    claims = 0;
    assert_int_equal(dj_records_create(&r, context, &ops, NULL), DJ_OK);
    for (unsigned i = 0; i < steps && r.next < (1 << 20) - 4096; i++) {
        uint64_t base = random_below(span), at = random_below(span);
        bool known;
        switch (random_below(12)) {
        case 0: {
            uint64_t element = elements[random_below(8)], bytes = 1 + random_below(span - base);
            if (oracle_data(&o, base, bytes, element))
                assert_int_equal(dj_records_data(&r, context, base + ORIGIN, bytes, element, "x"), DJ_OK);
            else
                assert_int_equal(dj_records_forget(&r, context, base + ORIGIN), DJ_OK);
            break;
        }
        case 1:
            if (random_below(3) == 0) {
                oracle_forget(&o, base);
                assert_int_equal(dj_records_forget(&r, context, base + ORIGIN), DJ_OK);
            }
            break;
        case 2:
            if (o.entry_count < 64) {
                oracle_partial(&o, base, at);
                assert_int_equal(dj_records_partial(&r, context, base + ORIGIN, at + ORIGIN, &known), DJ_OK);
            }
            break;
        default: {
            uint64_t id = oracle_access(&o, base, at), number = access_number(&r, base + ORIGIN, at + ORIGIN);
            assert_int_equal(id == 0, number == 0);
            if (id)
                check_identity(to, from, number, id);
        }
        }
    }
    dj_records_destroy(&r);
}

static void test_random(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 60; i++)
        random_run(20 + 9 * i % 560, 20000);
}

// The paper's array of five integers.
static void test_array(void **state)
{
    (void)state;
    dj_records r;
    assert_int_equal(dj_records_create(&r, context, NULL, NULL), DJ_OK);
    assert_int_equal(dj_records_data(&r, context, 0x2000, 20, 4, "A"), DJ_OK);
    uint64_t first = access_number(&r, 0x2000, 0x2000);
    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(access_number(&r, 0x2000, 0x2000 + 4 * i), first + i);
    assert_int_equal(access_number(&r, 0x2000, 0x2014), 0);
    assert_int_equal(access_number(&r, 0x2004, 0x2004), 0);
    bool known;
    assert_int_equal(dj_records_partial(&r, context, 0x2000, 0x2008, &known), DJ_OK);
    assert_true(known);
    assert_int_equal(access_number(&r, 0x2008, 0x200c), first + 3);
    // An entry may itself be a base.
    assert_int_equal(dj_records_partial(&r, context, 0x2008, 0x200c, &known), DJ_OK);
    assert_int_equal(access_number(&r, 0x200c, 0x2000), first);
    assert_int_equal(dj_records_partial(&r, context, 0x3000, 0x3004, &known), DJ_OK);
    assert_false(known);
    // Again at the same base: new data, and the old entries are removed.
    assert_int_equal(dj_records_data(&r, context, 0x2000, 20, 4, "A"), DJ_OK);
    assert_true(access_number(&r, 0x2000, 0x2000) > first + 4);
    assert_int_equal(access_number(&r, 0x2008, 0x2008), 0);
    dj_records_destroy(&r);
}

// One entry per array, of any size.
static void test_one_entry(void **state)
{
    (void)state;
    dj_records r;
    assert_int_equal(dj_records_create(&r, context, NULL, NULL), DJ_OK);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(dj_records_data(&r, context, (i + 1) << 32, 1 << 30, 8, "big"), DJ_OK);
    assert_int_equal(r.entry_count, 100);
    dj_records_destroy(&r);
}

static void test_division(void **state)
{
    (void)state;
    for (uint64_t size = 1; size < 3000; size += 1 + size / 40)
        for (int k = 0; k < 40; k++) {
            uint64_t total = random_below(UINT64_C(1) << 47) + 1, at = random_below(total);
            dj_records r;
            assert_int_equal(dj_records_create(&r, context, NULL, NULL), DJ_OK);
            assert_int_equal(dj_records_data(&r, context, 4096, total, size, ""), DJ_OK);
            const dj_record *record = dj_records_find(&r, 4096);
            assert_int_equal(dj_record_index(record, at), at / size);
            assert_int_equal(dj_record_index(record, total - 1), (total - 1) / size);
            dj_records_destroy(&r);
        }
}

// Sizes that no process can have are mistakes of the program: data recorded later still gets numbers.
static void test_too_large(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {UINT64_MAX, UINT64_C(1) << 60, UINT64_C(1) << 47};
    dj_records r;
    assert_int_equal(dj_records_create(&r, context, NULL, NULL), DJ_OK);
    uint64_t next = r.next;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_int_equal(dj_records_data(&r, context, ORIGIN, sizes[i], 1, "wrong"), DJ_OK);
    assert_int_equal(dj_records_data(&r, context, UINT64_MAX - 8, 4, 1, "nowhere"), DJ_OK);
    assert_null(dj_records_find(&r, ORIGIN));
    assert_null(dj_records_find(&r, UINT64_MAX - 8));
    assert_int_equal(r.next, next);
    dj_records_destroy(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_array), cmocka_unit_test(test_one_entry),
                                       cmocka_unit_test(test_division), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_too_large)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
