// SPDX-License-Identifier: MIT
// The example of docs/adding-an-observer.md, in one file and outside src: an observer with a section,
// another one that depends on it, and a report. The section is measured, merged, saved, loaded and
// rendered.
#include "contract/keys.h"

// Section `reach` of a lane: how many reuses have a distance below each limit.
enum { LIMITS = 3 };
static const uint64_t limits[LIMITS] = {1, 2, 4};

typedef struct reach_row {
    uint64_t below, reuses;
} reach_row;

typedef struct reach {
    uint64_t reuses;
    uint64_t longest;
    reach_row *rows;
    size_t count;
} reach;

static const dj_field reach_row_fields[] = {
    {DJ_FIELD(U64, "below", reach_row, below), .flags = DJ_FIELD_REQUIRED},
    {DJ_FIELD(U64, "reuses", reach_row, reuses), .flags = DJ_FIELD_REQUIRED},
    {.type = DJ_FIELD_END},
};
static const dj_table reach_row_table = {reach_row_fields, sizeof(reach_row), DJ_ROW_LINE};

static const dj_field reach_fields[] = {
    {DJ_FIELD(U64, "reuses", reach, reuses), .flags = DJ_FIELD_REQUIRED, .about = "of all distances"},
    {DJ_FIELD(U64, "longest", reach, longest), .flags = DJ_FIELD_OMIT},
    {DJ_FIELD_ROWS("rows", reach, rows, count, reach_row_table), .flags = DJ_FIELD_REQUIRED, .most = 64},
    {.type = DJ_FIELD_END},
};

static int check_reach(dj_context *where, void *value)
{
    const reach *r = value;
    for (size_t i = 0; i < r->count; i++)
        if (r->rows[i].reuses > r->reuses || (i > 0 && r->rows[i].reuses < r->rows[i - 1].reuses))
            return dj_fail(where, DJ_ERR_INPUT, "reach: rows[%zu] does not lie between its neighbours", i);
    return DJ_OK;
}

static int settle_reach(dj_context *where, dj_profile *profile, dj_lane_profile *lane, void *value)
{
    (void)profile;
    const reach *r = value;
    return r->reuses == lane->accesses - lane->cold
               ? DJ_OK
               : dj_fail(where, DJ_ERR_INPUT, "reach: its reuses are not those of the lane");
}

static int merge_reach(dj_context *where, void *value, const void *other)
{
    (void)where;
    reach *r = value;
    const reach *more = other;
    r->reuses += more->reuses;
    r->longest = r->longest > more->longest ? r->longest : more->longest;
    for (size_t i = 0; i < r->count; i++)
        r->rows[i].reuses += more->rows[i].reuses;
    return DJ_OK;
}

static const dj_section_ops reach_section = {
    .name = "reach",
    .summary = "reuses below some distances",
    .version = 1,
    .scope = DJ_SCOPE_LANE,
    .table = {reach_fields, sizeof(reach), DJ_ROW_OBJECT},
    .merge = merge_reach,
    .check = check_reach,
    .settle = settle_reach,
};

// The observer: its state is a value of the section for each lane.
typedef struct reach_state {
    uint32_t lane_count;
    struct {
        reach value;
        reach_row rows[LIMITS];
    } lanes[];
} reach_state;

static int reach_create(dj_context *where, const dj_setup *setup, void **state)
{
    reach_state *s = calloc(1, sizeof *s + setup->lane_count * sizeof s->lanes[0]);
    if (!s)
        return dj_fail_memory(where, "observer reach", 0);
    s->lane_count = setup->lane_count;
    for (uint32_t i = 0; i < s->lane_count; i++) {
        for (size_t k = 0; k < LIMITS; k++)
            s->lanes[i].rows[k].below = limits[k];
        s->lanes[i].value = (reach){.rows = s->lanes[i].rows, .count = LIMITS};
    }
    *state = s;
    return DJ_OK;
}

static int reach_see(void *state, dj_context *where, const dj_view *view)
{
    (void)where;
    reach_state *s = state;
    for (uint32_t i = 0; i < s->lane_count; i++) {
        reach *r = &s->lanes[i].value;
        for (uint32_t k = 0; k < view->batch->count; k++) {
            const uint64_t distance = view->lanes[i].distance[k];
            if (distance == DJ_COLD || distance == DJ_ABSENT)
                continue;
            r->reuses++;
            r->longest = r->longest > distance ? r->longest : distance;
            for (size_t n = 0; n < LIMITS; n++)
                r->rows[n].reuses += distance < r->rows[n].below;
        }
    }
    return DJ_OK;
}

static int reach_merge(void *state, dj_context *where, const void *other, uint64_t position)
{
    (void)position;
    reach_state *s = state;
    const reach_state *more = other;
    int err = DJ_OK;
    for (uint32_t i = 0; !err && i < s->lane_count; i++)
        err = merge_reach(where, &s->lanes[i].value, &more->lanes[i].value);
    return err;
}

static int reach_finish(void *state, dj_context *where, dj_profile *profile)
{
    const reach_state *s = state;
    for (uint32_t i = 0; i < s->lane_count; i++) {
        reach *out = NULL;
        int err = dj_lane_add_section(where, &profile->lanes[i], &reach_section, &out);
        if (err)
            return err;
        reach_row *rows = malloc(sizeof s->lanes[i].rows);
        if (!rows)
            return dj_fail_memory(where, "observer reach", sizeof s->lanes[i].rows);
        memcpy(rows, s->lanes[i].rows, sizeof s->lanes[i].rows);
        *out = s->lanes[i].value;
        out->rows = rows;
    }
    return DJ_OK;
}

static const dj_observer_ops reach_observer = {
    .name = "reach",
    .summary = "counts reuses below some distances",
    .needs = DJ_NEED_EXACT | DJ_NEED_PER_ACCESS,
    .fills = &reach_section,
    .create = reach_create,
    .destroy = free,
    .see = reach_see,
    .merge = reach_merge,
    .unordered = true,
    .finish = reach_finish,
};

// Section `habit` of the profile, and an observer that needs two other sections for it.
typedef struct habit {
    char *words;
    double share;
} habit;

static const dj_field habit_fields[] = {
    {DJ_FIELD(TEXT, "words", habit, words), .flags = DJ_FIELD_REQUIRED},
    {DJ_FIELD(REAL, "share", habit, share), .about = "reuses below the last limit, of all accesses"},
    {.type = DJ_FIELD_END},
};

static const dj_section_ops habit_section = {
    .name = "habit",
    .summary = "whether most accesses are short reuses",
    .version = 1,
    .scope = DJ_SCOPE_PROFILE,
    .table = {habit_fields, sizeof(habit), DJ_ROW_OBJECT},
};

static int habit_create(dj_context *where, const dj_setup *setup, void **state)
{
    (void)where, (void)setup;
    *state = NULL;
    return DJ_OK;
}

static int habit_merge(void *state, dj_context *where, const void *other, uint64_t position)
{
    (void)state, (void)where, (void)other, (void)position;
    return DJ_OK;
}

static int habit_finish(void *state, dj_context *where, dj_profile *profile)
{
    (void)state;
    const reach *r = dj_lane_section(&profile->lanes[0], &reach_section); // `after`: it is there
    habit *out = NULL;
    int err = dj_profile_add_section(where, profile, &habit_section, &out);
    if (err)
        return err;
    out->share = (double)r->rows[LIMITS - 1].reuses / (double)(r->reuses + profile->lanes[0].cold);
    out->words = strdup(out->share > 0.5 ? "near" : "far");
    return out->words ? DJ_OK : dj_fail_memory(where, "observer habit", 0);
}

static const dj_section_ops *const habit_after[] = {&reach_section, &dj_section_histogram, NULL};

static const dj_observer_ops habit_observer = {
    .name = "habit",
    .summary = "whether most accesses are short reuses",
    .fills = &habit_section,
    .after = habit_after,
    .create = habit_create,
    .destroy = free,
    .merge = habit_merge,
    .finish = habit_finish,
};

// The report.
static int dj_document_reach(dj_context *where, const dj_profile *profile, dj_document **out)
{
    const habit *h = dj_profile_section(profile, &habit_section);
    dj_document *document = NULL;
    int err = dj_document_create(where, &document);
    if (err)
        return err;
    dj_document_say(document, DJ_TEXT_TITLE, 0, "%s reuses", h->words);
    dj_sheet *table = dj_document_table(document, DJ_NODE_TABLE, "block");
    dj_sheet_node(table)->data = true;
    dj_sheet_add_column(table, (dj_sheet_column){.title = "", .name = "block"});
    dj_sheet_add_column(table, (dj_sheet_column){.title = "below", .name = "below"});
    dj_sheet_add_column(table, (dj_sheet_column){.title = "reuses", .name = "reuses"});
    for (size_t i = 0; i < profile->lane_count; i++) {
        const reach *r = dj_lane_section(&profile->lanes[i], &reach_section);
        for (size_t k = 0; k < r->count; k++) {
            dj_sheet_row *row = dj_sheet_add_row(table);
            dj_row_put(table, row, dj_datum_count(dj_lane_block(&profile->lanes[i])));
            dj_row_put(table, row, dj_datum_count(r->rows[k].below));
            dj_row_put(table, row, dj_datum_count(r->rows[k].reuses));
        }
    }
    return dj_document_finish(where, err, document, out);
}

static void measure_all(size_t cut, dj_profile **out)
{
    const dj_observer_ops *const orders[][3] = {
        {&habit_observer, &reach_observer, dj_observer_find("histogram")},
        {dj_observer_find("histogram"), &habit_observer, &reach_observer},
        {&reach_observer, dj_observer_find("histogram"), &habit_observer}};
    assert_int_equal(measure(orders[cut % 3], cut, out), DJ_OK);
}

// The expected result, by searching the earlier keys.
static reach expect(uint64_t block, reach_row *rows)
{
    reach want = {.rows = rows, .count = LIMITS};
    for (size_t n = 0; n < LIMITS; n++)
        rows[n] = (reach_row){limits[n], 0};
    for (size_t i = 0; i < key_count; i++) {
        uint64_t distinct = 0;
        size_t j = i;
        while (j > 0 && keys[j - 1] / block != keys[i] / block) {
            bool again = false;
            for (size_t k = j--; k < i; k++)
                again |= keys[k] / block == keys[j] / block;
            distinct += !again;
        }
        if (j == 0)
            continue;
        want.reuses++;
        want.longest = distinct > want.longest ? distinct : want.longest;
        for (size_t n = 0; n < LIMITS; n++)
            rows[n].reuses += distinct < limits[n];
    }
    return want;
}

static void compare(const dj_profile *profile)
{
    const habit *h = dj_profile_section(profile, &habit_section);
    assert_int_equal(profile->lane_count, 2);
    for (size_t i = 0; i < 2; i++) {
        reach_row rows[LIMITS];
        const reach want = expect(i + 1, rows), *got = dj_lane_section(&profile->lanes[i], &reach_section);
        assert_non_null(got);
        assert_int_equal(got->reuses, want.reuses);
        assert_int_equal(got->longest, want.longest);
        assert_int_equal(got->count, LIMITS);
        assert_memory_equal(got->rows, rows, sizeof rows);
        if (i > 0)
            continue;
        assert_non_null(h);
        assert_true(h->share == (double)rows[LIMITS - 1].reuses / (double)key_count);
        assert_string_equal(h->words, h->share > 0.5 ? "near" : "far");
    }
}

// Distances 1, 2, 2, 0 of single keys; 1, 1, 0, 1, 0 of pairs.
static void use_small_trace(void)
{
    static const uint64_t small[] = {1, 2, 1, 3, 2, 1, 1};
    memcpy(keys, small, sizeof small);
    key_count = sizeof small / sizeof *small;
}

static void not_saved_before_it_is_registered(void **state)
{
    (void)state;
    use_small_trace();
    dj_profile *profile = NULL;
    measure_all(key_count, &profile);
    for (int columns = 0; columns < 2; columns++) {
        dj_profile *again = NULL;
        size_t bytes = 0;
        char *data = save(profile, columns, &bytes);
        assert_int_equal(load(data, bytes, &again), DJ_OK);
        assert_null(dj_lane_section(&again->lanes[0], &reach_section));
        dj_profile_destroy(again);
        free(data);
    }
    dj_profile_destroy(profile);
    assert_int_equal(dj_section_register(context, &reach_section), DJ_OK);
    assert_int_equal(dj_section_register(context, &habit_section), DJ_OK);
    assert_ptr_equal(dj_section_find("habit"), &habit_section);
}

static void measured_merged_saved_and_loaded(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 40; seed++) {
        uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
        key_count = 2 + seed * 7 % (KEYS_MOST - 2);
        for (size_t i = 0; i < key_count; i++, random = random * UINT64_C(6364136223846793005) + seed)
            keys[i] = (random >> 40) % (seed % 2 ? 9 : 60);
        const size_t cuts[] = {0, 1, key_count / 3, key_count - 1, key_count};
        for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
            dj_profile *profile = NULL;
            measure_all(cuts[c], &profile);
            compare(profile);
            for (int columns = 0; columns < 2; columns++) {
                dj_profile *again = NULL;
                size_t bytes = 0;
                char *data = save(profile, columns, &bytes);
                assert_int_equal(load(data, bytes, &again), DJ_OK);
                compare(again);
                dj_profile_destroy(again);
                free(data);
            }
            dj_profile_destroy(profile);
        }
    }
}

static void refused_when_made(void **state)
{
    (void)state;
    use_small_trace();
    const dj_observer_ops *const alone[] = {&habit_observer, dj_observer_find("histogram"), NULL},
                                 *const uncounted[] = {&habit_observer, &reach_observer, NULL};
    dj_profile *none = NULL;
    assert_int_equal(measure(alone, key_count, &none), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "observer habit needs section 'reach'"));
    assert_int_equal(measure(uncounted, key_count, &none), DJ_ERR_USAGE);
    assert_non_null(strstr(dj_context_message(context), "add histogram"));
}

// Files are untrusted: what the table and the checks can detect is refused, with the location and the
// reason.
static void refused_when_loaded(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *why;
    } damages[] = {{"\"below\": 2, \"reuses\": 2", "\"below\": 2, \"reuses\": 0", "rows[1] does not lie"},
                   {"\"reuses\": 4,", "\"reuses\": 5,", "not those of the lane"},
                   {"\"words\"", "\"nails\"", "words"}};
    use_small_trace();
    dj_profile *profile = NULL, *none = NULL;
    measure_all(key_count, &profile);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        size_t bytes = 0;
        char *data = save(profile, false, &bytes), *at = strstr(data, damages[i].from);
        assert_non_null(at);
        memcpy(at, damages[i].to, strlen(damages[i].to));
        assert_int_equal(load(data, bytes, &none), DJ_ERR_INPUT);
        assert_non_null(strstr(dj_context_message(context), damages[i].why));
        free(data);
    }
    dj_profile_destroy(profile);
}

static void assert_renders(const dj_document *document, const char *renderer, const char *expected)
{
    static const dj_render_options ascii = {.width = 60};
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(dj_render(context, dj_renderer_find(renderer), document, &ascii, out), DJ_OK);
    fclose(out);
    if (strcmp(renderer, "svg") != 0)
        assert_string_equal(text, expected);
    else // a picture of text
        assert_true(strncmp(text, "<svg ", 5) == 0 && strstr(text, "near reuses</text>") &&
                    strstr(text, expected) && strstr(text, "</svg>"));
    free(text);
}

static void rendered(void **state)
{
    (void)state;
    use_small_trace();
    dj_profile *profile = NULL;
    dj_document *document = NULL;
    measure_all(key_count, &profile);
    assert_int_equal(dj_document_reach(context, profile, &document), DJ_OK);
    dj_profile_destroy(profile);
    assert_renders(document, "text",
                   "near reuses\n\nblock below reuses\n"
                   "    1     1      1\n    1     2      2\n    1     4      4\n"
                   "    2     1      2\n    2     2      5\n    2     4      5\n");
    assert_renders(document, "csv", "block,below,reuses\n1,1,1\n1,2,2\n1,4,4\n2,1,2\n2,2,5\n2,4,5\n");
    assert_renders(document, "markdown",
                   "### near reuses\n\n| block | below | reuses |\n|:--|--:|--:|\n"
                   "| 1 | 1 | 1 |\n| 1 | 2 | 2 |\n| 1 | 4 | 4 |\n"
                   "| 2 | 1 | 2 |\n| 2 | 2 | 5 |\n| 2 | 4 | 5 |\n\n");
    assert_renders(document, "svg", ">    2     2      5</text>");
    dj_document_destroy(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_saved_before_it_is_registered),
        cmocka_unit_test(measured_merged_saved_and_loaded),
        cmocka_unit_test(refused_when_made),
        cmocka_unit_test(refused_when_loaded),
        cmocka_unit_test(rendered),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
