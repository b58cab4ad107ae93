// SPDX-License-Identifier: MIT
// Profiles in columns: the same values in memory, as JSON and in columns, and files that must be rejected.
#include "unit/spatial_profile.h"

#include <deja/sharing.h>

#include "base/random.h"
#include "unit/any_sections.h"
#include "unit/columns_file.h"

static void *add(dj_lane_profile *lane, const dj_section_ops *ops)
{
    void *value = NULL;
    assert_int_equal(dj_lane_add_section(context, lane, ops, &value), DJ_OK);
    return value;
}

// All lane sections, in some lanes.
static void fill_lane(dj_random *random, dj_lane_profile *lane)
{
    if (dj_random_below(random, 2))
        ((dj_time_profile *)add(lane, &dj_section_time))->distance = any_histogram(random);
    if (dj_random_below(random, 2)) {
        dj_byte_profile *bytes = add(lane, &dj_section_bytes);
        bytes->distance = any_histogram(random);
        if (dj_random_below(random, 2)) {
            bytes->weight = any_histogram(random);
            bytes->cold_bytes = dj_random_next(random);
        }
        if (dj_random_below(random, 2)) {
            bytes->error_count = bytes->byte_error_count = bytes->mean_count = 1;
            bytes->errors = calloc(1, sizeof *bytes->errors);
            bytes->byte_errors = calloc(1, sizeof *bytes->byte_errors);
            bytes->means = calloc(1, sizeof *bytes->means);
            bytes->errors[0].error = bytes->means[0].mean = 0.25;
            bytes->sampled_bytes = dj_random_next(random);
        }
    }
    if (dj_random_below(random, 2))
        ((dj_hash_profile *)add(lane, &dj_section_fingerprint))->hash = dj_random_next(random);
    if (dj_random_below(random, 2))
        ((dj_hash_profile *)add(lane, &dj_section_digest))->hash = dj_random_next(random);
    if (dj_random_below(random, 2))
        fill_keys(random, add(lane, &dj_section_keys));
    if (dj_random_below(random, 2)) {
        dj_stride_profile *strides = add(lane, &dj_section_strides);
        *strides = (dj_stride_profile){.stride = any_histogram(random), .near_blocks = 3};
        strides->within = strides->pairs = dj_histogram_moments(strides->stride).count;
    }
    dj_simulated_profile *simulated = add(lane, &dj_section_simulated);
    simulated->count = (size_t)dj_random_below(random, 4);
    simulated->caches = calloc(simulated->count + 1, sizeof *simulated->caches);
    for (size_t i = 0; i < simulated->count; i++)
        simulated->caches[i] =
            (dj_simulated){(enum dj_policy)dj_random_below(random, 3), dj_random_next(random), 1, i, 5};
}

static void set_text(char **to, const char *text)
{
    free(*to);
    *to = strdup(text);
}

// What sharers do to each other at each place, within its accesses.
// One that makes no access.
static void fill_sharer(dj_sharing *sharing)
{
    sharing->count = 1;
    sharing->sharers = calloc(1, sizeof *sharing->sharers);
    dj_sharer_profile *s = sharing->sharers;
    dj_sharer_distances *const distances[] = {&s->standalone, &s->concurrent, &s->separate};
    set_text(&s->name, "thread 1");
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        distances[i]->sharers_per_cache = 1;
        assert_int_equal(dj_histogram_create(context, &distances[i]->lane.distance), DJ_OK);
    }
}

static void fill_sharing(dj_random *random, dj_profile *profile)
{
    enum { CACHES = 2 };
    dj_sharing *sharing = NULL;
    dj_attribution *a = dj_profile_attribution(profile);
    assert_int_equal(dj_profile_add_section(context, profile, &dj_section_sharing, &sharing), DJ_OK);
    set_text(&sharing->order, "as recorded");
    sharing->word_bytes = 4;
    sharing->cache_count = CACHES;
    sharing->caches = calloc(CACHES, sizeof *sharing->caches);
    for (uint32_t i = 0; i < CACHES; i++) {
        set_text(&sharing->caches[i].name, i ? "L2" : "L1");
        sharing->caches[i].bytes = ((uint64_t)i + 1) << 40 | dj_random_below(random, UINT64_C(1) << 40);
        sharing->caches[i].sharers = i ? DJ_SHARED_BY_ALL : 1;
    }
    fill_sharer(sharing);
    a->invalidations = calloc(a->place_count, sizeof *a->invalidations);
    for (size_t i = 0; i < a->place_count; i++) {
        dj_tally *tally = &a->places[i].tally;
        const uint64_t part = tally->accesses / 2 + 1;
        assert_int_equal(dj_sharing_tally_create(context, CACHES, &tally->sharing), DJ_OK);
        uint64_t *const counts[] = {
            &tally->sharing->counts.broken,       &tally->sharing->counts.shortened,
            &tally->sharing->counts.stretched,    &tally->sharing->counts.found,
            &tally->sharing->counts.true_sharing, &tally->sharing->counts.false_sharing};
        for (size_t k = 0; tally->accesses > 1 && k < sizeof counts / sizeof *counts; k++)
            *counts[k] = dj_random_below(random, part);
        tally->sharing->sharers = dj_random_next(random);
        for (uint32_t c = 0; c < CACHES; c++)
            tally->sharing->caches[c] = (dj_sharing_misses){tally->accesses, tally->accesses / 3,
                                                            tally->accesses / 4, tally->accesses / (5 + c)};
        if (dj_random_below(random, 2))
            a->invalidations[a->invalidation_count++] =
                (dj_invalidation_row){.from = (uint32_t)dj_random_below(random, a->place_count),
                                      .to = (uint32_t)i,
                                      .true_sharing = tally->sharing->counts.true_sharing,
                                      .false_sharing = tally->sharing->counts.false_sharing,
                                      .written = strdup("[1].n"),
                                      .missed = strdup("")};
    }
    a->shared_block_count = a->object_count;
    a->shared_blocks = calloc(a->object_count + 1, sizeof *a->shared_blocks);
    for (size_t i = 0; i < a->object_count; i++)
        a->shared_blocks[i] = a->objects[i].distinct / (1 + i);
}

static dj_profile *any_profile(uint64_t seed)
{
    dj_random random;
    dj_random_seed(&random, seed);
    dj_profile *profile = spatial_random(seed, 200 + 300 * (size_t)(seed % 4));
    for (size_t i = 0; i < profile->lane_count; i++)
        fill_lane(&random, &profile->lanes[i]);
    if (seed % 2)
        fill_sharing(&random, profile);
    if (seed % 3)
        fill_elements(&random, profile);
    if (seed % 3 < 2)
        fill_hierarchy(&random, profile);
    if (seed % 5)
        fill_tlb(&random, profile);
    set_text(&profile->provenance.command, "deja \"x\" \xc3\xa4");
    set_text(&profile->provenance.engine_options, seed % 2 ? "threads=4" : "");
    set_text(&profile->provenance.thread_order, seed % 3 ? "as recorded" : "");
    set_text(&profile->provenance.missing, seed % 5 ? "" : "process 12 ran untraced");
    profile->provenance.sampling = seed % 2 ? 1 : 0.25;
    profile->provenance.error_bound = 1.0 / 3;
    profile->lanes[0].id.filter = strdup(seed % 2 ? "reads" : "");
    profile->lanes[1].id.partition = strdup("thread");
    profile->outside = seed;
    profile->bytes = UINT64_MAX - seed;
    return profile;
}

static char *as_json(const dj_profile *profile, enum dj_binning binning)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(dj_profile_save(context, profile, binning, 0, out), DJ_OK);
    fclose(out);
    return text;
}

// From memory to columns and back; both give the same JSON and the same columns.
static void assert_goes_round(const dj_profile *profile, enum dj_binning binning)
{
    dj_profile *again = NULL, *from_json = NULL;
    size_t bytes = 0, bytes_again = 0, bytes_json = 0;
    uint8_t *data = columns_saved(context, profile, &bytes);
    if (columns_loaded(context, data, bytes, 0, &again) != DJ_OK)
        fail_msg("%s", dj_context_message(context));
    uint8_t *data_again = columns_saved(context, again, &bytes_again);
    assert_int_equal(bytes, bytes_again);
    assert_memory_equal(data, data_again, bytes);
    char *text = as_json(profile, binning), *text_again = as_json(again, binning);
    assert_string_equal(text, text_again);
    assert_int_equal(loaded(text, &from_json), DJ_OK);
    char *text_json = as_json(from_json, binning);
    assert_string_equal(text, text_json);
    uint8_t *data_json = columns_saved(context, from_json, &bytes_json);
    dj_profile *third = NULL;
    assert_int_equal(columns_loaded(context, data_json, bytes_json, 0, &third), DJ_OK);
    char *text_third = as_json(third, binning);
    assert_string_equal(text, text_third);
    free(data);
    free(data_again);
    free(data_json);
    free(text);
    free(text_again);
    free(text_json);
    free(text_third);
    dj_profile_destroy(again);
    dj_profile_destroy(from_json);
    dj_profile_destroy(third);
}

static void goes_round(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        dj_profile *profile = any_profile(seed), *binned = NULL;
        assert_goes_round(profile, DJ_BINS_EXACT);
        char *text = as_json(profile, DJ_BINS_LOG2);
        assert_int_equal(loaded(text, &binned), DJ_OK);
        assert_true(binned->lanes[0].binned);
        assert_goes_round(binned, DJ_BINS_LOG2);
        free(text);
        dj_profile_destroy(binned);
        dj_profile_destroy(profile);
    }
    dj_profile *by_hand = hand_profile();
    assert_goes_round(by_hand, DJ_BINS_EXACT);
    dj_profile_destroy(by_hand);
}

static void assert_refused(const uint8_t *data, size_t bytes, const char *says)
{
    dj_profile *none = NULL;
    int err = columns_loaded(context, data, bytes, 0, &none);
    if (err != DJ_ERR_INPUT)
        fail_msg("'%s' should be refused: %d", says, err);
    if (strncmp(dj_context_message(context), "p.dejap", 7) != 0 || !strstr(dj_context_message(context), says))
        fail_msg("'%s' is not in: %s", says, dj_context_message(context));
}

static void cut_or_changed_anywhere(void **state)
{
    (void)state;
    dj_profile *profile = hand_profile();
    size_t bytes = 0;
    uint8_t *data = columns_saved(context, profile, &bytes);
    for (size_t cut = 1; cut < bytes; cut++)
        assert_refused(data, cut, "");
    for (size_t at = 1; at < bytes; at++) {
        data[at] ^= (uint8_t)(1u << at % 8);
        assert_refused(data, bytes, "");
        data[at] ^= (uint8_t)(1u << at % 8);
    }
    free(data);
    dj_profile_destroy(profile);
}

// With corrected checksums: rejected, or a profile that can be saved.
static void changed_and_fixed(void **state)
{
    (void)state;
    dj_profile *profile = any_profile(3);
    size_t bytes = 0;
    uint8_t *data = columns_saved(context, profile, &bytes), *changed = malloc(bytes);
    for (size_t at = DJ_COLUMNS_FILE_BYTES; at < bytes; at += 5) {
        dj_profile *again = NULL;
        memcpy(changed, data, bytes);
        changed[at] ^= (uint8_t)(1u << at % 7);
        columns_fix_checksums(changed, bytes);
        int err = columns_loaded(context, changed, bytes, 0, &again);
        assert_true(err == DJ_OK || err == DJ_ERR_INPUT);
        if (!err)
            free(as_json(again, again->lanes[0].binned ? DJ_BINS_LOG2 : DJ_BINS_EXACT));
        dj_profile_destroy(again);
    }
    free(changed);
    free(data);
    dj_profile_destroy(profile);
}

// A file with the sections of `profile` and one more before the end.
static uint8_t *with_section(const dj_profile *profile, const char *name, unsigned version, uint32_t lane,
                             const void *plain, size_t plain_bytes, size_t *bytes)
{
    char *data = NULL;
    FILE *out = open_memstream(&data, bytes);
    assert_int_equal(dj_columns_begin(context, out), DJ_OK);
    assert_int_equal(dj_columns_add(context, profile, 0, out), DJ_OK);
    columns_put(out, context, name, version, 0, lane, plain, plain_bytes);
    assert_int_equal(dj_columns_end(context, out), DJ_OK);
    fclose(out);
    return (uint8_t *)data;
}

static void unknown_sections(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned version;
        uint32_t lane;
        const char *plain;
        size_t plain_bytes;
        const char *says; // NULL: loaded
    } cases[] = {
        {"weather", 7, 0, "any bytes", 9, NULL},
        {"weather", 1, 99, "", 0, NULL},
        {"digest", 2, 1, "\0", 1, "unknown version 2 of section 'digest'"},
        {"digest", 1, 0, "\0", 1, "to a lane that does not exist"},
        {"digest", 1, 2, "\0", 1, "to a lane that does not exist"},
        {"traffic", 1, 1, "\0", 1, "to a lane that does not exist"},
        {"traffic", 1, 0, "\0\0\0\0", 4, "section 'traffic' appears twice"},
        {"digest", 1, 1, "", 0, "is missing"},
        {"digest", 1, 1, "\0\0", 2, "contains more data than it should"},
        {"digest", 1, 1, "\0", 1, NULL},
        {"digest", 1, 1, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11, "more than 64 bits"},
        {"simulated", 1, 1, "\xfe\xff\xff\xff\x0f", 5, "more than fits the section"},
        {"simulated", 1, 1, "\x02\x06\0\0\0\0", 6, "no name for 3"},
        {"time", 1, 1, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, "more than fits the section"},
        {"time", 1, 1, "\x06\x04\0\x02\0", 5, "does not increase"},
        {"time", 1, 1, "\x04\x04\0", 3, "does not increase"},
        {"time", 1, 1, "\0", 1, "no histogram"},
    };
    dj_profile *profile = hand_profile();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t bytes = 0;
        dj_profile *again = NULL;
        uint8_t *data = with_section(profile, cases[i].name, cases[i].version, cases[i].lane, cases[i].plain,
                                     cases[i].plain_bytes, &bytes);
        if (cases[i].says)
            assert_refused(data, bytes, cases[i].says);
        else if (columns_loaded(context, data, bytes, 0, &again) != DJ_OK)
            fail_msg("%zu: %s", i, dj_context_message(context));
        dj_profile_destroy(again);
        free(data);
    }
    dj_profile_destroy(profile);
}

// A small file that claims to contain very much takes little memory.
static void bombs(void **state)
{
    (void)state;
    enum { PLAIN = 1 << 20 };
    dj_profile *profile = hand_profile();
    char *zeros = calloc(1, PLAIN);
    size_t bytes = 0;
    memcpy(zeros, "\xfe\xff\xff\x7f", 4); // 2^27 - 1 caches
    uint8_t *data = with_section(profile, "simulated", 1, 1, zeros, PLAIN, &bytes);
    assert_true(bytes > PLAIN / DJ_COLUMNS_RATIO); // padded, so that the reader knows how much can be in it
    assert_refused(data, bytes, "more than fits the section");
    free(data);
    free(zeros);
    dj_profile_destroy(profile);
}

static void several_profiles(void **state)
{
    (void)state;
    dj_profile *first = hand_profile(), *second = any_profile(1), *again = NULL;
    char *data = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&data, &bytes);
    assert_int_equal(dj_columns_begin(context, out), DJ_OK);
    assert_int_equal(dj_columns_add(context, first, 0, out), DJ_OK);
    assert_int_equal(dj_columns_add(context, second, 1, out), DJ_OK);
    assert_int_equal(dj_columns_end(context, out), DJ_OK);
    fclose(out);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(columns_loaded(context, data, bytes, i, &again), DJ_OK);
        char *want = as_json(i ? second : first, DJ_BINS_EXACT), *got = as_json(again, DJ_BINS_EXACT);
        assert_string_equal(want, got);
        free(want);
        free(got);
        dj_profile_destroy(again);
    }
    assert_int_equal(columns_loaded(context, data, bytes, 2, &again), DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), "no process 2; the profile contains 1 other"));
    free(data);
    dj_profile_destroy(first);
    dj_profile_destroy(second);
}

// Changes one number of an attribution, which is then refused, and changes it back.
static void assert_impossible(const dj_attribution *a, uint64_t *number, uint64_t wrong)
{
    const uint64_t right = *number;
    *number = wrong;
    assert_int_equal(dj_attribution_check(context, a), DJ_ERR_INPUT);
    *number = right;
    assert_int_equal(dj_attribution_check(context, a), DJ_OK);
}

// Counts of sharing that do not add up.
static void impossible_sharing(void **state)
{
    (void)state;
    dj_profile *profile = any_profile(1);
    dj_attribution *a = dj_profile_attribution(profile);
    dj_sharing_tally *s = a->places[0].tally.sharing;
    const uint64_t most = a->places[0].tally.accesses;
    assert_int_equal(dj_attribution_check(context, a), DJ_OK);
    assert_true(a->invalidation_count > 0 && a->shared_block_count > 0);
    uint64_t *const counts[] = {&s->counts.broken,        &s->counts.shortened,    &s->counts.stretched,
                                &s->counts.found,         &s->counts.true_sharing, &s->counts.false_sharing,
                                &s->caches[0].misses,     &s->caches[1].alone,     &s->caches[0].cold,
                                &s->caches[1].invalidated};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        assert_impossible(a, counts[i], most + 1);
        assert_impossible(a, counts[i], UINT64_MAX);
    }
    assert_impossible(a, &s->caches[0].misses, s->caches[0].cold + s->caches[0].invalidated - 1);
    assert_impossible(a, &a->invalidations[0].true_sharing, UINT64_MAX);
    assert_impossible(a, &a->invalidations[0].false_sharing, UINT64_MAX);
    assert_impossible(a, &a->shared_blocks[0], a->objects[0].distinct + 1);
    a->shared_block_count--;
    assert_int_equal(dj_attribution_check(context, a), DJ_ERR_INPUT);
    a->shared_block_count++;
    a->invalidations[0].from = (uint32_t)a->place_count;
    assert_int_equal(dj_attribution_check(context, a), DJ_ERR_INPUT);
    dj_profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(goes_round, begin, end),
        cmocka_unit_test_setup_teardown(cut_or_changed_anywhere, begin, end),
        cmocka_unit_test_setup_teardown(changed_and_fixed, begin, end),
        cmocka_unit_test_setup_teardown(unknown_sections, begin, end),
        cmocka_unit_test_setup_teardown(bombs, begin, end),
        cmocka_unit_test_setup_teardown(several_profiles, begin, end),
        cmocka_unit_test_setup_teardown(impossible_sharing, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
