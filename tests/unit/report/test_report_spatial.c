// SPDX-License-Identifier: MIT
#include <jansson.h>

#include "unit/fits.h"
#include "unit/rendered.h"
#include "unit/spatial_by_hand.h"

static dj_context *context;
static dj_profile *profile;
static const dj_spatial_view usual = {.limits = DJ_SPATIAL_LIMITS};

static int set_up(void **state)
{
    (void)state;
    context = make_context();
    profile = make_spatial(context, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    dj_profile_destroy(profile);
    dj_context_destroy(context);
    return 0;
}

static char *print(const dj_spatial_view *view, const dj_render_options *style)
{
    dj_document *document = NULL;
    assert_int_equal(dj_document_spatial(context, profile, view, &document), DJ_OK);
    return rendered(context, document, "text", style);
}

static void scores_and_components(void **state)
{
    (void)state;
    const dj_render_options style = {.width = 100};
    char *text = print(&usual, &style);
    // Long reuses: 400 of 1,000, and 2 · 110 / 400 = 0.55. 150 intercepted, 10 cold, half of them spatial.
    assert_has(
        text,
        "when the block size doubles   score % long long score    L1 reuses intercepted  cold cold spatial\n"
        "  32 B -> 64 B  within a line  0.22    40%       0.55  1.00   1000         15%    10          50%\n"
        "  score: 1 if both halves of the larger block are used together, 0 if only one is; % long, long\n"
        "  score: share of the long reuses, and their score; L1: score of the misses there\n"
        "\n");
    // 600 · 32 bytes are 18.75 KiB, 3000 · 32 are 93.75.
    assert_has(
        text,
        "components by distance share score  mean in bytes reuses intercepted temporal spatial problem\n"
        "  peak 1: 0              60%  0.00     0      0 B    600           0     good    poor\n"
        "  peak 2: 512-1023       30%  0.40   600 18.8 KiB    300         33%     poor    poor serious\n"
        "  peak 3: 2K-4K          10%  1.00  3000 93.8 KiB    100         50%     poor    good\n"
        "  a peak of the histogram of reuse distances in blocks, its share of the reuses and mean distance;\n"
        "  serious (1 of 3): share at least 5.0%, mean at least 256 blocks, score at most 0.97\n");
    assert_has(text, "components by cache      share score  mean in bytes reuses temporal spatial problem\n"
                     "  L1 misses: 1K and more   10%  1.00  3000 93.8 KiB    100     poor    good\n");
    free(text);
}

static void map_as_a_heat_map(void **state)
{
    (void)state;
    dj_render_options style = {.width = 80, .unicode = true};
    char *text = print(&usual, &style);
    // Shades: 60 of 300 are 20%, 240 are 80%, 50 of 100 are 50%. Three bins lower is effective.
    assert_has(text, "map 32 B → 64 B  rows: distance before, columns: after; in blocks\n"
                     "                 0 1 2 4 8 16  64  256 1K share score\n"
                     "      0      0 B ██                         60%     -\n"
                     "      ⋮\n"
                     "    512   16 KiB ░░             │  ██       30%  0.40  ████████\n"
                     "      ⋮\n"
                     "     2K   64 KiB   ▓▓               │  ▓▓   10%  1.00  ████████████████████\n"
                     "   cold              ▓▓                      10   50%  not cold\n");
    assert_null(strstr(text, "scores by distance"));
    free(text);
    style.unicode = false;
    text = print(&usual, &style);
    assert_has(text, "    512   16 KiB ::             |  @@       30%  0.40  ########\n");
    for (const char *at = text; *at; at++)
        assert_true((unsigned char)*at < 0x80);
    free(text);
}

// Bins are not split.
static void what_is_long(void **state)
{
    (void)state;
    const dj_render_options style = {.width = 100};
    dj_spatial_view other = usual;
    other.limits.near_blocks = 3000;
    char *text = print(&other, &style);
    assert_has(text, " of 2,048 blocks or more.");
    assert_has(text, "\n  32 B -> 64 B  within a line  0.22    10%       1.00 ");
    free(text);
}

static void verdicts(void **state)
{
    (void)state;
    const dj_render_options style = {.width = 100};
    dj_spatial_view view = usual;
    char *text = print(&view, &style);
    // 400 of 1,000, of which 2 · 110 are in pairs.
    assert_has(text,
               "\n\n  40% of the reuses are long. For 45% of these, the other half of their block of 64 B "
               "is not used in\n  time. The components and the map below ");
    free(text);
    view.cache = "L1";
    text = print(&view, &style);
    assert_has(text,
               "\n\n  10% of the reuses miss in L1, and both halves of their blocks of 64 B are used: ");
    free(text);
    view = usual;
    view.limits.near_blocks = 1 << 20;
    text = print(&view, &style);
    assert_has(text, "\n\n  Hardly any reuses are long: ");
    free(text);
}

static void colours_only_when_asked_for(void **state)
{
    (void)state;
    dj_render_options style = {.width = 80, .unicode = true};
    char *text = print(&usual, &style);
    assert_null(strchr(text, '\033'));
    free(text);
    style.color = true;
    text = print(&usual, &style);
    assert_has(text, "\033[1;31m  peak 2: ");
    free(text);
}

static void scores_of_several_pairs(void **state)
{
    (void)state;
    dj_profile_destroy(profile);
    profile = make_spatial(context, 2);
    dj_profile_spatial(profile)->pairs[1].map[0][0] = 995;
    dj_profile_spatial(profile)->pairs[1].map[9][0] = 5;
    const dj_render_options style = {.width = 80};
    char *text = print(&usual, &style);
    assert_has(text, "\n  64 B -> 128 B  adjacent lines  0.01 ");
    // (0.22 / 32 + 0.01 / 64) / (1 / 32 + 1 / 64) = 0.15
    assert_has(text, "\n  all, weighted by 1/size        0.15\n");
    assert_has(text, "scores by distance 32->64 64->128\n"
                     "  0-3              @    -  @    -\n"
                     "  256-511                  . 2.00\n"
                     "  512-1023         @ 0.40\n"
                     "  2K-4K            O 1.00\n");
    assert_has(text, "map 32 B -> 64 B");
    free(text);
    dj_spatial_view other = usual;
    other.block = 64;
    text = print(&other, &style);
    assert_has(text, "map 64 B -> 128 B");
    free(text);
}

static void keys_have_no_bytes(void **state)
{
    (void)state;
    free(profile->provenance.unit);
    profile->provenance.unit = strdup("key");
    profile->provenance.unit_bytes = 0;
    const dj_render_options style = {.width = 80};
    char *text = print(&usual, &style);
    assert_has(text, "\n  32 -> 64 keys ");
    assert_has(text, " their block of\n  64 keys is");
    assert_null(strstr(text, "KiB"));
    assert_null(strstr(text, "within a line"));
    free(text);
}

// Whatever a file may contain.
static void any_map_fits(void **state)
{
    (void)state;
    dj_profile_destroy(profile);
    profile = make_spatial(context, 12);
    for (size_t k = 0; k < 12; k++)
        for (unsigned i = 0; i < DJ_SPATIAL_BINS; i++) {
            for (unsigned j = 0; j <= i; j++)
                dj_profile_spatial(profile)->pairs[k].map[i][j] = UINT64_C(1) << 51;
            dj_profile_spatial(profile)->pairs[k].cold[i] = UINT64_C(1) << 50;
        }
    for (unsigned width = 60; width <= 200; width++)
        for (unsigned unicode = 0; unicode < 2; unicode++) {
            const dj_render_options style = {.width = width, .unicode = unicode};
            char *text = print(&usual, &style);
            assert_fits(text, width);
            assert_true(!strstr(text, "needs a wider terminal") == (width >= 85));
            free(text);
        }
}

static void nothing_reused(void **state)
{
    (void)state;
    dj_spatial_pair *pair = &dj_profile_spatial(profile)->pairs[0];
    memset(pair->map, 0, sizeof pair->map);
    memset(pair->cold, 0, sizeof pair->cold);
    memset(pair->caches, 0, sizeof *pair->caches);
    const dj_render_options style = {.width = 80};
    char *text = print(&usual, &style);
    assert_has(text, "\n  32 B -> 64 B  within a line     -  ");
    assert_has(text, "  no block was reused\n");
    assert_null(strstr(text, "components by distance"));
    assert_null(strstr(text, "reuses are long"));
    free(text);
}

static void figures_as_csv(void **state)
{
    (void)state;
    dj_spatial_view all = usual;
    dj_document *document = NULL;
    all.all_rows = true;
    assert_int_equal(dj_document_spatial(context, profile, &all, &document), DJ_OK);
    char *text = rendered(context, document, "csv", NULL);
    assert_string_equal(
        text, "block,double_block,kind,name,lo,hi,reuses,effective,intercepted,size,score,"
              "mean_distance,good_temporal,good_spatial,serious\n"
              "32,64,bin,\"0\",0,0,600,0,0,0.59999999999999998,0,0,,,\n"
              "32,64,bin,\"10\",512,1023,300,60,100,0.29999999999999999,0.40000000000000002,600,,,\n"
              "32,64,bin,\"12\",2048,4095,100,50,50,0.10000000000000001,1,3000,,,\n"
              "32,64,peak,\"c1\",0,511,600,0,0,0.59999999999999998,0,0,1,0,0\n"
              "32,64,peak,\"c2\",512,2047,300,60,100,0.29999999999999999,0.40000000000000002,600,0,0,1\n"
              "32,64,peak,\"c3\",2048,4095,100,50,50,0.10000000000000001,1,3000,0,1,0\n"
              "32,64,cache,\"L1\",1024,,100,50,,0.10000000000000001,1,3000,0,1,0\n");
    free(text);
}

static json_t *exported(void)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    const dj_json_view view = {.binning = DJ_BINS_LOG2};
    assert_int_equal(dj_report_json(context, profile, &view, out), DJ_OK);
    fclose(out);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("%s at line %d of\n%s", error.text, error.line, text);
    free(text);
    return root;
}

static void components_as_json(void **state)
{
    (void)state;
    json_t *root = exported(), *spatial = json_object_get(root, "spatial");
    json_t *list = json_object_get(spatial, "components"), *c2 = json_array_get(list, 1);
    assert_int_equal(json_array_size(list), 4);
    assert_string_equal(json_string_value(json_object_get(c2, "kind")), "peak");
    assert_int_equal(json_integer_value(json_object_get(c2, "lo")), 512);
    assert_int_equal(json_integer_value(json_object_get(c2, "reuses")), 300);
    assert_int_equal(json_integer_value(json_object_get(c2, "effective")), 60);
    assert_true(json_real_value(json_object_get(c2, "score")) == 0.4);
    assert_true(json_real_value(json_object_get(c2, "size")) == 0.3);
    assert_true(json_is_true(json_object_get(c2, "serious")));
    json_t *past = json_array_get(list, 3);
    assert_string_equal(json_string_value(json_object_get(past, "cache")), "L1");
    assert_true(json_is_null(json_object_get(past, "hi")));
    assert_null(json_object_get(spatial, "ranking"));
    assert_non_null(json_object_get(spatial, "pairs"));
    json_decref(root);
}

static void refused(void **state)
{
    (void)state;
    dj_document *document = NULL;
    dj_spatial_view other = usual;
    other.block = 48;
    assert_int_equal(dj_document_spatial(context, profile, &other, &document), DJ_ERR_USAGE);
    other = usual;
    other.context = true;
    assert_int_equal(dj_document_spatial(context, profile, &other, &document), DJ_ERR_USAGE);
    dj_profile_drop_section(profile, &dj_section_spatial);
    assert_int_equal(dj_document_spatial(context, profile, &usual, &document), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "deja spatial"));
}

#define EACH(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(scores_and_components),   EACH(map_as_a_heat_map),  EACH(colours_only_when_asked_for),
        EACH(scores_of_several_pairs), EACH(keys_have_no_bytes), EACH(any_map_fits),
        EACH(nothing_reused),          EACH(what_is_long),       EACH(verdicts),
        EACH(figures_as_csv),          EACH(components_as_json), EACH(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
