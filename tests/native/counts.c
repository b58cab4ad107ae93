// SPDX-License-Identifier: MIT
// Atomic operations of every size under contention. Exit status 0: the results are right.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 400 };
__extension__ typedef unsigned __int128 wide;

static _Atomic uint8_t small;
static _Atomic uint16_t middle;
static _Atomic uint32_t plain, strong, flags, toggled;
static _Atomic uint64_t large, weak, taken;
static wide widest __attribute__((aligned(16)));
static uint32_t nand = ~0u;
static long shared;
static atomic_flag lock = ATOMIC_FLAG_INIT;

static void add_by_exchange(_Atomic uint32_t *place)
{
    uint32_t seen = atomic_load_explicit(place, memory_order_relaxed);
    while (!atomic_compare_exchange_strong(place, &seen, seen + 1))
        continue;
}

static void add_wide(void)
{
    wide seen = __atomic_load_n(&widest, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(&widest, &seen, seen + ((wide)1 << 64) + 1, 1, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED))
        continue;
}

static void *work(void *argument)
{
    uint32_t bit = 1u << (long)argument;
    for (int i = 0; i < ROUNDS; i++) {
        atomic_fetch_add(&small, 1);
        atomic_fetch_sub_explicit(&middle, 1, memory_order_acq_rel);
        atomic_fetch_add_explicit(&plain, 1, memory_order_relaxed);
        add_by_exchange(&strong);
        uint64_t seen = atomic_load(&weak);
        while (!atomic_compare_exchange_weak_explicit(&weak, &seen, seen + 3, memory_order_release,
                                                      memory_order_relaxed))
            continue;
        atomic_fetch_or(&flags, bit);
        atomic_fetch_xor(&toggled, bit);
        large += 1000000007;
        add_wide();
        __sync_fetch_and_add(&shared, 0);
        while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
            continue;
        shared++;
        atomic_flag_clear_explicit(&lock, memory_order_release);
        taken += atomic_exchange(&large, atomic_load(&large)) != 0;
    }
    return NULL;
}

static int check_alone(void)
{
    uint32_t before = __atomic_fetch_nand(&nand, 0xff, __ATOMIC_SEQ_CST);
    wide old = __atomic_exchange_n(&widest, (wide)5, __ATOMIC_SEQ_CST);
    __atomic_store_n(&widest, old, __ATOMIC_RELEASE);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_signal_fence(memory_order_seq_cst);
    return before == ~0u && nand == ~0xffu && __sync_val_compare_and_swap(&nand, ~0xffu, 3u) == ~0xffu &&
           nand == 3 && atomic_fetch_and(&flags, 1) == (1u << THREADS) - 1 && flags == 1;
}

int main(void)
{
    pthread_t threads[THREADS];
    const uint32_t all = THREADS * ROUNDS;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    int good = small == (uint8_t)all && middle == (uint16_t)-all && plain == all && strong == all &&
               weak == 3ull * all && toggled == 0 && shared == (long)all && taken > 0 &&
               widest == ((wide)all << 64 | all) && check_alone();
    printf("%s %lx\n", good ? "right" : "wrong", (unsigned long)&plain);
    return !good;
}
