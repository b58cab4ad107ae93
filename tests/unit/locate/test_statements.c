// SPDX-License-Identifier: MIT
// Statement mode against an oracle that keeps a list of the elements of each instance and searches it.
#include <stdint.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/sanitized.h"
#include "unit/statement_stream.h"

// A made-up module: 10 bytes for each line; not optimized below 200, unknown from 400 on; the last byte of
// a line is an instruction that repeats.
enum { LINE = 10, OPTIMIZED_FROM = 200, UNKNOWN_FROM = 400, SITES = 500, THREADS = 3, DEPTH = 6 };

static bool fake_statement(void *user, uint32_t module, uint64_t offset, dj_statement_info *out)
{
    (void)user;
    assert_int_equal(module, 7);
    if (offset >= UNKNOWN_FROM)
        return false;
    *out = (dj_statement_info){.file = "f.c",
                               .line = (uint32_t)(offset / LINE) + 1,
                               .exact = offset < OPTIMIZED_FROM,
                               .repeats = offset % LINE == LINE - 1};
    return true;
}

static const dj_lookup fake = {.statement = fake_statement};

static void describe_sites(items *to)
{
    add_event(to, DJ_EVENT_MODULE, 7, 4096, 4096);
    for (uint32_t site = 0; site < SITES; site++)
        add_event(to, DJ_EVENT_SITE, site, 7, site); // the site is the offset
}

typedef struct seen {
    uint64_t address, size;
    size_t output;
} seen;

typedef struct instance {
    uint64_t number; // 0: none
    uint64_t line, pc, kind;
    seen elements[4096];
    size_t count;
} instance;

typedef struct oracle {
    instance *frames[THREADS]; // DEPTH of each thread
    size_t depth[THREADS];
    uint64_t instances;
    items expected;    // accesses and events
    uint64_t *belongs; // instance of each access in `expected`, by its index there
} oracle;

static void begin(oracle *o, instance *f)
{
    f->number = ++o->instances;
    f->count = 0;
}

static void expect_access(oracle *o, instance *f, const item *i)
{
    for (size_t e = 0; f && e < f->count; e++)
        if (f->elements[e].address == i->a && f->elements[e].size == i->b) {
            item *first = &o->expected.list[f->elements[e].output];
            first->c = first->c == i->c ? i->c : DJ_KIND_MODIFY;
            return;
        }
    if (f) {
        assert_true(f->count < sizeof f->elements / sizeof f->elements[0]);
        f->elements[f->count++] = (seen){i->a, i->b, o->expected.count};
    }
    o->belongs[o->expected.count] = f ? f->number : 0;
    add(&o->expected, *i);
}

static void follow(oracle *o, instance *f, const item *i)
{
    uint64_t line = i->site / LINE;
    bool again = i->site < OPTIMIZED_FROM || i->site % LINE == LINE - 1 ||
                 (f->kind == DJ_KIND_READ && i->c == DJ_KIND_WRITE);
    bool forward = i->site > f->pc || (i->site == f->pc && again);
    if (f->number == 0 || f->line != line || !forward)
        begin(o, f);
    f->line = line;
    f->pc = i->site;
    f->kind = i->c;
}

static void oracle_start(oracle *o, size_t count)
{
    *o = (oracle){0};
    o->belongs = calloc(count, sizeof *o->belongs);
    assert_non_null(o->belongs);
    for (size_t t = 0; t < THREADS; t++) {
        o->frames[t] = calloc(DEPTH, sizeof(instance));
        assert_non_null(o->frames[t]);
    }
}

static void oracle_end(oracle *o)
{
    for (size_t t = 0; t < THREADS; t++)
        free(o->frames[t]);
    free(o->expected.list);
    free(o->belongs);
}

static item random_access(uint64_t *rng)
{
    static const uint64_t sizes[] = {4, 8};
    bool odd = random_below(rng, 40) == 0;
    return (item){.site = (uint32_t)random_below(rng, random_below(rng, 3) ? 60 : SITES),
                  .a = random_below(rng, 12),
                  .b = sizes[random_below(rng, 2)],
                  .c = odd ? DJ_KIND_FETCH : random_below(rng, 3)};
}

static void pass_on(items *in, oracle *o, uint32_t type, uint64_t a, uint64_t c)
{
    add_event(in, type, a, 0, c);
    add_event(&o->expected, type, a, 0, c);
}

// A program with calls and threads, and the expected result.
static void make_program(items *in, oracle *o, uint64_t seed, size_t count)
{
    uint64_t rng = seed;
    size_t thread = 0;
    describe_sites(in);
    oracle_start(o, 2 * count + 2 * SITES);
    describe_sites(&o->expected);
    pass_on(in, o, DJ_EVENT_THREAD, 0, 0);
    for (size_t n = 0; n < count; n++) {
        uint64_t what = random_below(&rng, 20);
        size_t *depth = &o->depth[thread];
        uint64_t sp = (thread + 1) * 100000 - *depth * 100;
        if (what == 0) {
            thread = random_below(&rng, THREADS);
            pass_on(in, o, DJ_EVENT_THREAD, thread, 0);
        } else if (what <= 2 && *depth + 1 < DEPTH) {
            pass_on(in, o, DJ_EVENT_CALL, 3, sp - 100);
            o->frames[thread][++*depth] = (instance){0};
        } else if (what <= 4 && *depth > 0) {
            pass_on(in, o, DJ_EVENT_RETURN, 0, sp + 8);
            --*depth;
        } else {
            item i = random_access(&rng);
            add(in, i);
            instance *f = &o->frames[thread][*depth];
            bool counts_in_one = i.site < UNKNOWN_FROM && i.c <= DJ_KIND_MODIFY;
            if (counts_in_one)
                follow(o, f, &i);
            expect_access(o, counts_in_one ? f : NULL, &i);
        }
    }
}

static void compare(const items *got, const items *expected, uint64_t seed)
{
    for (size_t i = 0; i < got->count && i < expected->count; i++) {
        const item *g = &got->list[i], *e = &expected->list[i];
        if (g->type != e->type || g->site != e->site || g->a != e->a || g->b != e->b || g->c != e->c)
            fail_msg(
                "seed %llu, item %zu: type %u site %u a %llu b %llu c %llu; expected %u %u %llu %llu %llu",
                (unsigned long long)seed, i, g->type, g->site, (unsigned long long)g->a,
                (unsigned long long)g->b, (unsigned long long)g->c, e->type, e->site,
                (unsigned long long)e->a, (unsigned long long)e->b, (unsigned long long)e->c);
    }
    assert_int_equal(got->count, expected->count);
}

// Statement events name the instance of every access. Removes them.
static void check_marks(items *got, const oracle *o)
{
    uint64_t reported[THREADS] = {0};
    size_t thread = 0, kept = 0;
    for (size_t i = 0; i < got->count; i++) {
        item one = got->list[i];
        if (one.type == DJ_EVENT_STATEMENT) {
            reported[thread] = one.c == DJ_STATEMENT_OUTSIDE ? 0 : one.b;
            if (reported[thread])
                assert_int_equal(one.c, one.a < OPTIMIZED_FROM ? DJ_STATEMENT_LINES : DJ_STATEMENT_OPTIMIZED);
            continue;
        }
        if (one.type == DJ_EVENT_THREAD)
            thread = one.a;
        if (one.type == 0 && one.c <= DJ_KIND_MODIFY)
            assert_int_equal(reported[thread], o->belongs[kept]);
        got->list[kept++] = one;
    }
    got->count = kept;
}

static void test_lines(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed += SANITIZED_STEP) {
        items in = {0}, out = {0}, marked = {0}, again = {0};
        oracle o;
        dj_statements_tally tally;
        make_program(&in, &o, seed, seed % 10 == 0 ? 14000 : 1500);
        assert_int_equal(merge(&in, &(dj_statements_options){.lookup = fake}, DJ_OK, &out, &tally), DJ_OK);
        compare(&out, &o.expected, seed);
        assert_int_equal(tally.instances, o.instances);
        assert_int_equal(tally.late, 0);
        assert_int_equal(merge(&in, &(dj_statements_options){fake, true}, DJ_OK, &marked, NULL), DJ_OK);
        // Merging a merged stream changes nothing, with or without line tables.
        assert_int_equal(merge(&marked, &(dj_statements_options){.lookup = fake}, DJ_OK, &again, &tally),
                         DJ_OK);
        compare(&again, &marked, seed);
        assert_int_equal(tally.merged, 0);
        check_marks(&marked, &o);
        compare(&marked, &o.expected, seed);
        free(in.list);
        free(out.list);
        free(marked.list);
        free(again.list);
        oracle_end(&o);
    }
}

static void test_annotations(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed += SANITIZED_STEP) {
        items in = {0}, out = {0};
        oracle o;
        uint64_t rng = seed;
        size_t thread = 0;
        oracle_start(&o, 4000);
        pass_on(&in, &o, DJ_EVENT_THREAD, 0, 0);
        for (size_t n = 0; n < 3000; n++) {
            uint64_t what = random_below(&rng, 30);
            if (what == 0) {
                thread = random_below(&rng, THREADS);
                pass_on(&in, &o, DJ_EVENT_THREAD, thread, 0);
            } else if (what <= 3) {
                add_event(&in, DJ_EVENT_STATEMENT, what, n, 0);
                add_event(&o.expected, DJ_EVENT_STATEMENT, what, n, 0);
                begin(&o, &o.frames[thread][0]);
            } else if (what == 4) {
                pass_on(&in, &o, DJ_EVENT_CALL, 1, 5000 - n); // a call is a part of the statement
            } else {
                item i = random_access(&rng);
                instance *f = &o.frames[thread][0];
                add(&in, i);
                expect_access(&o, f->number && i.c <= DJ_KIND_MODIFY ? f : NULL, &i);
            }
        }
        assert_int_equal(merge(&in, &(dj_statements_options){.mark = seed % 2}, DJ_OK, &out, NULL), DJ_OK);
        compare(&out, &o.expected, seed);
        free(in.list);
        free(out.list);
        oracle_end(&o);
    }
}

// x is read, a function does `between` accesses, x is written.
static dj_statements_tally read_call_write(size_t between, items *out)
{
    items in = {0};
    dj_statements_tally tally;
    describe_sites(&in);
    add_access(&in, 1, 111, 8, DJ_KIND_READ);
    add_event(&in, DJ_EVENT_CALL, 1, 0, 1000);
    for (uint64_t i = 0; i < between; i++)
        add_access(&in, 30 + (uint32_t)i % 2 * LINE, 100000 + i, 8, DJ_KIND_READ);
    add_event(&in, DJ_EVENT_RETURN, 0, 0, 1008);
    add_access(&in, 2, 111, 8, DJ_KIND_WRITE);
    assert_int_equal(merge(&in, &(dj_statements_options){.lookup = fake}, DJ_OK, out, &tally), DJ_OK);
    free(in.list);
    return tally;
}

static void test_long_calls(void **state)
{
    (void)state;
    static const size_t between[] = {0, 1, DJ_BATCH_CAPACITY - 1, 3 * DJ_BATCH_CAPACITY};
    for (size_t i = 0; i < 4; i++) {
        items out = {0};
        dj_statements_tally tally = read_call_write(between[i], &out);
        size_t at = 0;
        while (out.list[at].type)
            at++;
        assert_int_equal(tally.merged, 1);
        assert_int_equal(tally.late, i == 3); // it is still one access, and it is reported
        assert_int_equal(out.list[at].c, i == 3 ? DJ_KIND_READ : DJ_KIND_MODIFY);
        assert_int_equal(out.count, SITES + 1 + 2 + 1 + between[i]);
        free(out.list);
    }
}

// A line that copies millions of elements: no linear search for each.
static void test_large_instance(void **state)
{
    (void)state;
    enum { ELEMENTS = 1000000 };
    items in = {0}, out = {0};
    dj_statements_tally tally;
    add_event(&in, DJ_EVENT_STATEMENT, 1, 1, 0);
    for (uint64_t round = 0; round < 2; round++)
        for (uint64_t i = 0; i < ELEMENTS; i++)
            add_access(&in, 0, i * 8, 8, DJ_KIND_READ);
    assert_int_equal(merge(&in, &(dj_statements_options){0}, DJ_OK, &out, &tally), DJ_OK);
    assert_int_equal(out.count, ELEMENTS + 1);
    assert_int_equal(tally.merged, ELEMENTS);
    free(in.list);
    free(out.list);
}

// More events than fit a batch, and an end in the middle.
static void test_events_and_bad_end(void **state)
{
    (void)state;
    items in = {0}, out = {0};
    for (uint64_t i = 0; i < 200000; i++)
        add_event(&in, DJ_EVENT_THREAD, i % THREADS, 0, 0);
    add_access(&in, 0, 5, 8, DJ_KIND_WRITE);
    assert_int_equal(merge(&in, &(dj_statements_options){0}, DJ_ERR_INPUT, &out, NULL), DJ_ERR_INPUT);
    assert_string_equal(dj_context_message(context), "cut off");
    compare(&out, &in, 0);
    free(in.list);
    free(out.list);
}

static void check_description(const items *in, const dj_lookup *lookup, const uint64_t *accesses,
                              const char *expected)
{
    static const dj_source_ops ops = {.next = next_items};
    static const dj_source_info info = {.format = "test", .unit_bytes = 1, .default_block = 1};
    item_source g = {.from = in, .random = 1};
    dj_source *inner, *outer;
    dj_statements *stage;
    char text[256];
    assert_int_equal(dj_source_create(context, &ops, &g, &info, &inner), DJ_OK);
    assert_int_equal(dj_statements_create(context, &(dj_statements_options){.lookup = *lookup}, &stage),
                     DJ_OK);
    assert_int_equal(dj_statements_source(context, stage, inner, &outer), DJ_OK);
    dj_batch *batch;
    while (assert_int_equal(dj_source_next(outer, context, &batch), DJ_OK), batch)
        dj_batch_release(batch);
    int err = dj_statements_describe(stage, context, accesses, text, sizeof text);
    assert_int_equal(err, expected ? DJ_OK : DJ_ERR_UNSUPPORTED);
    if (expected)
        assert_string_equal(text, expected);
    dj_source_close(outer);
    dj_source_close(inner);
    dj_statements_destroy(stage);
}

static void test_descriptions(void **state)
{
    (void)state;
    static const dj_lookup none = {0};
    static const uint64_t counted[DJ_STATEMENT_SOURCES] = {[DJ_STATEMENT_LINES] = 4};
    items in = {0};
    describe_sites(&in);
    add_access(&in, 450, 0, 8, DJ_KIND_READ);
    check_description(&in, &fake, NULL, NULL);
    add_access(&in, 250, 0, 8, DJ_KIND_READ);
    check_description(
        &in, &fake, NULL,
        "approximate: from line tables of optimized code; 50% of the accesses outside of statements");
    add_access(&in, 10, 0, 8, DJ_KIND_READ);
    add_access(&in, 11, 0, 8, DJ_KIND_READ);
    check_description(&in, &fake, NULL,
                      "from line tables at -O0; approximate for 25% of the accesses, in optimized code; "
                      "25% of the accesses outside of statements");
    check_description(&in, &fake, counted, "from line tables at -O0");
    check_description(&in, &none, NULL, NULL);
    add_event(&in, DJ_EVENT_STATEMENT, 1, 0, 0);
    for (uint64_t i = 0; i < 4; i++)
        add_access(&in, 10, i, 8, DJ_KIND_READ);
    check_description(&in, &none, NULL, "from annotations; 50% of the accesses outside of statements");
    free(in.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_annotations),
        cmocka_unit_test(test_long_calls),
        cmocka_unit_test(test_large_instance),
        cmocka_unit_test(test_events_and_bad_end),
        cmocka_unit_test(test_descriptions),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
