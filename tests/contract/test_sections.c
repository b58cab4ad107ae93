// SPDX-License-Identifier: MIT
// Sections and the order in which observers fill them: one that adds to the section of another, listed
// in any order; fields of several types, saved and loaded in both formats.
#include <deja/deja.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/context.h"

// Section `parity`: how many accesses have an even key, and which keys were accessed first.
typedef struct first_row {
    uint64_t key;
    uint32_t number;
} first_row;

typedef struct parity {
    uint64_t even, odd;
    double share; // of even keys, filled in by another observer
    char *words;
    first_row *first;
    size_t first_count;
} parity;

static const dj_field first_fields[] = {
    {.name = "key", .type = DJ_FIELD_U64, .offset = offsetof(first_row, key), .flags = DJ_FIELD_REQUIRED},
    {.name = "number", .type = DJ_FIELD_U32, .offset = offsetof(first_row, number)},
    {.type = DJ_FIELD_END},
};
static const dj_table first_table = {first_fields, sizeof(first_row), DJ_ROW_LINE};

static const dj_field parity_fields[] = {
    {.name = "even", .type = DJ_FIELD_U64, .offset = offsetof(parity, even), .flags = DJ_FIELD_REQUIRED},
    {.name = "odd", .type = DJ_FIELD_U64, .offset = offsetof(parity, odd), .flags = DJ_FIELD_REQUIRED},
    {.name = "share", .type = DJ_FIELD_REAL, .offset = offsetof(parity, share)},
    {.name = "words", .type = DJ_FIELD_TEXT, .offset = offsetof(parity, words), .flags = DJ_FIELD_OMIT},
    {.name = "first",
     .type = DJ_FIELD_LIST,
     .offset = offsetof(parity, first),
     .count_at = offsetof(parity, first_count),
     .rows = &first_table},
    {.type = DJ_FIELD_END},
};

static int check_parity(dj_context *with, void *value)
{
    const parity *p = value;
    return p->first_count <= p->even + p->odd ? DJ_OK
                                              : dj_fail(with, DJ_ERR_INPUT, "more first keys than accesses");
}

static const dj_section_ops parity_section = {
    .name = "parity",
    .summary = "even and odd keys",
    .version = 1,
    .scope = DJ_SCOPE_LANE,
    .table = {parity_fields, sizeof(parity), DJ_ROW_OBJECT},
    .check = check_parity,
};

static int create(dj_context *with, const dj_setup *setup, void **state)
{
    (void)setup;
    *state = calloc(1, sizeof(parity));
    return *state ? DJ_OK : dj_fail_memory(with, "parity", sizeof(parity));
}

static int watch(void *state, dj_context *with, const dj_view *view)
{
    (void)with;
    parity *p = state;
    for (uint32_t i = 0; i < view->batch->count; i++)
        ++*(view->lanes[0].key[i] % 2 ? &p->odd : &p->even);
    return DJ_OK;
}

static int finish(void *state, dj_context *with, dj_profile *profile)
{
    const parity *p = state;
    parity *out = NULL;
    int err = dj_lane_add_section(with, &profile->lanes[0], &parity_section, &out);
    if (err)
        return err;
    out->even = p->even;
    out->odd = p->odd;
    out->words = strdup("even and odd");
    out->first = calloc(2, sizeof *out->first);
    out->first_count = out->first ? 2 : 0;
    for (size_t i = 0; i < out->first_count; i++)
        out->first[i] = (first_row){.key = 10 * i, .number = (uint32_t)i};
    return DJ_OK;
}

static const dj_observer_ops parity_observer = {
    .name = "parity",
    .summary = "counts even and odd keys",
    .fills = &parity_section,
    .create = create,
    .destroy = free,
    .watch = watch,
    .finish = finish,
};

// Needs the section `parity` and the histogram, and adds to the former.
static int finish_share(void *state, dj_context *with, dj_profile *profile)
{
    (void)state;
    (void)with;
    parity *p = dj_lane_section(&profile->lanes[0], &parity_section);
    assert_non_null(p);
    assert_true(profile->lanes[0].cold > 0);
    p->share = (double)p->even / (double)profile->accesses;
    return DJ_OK;
}

static const dj_section_ops *const share_after[] = {&parity_section, &dj_section_histogram, NULL};
static const dj_observer_ops share_observer = {
    .name = "share",
    .summary = "the share of even keys",
    .fills = &parity_section,
    .after = share_after,
    .create = create,
    .destroy = free,
    .finish = finish_share,
};

static int measured(const dj_observer_ops *const *ops, size_t count, dj_profile **out)
{
    static const uint64_t block = 1, keys[] = {1, 2, 3, 2, 4, 1, 6};
    dj_observer_choice observers[4] = {{0}};
    for (size_t i = 0; i < count; i++)
        observers[i].ops = ops[i];
    const dj_pipeline_config config = {
        .blocks = &block, .block_count = 1, .observers = observers, .observer_count = count};
    const dj_source_options options = {.format = "u64le"};
    dj_pipeline *pipeline = NULL;
    dj_source *source = NULL;
    int err = dj_pipeline_create(context, &config, &pipeline);
    if (!err)
        err = dj_source_open_memory(context, keys, sizeof keys, "keys", &options, &source);
    if (!err)
        err = dj_pipeline_run(pipeline, context, source);
    if (!err)
        err = dj_pipeline_finish(pipeline, context, out);
    dj_source_close(source);
    dj_pipeline_destroy(pipeline);
    return err;
}

static void assert_parity(const dj_profile *profile)
{
    const parity *p = dj_lane_section(&profile->lanes[0], &parity_section);
    assert_non_null(p);
    assert_int_equal(p->even, 4);
    assert_int_equal(p->odd, 3);
    assert_true(p->share == 4.0 / 7);
    assert_string_equal(p->words, "even and odd");
    assert_int_equal(p->first_count, 2);
    assert_int_equal(p->first[1].key, 10);
    assert_int_equal(p->first[1].number, 1);
}

static int load(char *data, size_t bytes, dj_profile **out)
{
    FILE *in = fmemopen(data, bytes, "r");
    int err = dj_profile_load(context, in, "toy", out);
    fclose(in);
    return err;
}

static void in_any_order(void **state)
{
    (void)state;
    const dj_observer_ops *histogram = dj_observer_find("histogram");
    const dj_observer_ops *const orders[][3] = {{&share_observer, &parity_observer, histogram},
                                                {histogram, &share_observer, &parity_observer},
                                                {&parity_observer, histogram, &share_observer}};
    assert_int_equal(dj_section_register(context, &parity_section), DJ_OK);
    assert_int_equal(dj_section_register(context, &parity_section), DJ_OK);
    assert_ptr_equal(dj_section_find("parity"), &parity_section);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        dj_profile *profile = NULL, *again = NULL;
        assert_int_equal(measured(orders[i], 3, &profile), DJ_OK);
        assert_parity(profile);
        for (int form = 0; form < 2; form++) {
            char *data = NULL;
            size_t bytes = 0;
            FILE *out = open_memstream(&data, &bytes);
            assert_int_equal(form ? dj_profile_save_columns(context, profile, out)
                                  : dj_profile_save(context, profile, DJ_BINS_EXACT, 0, out),
                             DJ_OK);
            fclose(out);
            assert_int_equal(load(data, bytes, &again), DJ_OK);
            assert_parity(again);
            dj_profile_destroy(again);
            free(data);
        }
        dj_profile_destroy(profile);
    }
}

static void refused_when_made(void **state)
{
    (void)state;
    const dj_observer_ops *histogram = dj_observer_find("histogram");
    const dj_observer_ops *const lacks_section[] = {&share_observer, histogram},
                                 *const lacks_histogram[] = {&share_observer, &parity_observer},
                                 *const usage[] = {dj_observer_find("usage")};
    dj_profile *none = NULL;
    assert_int_equal(measured(lacks_section, 2, &none), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "observer share needs section 'parity'"));
    assert_int_equal(measured(lacks_histogram, 2, &none), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "needs section 'histogram'"));
    assert_non_null(strstr(dj_context_message(context), "add histogram"));
    assert_int_equal(measured(usage, 1, &none), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "needs section 'attribution'"));
    assert_non_null(strstr(dj_context_message(context), "add places"));
}

static void names_are_taken_once(void **state)
{
    (void)state;
    static const dj_section_ops other = {.name = "histogram", .version = 1};
    assert_int_equal(dj_section_register(context, &other), DJ_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_any_order),
        cmocka_unit_test(refused_when_made),
        cmocka_unit_test(names_are_taken_once),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
