// SPDX-License-Identifier: MIT
// Simulated hierarchies against the simplest possible ones, by place: each set, and each fully associative
// cache, is a list with the most recent block first.
#include "unit/lane.h"

#include <deja/hierarchy.h>
#include <deja/observer_options.h>

#include "observe/hierarchy/level.h"

enum { COUNT = 40000, PLACES = 5, KEYS = 600, BLOCKS_MOST = 256, LEVELS = 3 };

typedef struct plain_block {
    uint64_t key;
    uint32_t writer; // place + 1; 0: not modified; NOBODY: by an access that does not count
} plain_block;

#define NOBODY UINT32_MAX

typedef struct plain_list {
    plain_block blocks[BLOCKS_MOST];
    uint64_t count, most;
} plain_list;

typedef struct plain_level {
    plain_list *sets, full;
    uint64_t set_count;
    dj_level_counts counts[PLACES];
} plain_level;

// Moves a block to the front of its list, or adds it there. Returns whether it was in the list; *out is the
// one that fell out, if any did.
static bool plain_touch(plain_list *list, uint64_t key, bool *fell, plain_block *out)
{
    uint64_t at = 0;
    *fell = false;
    while (at < list->count && list->blocks[at].key != key)
        at++;
    const bool hit = at < list->count;
    plain_block block = {key, 0};
    if (hit) {
        block = list->blocks[at];
    } else if (list->count == list->most) {
        *fell = true;
        *out = list->blocks[--at];
    } else {
        list->count++;
    }
    for (; at > 0; at--)
        list->blocks[at] = list->blocks[at - 1];
    list->blocks[0] = block;
    return hit;
}

static void plain_request(plain_level *levels, size_t left, uint64_t key, uint32_t by, bool fetches,
                          bool modifies, bool cold)
{
    plain_level *level = levels;
    plain_block out = {0, 0}, ignored;
    bool fell = false, ignored_too = false;
    if (left == 0)
        return;
    plain_list *set = &level->sets[key % level->set_count];
    const bool in_full = plain_touch(&level->full, key, &ignored_too, &ignored);
    const bool hit = plain_touch(set, key, &fell, &out);
    if (!hit && fetches) {
        if (by != NOBODY) {
            level->counts[by - 1].misses++;
            level->counts[by - 1].cold += cold;
            level->counts[by - 1].conflict += !cold && in_full;
        }
        plain_request(levels + 1, left - 1, key, by, true, false, cold);
    }
    if (fell && out.writer) {
        if (out.writer != NOBODY)
            level->counts[out.writer - 1].writebacks++;
        plain_request(levels + 1, left - 1, out.key, out.writer, false, true, false);
    }
    if (modifies)
        set->blocks[0].writer = by;
}

typedef struct accesses {
    uint64_t key[COUNT], distance[COUNT], filled[COUNT];
    uint32_t place[COUNT];
    uint8_t kind[COUNT], verdict[COUNT];
} accesses;

// The number of other keys since the previous access that is not absent.
static void find_distances(accesses *a)
{
    plain_block stack[KEYS * 64];
    uint64_t depth = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint64_t at = 0;
        a->distance[i] = a->filled[i] = DJ_ABSENT;
        if (a->verdict[i] == DJ_VERDICT_ABSENT)
            continue;
        while (at < depth && stack[at].key != a->key[i])
            at++;
        uint64_t *to = a->verdict[i] == DJ_VERDICT_FILL ? &a->filled[i] : &a->distance[i];
        *to = at < depth ? at : DJ_COLD;
        depth += at == depth;
        for (; at > 0; at--)
            stack[at] = stack[at - 1];
        stack[0] = (plain_block){a->key[i], 0};
    }
}

// Random and skewed, sweeps, columns of a matrix whose rows map to the same sets, and a few blocks of one
// set.
static uint64_t any_key(uint64_t *seed, unsigned pattern, uint32_t i)
{
    const uint64_t a = next_random(seed) % KEYS, b = next_random(seed) % KEYS;
    switch (pattern) {
    case 0:
        return a < b ? a : b;
    case 1:
        return i / 3 % 300;
    case 2:
        return (uint64_t)i % 24 * 64 + i / 24 % 4;
    case 3:
        return a % 11 * 32;
    default:
        return next_random(seed) % 4 ? a % 40 : UINT64_MAX - b; // far ends of the numbers
    }
}

static void fill(accesses *a, uint64_t *seed, unsigned pattern, bool filtered)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        const bool again = i > 0 && next_random(seed) % 4 == 0;
        a->key[i] = again ? a->key[i - 1] : any_key(seed, pattern, i);
        a->place[i] = (uint32_t)(next_random(seed) % PLACES);
        a->kind[i] = next_random(seed) % 3 == 0 ? DJ_KIND_WRITE : DJ_KIND_READ;
        const uint64_t what = filtered ? next_random(seed) % 8 : 7;
        a->verdict[i] = what == 0               ? DJ_VERDICT_ABSENT
                        : what == 1 || i < 1000 ? (filtered ? DJ_VERDICT_FILL : DJ_VERDICT_COUNT)
                                                : DJ_VERDICT_COUNT;
    }
    find_distances(a);
}

typedef struct shape {
    uint64_t sets, ways;
} shape;

static void run_plain(const accesses *a, const shape *shapes, size_t levels, plain_level *out)
{
    for (size_t k = 0; k < levels; k++) {
        out[k] = (plain_level){.sets = calloc(shapes[k].sets, sizeof(plain_list)),
                               .full.most = shapes[k].sets * shapes[k].ways,
                               .set_count = shapes[k].sets};
        for (uint64_t s = 0; s < shapes[k].sets; s++)
            out[k].sets[s].most = shapes[k].ways;
    }
    for (uint32_t i = 0; i < COUNT; i++)
        if (a->verdict[i] != DJ_VERDICT_ABSENT)
            plain_request(out, levels, a->key[i], a->verdict[i] == DJ_VERDICT_FILL ? NOBODY : a->place[i] + 1,
                          true, a->kind[i] == DJ_KIND_WRITE, a->distance[i] == DJ_COLD);
    for (size_t k = 0; k < levels; k++)
        free(out[k].sets);
}

// In batches of any size.
static dj_profile *observe(dj_context *context, accesses *a, const dj_hierarchy_options *options,
                           bool filtered, uint64_t *seed)
{
    const dj_observer_ops *ops = dj_observer_find("hierarchy");
    dj_setup setup = {.lane_count = 1, .options = options};
    void *state = NULL;
    assert_int_equal(ops->create(context, &setup, &state), DJ_OK);
    for (uint32_t from = 0, count; from < COUNT; from += count) {
        count = 1 + (uint32_t)(next_random(seed) % 6000);
        count = count < COUNT - from ? count : COUNT - from;
        dj_batch batch = {.count = count, .column = {.place = a->place + from, .kind = a->kind + from}};
        dj_lane_view lane = {.key = a->key + from,
                             .distance = a->distance + from,
                             .verdict = filtered ? a->verdict + from : NULL,
                             .filled = filtered ? a->filled + from : NULL};
        dj_view view = {.batch = &batch, .lanes = &lane, .lane_count = 1, .in_order = true};
        assert_int_equal(ops->see(state, context, &view), DJ_OK);
    }
    dj_profile *profile = make_profile(context, 1);
    assert_int_equal(ops->finish(state, context, profile), DJ_OK);
    ops->destroy(state);
    return profile;
}

static void assert_same(const dj_level_counts *found, const dj_level_counts *expected)
{
    assert_int_equal(found->misses, expected->misses);
    assert_int_equal(found->cold, expected->cold);
    assert_int_equal(found->conflict, expected->conflict);
    assert_int_equal(found->writebacks, expected->writebacks);
}

static void compare(const dj_profile *profile, const plain_level *levels, size_t count)
{
    static const dj_level_counts nothing;
    const dj_hierarchy *h = dj_profile_hierarchy(profile);
    assert_int_equal(h->level_count, count);
    for (size_t k = 0; k < count; k++) {
        dj_level_counts sum = nothing;
        for (size_t p = 0; p < PLACES; p++) {
            const dj_level_tally *tally = p < h->place_count ? h->places[p] : NULL;
            assert_same(tally ? &tally->levels[k] : &nothing, &levels[k].counts[p]);
            dj_level_counts_add(&sum, &levels[k].counts[p]);
        }
        assert_same(&h->levels[k].counts, &sum);
        assert_int_equal(h->levels[k].capacity, sum.misses - sum.cold - sum.conflict);
    }
}

static const struct {
    size_t levels;
    shape shapes[LEVELS];
} geometries[] = {
    {1, {{4, 2}}},
    {1, {{1, 8}}}, // fully associative
    {1, {{16, 1}}},
    {2, {{4, 2}, {16, 4}}},
    {2, {{8, 8}, {4, 4}}}, // the second is smaller
    {2, {{3, 5}, {7, 3}}}, // sets that are no power of two
    {2, {{1, 6}, {8, 2}}},
    {2, {{2, 4}, {1, 64}}},
    {3, {{2, 2}, {5, 4}, {16, 12}}},
    {3, {{8, 1}, {1, 20}, {12, 3}}},
};

static void equals_plain_hierarchies(void **state)
{
    (void)state;
    static accesses a;
    static plain_level expected[LEVELS];
    uint64_t seed = 77;
    dj_context *context = make_context();
    for (unsigned round = 0; round < 10; round++) {
        const bool filtered = round % 2;
        fill(&a, &seed, round / 2, filtered);
        for (size_t g = 0; g < sizeof geometries / sizeof *geometries; g++) {
            dj_hierarchy_level levels[LEVELS];
            for (size_t k = 0; k < geometries[g].levels; k++) {
                const shape *s = &geometries[g].shapes[k];
                levels[k] = (dj_hierarchy_level){"L", s->sets * s->ways, s->ways};
            }
            const dj_hierarchy_options options = {levels, geometries[g].levels, true};
            dj_profile *profile = observe(context, &a, &options, filtered, &seed);
            run_plain(&a, geometries[g].shapes, geometries[g].levels, expected);
            compare(profile, expected, geometries[g].levels);
            dj_profile_destroy(profile);
        }
    }
    dj_context_destroy(context);
}

// The counter of uses starts again after 2^31 accesses; the order within sets must survive.
static void survives_the_wrap(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_level_state early, late;
    dj_level_counts counts[2] = {{0}};
    uint64_t seed = 5;
    assert_int_equal(dj_level_create(&early, context, 64, 4, true, COUNT), DJ_OK);
    assert_int_equal(dj_level_create(&late, context, 64, 4, true, COUNT), DJ_OK);
    late.now = INT32_MAX - 1500;
    early.counts = &counts[0];
    late.counts = &counts[1];
    for (unsigned turn = 0; turn < 40; turn++) {
        assert_int_equal(dj_level_reserve(&early, context, 100), DJ_OK);
        assert_int_equal(dj_level_reserve(&late, context, 100), DJ_OK);
        for (unsigned i = 0; i < 100; i++) {
            const dj_level_request r = {next_random(&seed) % 90, 1,
                                        DJ_REQUEST_FETCH |
                                            (uint32_t)(next_random(&seed) % 2 * DJ_REQUEST_MODIFY)};
            (void)dj_level_access_first(&early, r);
            (void)dj_level_access_first(&late, r);
        }
    }
    assert_true(late.now < INT32_MAX / 2);
    assert_true(counts[0].misses > 500);
    assert_same(&counts[1], &counts[0]);
    dj_level_free(&early);
    dj_level_free(&late);
    dj_context_destroy(context);
}

static void refuses_what_it_cannot_simulate(void **state)
{
    (void)state;
    dj_context *context = make_context();
    const dj_observer_ops *ops = dj_observer_find("hierarchy");
    const dj_hierarchy_level ragged = {"L1", 10, 4}, none = {"L1", 0, 1};
    const dj_hierarchy_options wrong[] = {{&ragged, 1, false}, {&none, 1, false}, {&ragged, 0, false}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        dj_setup setup = {.lane_count = 1, .options = &wrong[i]};
        void *observer = NULL;
        assert_int_equal(ops->create(context, &setup, &observer), DJ_ERR_USAGE);
    }
    assert_null(ops->merge);   // parts cannot be joined
    assert_false(ops->weighs); // nor can samples be weighed
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_plain_hierarchies),
        cmocka_unit_test(survives_the_wrap),
        cmocka_unit_test(refuses_what_it_cannot_simulate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
