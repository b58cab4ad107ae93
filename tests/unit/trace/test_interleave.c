// SPDX-License-Identifier: MIT
// Merged sources against a merge by the definition: compare the times of the next accesses as fractions, or
// draw one number per access.
#include "unit/access_list.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/context.h"

enum { SHARERS = 6 };

static const dj_source_info memory = {
    .format = "list", .kind = DJ_CLASS_MEMORY, .default_block = 64, .unit_bytes = 1};

typedef struct fraction {
    uint64_t over, under;
} fraction;

typedef struct trial {
    uint32_t count;
    size_t length[SHARERS];
    fraction speed[SHARERS];
    dj_interleave_options options;
    double speeds[SHARERS];
    access_list lists[SHARERS];
    dj_random draws;
} trial;

static const char *const names[SHARERS] = {"a", "b", "c", "d", "e", "f"};

static void make_lists(trial *t, dj_random *random, uint32_t columns)
{
    for (uint32_t s = 0; s < t->count; s++) {
        access_list *l = &t->lists[s];
        *l = (access_list){.name = names[s], .columns = columns, .count = t->length[s]};
        l->items = calloc(l->count, sizeof *l->items);
        assert_non_null(l->items);
        for (size_t i = 0; i < l->count; i++)
            l->items[i] = (listed){.address = dj_random_below(random, 1000),
                                   .size = dj_random_below(random, 100),
                                   .device = (uint32_t)dj_random_below(random, 5),
                                   .site = 1,
                                   .kind = (uint8_t)dj_random_below(random, 3)};
    }
}

static void free_lists(trial *t)
{
    for (uint32_t s = 0; s < t->count; s++)
        free(t->lists[s].items);
}

static uint32_t earliest(const trial *t, const size_t *at)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t s = 0; s < t->count; s++) {
        if (at[s] == t->length[s])
            continue;
        if (best == UINT32_MAX) {
            best = s;
            continue;
        }
        unsigned __int128 here = (unsigned __int128)(at[s] + 1) * t->speed[s].under * t->speed[best].over;
        unsigned __int128 there = (unsigned __int128)(at[best] + 1) * t->speed[best].under * t->speed[s].over;
        if (here < there)
            best = s;
    }
    return best;
}

// Speeds are integers here.
static uint32_t drawn(trial *t, const size_t *at, bool *gone)
{
    for (;;) {
        uint64_t sum = 0;
        for (uint32_t s = 0; s < t->count; s++)
            sum += gone[s] ? 0 : t->speed[s].over;
        uint64_t number = dj_random_below(&t->draws, sum);
        uint32_t s = 0;
        for (; gone[s] || number >= t->speed[s].over; s++)
            number -= gone[s] ? 0 : t->speed[s].over;
        if (at[s] < t->length[s])
            return s;
        gone[s] = true;
    }
}

static void compare(trial *t, const access_list *got)
{
    size_t at[SHARERS] = {0}, total = 0;
    bool gone[SHARERS] = {false};
    for (uint32_t s = 0; s < t->count; s++)
        total += t->length[s];
    assert_int_equal(got->count, total);
    dj_random_seed(&t->draws, t->options.seed);
    for (size_t i = 0; i < total; i++) {
        uint32_t s = t->options.order == DJ_INTERLEAVE_RANDOM ? drawn(t, at, gone) : earliest(t, at);
        const listed *want = &t->lists[s].items[at[s]++], *have = &got->items[i];
        uint32_t device = t->lists[s].columns & DJ_COLUMN_DEVICE ? want->device : 0;
        assert_int_equal(have->sharer, s);
        assert_int_equal(have->address, want->address);
        assert_int_equal(have->size, want->size);
        assert_int_equal(have->kind, want->kind);
        assert_int_equal(have->device, t->options.separate ? device * t->count + s : device);
    }
}

static dj_source *open_trial(trial *t)
{
    dj_source *sources[SHARERS], *merged = NULL;
    for (uint32_t s = 0; s < t->count; s++) {
        sources[s] = open_list(context, &t->lists[s], &memory);
        t->speeds[s] = (double)t->speed[s].over / (double)t->speed[s].under;
    }
    t->options.speeds = t->speeds;
    t->options.speed_count = t->count;
    assert_int_equal(dj_source_interleave(context, sources, t->count, &t->options, &merged), DJ_OK);
    return merged;
}

static void run_trial(trial *t)
{
    int err;
    dj_source *merged = open_trial(t);
    uint32_t columns = dj_source_get_info(merged)->columns;
    access_list got = read_list(context, merged, &err);
    assert_int_equal(err, DJ_OK);
    assert_int_equal(got.columns, columns);
    compare(t, &got);
    for (uint32_t s = 0; s < t->count; s++)
        assert_true(t->lists[s].closed);
    free(got.items);
}

static void random_cases(enum dj_interleaving order)
{
    dj_random random;
    dj_random_seed(&random, 1 + order);
    for (unsigned k = 0; k < 600; k++) {
        trial t = {.count = 1 + (uint32_t)dj_random_below(&random, SHARERS), .options.order = order};
        // Small speeds repeat soon, others never.
        uint64_t most = k % 3 == 0 ? 5 : k % 3 == 1 ? 1000 : 10000000;
        for (uint32_t s = 0; s < t.count; s++) {
            t.length[s] = 1 + dj_random_below(&random, k % 20 == 0 ? 30000 : 300);
            t.speed[s].over = 1 + dj_random_below(&random, most);
            t.speed[s].under = order == DJ_INTERLEAVE_SPEEDS ? 1 + dj_random_below(&random, 10) : 1;
        }
        // Speeds without a common divisor, so that the program draws below the same sums as this test.
        if (order == DJ_INTERLEAVE_RANDOM)
            t.speed[0].over = 1;
        t.options.separate = dj_random_below(&random, 2);
        t.options.seed = dj_random_next(&random);
        make_lists(&t, &random,
                   DJ_COLUMN_SIZE | DJ_COLUMN_KIND | DJ_COLUMN_SITE |
                       (dj_random_below(&random, 2) ? (uint32_t)DJ_COLUMN_DEVICE : 0u));
        run_trial(&t);
        free_lists(&t);
    }
}

static void speeds_match_the_definition(void **state)
{
    (void)state;
    random_cases(DJ_INTERLEAVE_SPEEDS);
}

static void draws_match_the_definition(void **state)
{
    (void)state;
    random_cases(DJ_INTERLEAVE_RANDOM);
}

// The order of two traces of `length` accesses, as the numbers of the sharers.
static char *order_of(double a, double b, size_t length)
{
    static char text[64];
    listed items[64] = {{0}};
    access_list lists[2] = {{.items = items, .count = length, .name = "a", .batch = 5},
                            {.items = items, .count = length, .name = "b", .batch = 3}};
    dj_source *sources[2] = {open_list(context, &lists[0], &memory), open_list(context, &lists[1], &memory)};
    double speeds[2] = {a, b};
    dj_interleave_options options = {.speeds = speeds, .speed_count = 2};
    dj_source *merged = NULL;
    int err;
    assert_int_equal(dj_source_interleave(context, sources, 2, &options, &merged), DJ_OK);
    access_list got = read_list(context, merged, &err);
    assert_int_equal(got.count, 2 * length);
    for (size_t i = 0; i < got.count; i++)
        text[i] = (char)('0' + got.items[i].sharer);
    text[got.count] = '\0';
    free(got.items);
    return text;
}

static void ties_go_to_the_first(void **state)
{
    (void)state;
    assert_string_equal(order_of(1, 1, 4), "01010101");
    // Accesses of the second at 1, 2, …; of the first at 0.5, 1, 1.5, …
    assert_string_equal(order_of(2, 1, 4), "00100111");
    assert_string_equal(order_of(1, 2, 4), "10110100");
    // 0.3 and 0.1 are not three to one as doubles.
    assert_string_equal(order_of(0.3, 0.1, 4), "00010111");
    assert_string_equal(order_of(0.1, 0.3, 4), "11011000");
    assert_string_equal(order_of(1e9 / 3, 1e9, 4), "11011000");
    assert_string_equal(order_of(1e-9, 3e-9, 4), "11011000");
}

// Two traces of 30000 accesses each, drawn 3 to 1. While both last, each of the four pairs of consecutive
// sharers has its probability: within five standard deviations, for a fixed seed.
static void draws_are_independent(void **state)
{
    (void)state;
    enum { LENGTH = 30000, PAIRS = 15000 };
    listed *items = calloc(LENGTH, sizeof *items);
    access_list lists[2] = {{.items = items, .count = LENGTH, .name = "a"},
                            {.items = items, .count = LENGTH, .name = "b"}};
    dj_source *sources[2] = {open_list(context, &lists[0], &memory), open_list(context, &lists[1], &memory)};
    const double speeds[2] = {3, 1}, share[4] = {9 / 16., 3 / 16., 3 / 16., 1 / 16.};
    dj_interleave_options options = {
        .order = DJ_INTERLEAVE_RANDOM, .speeds = speeds, .speed_count = 2, .seed = 42};
    dj_source *merged = NULL;
    unsigned seen[4] = {0};
    int err;
    assert_non_null(items);
    assert_int_equal(dj_source_interleave(context, sources, 2, &options, &merged), DJ_OK);
    access_list got = read_list(context, merged, &err);
    assert_int_equal(got.count, 2 * LENGTH);
    for (size_t i = 0; i < PAIRS; i++)
        seen[2 * got.items[2 * i].sharer + got.items[2 * i + 1].sharer]++;
    for (unsigned i = 0; i < 4; i++)
        assert_true(fabs(seen[i] - PAIRS * share[i]) < 5 * sqrt(PAIRS * share[i] * (1 - share[i])));
    free(got.items);
    free(items);
}

// Keys may have 64 bits. Separate sharers need some of them, so long keys become shorter ones: different keys
// remain different, and those of one block stay together.
static void separate_keys_leave_room_for_the_sharer(void **state)
{
    (void)state;
    enum { KEYS = 400 };
    static const dj_source_info keys = {.format = "k", .kind = DJ_CLASS_KEYS, .default_block = 1};
    for (uint32_t count = 2; count <= SHARERS; count++) {
        listed items[KEYS];
        access_list lists[SHARERS];
        dj_source *sources[SHARERS], *merged = NULL;
        const dj_interleave_options options = {.separate = true};
        int err;
        for (uint64_t i = 0; i < KEYS; i++) {
            uint64_t hash = dj_random_mix(i / 4) | (uint64_t)1 << 63;
            items[i] = (listed){.address = i % 2 ? i % 40 : hash + i % 8};
        }
        for (uint32_t s = 0; s < count; s++) {
            lists[s] = (access_list){.items = items, .count = KEYS, .name = names[s]};
            sources[s] = open_list(context, &lists[s], &keys);
        }
        assert_int_equal(dj_source_interleave(context, sources, count, &options, &merged), DJ_OK);
        access_list got = read_list(context, merged, &err);
        assert_int_equal(got.count, (size_t)KEYS * count);
        for (size_t i = 0; i < got.count; i++) {
            const listed *a = &got.items[i], *from = &items[i / count];
            assert_int_equal(a->device, i % count);
            assert_true(a->address >> (64 - (count > 4 ? 3 : count > 2 ? 2 : 1)) == 0);
            assert_true((from->address < 40) == (a->address == from->address));
            for (size_t j = 0; j < i; j++) {
                const listed *b = &got.items[j], *other = &items[j / count];
                assert_true((a->address == b->address) == (from->address == other->address));
                assert_true((a->address / 4 == b->address / 4) == (from->address / 4 == other->address / 4));
            }
        }
        free(got.items);
    }
}

typedef struct refusal {
    const char *reason;
    dj_interleave_options options;
    double speeds[2];
    size_t length; // of the second trace
    dj_source_info info;
    uint32_t columns;
} refusal;

static void refuse(const refusal *r)
{
    listed items[20] = {{0}};
    for (unsigned i = 0; i < 20; i++)
        items[i].device = UINT32_MAX / 2 + 1;
    access_list lists[2] = {{.items = items, .count = 20, .name = "first", .columns = r->columns},
                            {.items = items, .count = r->length, .name = "second"}};
    dj_source_info info = r->info.format ? r->info : memory;
    lists[1].columns = r->info.format ? 0 : r->columns;
    dj_source *sources[2] = {open_list(context, &lists[0], &memory), open_list(context, &lists[1], &info)};
    dj_source *merged = NULL;
    dj_interleave_options options = r->options;
    if (r->speeds[0] != 0) {
        options.speeds = r->speeds;
        options.speed_count += 2;
    }
    int err = dj_source_interleave(context, sources, 2, &options, &merged);
    if (!err)
        free(read_list(context, merged, &err).items);
    assert_int_not_equal(err, DJ_OK);
    if (!strstr(dj_context_message(context), r->reason))
        fail_msg("'%s' does not contain '%s'", dj_context_message(context), r->reason);
    assert_true(lists[0].closed && lists[1].closed);
}

static void refusals_state_the_reason(void **state)
{
    (void)state;
    static const dj_source_info keys = {.format = "k", .kind = DJ_CLASS_KEYS, .default_block = 1};
    static const dj_source_info units = {.format = "u", .kind = DJ_CLASS_MEMORY, .unit_bytes = 512};
    static const dj_source_info numbered = {
        .format = "n", .kind = DJ_CLASS_MEMORY, .unit_bytes = 1, .numbers_devices = true};
    static const dj_source_info plain = {.format = "p", .kind = DJ_CLASS_MEMORY, .unit_bytes = 1};
    const refusal refusals[] = {
        {.reason = "the speed of sharer 2 (second) is 0", .speeds = {1, 0}, .length = 1},
        {.reason = "the speed of sharer 1 (first) is -1", .speeds = {-1, 1}, .length = 1},
        {.reason = "the speed of sharer 2 (second) is inf", .speeds = {1, INFINITY}, .length = 1},
        {.reason = "the speed of sharer 1 (first) is nan", .speeds = {NAN, 1}, .length = 1},
        {.reason = "more than 2^40 times lower", .speeds = {1e-30, 1}, .length = 1},
        {.reason = "3 speeds for 2 sharers", .speeds = {1, 1}, .length = 1, .options.speed_count = 1},
        {.reason = "second has no accesses", .length = 0},
        {.reason = "no recorded order", .length = 1, .options.order = DJ_INTERLEAVE_RECORDED},
        {.reason = "first contains memory addresses and second contains keys", .length = 1, .info = keys},
        {.reason = "first and second count different units", .length = 1, .info = units},
        {.reason = "which of them first and second share", .length = 1, .info = numbered},
        {.reason = "only one of first and second records devices",
         .length = 1,
         .info = plain,
         .columns = DJ_COLUMN_DEVICE},
        {.reason = "cannot be numbered", .length = 1, .columns = DJ_COLUMN_DEVICE, .options.separate = true},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        refuse(&refusals[i]);
}

static void bad_input_ends_the_merged_trace(void **state)
{
    (void)state;
    listed items[3000] = {{0}};
    access_list lists[2] = {
        {.items = items, .count = 3000, .name = "good", .batch = 100},
        {.items = items, .count = 1000, .name = "bad", .batch = 100, .end = DJ_ERR_INPUT}};
    dj_source *sources[2] = {open_list(context, &lists[0], &memory), open_list(context, &lists[1], &memory)};
    dj_source *merged = NULL;
    int err;
    assert_int_equal(dj_source_interleave(context, sources, 2, NULL, &merged), DJ_OK);
    access_list got = read_list(context, merged, &err);
    assert_int_equal(err, DJ_ERR_INPUT);
    assert_string_equal(dj_context_message(context), "bad: bad end");
    assert_in_range(got.count, 1900, 2000);
    assert_true(lists[0].closed && lists[1].closed);
    free(got.items);
}

static void sharers_are_listed(void **state)
{
    (void)state;
    listed items[30] = {{0}};
    access_list lists[2] = {{.items = items, .count = 30, .name = "one"},
                            {.items = items, .count = 10, .name = "two"}};
    dj_source *sources[2] = {open_list(context, &lists[0], &memory), open_list(context, &lists[1], &memory)};
    const double speeds[2] = {2.5, 0.5};
    dj_interleave_options options = {.speeds = speeds, .speed_count = 2};
    dj_source *merged = NULL;
    dj_batch *batch;
    size_t count;
    assert_null(dj_source_sharers(sources[0], &count));
    assert_int_equal(dj_source_interleave(context, sources, 2, &options, &merged), DJ_OK);
    while (dj_source_next(merged, context, &batch) == DJ_OK && batch)
        dj_batch_release(batch);
    const dj_sharer *sharers = dj_source_sharers(merged, &count);
    assert_int_equal(count, 2);
    assert_string_equal(sharers[0].name, "one");
    assert_string_equal(sharers[1].name, "two");
    assert_int_equal(sharers[0].accesses, 30);
    assert_int_equal(sharers[1].accesses, 10);
    assert_true(sharers[0].speed == 2.5 && sharers[1].speed == 0.5);
    dj_source_close(merged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speeds_match_the_definition),
        cmocka_unit_test(draws_match_the_definition),
        cmocka_unit_test(ties_go_to_the_first),
        cmocka_unit_test(draws_are_independent),
        cmocka_unit_test(separate_keys_leave_room_for_the_sharer),
        cmocka_unit_test(refusals_state_the_reason),
        cmocka_unit_test(bad_input_ends_the_merged_trace),
        cmocka_unit_test(sharers_are_listed),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
