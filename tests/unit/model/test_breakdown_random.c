// SPDX-License-Identifier: MIT
// Random attributions: every breakdown adds up to the total, and what contains an access is found by
// testing each entity, not by walking up as the model does.
#include <deja/breakdown.h>
#include <deja/reuse.h>
#include <stdio.h>

#include "support/random_made.h"

#include "support/context.h"

// --- containment, tested for each row ---

static bool site_is_in_loop(const dj_attribution *a, uint32_t site, uint32_t loop)
{
    if (site == DJ_NOWHERE)
        return false;
    for (uint32_t at = a->sites[site].loop; at != DJ_NOWHERE; at = a->loops[at].parent)
        if (at == loop)
            return true;
    return false;
}

static bool site_is_in_function(const dj_attribution *a, uint32_t site, uint32_t function)
{
    if (site == DJ_NOWHERE)
        return false;
    for (uint32_t at = a->sites[site].inlined; at != DJ_NOWHERE; at = a->inlined[at].inlined)
        if (a->inlined[at].function == function)
            return true;
    return a->sites[site].function == function;
}

static bool is_within(const dj_attribution *a, enum dj_by by, uint32_t row, uint32_t site, uint32_t at)
{
    if (by == DJ_BY_LOOP ? site_is_in_loop(a, site, row)
                         : by == DJ_BY_FUNCTION && site_is_in_function(a, site, row))
        return true;
    if (at == DJ_NOWHERE)
        return false;
    const dj_cct_node *frame = &a->cct[at];
    if ((by == DJ_BY_CALLING_CONTEXT && at == row) || (by == DJ_BY_FUNCTION && frame->function == row))
        return true;
    return is_within(a, by, row, frame->call_site, frame->parent);
}

static uint64_t count_within(const dj_attribution *a, enum dj_by by, uint32_t row, size_t cut)
{
    double sum = 0;
    for (size_t i = 0; i < a->place_count; i++)
        if (is_within(a, by, row, a->places[i].site, a->places[i].cct_node))
            sum += cut < a->cut_count ? dj_tally_misses(&a->places[i].tally, a, a->cuts[cut].blocks)
                                      : (double)a->places[i].tally.accesses;
    return (uint64_t)sum;
}

static void assert_same(const dj_tally *a, const dj_tally *b)
{
    assert_int_equal(a->accesses, b->accesses);
    assert_int_equal(a->cold, b->cold);
    assert_int_equal(a->writes, b->writes);
    assert_int_equal(a->sum, b->sum);
    assert_int_equal(a->square_low, b->square_low);
    assert_int_equal(a->square_high, b->square_high);
    assert_int_equal(a->max, b->max);
}

static void check_sums(const dj_attribution *a, const dj_breakdown *b)
{
    dj_tally sum = {0}, direct = {0};
    uint64_t misses[2] = {0}, direct_misses[2] = {0};
    for (size_t i = 0; i < b->count; i++) {
        assert_int_equal(dj_tally_add(&sum, context, &b->entities[i].exclusive), DJ_OK);
        misses[0] += b->entities[i].misses[0];
        misses[1] += b->entities[i].misses[1];
    }
    for (size_t i = 0; i < a->place_count; i++) {
        assert_int_equal(dj_tally_add(&direct, context, &a->places[i].tally), DJ_OK);
        for (size_t cut = 0; cut < 2; cut++)
            direct_misses[cut] += (uint64_t)dj_tally_misses(&a->places[i].tally, a, a->cuts[cut].blocks);
    }
    assert_same(&sum, &direct);
    assert_same(&b->total, &direct);
    assert_memory_equal(misses, direct_misses, sizeof misses);
    assert_memory_equal(b->total_misses, direct_misses, sizeof misses);
    dj_tally_free(&sum);
    dj_tally_free(&direct);
}

static void check_inclusive(const dj_attribution *a, const dj_breakdown *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const dj_entity *entity = &b->entities[i];
        if (entity->row == DJ_NOWHERE) {
            assert_same(&entity->inclusive, &entity->exclusive);
            continue;
        }
        assert_int_equal(entity->inclusive.accesses, count_within(a, b->by, entity->row, 2));
        assert_int_equal(entity->inclusive_misses[0], count_within(a, b->by, entity->row, 0));
        assert_int_equal(entity->inclusive_misses[1], count_within(a, b->by, entity->row, 1));
    }
}

// Children follow their parents; with the parent's own part they add up to it.
static void check_tree(const dj_breakdown *b)
{
    for (size_t i = 0; i < b->count; i++) {
        const dj_entity *entity = &b->entities[i];
        uint64_t sum = entity->exclusive.accesses, before = UINT64_MAX;
        for (size_t k = 0; k < b->count; k++) {
            if (b->entities[k].parent != i)
                continue;
            assert_true(k > i);
            assert_int_equal(b->entities[k].depth, entity->depth + 1);
            uint64_t misses = b->entities[k].inclusive_misses[b->sort_cut];
            assert_true(misses <= before);
            before = misses;
            sum += b->entities[k].inclusive.accesses;
        }
        assert_int_equal(entity->inclusive.accesses, sum);
    }
}

static void check_order(const dj_breakdown *b)
{
    for (size_t i = 1; i < b->count; i++)
        assert_true(b->entities[i - 1].misses[b->sort_cut] >= b->entities[i].misses[b->sort_cut]);
}

static void breakdowns_add_up(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        dj_attribution *a = random_made(context, seed);
        for (unsigned by = 0; by < DJ_BY_COUNT; by++) {
            dj_breakdown *b = NULL;
            assert_int_equal(dj_breakdown_create(context, a, (enum dj_by)by, &b), DJ_OK);
            assert_true(b->count > 0 && b->sort_cut < 2);
            check_sums(a, b);
            if (b->has_inclusive)
                check_inclusive(a, b);
            if (by == DJ_BY_CALLING_CONTEXT)
                check_tree(b);
            else
                check_order(b);
            dj_breakdown_destroy(b);
        }
        dj_attribution_destroy(a);
    }
}

// --- pairs ---

// The path to a site, as text: one word for each frame or loop.
static void write_path(FILE *out, const dj_attribution *a, uint32_t at, uint32_t site)
{
    uint32_t loops[16];
    int count = 0;
    if (at == DJ_NOWHERE)
        return;
    write_path(out, a, a->cct[at].parent, a->cct[at].call_site);
    fprintf(out, "frame%u ", at);
    for (uint32_t loop = site == DJ_NOWHERE ? DJ_NOWHERE : a->sites[site].loop; loop != DJ_NOWHERE;
         loop = a->loops[loop].parent)
        loops[count++] = loop;
    while (count > 0)
        fprintf(out, "loop%u ", loops[--count]);
}

static char *way_to(const dj_attribution *a, uint32_t place)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    write_path(out, a, a->places[place].cct_node, a->places[place].site);
    fclose(out);
    return text;
}

static uint32_t common_loop(const dj_attribution *a, uint32_t from, uint32_t to)
{
    char *x = way_to(a, from), *y = way_to(a, to), *rest_x = x, *rest_y = y, *word;
    uint32_t loop = DJ_NOWHERE;
    while ((word = strsep(&rest_x, " ")) && *word) {
        char *other = strsep(&rest_y, " ");
        if (!other || strcmp(word, other) != 0)
            break;
        if (strncmp(word, "loop", 4) == 0)
            loop = (uint32_t)strtoul(word + 4, NULL, 10);
    }
    free(x);
    free(y);
    return loop;
}

static void pairs_keep_their_loops(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        dj_attribution *a = random_made(context, seed);
        dj_reuses *found = NULL;
        dj_tally pairs = {0};
        assert_int_equal(dj_reuses_create(context, a, &found), DJ_OK);
        for (size_t i = 0; i < a->pair_count; i++)
            assert_int_equal(dj_tally_add(&pairs, context, &a->pairs[i].tally), DJ_OK);
        assert_same(&found->total, &pairs);
        assert_true(found->count > 0 && found->count <= a->pair_count);
        for (size_t i = 0; i < found->count; i++) {
            const dj_reuse *reuse = &found->list[i];
            assert_int_equal(reuse->loop, common_loop(a, reuse->from, reuse->to));
            assert_true(i == 0 || found->list[i - 1].weight >= reuse->weight);
            assert_true(!reuse->advice == !*reuse->text);
        }
        dj_tally_free(&pairs);
        dj_reuses_destroy(found);
        dj_attribution_destroy(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breakdowns_add_up),
        cmocka_unit_test(pairs_keep_their_loops),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
