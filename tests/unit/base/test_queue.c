// SPDX-License-Identifier: MIT
// The bounded queue: every group gets every item once, in the order of the claims, for any scheduling;
// closing releases all waiting threads; errors are reported.
#include "base/queue.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <unistd.h>
// cmocka needs the four above it
#include <cmocka.h>

#include "support/context.h"

enum { THREADS_MOST = 8, GROUPS_MOST = 3, ITEMS = 4000 };

typedef struct item {
    uint64_t number; // as numbered by the queue
    uint64_t value;
} item;

typedef struct test {
    dj_queue *queue;
    unsigned groups;
    _Atomic uint64_t produced;
    atomic_uint seen[GROUPS_MOST][ITEMS]; // how often
    atomic_bool disorder;
} test;

typedef struct thread {
    test *of;
    unsigned group;
    uint64_t random;
    pthread_t id;
} thread;

// A little work of random length, so that commits and releases come out of order.
static void dawdle(thread *t)
{
    t->random = t->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    if (t->random >> 60 == 0)
        usleep((useconds_t)(t->random >> 40) % 50);
    for (volatile uint64_t i = 0; i < (t->random >> 33) % 200; i++) {
    }
}

static void *produce(void *argument)
{
    thread *t = argument;
    item *slot;
    while (atomic_fetch_add(&t->of->produced, 1) < ITEMS && (slot = dj_queue_claim(t->of->queue)) != NULL) {
        slot->number = dj_queue_number(t->of->queue, slot);
        dawdle(t);
        slot->value = 3 * slot->number;
        dj_queue_commit(t->of->queue, slot);
    }
    return NULL;
}

// Takes the next item in one of three ways; NULL: the end.
static void *next_item(thread *t, void *slot)
{
    enum dj_queued got = DJ_QUEUED_NOTHING;
    if (t->random >> 50 & 1)
        return dj_queue_next(t->of->queue, t->group, &slot) ? slot : NULL;
    if (slot)
        dj_queue_release(t->of->queue, slot);
    while (got == DJ_QUEUED_NOTHING)
        got = dj_queue_take(t->of->queue, t->group, t->random >> 51 & 1 ? DJ_QUEUE_FOREVER : 1, &slot);
    return got == DJ_QUEUED_ITEM ? slot : NULL;
}

static void *consume(void *argument)
{
    thread *t = argument;
    void *slot = NULL;
    uint64_t last = 0;
    while ((slot = next_item(t, slot)) != NULL) {
        const item *taken = slot;
        if (taken->value != 3 * taken->number || taken->number + 1 <= last || taken->number >= ITEMS ||
            taken != dj_queue_slot(t->of->queue, taken->number))
            atomic_store(&t->of->disorder, true);
        else
            atomic_fetch_add(&t->of->seen[t->group][taken->number], 1);
        last = taken->number + 1;
        dawdle(t);
    }
    return NULL;
}

static void run_threads(const dj_queue_config *config, unsigned producers, unsigned consumers)
{
    static test of;
    thread givers[THREADS_MOST], takers[THREADS_MOST * GROUPS_MOST];
    unsigned taker_count = consumers * config->groups;
    of = (test){.groups = config->groups};
    assert_int_equal(dj_queue_create(context, config, &of.queue), DJ_OK);
    for (unsigned i = 0; i < taker_count; i++) {
        takers[i] = (thread){.of = &of, .group = i % config->groups, .random = i + 1};
        assert_int_equal(pthread_create(&takers[i].id, NULL, consume, &takers[i]), 0);
    }
    for (unsigned i = 0; i < producers; i++) {
        givers[i] = (thread){.of = &of, .random = i + 100};
        assert_int_equal(pthread_create(&givers[i].id, NULL, produce, &givers[i]), 0);
    }
    for (unsigned i = 0; i < producers; i++)
        pthread_join(givers[i].id, NULL);
    dj_queue_wait_done(of.queue);
    assert_int_equal(dj_queue_done(of.queue), ITEMS);
    assert_int_equal(dj_queue_waiting(of.queue), 0);
    dj_queue_close(of.queue);
    for (unsigned i = 0; i < taker_count; i++)
        pthread_join(takers[i].id, NULL);
    assert_false(of.disorder);
    for (unsigned g = 0; g < config->groups; g++)
        for (size_t i = 0; i < ITEMS; i++)
            assert_int_equal(of.seen[g][i], 1);
    dj_queue_destroy(of.queue);
}

static void test_every_group_gets_every_item_once(void **state)
{
    (void)state;
    static const unsigned threads[][2] = {{1, 1}, {1, 3}, {4, 1}, {3, 2}};
    static const size_t capacities[] = {1, 2, 7, 64};
    for (unsigned groups = 1; groups <= GROUPS_MOST; groups++)
        for (size_t c = 0; c < sizeof capacities / sizeof *capacities; c++)
            for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
                run_threads(&(dj_queue_config){.capacity = capacities[c],
                                               .item_bytes = sizeof(item),
                                               .groups = groups,
                                               .wake_items = c == 3 ? 8 : 0,
                                               .wake_slots = c >= 2 ? capacities[c] / 2 : 0},
                            threads[t][0], threads[t][1]);
}

static dj_queue *make(size_t capacity, size_t wake_items)
{
    dj_queue *queue = NULL;
    const dj_queue_config config = {
        .capacity = capacity, .item_bytes = sizeof(int), .wake_items = wake_items};
    assert_int_equal(dj_queue_create(context, &config, &queue), DJ_OK);
    return queue;
}

static void test_one_thread(void **state)
{
    (void)state;
    dj_queue *q = make(2, 0);
    int got = 0;
    assert_int_equal(dj_queue_get(q, DJ_QUEUE_TRY, &got), DJ_QUEUED_NOTHING);
    assert_int_equal(dj_queue_get(q, 1, &got), DJ_QUEUED_NOTHING);
    assert_true(dj_queue_put(q, &(int){1}) && dj_queue_put(q, &(int){2}));
    assert_null(dj_queue_try_claim(q));
    assert_int_equal(dj_queue_waiting(q), 2);
    assert_int_equal(dj_queue_get(q, DJ_QUEUE_FOREVER, &got), DJ_QUEUED_ITEM);
    assert_int_equal(got, 1);
    // Items come in the order of the claims, whenever they are committed.
    int *late = dj_queue_try_claim(q);
    assert_non_null(late);
    assert_int_equal(dj_queue_number(q, late), 2);
    assert_int_equal(dj_queue_get(q, DJ_QUEUE_TRY, &got), DJ_QUEUED_ITEM);
    assert_int_equal(got, 2);
    int *early = dj_queue_try_claim(q);
    *early = 4;
    dj_queue_commit(q, early);
    assert_int_equal(dj_queue_get(q, DJ_QUEUE_TRY, &got), DJ_QUEUED_NOTHING);
    dj_queue_close(q);
    dj_queue_close(q);
    // Closed, but claimed items are still delivered.
    assert_int_equal(dj_queue_get(q, 1, &got), DJ_QUEUED_NOTHING);
    assert_false(dj_queue_put(q, &(int){5}));
    assert_null(dj_queue_claim(q));
    *late = 3;
    dj_queue_commit(q, late);
    for (int expected = 3; expected <= 4; expected++) {
        assert_int_equal(dj_queue_get(q, DJ_QUEUE_FOREVER, &got), DJ_QUEUED_ITEM);
        assert_int_equal(got, expected);
    }
    assert_int_equal(dj_queue_get(q, DJ_QUEUE_FOREVER, &got), DJ_QUEUED_END);
    assert_int_equal(dj_queue_done(q), 4);
    dj_queue_wait_done(q);
    dj_queue_destroy(q);
}

// Released out of order, items are done in order.
static void test_done_is_a_prefix(void **state)
{
    (void)state;
    dj_queue *q = make(3, 0);
    void *slots[3];
    for (int i = 0; i < 3; i++)
        assert_true(dj_queue_put(q, &i));
    for (int i = 0; i < 3; i++)
        assert_int_equal(dj_queue_take(q, 0, DJ_QUEUE_TRY, &slots[i]), DJ_QUEUED_ITEM);
    dj_queue_release(q, slots[2]);
    dj_queue_release(q, slots[1]);
    assert_int_equal(dj_queue_done(q), 0);
    assert_null(dj_queue_try_claim(q));
    dj_queue_release(q, slots[0]);
    assert_int_equal(dj_queue_done(q), 3);
    assert_int_equal(*(int *)dj_queue_slot(q, 1), 1);
    dj_queue_destroy(q);
}

static void *claim_one(void *queue)
{
    return dj_queue_claim(queue);
}

static void *take_one(void *queue)
{
    void *slot = NULL;
    enum dj_queued got = dj_queue_take(queue, 0, DJ_QUEUE_FOREVER, &slot);
    return got == DJ_QUEUED_END ? queue : NULL;
}

static void test_close_ends_all_waiting_threads(void **state)
{
    (void)state;
    dj_queue *full = make(1, 0), *empty = make(1, 0);
    pthread_t givers[3], takers[3];
    void *got;
    assert_true(dj_queue_put(full, &(int){1}));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pthread_create(&givers[i], NULL, claim_one, full), 0);
        assert_int_equal(pthread_create(&takers[i], NULL, take_one, empty), 0);
    }
    usleep(20000);
    dj_queue_close(full);
    dj_queue_close(empty);
    for (int i = 0; i < 3; i++) {
        pthread_join(givers[i], &got);
        assert_null(got);
        pthread_join(takers[i], &got);
        assert_ptr_equal(got, empty);
    }
    dj_queue_destroy(full);
    dj_queue_destroy(empty);
}

// Two threads wait for one claimed item when the queue is closed: one gets it, the other gets the end.
static void test_the_last_item_ends_the_others(void **state)
{
    (void)state;
    dj_queue *q = make(4, 3); // which would not wake anyone for one item
    pthread_t takers[2];
    void *got[2];
    int *slot = dj_queue_claim(q);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&takers[i], NULL, take_one, q), 0);
    usleep(20000);
    dj_queue_close(q);
    usleep(20000);
    dj_queue_commit(q, slot);
    for (int i = 0; i < 2; i++)
        pthread_join(takers[i], &got[i]);
    assert_true((got[0] == q) != (got[1] == q));
    dj_queue_destroy(q);
}

static void test_out_of_memory_is_reported(void **state)
{
    (void)state;
    dj_queue *queue = NULL;
    const dj_queue_config config = {.capacity = SIZE_MAX / 4, .item_bytes = 16};
    assert_int_equal(dj_queue_create(context, &config, &queue), DJ_ERR_MEMORY);
    assert_null(queue);
    assert_true(dj_context_message(context)[0]);
    dj_queue_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_thread),
        cmocka_unit_test(test_done_is_a_prefix),
        cmocka_unit_test(test_close_ends_all_waiting_threads),
        cmocka_unit_test(test_the_last_item_ends_the_others),
        cmocka_unit_test(test_every_group_gets_every_item_once),
        cmocka_unit_test(test_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
