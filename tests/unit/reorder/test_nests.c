// SPDX-License-Identifier: MIT
// Iterations of loops in functions that call each other, found again from where the instances are in the
// code.
#include "unit/symbols.h"

#include "base/random.h"
#include "reorder/nests.h"
#include "support/sanitized.h"

enum { ROUNDS = 2000 / SANITIZED_SHARE, POSITIONS = 64, CONTEXTS = 512, INSTANCES = 1000, DEEPEST = 3 };

// A place in the code of a function, in the order in which an iteration passes it.
typedef struct place {
    uint64_t offset;
    uint32_t line, loop;
} place;

typedef struct code {
    place places[POSITIONS];
    uint32_t count;
} code;

typedef struct instance {
    uint32_t site, node;
    uint32_t iteration; // in truth; DJ_NOWHERE: no loop
} instance;

// An execution that was made up: what Deja sees of it, and the iterations in truth.
typedef struct execution {
    dj_random dice;
    code outer, inner; // of the functions that calls alternate between
    dj_site_id sites[2 * POSITIONS];
    dj_cct_id cct[CONTEXTS];
    uint32_t site_count, node_count;
    instance list[INSTANCES];
    uint32_t count;
    dj_iteration iterations[INSTANCES];
    uint32_t iteration_count, runs;
} execution;

static int compare_places(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

// Instructions of a function: by their lines, then by their offsets.
static void read_code(const char *path, const char *function, code *out)
{
    const nm_row at = nm_find(path, function);
    out->count = 0;
    for (uint64_t i = 0; i < at.bytes && out->count < POSITIONS; i += 5) {
        dj_code found;
        assert_int_equal(dj_symbols_code(symbols, context, 1, at.address + i, &found), DJ_OK);
        out->places[out->count++] = (place){at.address + i, found.frames[0].line, found.loop};
    }
    qsort(out->places, out->count, sizeof *out->places, compare_places);
}

static uint32_t site_of(execution *e, uint64_t offset)
{
    uint32_t site = 0;
    while (site < e->site_count && e->sites[site].offset != offset)
        site++;
    if (site == e->site_count)
        e->sites[e->site_count++] = (dj_site_id){1, offset};
    return site;
}

static uint32_t node_of(execution *e, uint32_t parent, uint32_t call_site)
{
    uint32_t node = 1;
    while (node < e->node_count && (e->cct[node].parent != parent || e->cct[node].call_site != call_site))
        node++;
    if (node == e->node_count)
        e->cct[e->node_count++] = (dj_cct_id){.parent = parent, .call_site = call_site};
    return node;
}

// The loop directly in `outer` that a place in it belongs to; 0: none.
static uint32_t loop_below(uint32_t loop, uint32_t outer)
{
    while (loop && dj_symbols_loop_info(symbols, loop)->parent != outer)
        loop = dj_symbols_loop_info(symbols, loop)->parent;
    return loop;
}

static void go(execution *e, uint32_t loop, uint32_t node, uint32_t iteration, uint32_t depth);

static void pass(execution *e, const place *at, uint32_t node, uint32_t iteration, uint32_t depth)
{
    const uint32_t site = site_of(e, at->offset);
    e->list[e->count++] = (instance){site, node, iteration};
    if (depth < DEEPEST && e->node_count < CONTEXTS && dj_random_below(&e->dice, 4) == 0)
        go(e, 0, node_of(e, node, site), iteration, depth + 1);
}

static uint32_t begin(execution *e, uint32_t around, uint32_t run)
{
    const uint32_t depth = around == DJ_NOWHERE ? 0 : e->iterations[around].depth + 1;
    assert_true(e->iteration_count < INSTANCES);
    e->iterations[e->iteration_count] = (dj_iteration){around, run, depth};
    return e->iteration_count++;
}

// Passes a function, or an iteration of a loop in it. Its first place is the test of the loop, which is
// always passed.
static void go(execution *e, uint32_t loop, uint32_t node, uint32_t iteration, uint32_t depth)
{
    const code *c = depth % 2 ? &e->inner : &e->outer;
    bool first = true;
    for (uint32_t i = 0; i < c->count && e->count < INSTANCES; i++) {
        const place *at = &c->places[i];
        const uint32_t below = loop_below(at->loop, loop), run = e->runs;
        if (at->loop == loop && (first || dj_random_below(&e->dice, 2))) {
            pass(e, at, node, iteration, depth);
            first = false;
        }
        if (!below)
            continue;
        e->runs++;
        for (uint64_t k = dj_random_below(&e->dice, 4); k-- > 0 && e->count < INSTANCES;)
            go(e, below, node, begin(e, iteration, run), depth);
        while (i + 1 < c->count && loop_below(c->places[i + 1].loop, loop) == below)
            i++;
    }
}

// Whether two numbers belong together, as they did before.
static bool agree(uint32_t *known, uint32_t from, uint32_t to)
{
    if (known[from] == DJ_NOWHERE)
        known[from] = to;
    return known[from] == to;
}

// The finder's iterations are those in truth, under other numbers.
static void compare(const execution *e, const uint32_t *nest, const dj_nests *nests)
{
    uint32_t found[INSTANCES], truth[INSTANCES], found_run[INSTANCES], true_run[INSTANCES];
    memset(found, 0xff, sizeof found);
    memset(truth, 0xff, sizeof truth);
    memset(found_run, 0xff, sizeof found_run);
    memset(true_run, 0xff, sizeof true_run);
    for (uint32_t i = 0; i < e->count; i++) {
        uint32_t a = e->list[i].iteration, b = nest[i];
        for (; a != DJ_NOWHERE && b != DJ_NOWHERE; a = e->iterations[a].parent, b = nests->list[b].parent) {
            const dj_iteration *x = &e->iterations[a], *y = &nests->list[b];
            assert_true(agree(found, a, b) && agree(truth, b, a));
            assert_true(agree(found_run, x->run, y->run) && agree(true_run, y->run, x->run));
            assert_int_equal(x->depth, y->depth);
        }
        assert_int_equal(a, b); // both end
    }
}

static void find_again(execution *e)
{
    const dj_located located = {
        .sites = e->sites, .site_count = e->site_count, .cct = e->cct, .cct_count = e->node_count};
    dj_nests nests = {0};
    dj_nest_finder *finder;
    uint32_t nest[INSTANCES];
    assert_int_equal(dj_nest_finder_create(context, &located, symbols, &nests, &finder), DJ_OK);
    for (uint32_t i = 0; i < e->count; i++)
        assert_int_equal(dj_nest_finder_next(finder, context, e->list[i].site, e->list[i].node, &nest[i]),
                         DJ_OK);
    compare(e, nest, &nests);
    dj_nest_finder_destroy(finder);
    dj_nests_free(&nests);
}

static void iterations_are_found_through_calls(void **state)
{
    (void)state;
    static execution e;
    uint32_t deep = 0;
    const char *path = open_program("loops-gcc-O0");
    read_code(path, "triple", &e.outer);
    read_code(path, "in_sequence", &e.inner);
    dj_random_seed(&e.dice, 1);
    for (int round = 0; round < ROUNDS; round++) {
        e.count = e.site_count = e.iteration_count = e.runs = 0;
        e.node_count = 1;
        e.cct[0] = (dj_cct_id){.parent = DJ_NOWHERE, .call_site = DJ_NOWHERE};
        go(&e, 0, 0, DJ_NOWHERE, 0);
        find_again(&e);
        for (uint32_t i = 0; i < e.count; i++)
            deep += e.list[i].node && e.list[i].iteration != DJ_NOWHERE;
    }
    assert_true(deep > 10 * ROUNDS);
    close_program();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(iterations_are_found_through_calls)};
    return symbols_status(cmocka_run_group_tests(tests, make_context, drop_context));
}
