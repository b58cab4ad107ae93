// SPDX-License-Identifier: MIT
// Engine hprda compared with the paper, step by step: the pseudo-code of its Figures 4, 5 and 7 and its
// formulas, transcribed literally and without regard to speed; and compared with exact engines where
// both must be the same.
#include "support/engine_compare.h"
#include "support/sanitized.h"

#include "base/machine.h"
#include "engine/hprda/hprda.h"

#include <setjmp.h>
#include <stdarg.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"

// ---- the paper ----

enum { MOST_TRACE = 4096 };

// access_info of Figure 5(a); the list of a key is in order of tid.
typedef struct access_info {
    uint64_t addr;
    size_t tid, first, latest;
    size_t first_index; // index in the trace of the access that gets this distance
} access_info;

typedef struct paper {
    uint64_t trace[MOST_TRACE]; // without repeats
    size_t where[MOST_TRACE];   // index in the original trace
    size_t length;
    access_info hash[MOST_TRACE];
    size_t hashed;
    size_t count[MOST_TRACE]; // distinct elements per thread
    size_t threads;
    uint64_t m, sum;
} paper;

// Step 1 of Figure 4.
static void preprocess(paper *p, const uint64_t *key, size_t from, size_t end, uint64_t *distance)
{
    p->length = 0;
    for (size_t i = from; i < end; i++) {
        if (i > from && key[i] == key[i - 1]) {
            distance[i] = 0;
            continue;
        }
        p->where[p->length] = i;
        p->trace[p->length++] = key[i];
    }
}

// Figure 5(c). Entries are numbered from 1, as there; an entry of the local array is an element of
// `present` and `value`, since any value may be a key here.
static void thread_analysis(paper *p, size_t tid, size_t begin, size_t length, uint64_t *distance)
{
    static bool present[MOST_TRACE + 1];
    static uint64_t value[MOST_TRACE + 1];
    size_t infos = p->hashed;
    for (size_t i = 1; i <= length; i++) {
        uint64_t v = p->trace[begin + i - 1];
        size_t tv = 0, dist = 0, distinct = 0;
        for (size_t j = 1; j < i; j++) {
            distinct += present[j];
            if (present[j] && value[j] == v)
                tv = j;
        }
        for (size_t j = tv + 1; j < i; j++)
            dist += present[j];
        if (tv != 0) {
            distance[p->where[begin + i - 1]] = dist;
            present[tv] = false;
        } else {
            p->hash[p->hashed++] =
                (access_info){.addr = v, .tid = tid, .first = distinct, .first_index = begin + i - 1};
        }
        present[i] = true;
        value[i] = v;
    }
    for (size_t n = infos; n < p->hashed; n++)
        for (size_t j = 1; j <= length; j++)
            p->hash[n].latest =
                present[j] ? (value[j] == p->hash[n].addr ? 0 : p->hash[n].latest + 1) : p->hash[n].latest;
    p->count[tid] = 0;
    for (size_t j = 1; j <= length; j++) {
        p->count[tid] += present[j];
        present[j] = false;
    }
}

// Formula (3): M, the total number of distinct elements, and the sum over the threads.
static void effective_factor(paper *p)
{
    p->m = 0;
    p->sum = 0;
    for (size_t n = 0; n < p->hashed; n++) {
        bool again = false;
        for (size_t before = 0; before < n && !again; before++)
            again = p->hash[before].addr == p->hash[n].addr;
        p->m += !again;
    }
    for (size_t t = 0; t < p->threads; t++)
        p->sum += p->count[t];
}

// Formula (2).
static uint64_t adjust_distance(const paper *p, uint64_t dist, int adjust)
{
    if (adjust == DJ_HPRDA_NEVER || (adjust == DJ_HPRDA_PAPER && dist <= p->m))
        return dist;
    return (uint64_t)((double)dist * (double)p->m / (double)p->sum + 1e-9);
}

// Figure 7, with formula (1). What no earlier thread has accessed is not changed.
static void merge(const paper *p, uint64_t *distance, int adjust)
{
    for (size_t j = 0; j < p->hashed; j++)
        for (size_t i = j; i-- > 0;) {
            if (p->hash[i].addr != p->hash[j].addr)
                continue;
            uint64_t dist = p->hash[i].latest + p->hash[j].first;
            for (size_t k = p->hash[i].tid + 1; k < p->hash[j].tid; k++)
                dist += p->count[k];
            distance[p->where[p->hash[j].first_index]] = adjust_distance(p, dist, adjust);
            break;
        }
}

// The definition.
static void exact_distances(const uint64_t *key, size_t count, uint64_t *distance)
{
    for (size_t i = 0; i < count; i++) {
        size_t before = i, distinct = 0;
        while (before > 0 && key[before - 1] != key[i])
            before--;
        for (size_t j = before; j < i; j++) {
            bool again = false;
            for (size_t k = before; k < j && !again; k++)
                again = key[k] == key[j];
            distinct += !again;
        }
        distance[i] = before > 0 ? distinct : DJ_COLD;
    }
}

static void paper_distances(const uint64_t *key, size_t count, const dj_hprda_options *o, uint64_t *distance)
{
    static paper p;
    exact_distances(key, count, distance); // kept for first accesses in a fragment
    for (size_t from = 0; from < count; from += o->fragment) {
        size_t end = count - from < o->fragment ? count : from + o->fragment;
        preprocess(&p, key, from, end, distance);
        p.hashed = 0;
        p.threads = 0;
        for (size_t begin = 0; begin < p.length; begin += o->st) {
            size_t left = p.length - begin;
            thread_analysis(&p, p.threads++, begin, left < o->st ? left : o->st, distance);
        }
        effective_factor(&p);
        merge(&p, distance, o->adjust);
    }
}

// ---- the engine ----

// Works are divided at random; nothing is drained before the end.
static void engine_distances(const uint64_t *key, size_t count, const dj_hprda_options *o, uint64_t seed,
                             uint64_t *distance, dj_engine_stats *stats)
{
    static dj_work works[MOST_WORKS];
    const dj_engine_ops *engine = dj_engine_find("hprda");
    const dj_engine_params params = {.options = o};
    void *state = NULL;
    size_t pushed = 0, pulled = 0, largest = 1 + random_below(&seed, 3 * DJ_BATCH_CAPACITY);
    assert_int_equal(engine->create(context, &params, &state), DJ_OK);
    memset(distance, 0xa5, count * sizeof *distance);
    for (size_t at = 0; at < count;) {
        size_t length = random_below(&seed, largest);
        if (length > count - at || pushed + 1 == MOST_WORKS)
            length = count - at;
        works[pushed] = (dj_work){.count = length, .key = key + at, .distance = distance + at};
        assert_int_equal(engine->push(state, context, &works[pushed++]), DJ_OK);
        assert_null(pull_ready(engine, state, context, works, pushed, &pulled));
        at += length;
    }
    assert_int_equal(engine->drain(state, context), DJ_OK);
    assert_null(pull_ready(engine, state, context, works, pushed, &pulled));
    assert_int_equal(pulled, pushed);
    engine->stats(state, stats);
    engine->destroy(state);
}

static uint64_t distinct_of(const uint64_t *distance, size_t count)
{
    uint64_t cold = 0;
    for (size_t i = 0; i < count; i++)
        cold += distance[i] == DJ_COLD;
    return cold;
}

static void assert_same(const uint64_t *want, const uint64_t *got, const stream *s, size_t count,
                        const dj_hprda_options *o)
{
    for (size_t i = 0; i < count; i++)
        if (want[i] != got[i])
            fail_msg("seed %" PRIu64 " (%s, %s), st %" PRIu64 ", fragment %" PRIu64
                     ", adjust %d: at %zu of %zu %" PRIu64 ", not %" PRIu64,
                     s->seed, s->order, s->keys, o->st, o->fragment, o->adjust, i, count, got[i], want[i]);
}

static void test_against_the_paper(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {1, 2, 3, 7, 16, 64, 100, 1000},
                          fragments[] = {1, 5, 50, 333, 1000, 1 << 20};
    static uint64_t want[MOST_TRACE], got[MOST_TRACE];
    uint64_t adjusted = 0, estimated = 0;
    for (uint64_t seed = 1; seed <= 288; seed += SANITIZED_STEP) {
        stream s;
        dj_engine_stats stats;
        dj_hprda_options o = {.threads = 1 + seed % 4,
                              .st = sizes[seed % 8],
                              .fragment = fragments[seed / 8 % 6],
                              .adjust = (int)(seed % 3)};
        assert_int_equal(stream_make_random(&s, seed * 32452843), 0);
        size_t count = s.count < 500 ? s.count : 500;
        paper_distances(s.key, count, &o, want);
        engine_distances(s.key, count, &o, seed, got, &stats);
        assert_same(want, got, &s, count, &o);
        assert_int_equal(stats.keys, distinct_of(want, count));
        // The comparison is useful only if the paper differs from the definition, in both directions.
        exact_distances(s.key, count, want);
        for (size_t i = 0; i < count; i++) {
            adjusted += got[i] < want[i];
            estimated += got[i] > want[i];
        }
        stream_free(&s);
    }
    assert_true(adjusted > 1000 / SANITIZED_STEP && estimated > 1000 / SANITIZED_STEP);
}

// Figures 6 and 8 of the paper show a trace like this: g between the pieces, a and b in both.
static void test_by_hand(void **state)
{
    (void)state;
    enum { A = 'a', B, C, D, E, F, G, N = 15 };
    // Pieces of 5: c g d b c | e f a b a | b a g b a. For g: after it in the first piece c, d, b are 3,
    // the second has 4 keys, before it in the third are 2: 9. Here b and a count twice or more; the
    // exact value is 6 (c d b e f a). There are 7 keys and 4 + 4 + 3 positions: 9 * 7 / 11 = 5 when
    // adjusted.
    const uint64_t keys[N] = {C, G, D, B, C, E, F, A, B, A, B, A, G, B, A};
    const uint64_t cold = DJ_COLD;
    // The second b: 1 (c) after it and 3 (e, f, a) before. The third b, next to the boundary: 1 + 0; a:
    // 0 + 1.
    const uint64_t never[N] = {cold, cold, cold, cold, 3, cold, cold, cold, 4, 1, 1, 1, 9, 2, 2};
    uint64_t got[N];
    dj_engine_stats stats;
    dj_hprda_options o = {.threads = 2, .st = 5, .fragment = 100, .adjust = DJ_HPRDA_NEVER};
    engine_distances(keys, N, &o, 1, got, &stats);
    assert_memory_equal(got, never, sizeof never);
    o.adjust = DJ_HPRDA_PAPER;
    engine_distances(keys, N, &o, 2, got, &stats);
    assert_int_equal(got[12], 5);
    assert_int_equal(got[8], 4); // 4 keys are not more than 7
    o.adjust = DJ_HPRDA_ALWAYS;
    engine_distances(keys, N, &o, 3, got, &stats);
    assert_int_equal(got[8], 2);  // 4 * 7 / 11
    assert_int_equal(got[10], 0); // 1 * 7 / 11
    assert_int_equal(got[14], 2); // within a piece
}

// The engine and an exact one agree on `s`.
static void assert_exact(const stream *s, const dj_hprda_options *o)
{
    uint64_t *want = malloc((s->count + 1) * sizeof *want), *got = malloc((s->count + 1) * sizeof *got);
    dj_engine_stats stats;
    assert_true(want && got);
    assert_int_equal(dj_distances(context, dj_engine_find("tree"), s->key, s->count, want), DJ_OK);
    engine_distances(s->key, s->count, o, s->seed, got, &stats);
    assert_same(want, got, s, s->count, o);
    assert_int_equal(stats.keys, distinct_of(want, s->count));
    free(want);
    free(got);
}

// One piece contains everything; or every fragment is one piece.
static void test_exact_in_one_piece(void **state)
{
    (void)state;
    static const dj_hprda_options choices[] = {{2, 1 << 20, 1 << 26, DJ_HPRDA_ALWAYS},
                                               {2, 20000, 20000, DJ_HPRDA_ALWAYS},
                                               {3, 9000, 7001, DJ_HPRDA_PAPER},
                                               {1, 1, 1, DJ_HPRDA_ALWAYS}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        for (size_t order = 0; order < sizeof stream_orders / sizeof *stream_orders; order++) {
            stream s;
            size_t count = choices[i].st == 1 ? 3000 : 60000;
            assert_int_equal(
                stream_make(&s, order + 31 * i, &stream_orders[order], &stream_key_kinds[0], count, 9000), 0);
            assert_exact(&s, &choices[i]);
            stream_free(&s);
        }
}

// A loop over n keys with pieces that divide n: a key recurs after n accesses, and the accesses in
// between never contain a key twice, so formula (1) counts each once: n - 1, exactly.
static void test_exact_for_a_loop(void **state)
{
    (void)state;
    for (uint64_t n = 512; n <= 8192; n *= 4) {
        stream s;
        const dj_hprda_options o = {.threads = 3, .st = 256, .fragment = 1 << 26, .adjust = DJ_HPRDA_PAPER};
        assert_int_equal(stream_make(&s, n, &stream_orders[1], &stream_key_kinds[0], 50000, n), 0);
        assert_string_equal(s.order, "sequential");
        assert_exact(&s, &o);
        stream_free(&s);
    }
}

// The number of threads and the instruction set do not change the results, and memory does not grow
// with the length.
static void test_threads(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    static uint64_t one[COUNT], more[COUNT];
    for (size_t order = 0; order < sizeof stream_orders / sizeof *stream_orders; order++) {
        stream s;
        dj_engine_stats first, stats;
        dj_hprda_options o = {.threads = 1, .st = 700, .fragment = 40000, .adjust = (int)(order % 3)};
        assert_int_equal(stream_make(&s, order, &stream_orders[order], &stream_key_kinds[0], COUNT, 20000),
                         0);
        engine_distances(s.key, COUNT, &o, 1, one, &first);
        for (o.threads = 2; o.threads <= 8; o.threads += 3) {
            engine_distances(s.key, COUNT, &o, o.threads, more, &stats);
            assert_same(one, more, &s, COUNT, &o);
            assert_int_equal(stats.keys, first.keys);
        }
        stream_free(&s);
    }
}

static void test_memory_follows_the_keys(void **state)
{
    (void)state;
    enum { COUNT = 400000 };
    static uint64_t distance[COUNT];
    const dj_hprda_options o = {.threads = 2, .st = 512, .fragment = 10000, .adjust = DJ_HPRDA_PAPER};
    stream s;
    dj_engine_stats begin, whole;
    assert_int_equal(stream_make(&s, 7, &stream_orders[0], &stream_key_kinds[0], COUNT, 100), 0);
    engine_distances(s.key, COUNT / 10, &o, 3, distance, &begin);
    engine_distances(s.key, COUNT, &o, 3, distance, &whole);
    assert_int_equal(begin.keys, 100);
    assert_int_equal(whole.keys, 100);
    assert_int_equal(whole.peak_bytes, begin.peak_bytes);
    assert_true(whole.bytes > 0 && whole.peak_bytes >= whole.bytes);
    stream_free(&s);
}

static void test_portable_code(void **state)
{
    (void)state;
    enum { COUNT = 9000, ST = 8500 };
    static uint64_t distances[2][COUNT], *at[2][COUNT];
    static dj_hprda_info infos[2][COUNT];
    dj_hprda_analyze *codes[2] = {dj_hprda_analyze_portable, dj_hprda_best_analyze()};
    dj_hprda_group groups[2];
    stream s;
    assert_int_equal(stream_make(&s, 5, &stream_orders[0], &stream_key_kinds[0], COUNT, 3000), 0);
    for (size_t c = 0; c < 2; c++) {
        dj_hprda_scratch scratch;
        for (size_t i = 0; i < COUNT; i++)
            at[c][i] = &distances[c][i];
        const dj_hprda_trace trace = {s.key, at[c], COUNT};
        assert_int_equal(dj_hprda_scratch_create(&scratch, context, ST, COUNT), DJ_OK);
        codes[c](&scratch, &trace, &groups[c], infos[c]);
        dj_hprda_scratch_free(&scratch);
    }
    assert_memory_equal(distances[0], distances[1], sizeof distances[0]);
    assert_memory_equal(&groups[0], &groups[1], sizeof groups[0]);
    for (uint32_t i = 0; i < groups[0].count; i++) {
        assert_int_equal(infos[0][i].key, infos[1][i].key);
        assert_int_equal(infos[0][i].first, infos[1][i].first);
        assert_int_equal(infos[0][i].last, infos[1][i].last);
    }
    stream_free(&s);
}

static void test_options_are_checked(void **state)
{
    (void)state;
    static const dj_hprda_options bad[] = {{100000, 10, 100, 0},
                                           {1, 0, 100, 0},
                                           {1, UINT64_C(1) << 40, 100, 0},
                                           {1, 10, 0, 0},
                                           {1, 10, UINT64_C(1) << 33, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        void *engine = NULL;
        dj_engine_params params = {.options = &bad[i]};
        assert_int_equal(dj_engine_find("hprda")->create(context, &params, &engine), DJ_ERR_USAGE);
        assert_null(engine);
    }
}

// An estimate must never be taken for exact.
static void test_is_an_estimate(void **state)
{
    (void)state;
    const dj_engine_ops *engine = dj_engine_find("hprda");
    dj_engine_params params = {.use = DJ_CAN_EXACT};
    void *made = NULL;
    assert_false(engine->can & DJ_CAN_EXACT);
    assert_int_equal(engine->create(context, &params, &made), DJ_ERR_UNSUPPORTED);
    assert_null(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_against_the_paper),
        cmocka_unit_test(test_exact_in_one_piece),
        cmocka_unit_test(test_exact_for_a_loop),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_memory_follows_the_keys),
        cmocka_unit_test(test_portable_code),
        cmocka_unit_test(test_options_are_checked),
        cmocka_unit_test(test_is_an_estimate),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
