// SPDX-License-Identifier: MIT
// Summaries: a file built by hand means what the specification says; damage is detected; only adjacent
// parts that were analyzed in the same way are joined.
#include <deja/deja.h>

#include <setjmp.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/text.h"
#include "pipeline/parts/summary.h"
#include "support/context.h"
#include "unit/summary_file.h"

typedef struct body {
    uint8_t bytes[1024];
    uint32_t count;
} body;

static void put(body *b, const uint8_t *bytes, uint32_t count)
{
    memcpy(b->bytes + b->count, bytes, count);
    b->count += count;
}

// Numbers below 128 are one byte.
#define PUT(b, ...)                                                                                          \
    do {                                                                                                     \
        const uint8_t all[] = {__VA_ARGS__};                                                                 \
        put((b), all, sizeof all);                                                                           \
    } while (0)

static void put_text(body *b, const char *text)
{
    PUT(b, (uint8_t)strlen(text));
    put(b, (const uint8_t *)text, (uint32_t)strlen(text));
}

// Everything up to the state of the single observer.
static body begin_body(uint8_t part)
{
    body b = {.count = 0};
    put_text(&b, DJ_VERSION);
    PUT(&b, part, part, 2);
    put_text(&b, "fast");
    put_text(&b, "text");
    put_text(&b, "key");
    put_text(&b, "");    // statements
    put_text(&b, "");    // order of threads
    PUT(&b, 0, 0, 0, 0); // no bytes, no split, sizes that count, devices numbered by the reader
    PUT(&b, 1);
    put_text(&b, part == 1 ? "monday" : "tuesday");
    PUT(&b, 1); // one group of lanes, which counts all accesses
    put_text(&b, "");
    PUT(&b, 0, 1, 1, 0, 1); // one lane of blocks of 1, tags are sites, one observer
    put_text(&b, "histogram");
    return b;
}

// Keys 1 2 1: the last one is known to have distance 1.
static body first_part(void)
{
    body b = begin_body(1);
    PUT(&b, 0, 1, 1, 0);             // none known to be cold; once distance 1; the end
    PUT(&b, 3, 3, 0, 0, 0);          // accesses, requests; no thread is known
    PUT(&b, 0, 2);                   // no columns; two first accesses
    PUT(&b, 2, 0, 0, 0, 0, 0, 0, 0); // key 1 at time 0, open
    PUT(&b, 2, 1, 0, 0, 0, 0, 0, 0); // one key on, one time on
    PUT(&b, 0, 0, 2, 4, 1);          // last accesses: 2, then 1
    return b;
}

// Keys 2 1.
static body second_part(void)
{
    body b = begin_body(2);
    PUT(&b, 0, 0);
    PUT(&b, 2, 2, 0, 0, 0);
    PUT(&b, 0, 2);
    PUT(&b, 4, 0, 0, 0, 0, 0, 0, 0);
    PUT(&b, 1, 1, 0, 0, 0, 0, 0, 0);
    PUT(&b, 0, 0, 2, 4, 1);
    return b;
}

static int load_bytes(uint8_t *bytes, size_t size, const char *name, dj_summary **out)
{
    FILE *file = size ? fmemopen(bytes, size, "rb") : fopen("/dev/null", "rb");
    assert_non_null(file);
    int err = dj_summary_load(context, file, name, out);
    fclose(file);
    return err;
}

static int load_body(const body *b, const char *name, dj_summary **out)
{
    size_t size = 0;
    uint8_t *file = summary_file(b->bytes, b->count, &size);
    assert_non_null(file);
    int err = load_bytes(file, size, name, out);
    free(file);
    return err;
}

static dj_summary *load(body b, const char *name)
{
    dj_summary *summary = NULL;
    if (load_body(&b, name, &summary) != DJ_OK)
        fail_msg("%s", dj_context_message(context));
    return summary;
}

// 1 2 1 2 1: two cold, then each at distance 1.
static void test_by_hand(void **state)
{
    (void)state;
    dj_summary *a = load(first_part(), "1"), *b = load(second_part(), "2");
    dj_profile *profile = NULL;
    assert_int_equal(dj_summary_join(context, a, b), DJ_OK);
    assert_int_equal(dj_summary_finish(context, a, "join", &profile), DJ_OK);
    uint64_t value = 0;
    assert_int_equal(profile->accesses, 5);
    assert_int_equal(profile->lanes[0].cold, 2);
    assert_int_equal(dj_histogram_next(profile->lanes[0].distance, &value), 3);
    assert_int_equal(value, 1);
    assert_int_equal(dj_histogram_moments(profile->lanes[0].distance).count, 3);
    assert_string_equal(profile->provenance.command, "join");
    assert_string_equal(profile->provenance.unit, "key");
    assert_int_equal(profile->provenance.input_count, 2);
    assert_string_equal(profile->provenance.inputs[1], "tuesday");
    dj_profile_destroy(profile);
    dj_summary_destroy(a);
    dj_summary_destroy(b);
}

// Every byte matters: losing, changing or adding one is detected.
static void test_damage(void **state)
{
    (void)state;
    body b = first_part();
    size_t size = 0;
    uint8_t *file = summary_file(b.bytes, b.count, &size);
    assert_non_null(file);
    dj_summary *summary = NULL;
    for (size_t i = 0; i < size; i++)
        assert_int_equal(load_bytes(file, i, "cut", &summary), DJ_ERR_INPUT);
    for (size_t i = 0; i < size * 8; i++) {
        file[i / 8] ^= (uint8_t)(1u << i % 8);
        assert_int_equal(load_bytes(file, size, "changed", &summary), DJ_ERR_INPUT);
        assert_non_null(strstr(dj_context_message(context), "changed"));
        file[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    uint8_t *longer = malloc(size + 1);
    assert_non_null(longer);
    memcpy(longer, file, size);
    longer[size] = 0;
    assert_int_equal(load_bytes(longer, size + 1, "longer", &summary), DJ_ERR_INPUT);
    assert_int_equal(load_bytes(longer, size, "as it was", &summary), DJ_OK);
    dj_summary_destroy(summary);
    free(longer);
    free(file);
}

// Numbers that contradict each other, with correct checksums.
static void test_lies(void **state)
{
    (void)state;
    const body honest = first_part();
    const uint32_t end = honest.count;
    const struct {
        const char *what;
        uint32_t at; // from the end
        uint8_t value;
    } lies[] = {{"one key twice in the last accesses", 1, 0},
                {"a key that was never accessed first", 1, 5},
                {"more keys than first accesses", 3, 1},
                {"two first accesses at one time", 12, 0},
                {"one key twice in the first accesses", 13, 0},
                {"a first access beyond the end", 12, 3},
                {"a first access that waits for nothing", 6, 1},
                {"more first accesses than accesses", 22, 4},
                {"columns that are unknown", 23, 16},
                {"a thread that is neither known nor unknown", 25, 2},
                {"more requests than accesses", 27, 4}};
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        body b = honest;
        dj_summary *summary = NULL;
        assert_int_not_equal(b.bytes[end - lies[i].at], lies[i].value);
        b.bytes[end - lies[i].at] = lies[i].value;
        if (load_body(&b, "lies", &summary) != DJ_ERR_INPUT)
            fail_msg("%s", lies[i].what);
    }
    body b = honest;
    PUT(&b, 0);
    dj_summary *summary = NULL;
    assert_int_equal(load_body(&b, "more", &summary), DJ_ERR_INPUT);
}

static void replace(char **text, const char *by)
{
    free(*text);
    assert_int_equal(dj_copy_text(context, by, text), DJ_OK);
}

typedef void change(dj_summary *summary);

static void change_version(dj_summary *s)
{
    replace(&s->provenance.version, "0.0.1");
}

static void change_format(dj_summary *s)
{
    replace(&s->provenance.format, "csv");
}

static void change_unit(dj_summary *s)
{
    replace(&s->provenance.unit, "block");
}

static void change_bytes(dj_summary *s)
{
    s->provenance.unit_bytes = 1;
}

static void change_statements(dj_summary *s)
{
    replace(&s->provenance.statements, "annotated");
}

static void change_split(dj_summary *s)
{
    s->provenance.split = true;
}

static void test_unlike(void **state)
{
    (void)state;
    static change *const changes[] = {change_version, change_format,     change_unit,
                                      change_bytes,   change_statements, change_split};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        dj_summary *a = load(first_part(), "a.dejasum"), *b = load(second_part(), "b.dejasum");
        changes[i](b);
        assert_int_equal(dj_summary_join(context, a, b), DJ_ERR_INPUT);
        assert_non_null(strstr(dj_context_message(context), "a.dejasum"));
        assert_non_null(strstr(dj_context_message(context), "b.dejasum"));
        dj_summary_destroy(a);
        dj_summary_destroy(b);
    }
}

// Devices that the reader numbers can be joined only within one input.
static void test_devices(void **state)
{
    (void)state;
    for (int same = 0; same < 2; same++) {
        dj_summary *a = load(first_part(), "a"), *b = load(second_part(), "b");
        a->numbers_devices = b->numbers_devices = true;
        if (same)
            replace(&b->provenance.inputs[0], "monday");
        assert_int_equal(dj_summary_join(context, a, b), same ? DJ_OK : DJ_ERR_INPUT);
        if (same)
            assert_int_equal(a->provenance.input_count, 1);
        dj_summary_destroy(a);
        dj_summary_destroy(b);
    }
}

static void test_order(void **state)
{
    (void)state;
    static const struct {
        dj_part a, b;
        const char *message; // a part of it; NULL: they are joined
    } cases[] = {{{1, 1, 5}, {2, 2, 5}, NULL},
                 {{2, 3, 5}, {4, 5, 5}, NULL},
                 {{0, 0, 0}, {0, 0, 0}, NULL},
                 {{1, 1, 5}, {3, 3, 5}, "part 2 of 5"},
                 {{1, 1, 5}, {4, 4, 5}, "parts 2-3 of 5"},
                 {{2, 2, 5}, {1, 1, 5}, "order"},
                 {{2, 3, 5}, {3, 3, 5}, "once"},
                 {{2, 2, 5}, {1, 3, 5}, "once"},
                 {{1, 1, 5}, {2, 2, 4}, "numbered"},
                 {{1, 1, 5}, {0, 0, 0}, "without a number"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dj_summary *a = load(first_part(), "a"), *b = load(second_part(), "b");
        a->part = cases[i].a;
        b->part = cases[i].b;
        int err = dj_summary_join(context, a, b);
        assert_int_equal(err, cases[i].message ? DJ_ERR_INPUT : DJ_OK);
        if (err)
            assert_non_null(strstr(dj_context_message(context), cases[i].message));
        else
            assert_int_equal(a->part.last, cases[i].b.last);
        dj_summary_destroy(a);
        dj_summary_destroy(b);
    }
}

static void test_whole(void **state)
{
    (void)state;
    static const struct {
        dj_part part;
        const char *missing;
    } cases[] = {
        {{1, 5, 5}, NULL}, {{0, 0, 0}, NULL}, {{1, 3, 5}, "parts 4-5 of 5"}, {{2, 5, 5}, "part 1 of 5"}};
    dj_summary *a = load(first_part(), "a");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        a->part = cases[i].part;
        int err = dj_summary_check_complete(context, a);
        assert_int_equal(err, cases[i].missing ? DJ_ERR_INPUT : DJ_OK);
        if (err)
            assert_non_null(strstr(dj_context_message(context), cases[i].missing));
    }
    dj_summary_destroy(a);
}

// What needs the complete trace in order is refused before anything is read.
static void test_observers(void **state)
{
    (void)state;
    const dj_observer_choice good = {.ops = dj_observer_find("digest")},
                             bad = {.ops = dj_observer_find("fingerprint")};
    assert_int_equal(dj_summary_check(context, &good, 1), DJ_OK);
    assert_int_equal(dj_summary_check(context, &bad, 1), DJ_ERR_UNSUPPORTED);
    assert_non_null(strstr(dj_context_message(context), "fingerprint"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand), cmocka_unit_test(test_damage),    cmocka_unit_test(test_lies),
        cmocka_unit_test(test_unlike),  cmocka_unit_test(test_devices),   cmocka_unit_test(test_order),
        cmocka_unit_test(test_whole),   cmocka_unit_test(test_observers),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
