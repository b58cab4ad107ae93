// SPDX-License-Identifier: MIT
// Attributions saved and loaded, and files that must be rejected.
#include "unit/attribution_json.h"

#include <jansson.h>

#include "profile/json_sketch.h"

static void assert_same_tally(const dj_tally *x, const dj_tally *y)
{
    assert_int_equal(x->accesses, y->accesses);
    assert_int_equal(x->cold, y->cold);
    assert_int_equal(x->writes, y->writes);
    assert_true(x->sum == y->sum);
    assert_true(x->square_low == y->square_low && x->square_high == y->square_high);
    assert_true(x->min == y->min && x->max == y->max);
    assert_int_equal(x->bin_first, y->bin_first);
    assert_int_equal(x->bin_count, y->bin_count);
    assert_memory_equal(x->bins ? x->bins : (uint64_t[1]){0}, y->bins ? y->bins : (uint64_t[1]){0},
                        x->bin_count * sizeof *x->bins);
}

static void assert_same_sketch(const dj_sketch *x, const dj_sketch *y)
{
    assert_int_equal(x == NULL, y == NULL);
    if (x)
        assert_memory_equal(x, y, sizeof *x);
}

static void assert_same_code(const dj_attribution *x, const dj_attribution *y)
{
    assert_int_equal(x->module_count, y->module_count);
    for (size_t i = 0; i < x->module_count; i++) {
        assert_string_equal(x->modules[i].path, y->modules[i].path);
        assert_int_equal(x->modules[i].has_lines, y->modules[i].has_lines);
        assert_int_equal(x->modules[i].has_types, y->modules[i].has_types);
    }
    assert_int_equal(x->function_count, y->function_count);
    for (size_t i = 0; i < x->function_count; i++) {
        const dj_function_row *f = &x->functions[i], *g = &y->functions[i];
        assert_string_equal(f->name, g->name);
        assert_true(f->module == g->module && f->file == g->file && f->line == g->line);
    }
    assert_int_equal(x->loop_count, y->loop_count);
    for (size_t i = 0; i < x->loop_count; i++) {
        const dj_loop_row *k = &x->loops[i], *l = &y->loops[i];
        assert_true(k->function == l->function && k->parent == l->parent && k->depth == l->depth);
        assert_true(k->file == l->file && k->first_line == l->first_line && k->last_line == l->last_line);
        assert_int_equal(k->iterations, l->iterations);
    }
    assert_int_equal(x->inlined_count, y->inlined_count);
    for (size_t i = 0; i < x->inlined_count; i++) {
        const dj_inlined_row *k = &x->inlined[i], *l = &y->inlined[i];
        assert_true(k->function == l->function && k->file == l->file && k->line == l->line &&
                    k->inlined == l->inlined);
    }
    assert_int_equal(x->site_count, y->site_count);
    for (size_t i = 0; i < x->site_count; i++) {
        const dj_site_row *s = &x->sites[i], *t = &y->sites[i];
        assert_true(s->module == t->module && s->offset == t->offset && s->function == t->function);
        assert_true(s->file == t->file && s->line == t->line && s->loop == t->loop);
        assert_int_equal(s->inlined, t->inlined);
        assert_same_sketch(s->sketch, t->sketch);
    }
}

static void assert_same_data(const dj_attribution *x, const dj_attribution *y)
{
    assert_int_equal(x->cct_count, y->cct_count);
    for (size_t i = 0; i < x->cct_count; i++) {
        const dj_cct_node *c = &x->cct[i], *d = &y->cct[i];
        assert_true(c->parent == d->parent && c->thread == d->thread && c->function == d->function);
        assert_true(c->call_site == d->call_site && c->recursive == d->recursive && c->calls == d->calls);
        assert_same_sketch(c->sketch, d->sketch);
    }
    assert_int_equal(x->object_count, y->object_count);
    for (size_t i = 0; i < x->object_count; i++) {
        const dj_object_row *o = &x->objects[i], *p = &y->objects[i];
        assert_string_equal(o->name, p->name);
        assert_string_equal(o->type, p->type);
        assert_true(o->kind == p->kind && o->file == p->file && o->line == p->line);
        assert_true(o->cct_node == p->cct_node && o->bytes == p->bytes && o->blocks == p->blocks);
        assert_int_equal(o->distinct, p->distinct);
    }
    assert_int_equal(x->thread_count, y->thread_count);
    for (size_t i = 0; i < x->thread_count; i++) {
        assert_string_equal(x->threads[i].name, y->threads[i].name);
        assert_true(x->threads[i].id == y->threads[i].id && x->threads[i].distinct == y->threads[i].distinct);
    }
}

static void assert_same(const dj_attribution *x, const dj_attribution *y)
{
    assert_int_equal(x->edge_count, y->edge_count);
    assert_memory_equal(x->edges, y->edges, x->edge_count * sizeof *x->edges);
    assert_int_equal(x->cut_count, y->cut_count);
    for (size_t i = 0; i < x->cut_count; i++) {
        assert_string_equal(x->cuts[i].name, y->cuts[i].name);
        assert_int_equal(x->cuts[i].blocks, y->cuts[i].blocks);
    }
    assert_true(x->pair_from == y->pair_from);
    assert_true(x->cct_folded == y->cct_folded);
    assert_int_equal(x->file_count, y->file_count);
    for (size_t i = 0; i < x->file_count; i++)
        assert_string_equal(x->files[i], y->files[i]);
    assert_same_code(x, y);
    assert_same_data(x, y);
    assert_int_equal(x->place_count, y->place_count);
    for (size_t i = 0; i < x->place_count; i++) {
        const dj_place_row *p = &x->places[i], *q = &y->places[i];
        assert_true(p->site == q->site && p->cct_node == q->cct_node && p->object == q->object);
        assert_string_equal(p->element, q->element);
        assert_string_equal(p->example, q->example);
        assert_same_tally(&p->tally, &q->tally);
    }
    assert_int_equal(x->pair_count, y->pair_count);
    for (size_t i = 0; i < x->pair_count; i++) {
        assert_true(x->pairs[i].from == y->pairs[i].from && x->pairs[i].to == y->pairs[i].to);
        assert_true(x->pairs[i].carried == y->pairs[i].carried && x->pairs[i].carrier == y->pairs[i].carrier);
        assert_same_tally(&x->pairs[i].tally, &y->pairs[i].tally);
    }
}

// Numbers at their limits, texts that need escapes, sketches of both forms.
static void strain(dj_attribution *a)
{
    a->pair_from = UINT64_MAX;
    a->cct_folded = 12345;
    a->sites[0].offset = UINT64_MAX;
    a->sites[1].sketch = calloc(1, sizeof(dj_sketch));
    a->sites[2].sketch = calloc(1, sizeof(dj_sketch));
    a->cct[1].sketch = calloc(1, sizeof(dj_sketch));
    a->cct[1].recursive = true;
    for (uint64_t key = 0; key < 5; key++)
        dj_sketch_add(a->sites[1].sketch, key);
    for (uint64_t key = 0; key < 10000; key++)
        dj_sketch_add(a->sites[2].sketch, key);
    a->modules[0].has_types = false;
    a->objects[1].blocks = UINT64_MAX;
    free(a->objects[1].type);
    a->objects[1].type = strdup("struct \"a\\b\"\n\x01 \xc3\xa9");
    a->objects[2].kind = DJ_OBJECT_MODULE;
    a->places[0].tally.square_high = UINT64_MAX;
    a->places[0].tally.sum = UINT64_MAX;
}

static void round_trip(void **state)
{
    (void)state;
    dj_profile *profile = hand_profile(), *again = NULL;
    strain(dj_profile_attribution(profile));
    char *text = saved(profile);
    if (loaded(text, &again) != DJ_OK)
        fail_msg("%s in\n%s", dj_context_message(context), text);
    assert_same(dj_profile_attribution(profile), dj_profile_attribution(again));
    char *resaved = saved(again);
    assert_string_equal(text, resaved);
    free(text);
    free(resaved);
    dj_profile_destroy(profile);
    dj_profile_destroy(again);
}

// Like the output of a script that sorts the keys, which puts sites after pairs and the attribution before
// the histograms.
static void order_of_keys_is_free(void **state)
{
    (void)state;
    dj_profile *profile = hand_profile(), *again = NULL;
    char *text = saved(profile);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    char *sorted = json_dumps(root, JSON_SORT_KEYS | JSON_COMPACT);
    assert_int_equal(loaded(sorted, &again), DJ_OK);
    assert_same(dj_profile_attribution(profile), dj_profile_attribution(again));
    free(sorted);
    free(text);
    json_decref(root);
    dj_profile_destroy(profile);
    dj_profile_destroy(again);
}

// A later version may add cells to rows and tables beside them.
static void later_additions_are_skipped(void **state)
{
    (void)state;
    dj_profile *profile = hand_profile(), *again = NULL;
    char *text = saved(profile);
    json_t *root = json_loads(text, 0, NULL);
    json_t *attribution = json_object_get(root, "attribution");
    json_array_append_new(json_array_get(json_object_get(attribution, "sites"), 0),
                          json_pack("{s:[i]}", "new", 1));
    json_object_set_new(attribution, "news", json_pack("[[i]]", 1));
    char *changed = json_dumps(root, 0);
    assert_int_equal(loaded(changed, &again), DJ_OK);
    assert_same(dj_profile_attribution(profile), dj_profile_attribution(again));
    free(changed);
    free(text);
    json_decref(root);
    dj_profile_destroy(profile);
    dj_profile_destroy(again);
}

// Loads the profile with cell `cell` of row `row` of `table` replaced by the JSON text `value`; the message
// must contain `message`.
static void assert_refused(json_t *root, const char *table, size_t row, size_t cell, const char *value,
                           const char *message)
{
    json_t *copy = json_deep_copy(root);
    json_t *rows = json_object_get(json_object_get(copy, "attribution"), table);
    json_t *cells = json_array_get(rows, row), *replaced = json_loads(value, JSON_DECODE_ANY, NULL);
    assert_non_null(cells);
    assert_non_null(replaced);
    if (json_is_array(cells))
        assert_int_equal(json_array_set_new(cells, cell, replaced), 0);
    else
        assert_int_equal(json_array_set_new(rows, row, replaced), 0);
    char *text = json_dumps(copy, JSON_COMPACT);
    dj_profile *profile = NULL;
    int err = loaded(text, &profile);
    if (err != DJ_ERR_INPUT)
        fail_msg("%s[%zu][%zu] = %s is accepted", table, row, cell, value);
    if (!strstr(dj_context_message(context), message))
        fail_msg("%s[%zu][%zu] = %s: %s", table, row, cell, value, dj_context_message(context));
    assert_int_equal(strncmp(dj_context_message(context), "p.json:1: ", 10), 0);
    free(text);
    json_decref(copy);
}

static void hostile_cells(void **state)
{
    (void)state;
    static const struct {
        const char *table;
        size_t row, cell;
        const char *value, *message;
    } bad[] = {
        {"edges", 0, 0, "1", "edges[0] is not 0"},
        {"edges", 3, 0, "1", "edges[3] is not greater"},
        {"cuts", 1, 1, "8", "cuts[1] is less"},
        {"files", 0, 0, "7", "expected a string"},
        {"functions", 0, 1, "1", "functions[0]: there is no module 1 among 1 modules"},
        {"functions", 0, 2, "1", "there is no file 1"},
        {"loops", 0, 0, "null", "loops[0] has no function"},
        {"loops", 0, 1, "1", "is its own parent"},
        {"loops", 0, 1, "0", "loops[0] is its own parent"},
        {"inlined", 0, 3, "0", "inlined[0] is its own inlined"},
        {"sites", 0, 2, "5", "there is no function 5 among 5"},
        {"sites", 0, 5, "3", "there is no loop 3"},
        {"sites", 0, 6, "1", "there is no inlined 1"},
        {"sites", 0, 4, "4294967296", "more than 2^32 - 1"},
        {"sites", 0, 7, "\"ab\"", "is not a sketch"},
        {"contexts", 1, 0, "2", "contexts[1] precedes its parent"},
        {"contexts", 1, 0, "1", "contexts[1] precedes its parent"},
        {"contexts", 0, 1, "null", "contexts[0] has no thread"},
        {"contexts", 1, 3, "99", "there is no call_site 99"},
        {"objects", 0, 2, "\"magic\"", "no kind \"magic\""},
        {"objects", 0, 5, "6", "there is no context 6"},
        {"places", 0, 0, "8", "there is no site 8"},
        {"places", 0, 2, "null", "places[0] has no object"},
        {"places", 2, 5, "[20,19,0,0,0,0,0,0,0,[]]", "do not add up to 20"},
        {"places", 2, 5, "[20,20,21,0,0,0,0,0,0,[]]", "more writes than accesses"},
        {"places", 2, 5, "[20,20,0,0,0,0,2,1,0,[]]", "exceeds the longest"},
        {"places", 2, 5, "[20,20,0,0,0,0,0,0,12,[]]", "beyond the 11 edges"},
        {"places", 2, 5, "[21,20,0,0,0,0,0,0,11,[1]]", "beyond the 11 edges"},
        {"places", 2, 5, "[20,20,0,0,0,0,0,0,0]", "ends before its bins"},
        {"places", 2, 5, "[0,0,0,0,0,0,0,0,0,[\"18446744073709551615\",1]]", "more than 2^64 - 1"},
        {"places", 2, 5, "[\"18446744073709551615\",\"18446744073709551615\",0,0,0,0,0,0,0,[]]",
         "the places have more than 2^64 - 1"},
        {"pairs", 0, 1, "5", "there is no to 5 among 5 places"},
        {"pairs", 0, 0, "null", "pairs[0] has no from"},
    };
    dj_profile *profile = hand_profile();
    char *text = saved(profile);
    json_t *root = json_loads(text, 0, NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(root, bad[i].table, bad[i].row, bad[i].cell, bad[i].value, bad[i].message);
    json_t *attribution = json_object_get(root, "attribution");
    json_object_del(attribution, "pairs");
    char *changed = json_dumps(root, 0);
    dj_profile *none = NULL;
    assert_int_equal(loaded(changed, &none), DJ_ERR_INPUT);
    free(changed);
    free(text);
    json_decref(root);
    dj_profile_destroy(profile);
}

// Truncated or changed anywhere: rejected or loaded, without a leak or a crash.
static void cut_anywhere(void **state)
{
    (void)state;
    dj_profile *profile = hand_profile(), *none = NULL;
    strain(dj_profile_attribution(profile));
    char *text = saved(profile);
    size_t bytes = strlen(text);
    for (size_t cut = 1; cut + 2 < bytes; cut++) {
        char kept = text[cut];
        text[cut] = 0;
        assert_int_equal(loaded(text, &none), DJ_ERR_INPUT);
        text[cut] = kept;
    }
    for (size_t at = 0; at < bytes; at++) {
        char kept = text[at];
        text[at] = (char)(kept ^ 0x15);
        dj_profile *maybe = NULL;
        int err = loaded(text, &maybe);
        assert_true(err == DJ_OK || err == DJ_ERR_INPUT);
        dj_profile_destroy(maybe);
        text[at] = kept;
    }
    free(text);
    dj_profile_destroy(profile);
}

static void sketches(void **state)
{
    (void)state;
    dj_sketch sketch = {{0}}, again;
    char text[DJ_SKETCH_TEXT];
    assert_string_equal(dj_sketch_print(&sketch, text), "");
    sketch.rank[0] = 1;
    sketch.rank[254] = 57;
    assert_string_equal(dj_sketch_print(&sketch, text), "00Bfe5");
    assert_true(dj_sketch_parse(text, &again));
    assert_memory_equal(&sketch, &again, sizeof sketch);
    memset(&sketch, 2, sizeof sketch);
    assert_int_equal(strspn(dj_sketch_print(&sketch, text), "C"), 256);
    assert_true(dj_sketch_parse(text, &again));
    assert_memory_equal(&sketch, &again, sizeof sketch);
    static const char *const bad[] = {"A", "00", "00A", "0gB", "01B01B", "01B00B", "00/", "00-", "00B0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(dj_sketch_parse(bad[i], &again));
    text[7] = '6'; // rank 58, which no 64-bit hash can have
    assert_false(dj_sketch_parse(text, &again));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(order_of_keys_is_free),
        cmocka_unit_test(later_additions_are_skipped),
        cmocka_unit_test(hostile_cells),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(sketches),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
