// SPDX-License-Identifier: MIT
#include "unit/lane.h"

#include <jansson.h>

__attribute__((noinline)) static char *saved(dj_context *context, const dj_profile *profile,
                                             enum dj_binning binning, uint64_t width)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(dj_profile_save(context, profile, binning, width, out), DJ_OK);
    fclose(out);
    return text;
}

static int loaded(dj_context *context, const char *text, dj_profile **out)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(in);
    int err = dj_profile_load(context, in, "p.json", out);
    fclose(in);
    return err;
}

static dj_histogram *histogram(dj_context *context, const uint64_t (*rows)[2], size_t count)
{
    dj_histogram *made = NULL;
    assert_int_equal(dj_histogram_create(context, &made), DJ_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(dj_histogram_add(made, context, rows[i][0], rows[i][1]), DJ_OK);
    return made;
}

static void *add_section(dj_context *context, dj_lane_profile *lane, const dj_section_ops *ops)
{
    void *value = NULL;
    assert_int_equal(dj_lane_add_section(context, lane, ops, &value), DJ_OK);
    return value;
}

static void fill_keys(dj_context *context, dj_lane_profile *lane)
{
    static const uint64_t counts[][2] = {{1, 2}, {5, 1}};
    dj_key_profile *keys = add_section(context, lane, &dj_section_keys);
    keys->access_counts = histogram(context, counts, 2);
    keys->single_use = 2;
    keys->list_count = 3;
    keys->list_key = calloc(3, sizeof(uint64_t));
    keys->list_offset = calloc(4, sizeof(uint64_t));
    keys->list_distances = calloc(4, sizeof(uint64_t));
    keys->list_device = calloc(3, sizeof(uint64_t));
    keys->list_device[1] = UINT32_MAX;
    keys->list_key[1] = UINT64_MAX;
    keys->list_key[2] = 5;
    keys->list_offset[2] = keys->list_offset[3] = 4;
    for (uint64_t i = 0; i < 4; i++)
        keys->list_distances[i] = 10 - i;
}

static void fill_provenance(dj_provenance *from)
{
    from->inputs = calloc(2, sizeof *from->inputs);
    from->input_count = 2;
    from->inputs[0] = strdup("a \"quoted\" name");
    from->inputs[1] = strdup("b");
    free(from->partial_reason);
    from->partial_reason = strdup("interrupted");
    free(from->statements);
    from->statements = strdup("from annotations");
    from->split = from->partial = true;
    from->error_bound = 0.1;
    from->unit_bytes = 512;
}

// Something in every field.
static dj_profile *full_profile(dj_context *context)
{
    static const uint64_t distances[][2] = {{0, 5}, {1, 2}, {7, 3}, {1u << 30, 4}, {UINT64_MAX - 1, 1}};
    static const uint64_t strides[][2] = {{0, 1}, {3, 9}};
    dj_profile *profile = make_profile(context, 64);
    profile->lanes = realloc(profile->lanes, 2 * sizeof *profile->lanes);
    memset(&profile->lanes[1], 0, sizeof profile->lanes[1]);
    profile->lane_count = 2;
    fill_provenance(&profile->provenance);
    profile->requests = 20;
    profile->bytes = UINT64_MAX;
    profile->reads = 3;
    profile->writes = 4;
    for (size_t i = 0; i < 2; i++) {
        dj_lane_profile *lane = &profile->lanes[i];
        dj_histogram_destroy(lane->distance);
        lane->id.block_bytes = UINT64_C(64) << i;
        lane->id.sampling = 1;
        lane->accesses = 25;
        lane->distinct = lane->cold = 10;
        lane->distance = histogram(context, distances, 5);
    }
    profile->accesses = 27;
    profile->lanes[1].accesses = 26;
    profile->lanes[1].cold = profile->lanes[1].distinct = 11;
    profile->lanes[1].id.sampling = 0.25;
    profile->lanes[0].id.filter = strdup("reads");
    profile->lanes[1].id.partition = strdup("thread");
    dj_lane_profile *lane = &profile->lanes[0];
    ((dj_time_profile *)add_section(context, lane, &dj_section_time))->distance =
        histogram(context, distances, 4);
    dj_byte_profile *bytes = add_section(context, lane, &dj_section_bytes);
    bytes->distance = histogram(context, distances, 3);
    bytes->weight = histogram(context, distances, 2);
    bytes->cold_bytes = 99;
    dj_hash_profile *hash = add_section(context, lane, &dj_section_fingerprint);
    hash->hash = UINT64_C(0x0a7ad73854d31ac1);
    hash = add_section(context, &profile->lanes[1], &dj_section_digest);
    hash->hash = 1;
    fill_keys(context, lane);
    dj_stride_profile *stride = add_section(context, lane, &dj_section_strides);
    *stride = (dj_stride_profile){.pairs = 10, .within = 1, .near_blocks = 2};
    stride->stride = histogram(context, strides, 2);
    dj_simulated_profile *simulated = add_section(context, lane, &dj_section_simulated);
    simulated->count = 2;
    simulated->caches = calloc(2, sizeof *simulated->caches);
    simulated->caches[0] = (dj_simulated){DJ_POLICY_FIFO, 64, 8, 8, 13};
    simulated->caches[1] = (dj_simulated){DJ_POLICY_LFU, 5, 1, 5, 17};
    return profile;
}

static void assert_same_histogram(const dj_histogram *a, const dj_histogram *b)
{
    assert_int_equal(a == NULL, b == NULL);
    for (uint64_t v = 0, w = 0, n; a; v++, w++) {
        n = dj_histogram_next(a, &v);
        assert_true(dj_histogram_next(b, &w) == n);
        if (n == 0)
            break;
        assert_true(v == w);
    }
}

static void assert_same_keys(const dj_key_profile *a, const dj_key_profile *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (!a)
        return;
    assert_same_histogram(a->access_counts, b->access_counts);
    assert_int_equal(a->single_use, b->single_use);
    assert_int_equal(a->list_count, b->list_count);
    assert_memory_equal(a->list_key, b->list_key, a->list_count * sizeof(uint64_t));
    assert_memory_equal(a->list_device, b->list_device, a->list_count * sizeof(uint64_t));
    assert_memory_equal(a->list_offset, b->list_offset, (a->list_count + 1) * sizeof(uint64_t));
    assert_memory_equal(a->list_distances, b->list_distances,
                        a->list_offset[a->list_count] * sizeof(uint64_t));
}

static void assert_same_lane(const dj_lane_profile *a, const dj_lane_profile *b)
{
    assert_int_equal(a->id.block_bytes, b->id.block_bytes);
    assert_string_equal(dj_lane_filter(a), dj_lane_filter(b));
    assert_string_equal(dj_lane_partition(a), dj_lane_partition(b));
    assert_true(a->id.sampling == b->id.sampling);
    assert_int_equal(a->accesses, b->accesses);
    assert_int_equal(a->distinct, b->distinct);
    assert_int_equal(a->cold, b->cold);
    assert_int_equal(dj_lane_cold_bytes(a), dj_lane_cold_bytes(b));
    assert_false(a->binned || b->binned);
    assert_same_histogram(a->distance, b->distance);
    assert_same_histogram(dj_lane_time(a), dj_lane_time(b));
    assert_same_histogram(dj_lane_byte_distance(a), dj_lane_byte_distance(b));
    assert_same_histogram(dj_lane_byte_weight(a), dj_lane_byte_weight(b));
    assert_int_equal(dj_lane_has_fingerprint(a), dj_lane_has_fingerprint(b));
    assert_int_equal(dj_lane_fingerprint(a), dj_lane_fingerprint(b));
    assert_int_equal(dj_lane_has_digest(a), dj_lane_has_digest(b));
    assert_int_equal(dj_lane_digest(a), dj_lane_digest(b));
    assert_same_keys(dj_lane_keys(a), dj_lane_keys(b));
    assert_int_equal(dj_lane_strides(a) == NULL, dj_lane_strides(b) == NULL);
    if (dj_lane_strides(a)) {
        assert_int_equal(dj_lane_strides(a)->pairs, dj_lane_strides(b)->pairs);
        assert_int_equal(dj_lane_strides(a)->within, dj_lane_strides(b)->within);
        assert_int_equal(dj_lane_strides(a)->near_blocks, dj_lane_strides(b)->near_blocks);
        assert_same_histogram(dj_lane_strides(a)->stride, dj_lane_strides(b)->stride);
    }
    assert_int_equal(dj_lane_simulated_count(a), dj_lane_simulated_count(b));
    for (size_t i = 0; i < dj_lane_simulated_count(a); i++) {
        assert_int_equal(dj_lane_simulated(a)[i].policy, dj_lane_simulated(b)[i].policy);
        assert_int_equal(dj_lane_simulated(a)[i].size_blocks, dj_lane_simulated(b)[i].size_blocks);
        assert_int_equal(dj_lane_simulated(a)[i].sets, dj_lane_simulated(b)[i].sets);
        assert_int_equal(dj_lane_simulated(a)[i].ways, dj_lane_simulated(b)[i].ways);
        assert_int_equal(dj_lane_simulated(a)[i].misses, dj_lane_simulated(b)[i].misses);
    }
}

static void round_trip(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *a = full_profile(context), *b = NULL;
    char *text = saved(context, a, DJ_BINS_EXACT, 0);
    if (loaded(context, text, &b) != DJ_OK)
        fail_msg("%s in\n%s", dj_context_message(context), text);
    const dj_provenance *x = &a->provenance, *y = &b->provenance;
    assert_string_equal(x->version, y->version);
    assert_string_equal(x->command, y->command);
    assert_string_equal(x->engine, y->engine);
    assert_string_equal(x->format, y->format);
    assert_string_equal(x->unit, y->unit);
    assert_int_equal(x->unit_bytes, y->unit_bytes);
    assert_string_equal(x->partial_reason, y->partial_reason);
    assert_string_equal(x->statements, y->statements);
    assert_int_equal(y->input_count, 2);
    assert_string_equal(x->inputs[0], y->inputs[0]);
    assert_string_equal(x->inputs[1], y->inputs[1]);
    assert_int_equal(x->exact, y->exact);
    assert_true(x->error_bound == y->error_bound);
    assert_int_equal(x->split, y->split);
    assert_int_equal(x->partial, y->partial);
    assert_int_equal(a->accesses, b->accesses);
    assert_int_equal(a->requests, b->requests);
    assert_true(a->bytes == b->bytes);
    assert_int_equal(a->reads, b->reads);
    assert_int_equal(a->writes, b->writes);
    assert_int_equal(b->lane_count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_same_lane(&a->lanes[i], &b->lanes[i]);
    char *again = saved(context, b, DJ_BINS_EXACT, 0);
    assert_string_equal(text, again);
    free(text);
    free(again);
    dj_profile_destroy(a);
    dj_profile_destroy(b);
    dj_context_destroy(context);
}

// What scripts rely on, read by another JSON reader.
static void schema(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 64);
    dj_lane_profile *lane = &profile->lanes[0];
    profile->accesses = lane->accesses = 10;
    lane->cold = lane->distinct = 3;
    add_distance(context, lane, 0, 4);
    add_distance(context, lane, 5, 3);
    char *text = saved(context, profile, DJ_BINS_LOG2, 0);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "schema")), "deja-profile");
    assert_int_equal(json_integer_value(json_object_get(root, "version")), 1);
    assert_int_equal(json_integer_value(json_object_get(root, "accesses")), 10);
    assert_int_equal(json_integer_value(json_object_get(root, "distinct")), 3);
    assert_int_equal(json_integer_value(json_object_get(root, "cold")), 3);
    assert_int_equal(json_integer_value(json_object_get(root, "block_bytes")), 64);
    assert_string_equal(json_string_value(json_object_get(root, "engine")), "fast");
    assert_true(json_is_false(json_object_get(root, "partial")));
    assert_null(json_object_get(root, "fingerprint"));
    json_t *distance = json_object_get(root, "distance");
    assert_int_equal(json_integer_value(json_object_get(distance, "min")), 0);
    assert_int_equal(json_integer_value(json_object_get(distance, "max")), 5);
    assert_true(json_number_value(json_object_get(distance, "mean")) == 15.0 / 7);
    assert_true(json_number_value(json_object_get(distance, "median")) == 0);
    json_t *bins = json_object_get(root, "histogram");
    const int64_t expected[][3] = {{0, 0, 4}, {1, 1, 0}, {2, 3, 0}, {4, 7, 3}};
    assert_int_equal(json_array_size(bins), 4);
    for (size_t i = 0; i < 4; i++) {
        json_t *bin = json_array_get(bins, i);
        assert_int_equal(json_integer_value(json_object_get(bin, "lo")), expected[i][0]);
        assert_int_equal(json_integer_value(json_object_get(bin, "hi")), expected[i][1]);
        assert_int_equal(json_integer_value(json_object_get(bin, "count")), expected[i][2]);
    }
    json_decref(root);
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

static void no_reuses_is_null(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 1), *again = NULL;
    profile->accesses = profile->lanes[0].accesses = profile->lanes[0].cold = profile->lanes[0].distinct = 3;
    char *text = saved(context, profile, DJ_BINS_LOG2, 0);
    json_t *root = json_loads(text, 0, NULL);
    assert_true(json_is_null(json_object_get(root, "distance")));
    assert_int_equal(json_array_size(json_object_get(root, "histogram")), 0);
    json_decref(root);
    assert_int_equal(loaded(context, text, &again), DJ_OK);
    free(text);
    dj_profile_destroy(profile);
    dj_profile_destroy(again);
    dj_context_destroy(context);
}

// Distances 4, 5 and 900, loaded from log2 bins, become 5 and 900, the longest of their bins; in files of
// older versions, which do not store it, 4 and 5 become 7, the end of the bin. The moments are still the
// original ones.
static void bins_stay_honest(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = make_profile(context, 64), *again = NULL;
    profile->accesses = profile->lanes[0].accesses = 13;
    profile->lanes[0].cold = profile->lanes[0].distinct = 3;
    add_distance(context, &profile->lanes[0], 4, 1);
    add_distance(context, &profile->lanes[0], 5, 3);
    add_distance(context, &profile->lanes[0], 900, 6);
    char *text = saved(context, profile, DJ_BINS_LOG2, 0);
    assert_int_equal(loaded(context, text, &again), DJ_OK);
    dj_lane_profile *lane = &again->lanes[0];
    assert_true(lane->binned);
    uint64_t value = 0;
    assert_int_equal(dj_histogram_next(lane->distance, &value), 4);
    assert_int_equal(value++, 5);
    assert_int_equal(dj_histogram_next(lane->distance, &value), 6);
    assert_int_equal(value, 900);
    dj_moments moments = dj_lane_moments(lane);
    assert_int_equal(moments.count, 10);
    assert_true(moments.min == 4 && moments.max == 900 && moments.mean == 541.9 && moments.median == 900);
    char *resaved = saved(context, again, DJ_BINS_LOG2, 0);
    assert_string_equal(text, resaved);
    FILE *none = fopen("/dev/null", "w");
    assert_int_equal(dj_profile_save(context, again, DJ_BINS_EXACT, 0, none), DJ_ERR_USAGE);
    fclose(none);
    dj_profile_destroy(again);
    char *longest = strstr(text, "\"longest\": [5, 900]");
    assert_non_null(longest);
    memcpy(longest, "\"unknown", 8);
    assert_int_equal(loaded(context, text, &again), DJ_OK);
    value = 0;
    assert_int_equal(dj_histogram_next(again->lanes[0].distance, &value), 4);
    assert_int_equal(value, 7);
    memcpy(longest, "\"longest\": [8,", 14);
    dj_profile_destroy(again);
    assert_int_equal(loaded(context, text, &again), DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), "longest[0] is not in its bin"));
    again = NULL;
    free(text);
    free(resaved);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

#define HEAD                                                                                                 \
    "{\"schema\":\"deja-profile\",\"version\":1,\"engine\":\"e\",\"partial\":false,"                         \
    "\"provenance\":{\"exact\":true},\"block_bytes\":1,\"distinct\":1,\"cold\":1,\"distance\":null,"

static void hostile_files(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "\x7f"
        "ELF",
        "{\"schema\":\"other\"}",
        "{\"schema\":\"deja-profile\",\"version\":2}",
        HEAD "\"accesses\":1}",
        HEAD "\"accesses\":2,\"histogram\":[]}",
        HEAD "\"accesses\":1,\"histogram\":[{\"lo\":1,\"hi\":0,\"count\":0}]}",
        HEAD "\"accesses\":1,\"histogram\":[{\"lo\":0,\"hi\":\"18446744073709551615\",\"count\":0}]}",
        HEAD
        "\"accesses\":3,\"histogram\":[{\"lo\":4,\"hi\":4,\"count\":1},{\"lo\":4,\"hi\":4,\"count\":1}]}",
        HEAD "\"accesses\":0,\"histogram\":[{\"lo\":0,\"hi\":0,\"count\":\"18446744073709551615\"},"
             "{\"lo\":1,\"hi\":1,\"count\":\"18446744073709551615\"}]}",
        HEAD "\"accesses\":1,\"histogram\":[],\"simulated\":[{\"policy\":\"magic\"}]}",
        HEAD "\"accesses\":1,\"histogram\":[],\"keys\":{\"addresses\":[{}]}}",
        HEAD "\"accesses\":1,\"histogram\":[],\"strides\":{\"histogram\":3}}",
        HEAD "\"accesses\":1,\"histogram\":[],\"blocks\":[{\"histogram\":[]}]}",
        HEAD "\"accesses\":1,\"histogram\":[],\"histogram\":[]}",
        HEAD "\"accesses\":1,\"histogram\":[]} x",
    };
    dj_context *context = make_context();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        dj_profile *profile = NULL;
        if (loaded(context, bad[i][0] ? bad[i] : " ", &profile) != DJ_ERR_INPUT)
            fail_msg("accepted: %s", bad[i]);
        assert_null(profile);
        assert_int_equal(strncmp(dj_context_message(context), "p.json:1: ", 10), 0);
    }
    dj_profile *good = NULL;
    assert_int_equal(loaded(context, HEAD "\"accesses\":1,\"histogram\":[]}", &good), DJ_OK);
    dj_profile_destroy(good);
    dj_context_destroy(context);
}

// Every file truncated anywhere is rejected, without a leak or a crash.
static void cut_anywhere(void **state)
{
    (void)state;
    dj_context *context = make_context();
    dj_profile *profile = full_profile(context), *none = NULL;
    char *text = saved(context, profile, DJ_BINS_EXACT, 0);
    size_t bytes = strlen(text);
    for (size_t cut = 1; cut + 2 < bytes; cut++) {
        char kept = text[cut];
        text[cut] = 0;
        assert_int_equal(loaded(context, text, &none), DJ_ERR_INPUT);
        text[cut] = kept;
    }
    for (size_t at = 0; at < bytes; at++) {
        char kept = text[at];
        text[at] = (char)(kept ^ 0x15);
        dj_profile *maybe = NULL;
        int err = loaded(context, text, &maybe);
        assert_true(err == DJ_OK || err == DJ_ERR_INPUT);
        dj_profile_destroy(maybe);
        text[at] = kept;
    }
    free(text);
    dj_profile_destroy(profile);
    dj_context_destroy(context);
}

// The document and, in its list, two others; the last has other members too.
static void processes(void **state)
{
    (void)state;
    dj_context *context = make_context();
    static const char whole[] =
        HEAD "\"accesses\":1,\"histogram\":[],\"processes\":["
             "{\"process\":{\"pid\":7}}," HEAD
             "\"accesses\":3,\"histogram\":[{\"lo\":4,\"hi\":4,\"count\":2}],\"process\":{}}]}";
    static const uint64_t accesses[] = {1, 0, 3};
    for (size_t i = 0; i <= 3; i++) {
        dj_profile *profile = NULL;
        FILE *in = fmemopen((void *)(uintptr_t)whole, strlen(whole), "r");
        int err = dj_profile_load_process(context, in, "p.json", i, &profile);
        fclose(in);
        assert_int_equal(err, i == 0 || i == 2 ? DJ_OK : DJ_ERR_INPUT);
        if (!err)
            assert_int_equal(profile->accesses, accesses[i]);
        dj_profile_destroy(profile);
    }
    assert_string_equal(dj_context_message(context),
                        "p.json:1: there is no process 3; the profile contains 2 other processes");
    dj_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),        cmocka_unit_test(schema),
        cmocka_unit_test(no_reuses_is_null), cmocka_unit_test(bins_stay_honest),
        cmocka_unit_test(hostile_files),     cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
