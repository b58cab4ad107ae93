// SPDX-License-Identifier: MIT
// Observers `sharing` and `sharing-places` against brute force: random accesses of sharers at random places.
// Caches are simulated one by one, true and false sharing are classified by looking back through all writes.
#include <deja/deja.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"
#include "support/sanitized.h"

enum {
    SEEDS = 600 / SANITIZED_SHARE,
    ACCESSES = 300,
    BLOCK = 64,
    WORD = 4,
    BLOCKS = 12,
    SHARERS = 9, // a block with more than 4 is a crowd
    EACH = 6,    // places of a sharer
    PLACES = SHARERS * EACH,
    OBJECTS = 4,
    CUTS = 4,
    NONE = UINT32_MAX,
};

static const uint32_t widths[] = {1, 2, 3};
static const dj_sharing_cut cuts[CUTS] = {{2, 1}, {3, 0}, {4, 2}, {5, 3}};

typedef struct item {
    uint64_t address, size;
    uint32_t place, sharer;
    uint8_t kind;
} item;

typedef struct stream {
    dj_place_table table;
    dj_place rows[PLACES];
    item items[ACCESSES];
    uint32_t count, sharers, at;
    dj_random random;
} stream;

static void make_stream(stream *s, uint64_t seed)
{
    dj_random *r = &s->random;
    memset(s, 0, sizeof *s);
    dj_random_seed(r, seed);
    s->sharers = 1 + (uint32_t)dj_random_below(r, SHARERS);
    s->count = 1 + (uint32_t)dj_random_below(r, ACCESSES);
    const uint64_t blocks = 1 + dj_random_below(r, BLOCKS), writes = 1 + dj_random_below(r, 9);
    const uint64_t run = 1 + dj_random_below(r, 5); // accesses until another sharer may follow
    const bool by_address = dj_random_below(r, 2);
    for (uint32_t i = 0; i < PLACES; i++)
        s->rows[i] = (dj_place){.site = i,
                                .cct_node = i / EACH,
                                .object = (uint32_t)dj_random_below(r, OBJECTS),
                                .thread = i / EACH};
    s->table.chunks[0] = s->rows;
    s->table.count = PLACES;
    uint32_t sharer = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        sharer = dj_random_below(r, run) ? sharer : (uint32_t)dj_random_below(r, s->sharers);
        const uint64_t address = dj_random_below(r, blocks * BLOCK), which = dj_random_below(r, EACH);
        s->items[i] =
            (item){.address = address,
                   .size = UINT64_C(1) << dj_random_below(r, 5),
                   .sharer = sharer,
                   .kind = dj_random_below(r, 10) >= writes ? DJ_KIND_READ
                           : dj_random_below(r, 2)          ? DJ_KIND_WRITE
                                                            : DJ_KIND_MODIFY,
                   .place = sharer * EACH + (uint32_t)(by_address ? address / BLOCK % EACH : which)};
    }
}

static int next(void *state, dj_context *ctx, dj_pool *pool, dj_batch **out)
{
    stream *s = state;
    *out = NULL;
    if (s->at == s->count)
        return DJ_OK;
    int err = dj_pool_take(ctx, pool, out);
    if (err)
        return err;
    dj_batch_buffers to = dj_batch_writable(*out);
    dj_batch_set_columns(*out, DJ_COLUMN_PLACE | DJ_COLUMN_KIND | DJ_COLUMN_SIZE | DJ_COLUMN_SHARER);
    const uint64_t most = 1 + dj_random_below(&s->random, 100);
    for (; (*out)->count < most && s->at < s->count; s->at++) {
        const uint32_t n = (*out)->count++;
        to.address[n] = s->items[s->at].address;
        to.size[n] = s->items[s->at].size;
        to.kind[n] = s->items[s->at].kind;
        to.place[n] = s->items[s->at].place;
        to.sharer[n] = s->items[s->at].sharer;
    }
    return DJ_OK;
}

static dj_profile *measure(stream *s, const char *engine)
{
    static const dj_source_ops ops = {.next = next};
    static const uint64_t block = BLOCK;
    const uint32_t columns = DJ_COLUMN_PLACE | DJ_COLUMN_KIND | DJ_COLUMN_SIZE | DJ_COLUMN_SHARER;
    const dj_source_info info = {.format = "test",
                                 .kind = DJ_CLASS_MEMORY,
                                 .default_block = BLOCK,
                                 .unit_bytes = 1,
                                 .columns = columns};
    const dj_places_options places = {.places = &s->table, .pair_from = 3};
    const dj_sharing_options sharing = {.sharers_per_cache = widths,
                                        .count = sizeof widths / sizeof *widths,
                                        .places = &s->table,
                                        .cuts = cuts,
                                        .cut_count = CUTS};
    const dj_observer_choice observers[] = {{dj_observer_find("sharing-places"), NULL},
                                            {dj_observer_find("places"), &places},
                                            {dj_observer_find("sharing"), &sharing},
                                            {dj_observer_find("traffic"), NULL}};
    dj_lane_group groups[2 + sizeof widths / sizeof *widths];
    for (uint32_t i = 0; i < sizeof groups / sizeof *groups; i++)
        groups[i] = (dj_lane_group){.blocks = &block,
                                    .block_count = 1,
                                    .partition = i > 0 ? DJ_PARTITION_CACHE : DJ_PARTITION_NONE,
                                    .coherent = i > 1,
                                    .sharers_per_cache = i > 1 ? widths[i - 2] : 1};
    const dj_pipeline_config config = {.engine = dj_engine_find(engine),
                                       .groups = groups,
                                       .group_count = sizeof groups / sizeof *groups,
                                       .tag = DJ_TAG_PLACE,
                                       .observers = observers,
                                       .observer_count = sizeof observers / sizeof *observers};
    dj_source *source;
    dj_pipeline *pipeline;
    dj_profile *profile;
    s->at = 0;
    assert_int_equal(dj_source_create(context, &ops, s, &info, &source), DJ_OK);
    assert_int_equal(dj_pipeline_create(context, &config, &pipeline), DJ_OK);
    assert_int_equal(dj_pipeline_run(pipeline, context, source), DJ_OK);
    assert_int_equal(dj_pipeline_finish(pipeline, context, &profile), DJ_OK);
    dj_pipeline_destroy(pipeline);
    dj_source_close(source);
    return profile;
}

// One LRU cache, the latest block first.
typedef struct cache {
    uint64_t blocks[BLOCKS + 1];
    uint32_t count;
} cache;

static bool take_out(cache *c, uint64_t block)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->blocks[i] == block) {
            memmove(&c->blocks[i], &c->blocks[i + 1], (c->count - i - 1) * sizeof *c->blocks);
            c->count--;
            return true;
        }
    return false;
}

// Whether it hits.
static bool use(cache *c, uint64_t block, uint64_t capacity)
{
    bool hit = take_out(c, block);
    memmove(&c->blocks[1], &c->blocks[0], c->count * sizeof *c->blocks);
    c->blocks[0] = block;
    c->count += c->count < capacity;
    return hit;
}

static bool writes(const item *i)
{
    return i->kind != DJ_KIND_READ;
}

// What is expected, by place.
typedef struct truth {
    dj_sharing_counts counts[PLACES];
    uint64_t accesses[PLACES];
    dj_sharing_misses misses[PLACES][CUTS];
    uint64_t pairs[PLACES][PLACES][2]; // [writer][missing][essential]
    uint64_t shared_blocks[OBJECTS];
} truth;

static void simulate_cut(const stream *s, uint32_t c, truth *t)
{
    static cache caches[SHARERS], alone[SHARERS];
    bool ever[SHARERS][BLOCKS] = {{false}}, has[SHARERS][BLOCKS] = {{false}};
    memset(caches, 0, sizeof caches);
    memset(alone, 0, sizeof alone);
    const uint32_t width = cuts[c].sharers_per_cache ? cuts[c].sharers_per_cache : SHARERS;
    for (uint32_t i = 0; i < s->count; i++) {
        const item *x = &s->items[i];
        const uint64_t block = x->address / BLOCK;
        const uint32_t own = x->sharer / width;
        dj_sharing_misses *m = &t->misses[x->place][c];
        m->misses += !use(&caches[own], block, cuts[c].blocks);
        m->alone += !use(&alone[x->sharer], block, cuts[c].blocks);
        m->cold += !ever[own][block];
        m->invalidated += ever[own][block] && !has[own][block];
        ever[own][block] = has[own][block] = true;
        for (uint32_t k = 0; writes(x) && k < SHARERS; k++)
            if (k != own) {
                take_out(&caches[k], block);
                has[k][block] = false;
            }
    }
}

// The number of distinct blocks since the previous access to the block; `by`: of this sharer alone. NONE:
// there is no previous access.
static uint32_t distance_of(const stream *s, uint32_t i, uint32_t by, uint32_t *previous)
{
    bool seen[BLOCKS] = {false};
    uint32_t distance = 0;
    for (uint32_t k = i; k-- > 0;) {
        const uint64_t block = s->items[k].address / BLOCK;
        if (by != NONE && s->items[k].sharer != by)
            continue;
        *previous = k;
        if (block == s->items[i].address / BLOCK)
            return distance;
        distance += !seen[block];
        seen[block] = true;
    }
    return NONE;
}

static void compare_distances(const stream *s, truth *t)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const item *x = &s->items[i];
        dj_sharing_counts *counts = &t->counts[x->place];
        uint32_t before = 0, own_before = 0;
        const uint32_t shared = distance_of(s, i, NONE, &before),
                       alone = distance_of(s, i, x->sharer, &own_before);
        t->accesses[x->place]++;
        if (alone == NONE) {
            counts->found += shared != NONE;
            continue;
        }
        counts->broken += s->items[before].sharer != x->sharer;
        counts->shortened += shared < alone;
        counts->stretched += shared > alone;
    }
}

static bool touches_same_word(const item *x, const item *y)
{
    const uint64_t end = (x->address / BLOCK + 1) * BLOCK;
    const uint64_t last_x = (x->address + x->size < end ? x->address + x->size : end) - 1,
                   last_y = (y->address + y->size < end ? y->address + y->size : end) - 1;
    return x->address / BLOCK == y->address / BLOCK && x->address / WORD <= last_y / WORD &&
           y->address / WORD <= last_x / WORD;
}

// The lifetime of block `block` in the private cache of `sharer` that begins at access `miss`: it ends
// before the next write of another sharer. `essential`: the access at which the last essential miss began.
// Dubois: a miss is essential if, during the lifetime, the sharer accesses a word that another sharer wrote
// since the last essential miss.
static bool is_essential(const stream *s, uint32_t miss, uint32_t essential)
{
    const item *first = &s->items[miss];
    for (uint32_t i = miss; i < s->count; i++) {
        const item *x = &s->items[i];
        if (x->address / BLOCK != first->address / BLOCK)
            continue;
        if (x->sharer != first->sharer && writes(x))
            return false;
        for (uint32_t k = essential; x->sharer == first->sharer && k < i; k++)
            if (s->items[k].sharer != x->sharer && writes(&s->items[k]) && touches_same_word(x, &s->items[k]))
                return true;
    }
    return false;
}

static void classify_block(const stream *s, uint32_t sharer, uint64_t block, truth *t)
{
    uint32_t essential = NONE, lost_to = NONE; // accesses
    for (uint32_t i = 0; i < s->count; i++) {
        const item *x = &s->items[i];
        if (x->address / BLOCK != block)
            continue;
        if (x->sharer != sharer) {
            lost_to = essential != NONE && lost_to == NONE && writes(x) ? i : lost_to;
            continue;
        }
        if (essential == NONE)
            essential = i;
        if (lost_to == NONE)
            continue;
        const bool needed = is_essential(s, i, essential);
        essential = needed ? i : essential;
        *(needed ? &t->counts[x->place].true_sharing : &t->counts[x->place].false_sharing) += 1;
        t->pairs[s->items[lost_to].place][x->place][needed]++;
        lost_to = NONE;
    }
}

static void count_shared(const stream *s, truth *t)
{
    for (uint64_t block = 0; block < BLOCKS; block++) {
        uint32_t by = 0, of = 0;
        for (uint32_t i = 0; i < s->count; i++)
            if (s->items[i].address / BLOCK == block) {
                by |= 1u << s->items[i].sharer;
                of |= 1u << s->rows[s->items[i].place].object;
            }
        for (uint32_t object = 0; object < OBJECTS; object++)
            t->shared_blocks[object] += __builtin_popcount(by) > 1 && of >> object & 1;
    }
}

static void find_truth(const stream *s, truth *t)
{
    memset(t, 0, sizeof *t);
    compare_distances(s, t);
    for (uint32_t c = 0; c < CUTS; c++)
        simulate_cut(s, c, t);
    for (uint32_t sharer = 0; sharer < s->sharers; sharer++)
        for (uint64_t block = 0; block < BLOCKS; block++)
            classify_block(s, sharer, block, t);
    count_shared(s, t);
}

static void check_places(const stream *s, const truth *t, const dj_attribution *a)
{
    assert_int_equal(a->place_count, PLACES);
    for (uint32_t i = 0; i < PLACES; i++) {
        const dj_tally *tally = &a->places[i].tally;
        assert_int_equal(tally->accesses, t->accesses[i]);
        assert_int_equal(tally->sharing != NULL, t->accesses[i] > 0);
        if (!tally->sharing)
            continue;
        assert_memory_equal(&tally->sharing->counts, &t->counts[i], sizeof t->counts[i]);
        assert_int_equal(tally->sharing->sharers, UINT64_C(1) << i / EACH);
        assert_int_equal(tally->sharing->cache_count, CUTS);
        assert_memory_equal(tally->sharing->caches, t->misses[i], sizeof t->misses[i]);
    }
    for (uint32_t object = 0; object < OBJECTS; object++)
        assert_int_equal(object < a->shared_block_count ? a->shared_blocks[object] : 0,
                         t->shared_blocks[object]);
    (void)s;
}

// The example of a pair is a write and a miss at its places, in one block; of false sharing: of different
// words.
static void check_example(const stream *s, const dj_invalidation_row *row)
{
    const item *write = NULL, *miss = NULL;
    for (uint32_t i = 0; i < s->count; i++) {
        const item *x = &s->items[i];
        write = x->place == row->from && x->address == row->written_at && writes(x) ? x : write;
        miss = x->place == row->to && x->address == row->missed_at ? x : miss;
    }
    assert_non_null(write);
    assert_non_null(miss);
    assert_int_equal(write->address / BLOCK, miss->address / BLOCK);
    assert_int_not_equal(write->sharer, miss->sharer);
}

static void check_pairs(const stream *s, const truth *t, const dj_attribution *a)
{
    static uint64_t found[PLACES][PLACES][2];
    memset(found, 0, sizeof found);
    for (size_t i = 0; i < a->invalidation_count; i++) {
        const dj_invalidation_row *row = &a->invalidations[i];
        found[row->from][row->to][0] += row->false_sharing;
        found[row->from][row->to][1] += row->true_sharing;
        check_example(s, row);
    }
    assert_memory_equal(found, t->pairs, sizeof found);
}

// The sums over the places of a sharer are the numbers of the sharer.
static void check_sums(const stream *s, const truth *t, const dj_profile *profile)
{
    const dj_sharing *sharing = dj_profile_sharing(profile);
    for (uint32_t sharer = 0; sharer < sharing->count; sharer++) {
        dj_sharing_tally sum = {0};
        dj_sharing_misses caches[CUTS] = {{0}};
        sum.caches = caches;
        sum.cache_count = CUTS;
        for (uint32_t i = sharer * EACH; i < (sharer + 1) * EACH; i++) {
            const dj_sharing_tally *one = dj_profile_attribution(profile)->places[i].tally.sharing;
            if (one)
                dj_sharing_tally_add(&sum, one);
        }
        assert_memory_equal(&sum.counts, &sharing->sharers[sharer].counts, sizeof sum.counts);
        for (uint32_t c = 0; c < CUTS; c++) {
            const uint32_t width = cuts[c].sharers_per_cache ? cuts[c].sharers_per_cache : DJ_SHARED_BY_ALL;
            const dj_sharer_distances *d = dj_sharer_in_cache(sharing, sharer, width);
            dj_mrc_point point;
            assert_int_equal(dj_mrc_lru(context, &d->lane, &cuts[c].blocks, 1, &point), DJ_OK);
            assert_int_equal(point.misses, caches[c].misses);
            assert_int_equal(d->lane.cold, caches[c].cold + caches[c].invalidated);
        }
    }
    (void)s;
    (void)t;
}

static void test_against_brute_force(void **state)
{
    (void)state;
    static const char *const engines[] = {"fast", "stack", "tree"};
    static stream s;
    static truth t;
    uint64_t seen[2] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        make_stream(&s, seed);
        find_truth(&s, &t);
        dj_profile *profile = measure(&s, engines[seed % 3]);
        const dj_attribution *a = dj_profile_attribution(profile);
        check_places(&s, &t, a);
        check_pairs(&s, &t, a);
        check_sums(&s, &t, profile);
        for (uint32_t i = 0; i < PLACES; i++) {
            seen[0] += t.counts[i].false_sharing;
            seen[1] += t.counts[i].true_sharing;
        }
        dj_profile_destroy(profile);
    }
    assert_true(seen[0] > SEEDS && seen[1] > SEEDS); // the streams have what is compared
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_brute_force),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
