// SPDX-License-Identifier: MIT
// Spatial locality saved and loaded, and files that must be rejected.
#include "unit/spatial_profile.h"

#include <jansson.h>
#include <math.h>

static void assert_same_caches(const dj_spatial_cache *x, const dj_spatial_cache *y)
{
    assert_memory_equal(x, y, SPATIAL_CACHES * sizeof *x);
}

static void assert_same_spatial(const dj_spatial *x, const dj_spatial *y)
{
    assert_non_null(y);
    assert_int_equal(x->pair_count, y->pair_count);
    assert_int_equal(x->cache_count, y->cache_count);
    assert_true(x->usage_block == y->usage_block && x->usage_cache == y->usage_cache);
    for (size_t i = 0; i < x->cache_count; i++) {
        assert_string_equal(x->caches[i].name, y->caches[i].name);
        assert_true(x->caches[i].bytes == y->caches[i].bytes);
    }
    for (size_t i = 0; i < x->pair_count; i++) {
        const dj_spatial_pair *p = &x->pairs[i], *q = &y->pairs[i];
        assert_true(p->block_bytes == q->block_bytes && p->cold_both == q->cold_both);
        assert_memory_equal(p->map, q->map, sizeof p->map);
        assert_memory_equal(p->cold, q->cold, sizeof p->cold);
        assert_memory_equal(p->intercepted, q->intercepted, sizeof p->intercepted);
        assert_memory_equal(p->distance_sum, q->distance_sum, sizeof p->distance_sum);
        assert_same_caches(p->caches, q->caches);
        assert_memory_equal(p->cache_sum, q->cache_sum, SPATIAL_CACHES * sizeof *p->cache_sum);
    }
}

static void assert_same_tally(const dj_spatial_tally *x, const dj_spatial_tally *y)
{
    assert_non_null(y);
    assert_true(x->pair_count == y->pair_count && x->cache_count == y->cache_count);
    assert_memory_equal(&x->usage, &y->usage, sizeof x->usage);
    for (size_t i = 0; i < x->pair_count; i++) {
        const dj_spatial_counts *c = &x->pairs[i], *d = &y->pairs[i];
        assert_true(c->bin_first == d->bin_first && c->bin_count == d->bin_count);
        if (c->bin_count)
            assert_memory_equal(c->bins, d->bins, c->bin_count * sizeof *c->bins);
        assert_same_caches(c->caches, d->caches);
    }
}

static void saved_and_loaded(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        dj_profile *profile = spatial_random(seed, 500 * (size_t)seed + 300), *again = NULL;
        char *text = saved(profile);
        assert_int_equal(loaded(text, &again), DJ_OK);
        assert_same_spatial(dj_profile_spatial(profile), dj_profile_spatial(again));
        for (size_t p = 0; p < SPATIAL_PLACES; p++)
            assert_same_tally(dj_profile_attribution(profile)->places[p].tally.spatial,
                              dj_profile_attribution(again)->places[p].tally.spatial);
        char *text_again = saved(again);
        assert_string_equal(text, text_again);
        free(text);
        free(text_again);
        dj_profile_destroy(again);
        dj_profile_destroy(profile);
    }
}

// Histograms lose precision with their bins; the map loses nothing.
static void with_any_bins(void **state)
{
    (void)state;
    static const enum dj_binning binnings[] = {DJ_BINS_LOG2, DJ_BINS_LINEAR};
    dj_profile *profile = spatial_random(5, 800);
    for (size_t i = 0; i < 2; i++) {
        char *text = NULL;
        size_t bytes = 0;
        dj_profile *again = NULL;
        FILE *out = open_memstream(&text, &bytes);
        assert_int_equal(dj_profile_save(context, profile, binnings[i], 10, out), DJ_OK);
        fclose(out);
        assert_int_equal(loaded(text, &again), DJ_OK);
        assert_same_spatial(dj_profile_spatial(profile), dj_profile_spatial(again));
        free(text);
        dj_profile_destroy(again);
    }
    dj_profile_destroy(profile);
}

static json_t *spatial_of(const char *text, json_t **root)
{
    *root = json_loads(text, 0, NULL);
    assert_non_null(*root);
    return json_object_get(*root, "spatial");
}

static uint64_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_true(json_is_integer(value));
    return (uint64_t)json_integer_value(value);
}

// Blocks 0, 1, 0, 1 of 32 bytes, then 256 distant ones of 128, then 0 and 1 again. At 32 bytes the blocks
// are reused at distance 1, 1, 257, 257; at 64 they are one block, reused at 0, 0, 256, 0.
static void members_by_hand(void **state)
{
    (void)state;
    uint64_t addresses[262] = {0, 32, 0, 32};
    uint32_t places[262] = {0};
    for (size_t i = 0; i < 256; i++)
        addresses[4 + i] = 4096 + 128 * i;
    addresses[261] = 32;
    dj_profile *profile = spatial_profile(addresses, places, 262);
    json_t *root, *spatial = NULL;
    char *text = saved(profile);
    spatial = spatial_of(text, &root);
    const json_t *pair = json_array_get(json_object_get(spatial, "pairs"), 0);
    const json_t *map = json_object_get(pair, "map"), *cold = json_object_get(pair, "cold_row");
    assert_int_equal(number(pair, "block"), 32);
    assert_int_equal(number(pair, "double_block"), 64);
    assert_int_equal(json_array_size(map), 10); // 256 to 511 is bin 9
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(json_array_size(json_array_get(map, i)), 10);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(map, 1), 0)), 2);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(map, 9), 9)), 1);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(map, 9), 0)), 1);
    assert_int_equal(number(cold, "cold"), 257); // all but block 1, which is cold at 32 alone
    assert_int_equal(number(cold, "spatial"), 1);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(cold, "bins"), 0)), 1);
    assert_int_equal(number(pair, "reuses"), 4);
    assert_int_equal(number(pair, "effective"), 1);
    assert_true(json_real_value(json_object_get(pair, "score")) == 0.5);
    const json_t *scores = json_object_get(pair, "score_by_bin");
    assert_true(json_is_null(json_array_get(scores, 5)));
    assert_true(json_number_value(json_array_get(scores, 1)) == 0);
    assert_true(json_number_value(json_array_get(scores, 9)) == 1);
    // Scores 0.5 at 32; at 64 the block is reused at 0, 0, 0, 256, 0, and at 128 likewise: 0.
    assert_true(fabs(json_real_value(json_object_get(spatial, "all_block_score")) - 1.0 / 3) < 1e-12);
    json_decref(root);
    free(text);
    dj_profile_destroy(profile);
}

// Changes one thing in a saved profile as text, and expects the error.
typedef struct damage {
    const char *path[6]; // keys; "#3" is an element of a list
    const char *value;   // JSON
    const char *says;
} damage;

static void damage_one(json_t *root, const damage *change)
{
    json_t *at = root, *value = json_loads(change->value, JSON_DECODE_ANY, NULL);
    size_t last = 0;
    assert_non_null(value);
    while (last < 5 && change->path[last + 1])
        last++;
    for (size_t i = 0; i < last; i++)
        at = change->path[i][0] == '#' ? json_array_get(at, (size_t)atoi(change->path[i] + 1))
                                       : json_object_get(at, change->path[i]);
    assert_non_null(at);
    if (change->path[last][0] == '#')
        assert_int_equal(json_array_set_new(at, (size_t)atoi(change->path[last] + 1), value), 0);
    else
        assert_int_equal(json_object_set_new(at, change->path[last], value), 0);
}

static void refuse(const char *text, const damage *change)
{
    json_t *root = json_loads(text, 0, NULL);
    dj_profile *again = NULL;
    damage_one(root, change);
    char *changed = json_dumps(root, 0);
    int err = loaded(changed, &again);
    if (err != DJ_ERR_INPUT || !strstr(dj_context_message(context), change->says))
        fail_msg("%s %s: %d %s", change->path[0], change->says, err,
                 err ? dj_context_message(context) : "was loaded");
    free(changed);
    json_decref(root);
}

static void refused_in_the_whole(void **state)
{
    (void)state;
#define PAIR(n, ...)                                                                                         \
    {                                                                                                        \
        "spatial", "pairs", n, __VA_ARGS__                                                                   \
    }
    static const damage changes[] = {
        {{"spatial"}, "3", "an object"},
        {{"spatial"}, "{}", "pairs"},
        {{"spatial", "pairs"}, "[]", "no pairs"},
        {{"blocks"}, "[]", "2 pairs do not fit 1 block sizes"},
        {PAIR("#0", "block"), "0", "cannot be doubled"},
        {PAIR("#1", "block"), "\"9223372036854775808\"", "cannot be doubled"},
        {PAIR("#1", "block"), "32", "not twice"},
        {PAIR("#0", "block"), "16", "not twice"},
        {PAIR("#0", "cold_row", "cold"), "2305843009213693952", "impossible number of accesses"},
        {PAIR("#0", "map"), "[[1, 2]]", "grows with the block"},
        {PAIR("#0", "map"), "[]", "intercepted"},
        {PAIR("#1", "map", "#0"), "[7]", "the previous pair"},
        {PAIR("#1", "map", "#0"), "[\"18446744073709551615\"]", "2^64 - 1"},
        {PAIR("#1", "cold_row", "cold"), "\"18446744073709551615\"", "2^64 - 1"},
        {PAIR("#1", "cold_row", "cold"), "0", "number of accesses differs"},
        {PAIR("#0", "intercepted"), "[\"18446744073709551615\"]", "intercepted"},
        {PAIR("#0", "intercepted"), "[-1]", "non-negative integer"},
        {PAIR("#0", "caches"), "[]", "pairs[0] has 0 caches, not 2"},
        {PAIR("#0", "caches", "#0", "effective"), "1000000", "effective"},
        {PAIR("#0", "caches", "#1", "misses"), "1", "effective"},
        {PAIR("#0", "caches", "#0", "misses"), "1000000", "add up"},
        {{"spatial", "caches", "#0", "bytes"}, "1024", "not greater"},
        {{"spatial", "caches"}, "[]", "2 caches, not 0"},
        {{"spatial", "caches", "#0", "name"}, "7", "a string"},
        {{"spatial", "usage_block"}, "\"18446744073709551615\"", "not one of the block sizes"},
        {{"spatial", "usage_block"}, "16", "not one of the block sizes"},
    };
    dj_profile *profile = spatial_random(7, 2000);
    char *text = saved(profile);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        refuse(text, &changes[i]);
    free(text);
    dj_profile_destroy(profile);
}

static void refused_lists(void **state)
{
    (void)state;
    dj_profile *profile = spatial_random(8, 300);
    char *text = saved(profile), many[512] = "[0", rows[512] = "[[]";
    for (int i = 0; i < DJ_SPATIAL_BINS; i++) {
        strcat(many, ",0");
        strcat(rows, ",[]");
    }
    strcat(many, "]");
    strcat(rows, "]");
    const damage changes[] = {
        {PAIR("#0", "distance_sum"), many, ": more than 65"},
        {PAIR("#0", "map", "#0"), many, ": more than 65"},
        {PAIR("#0", "map"), rows, "map: more than 65"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        refuse(text, &changes[i]);
    free(text);
    dj_profile_destroy(profile);
}

// A tally is cell 5 of a place, its spatial part element 10: [[first bin, bins, caches] …, usage].
static void refused_in_places(void **state)
{
    (void)state;
    static const struct {
        const char *part, *says;
    } changes[] = {
        {"[]", "before its pairs"},
        {"[[]]", "before its usage"},
        {"[[], [0, 0, 0, 1, 0, []]]", "places[1] has different pairs"},
        {"[[[0, [], []], [0, [], []]], [0, 0, 0, 1, 0, []]]", "different pairs or caches"},
        {"[[[0, [], [0, 0, 0, 0]], [0, [], []]], [0, 0, 0, 1, 0, []]]", "differs between pairs"},
        {"[[[0, [], [0]]], [0, 0, 0, 1, 0, []]]", "before its own effective"},
        {"[[[0, [1], []]], [0, 0, 0, 1, 0, []]]", "before its effective"},
        {"[[[65, [1, 1], []]], [0, 0, 0, 1, 0, []]]", "past the last one"},
        {"[[[64, [1, 1, 1, 1], []]], [0, 0, 0, 1, 0, []]]", "past the last one"},
        {"[[[4294967295, [1, 1], []]], [0, 0, 0, 1, 0, []]]", "past the last one"},
        {"[[[0, [1, 2], []]], [0, 0, 0, 1, 0, []]]", "more effective reuses"},
        {"[[[0, [1000000, 2], []]], [0, 0, 0, 1, 0, []]]", "more reuses than accesses"},
        {"[[[0, [1, 0], [2, 0, 2, 0]]], [0, 0, 0, 1, 0, []]]", "add up"},
        {"[[], [0, 0, 0, 1, 0, [8]]]", "before its count of a stride"},
        {"[[], [4, 0, 0, 1, 0, [1, 1, 2, 1, 3, 1, 4, 1, 5, 1]]]", "stride: more than 4"},
        {"[[], [4, 0, 0, 1, 0, [1, 1, 2, 2]]]", "by their counts"},
        {"[[], [4, 0, 0, 1, 0, [1, 5]]]", "more strides than steps"},
        {"[[], [4, 0, 0, 2, 0, [4, 1, 3, 1]]]", "does not divide"},
        {"[[], [1000000, 0, 0, 1, 0, []]]", "more steps or blocks"},
        {"[[], [0, 1000000, 0, 1, 0, []]]", "more steps or blocks"},
    };
    dj_profile *profile = spatial_random(9, 400);
    char *text = saved(profile);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        refuse(text,
               &(damage){{"attribution", "places", "#0", "#5", "#10"}, changes[i].part, changes[i].says});
    free(text);
    dj_profile_destroy(profile);
}

static void refused_together(void **state)
{
    (void)state;
    dj_profile *profile = spatial_random(10, 400);
    dj_profile_attribution(profile)->places[1].tally.spatial->usage.used++;
    char *text = saved(profile);
    refuse(text, &(damage){{"spatial", "usage_cache"}, "1", "more of its blocks than they contain"});
    free(text);
    dj_profile_drop_section(profile, &dj_section_spatial);
    text = saved(profile);
    refuse(text, &(damage){{"bytes"}, "1", "different pairs or caches than the profile"});
    free(text);
    dj_profile_destroy(profile);
    profile = spatial_random(10, 400);
    text = saved(profile);
    refuse(text, &(damage){{"blocks", "#0", "block_bytes"}, "63", "not that of the histogram"});
    free(text);
    unsigned row = 1;
    while (dj_profile_spatial(profile)->pairs[0].map[row][row] == 0)
        row++;
    dj_profile_spatial(profile)->pairs[0].map[row][row]--;
    dj_profile_spatial(profile)->pairs[0].map[row][row - 1]++;
    text = saved(profile);
    refuse(text, &(damage){{"bytes"}, "1", "match the columns"});
    free(text);
    dj_profile_destroy(profile);
}

// Additions of later versions are ignored.
static void more_than_known(void **state)
{
    (void)state;
    dj_profile *profile = spatial_random(11, 400), *again = NULL;
    char *text = saved(profile);
    json_t *root = json_loads(text, 0, NULL);
    json_t *place = json_array_get(json_object_get(json_object_get(root, "attribution"), "places"), 0);
    json_t *tally = json_array_get(place, 5), *part = json_array_get(tally, 10);
    json_t *pair = json_array_get(json_array_get(part, 0), 0), *usage = json_array_get(part, 1);
    json_array_append_new(tally, json_string("new"));
    json_array_append_new(part, json_null()); // the parts of bursts
    json_array_append_new(part, json_array());
    json_array_append_new(pair, json_object());
    json_array_append_new(usage, json_real(0.5));
    json_object_set_new(json_object_get(root, "spatial"), "new", json_null());
    json_object_set_new(json_object_get(root, "spatial"), "ranking", json_array());
    char *changed = json_dumps(root, JSON_SORT_KEYS);
    assert_int_equal(loaded(changed, &again), DJ_OK);
    assert_same_spatial(dj_profile_spatial(profile), dj_profile_spatial(again));
    free(changed);
    json_decref(root);
    free(text);
    dj_profile_destroy(again);
    dj_profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_and_loaded), cmocka_unit_test(with_any_bins),
        cmocka_unit_test(members_by_hand),  cmocka_unit_test(refused_in_the_whole),
        cmocka_unit_test(refused_lists),    cmocka_unit_test(refused_in_places),
        cmocka_unit_test(refused_together), cmocka_unit_test(more_than_known),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
