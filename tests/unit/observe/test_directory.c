// SPDX-License-Identifier: MIT
// The directory of blocks against brute force, for few and for very many sharers: true and false sharing are
// classified by looking back through all accesses.
#include "observe/sharing/directory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "base/random.h"
#include "support/context.h"
#include "support/sanitized.h"

enum { ACCESSES = 3000, SHARERS = 500, BLOCKS = 4, SEEDS = 160, NONE = ACCESSES };

typedef struct counts {
    uint64_t missed[SHARERS][2]; // [essential]
} counts;

typedef struct stream {
    dj_touch items[ACCESSES];
    uint32_t count, sharers, words;
} stream;

static void make_stream(stream *s, uint64_t seed)
{
    static const uint32_t sharers[] = {1, 2, 3, 4, 5, 6, 8, 16, 64, 65, 70, SHARERS};
    static const uint32_t words[] = {1, 2, 16, 64};
    dj_random r;
    dj_random_seed(&r, seed);
    s->sharers = sharers[seed % (sizeof sharers / sizeof *sharers)];
    s->words = words[dj_random_below(&r, 4)];
    s->count = s->sharers > 64 ? ACCESSES : 1 + (uint32_t)dj_random_below(&r, ACCESSES / 4);
    const uint64_t blocks = 1 + dj_random_below(&r, BLOCKS), writes = dj_random_below(&r, 4);
    const uint64_t shares[] = {0, 1, 10, 50}; // of writes, in percent
    for (uint32_t i = 0; i < s->count; i++) {
        const uint64_t first = dj_random_below(&r, s->words), more = dj_random_below(&r, s->words - first);
        const bool again = i > 0 && dj_random_below(&r, 4) == 0;
        s->items[i] = (dj_touch){
            .key = again ? s->items[i - 1].key : dj_random_below(&r, blocks),
            .sharer = again ? s->items[i - 1].sharer : (uint32_t)dj_random_below(&r, s->sharers),
            .words = (UINT64_MAX >> (63 - (dj_random_below(&r, 2) ? more : 0))) << first,
            .writes = dj_random_below(&r, 100) < shares[writes],
        };
    }
}

static int classify(void *receiver, dj_context *ctx, const dj_block_user *user, const dj_block_loss *loss)
{
    (void)ctx;
    assert_null(loss);
    ((counts *)receiver)->missed[user->sharer][user->essential]++;
    return DJ_OK;
}

// Looks back for the previous access to the block, and for the sharer's own.
static void check_touched(const stream *s, uint32_t i, dj_touched touched)
{
    uint32_t previous = NONE, own = NONE;
    for (uint32_t k = i; k-- > 0 && own == NONE;) {
        if (s->items[k].key != s->items[i].key)
            continue;
        previous = previous == NONE ? k : previous;
        own = s->items[k].sharer == s->items[i].sharer ? k : NONE;
    }
    assert_int_equal(touched.first, own == NONE);
    assert_int_equal(touched.after_other, previous != NONE && previous != own);
}

// Dubois: the miss at access `miss` is essential if the sharer, before it loses the block again, accesses a
// word that another sharer wrote since the last essential miss.
static bool is_essential(const stream *s, uint32_t miss, uint32_t essential)
{
    const dj_touch *first = &s->items[miss];
    for (uint32_t i = miss; i < s->count; i++) {
        const dj_touch *x = &s->items[i];
        if (x->key != first->key)
            continue;
        if (x->sharer != first->sharer && x->writes)
            return false;
        for (uint32_t k = essential; x->sharer == first->sharer && k < i; k++) {
            const dj_touch *y = &s->items[k];
            if (y->key == x->key && y->sharer != x->sharer && y->writes && x->words & y->words)
                return true;
        }
    }
    return false;
}

static void find_truth(const stream *s, uint32_t sharer, uint64_t key, counts *t)
{
    uint32_t essential = NONE;
    bool lost = false;
    for (uint32_t i = 0; i < s->count; i++) {
        const dj_touch *x = &s->items[i];
        if (x->key != key)
            continue;
        if (x->sharer != sharer) {
            lost = lost || (essential != NONE && x->writes);
            continue;
        }
        if (essential == NONE)
            essential = i;
        if (!lost)
            continue;
        const bool needed = is_essential(s, i, essential);
        essential = needed ? i : essential;
        t->missed[sharer][needed]++;
        lost = false;
    }
}

// Who accessed the block, and how often.
static void check_users(const stream *s, const dj_directory *d, uint64_t key)
{
    static uint64_t accesses[SHARERS], found[SHARERS];
    uint64_t set = 0;
    memset(accesses, 0, sizeof accesses);
    memset(found, 0, sizeof found);
    for (uint32_t i = 0; i < s->count; i++)
        accesses[s->items[i].sharer] += s->items[i].key == key;
    const uint64_t block = dj_map_get(&d->blocks, key);
    const uint32_t latest = dj_directory_latest(block);
    for (uint32_t at = latest; at; at = dj_directory_next(d, latest, at)) {
        assert_int_equal(found[d->users[at].sharer], 0);
        found[d->users[at].sharer] = d->users[at].accesses;
    }
    assert_memory_equal(found, accesses, sizeof found);
    for (uint32_t i = 0; i < 64; i++)
        set |= (uint64_t)(accesses[i] > 0) << i;
    assert_int_equal(dj_directory_sharers(d, block), set);
}

static void test_against_brute_force(void **state)
{
    (void)state;
    static stream s;
    static counts truth, found;
    uint64_t seen[2] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed += SANITIZED_STEP) {
        make_stream(&s, seed);
        memset(&truth, 0, sizeof truth);
        memset(&found, 0, sizeof found);
        dj_directory d = {.words = s.words, .classify = classify, .receiver = &found};
        assert_int_equal(dj_directory_create(&d, context), DJ_OK);
        for (uint32_t i = 0; i < s.count; i++) {
            dj_touched touched;
            assert_int_equal(dj_directory_touch(&d, context, &s.items[i], &touched), DJ_OK);
            check_touched(&s, i, touched);
        }
        assert_int_equal(dj_directory_end(&d, context), DJ_OK);
        for (uint64_t key = 0; key < BLOCKS; key++) {
            check_users(&s, &d, key);
            for (uint32_t sharer = 0; sharer < s.sharers; sharer++)
                find_truth(&s, sharer, key, &truth);
        }
        assert_memory_equal(&found, &truth, sizeof truth);
        for (uint32_t i = 0; s.sharers > 64 && i < s.sharers; i++) {
            seen[0] += truth.missed[i][0];
            seen[1] += truth.missed[i][1];
        }
        dj_directory_free(&d);
    }
    assert_true(seen[0] > 1000 / SANITIZED_STEP &&
                seen[1] > 1000 / SANITIZED_STEP); // the test sees both kinds in crowds
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_brute_force),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
