// SPDX-License-Identifier: MIT
// OpenMP: like teams.c, with constructs whose order only the library of OpenMP knows. Prints the address and
// size of what the threads share, without races. Exit status 0: the results are right.
#include <omp.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 20 };

static volatile long shared[16];
enum { LOCK, NEST, TEST, NAMED, CHAIN, GROUP, PRIVATE, NESTED, ALONE, LOOP, MASTER, SUM };

static void locks(omp_lock_t *lock, omp_nest_lock_t *nest)
{
    omp_set_lock(lock);
    shared[LOCK] = shared[LOCK] + 1;
    omp_unset_lock(lock);
    while (!omp_test_lock(lock))
        continue;
    shared[LOCK] = shared[LOCK] + 1;
    omp_unset_lock(lock);
    omp_set_nest_lock(nest);
    shared[NEST] = shared[NEST] + 1;
    omp_unset_nest_lock(nest);
    while (!omp_test_nest_lock(nest))
        continue;
    shared[NEST] = shared[NEST] + 1;
    omp_unset_nest_lock(nest);
#pragma omp critical(mine)
    shared[NAMED] = shared[NAMED] + 1;
}

// Each task depends on the previous one.
static void chain(void)
{
    char link;
    (void)link;
#pragma omp single
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp task depend(inout : link)
        shared[CHAIN] = shared[CHAIN] + 1;
    }
}

static void group(void)
{
#pragma omp single
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp taskgroup
        {
#pragma omp task
            shared[GROUP] = shared[GROUP] + 1;
        }
        shared[GROUP] = shared[GROUP] + 1;
    }
}

// The value of one thread is copied to the others.
static long broadcast(int round)
{
    long value;
#pragma omp single copyprivate(value)
    {
        shared[PRIVATE] = round;
        value = round;
    }
    value += shared[PRIVATE];
#pragma omp barrier
    return value;
}

static void nested(void)
{
#pragma omp single
    {
        shared[NESTED] = 0;
#pragma omp parallel num_threads(2)
        {
#pragma omp critical(inner)
            shared[NESTED] = shared[NESTED] + 1;
        }
        shared[NESTED] = shared[NESTED] + 1;
    }
}

// Only some threads of the team pass the barriers of regions of their own.
static void alone(int round)
{
    if (omp_get_thread_num() == round % THREADS) {
#pragma omp parallel if (0)
        {
            shared[ALONE] = round;
#pragma omp barrier
            shared[ALONE] = shared[ALONE] + 1;
        }
    }
#pragma omp barrier
    if (omp_get_thread_num() == (round + 1) % THREADS && shared[ALONE] == round + 1)
        shared[ALONE] = 0;
#pragma omp barrier
}

static void by_master(int round)
{
#pragma omp master
    shared[MASTER] = round;
#pragma omp barrier
    if (shared[MASTER] != round)
        shared[MASTER] = -1;
#pragma omp barrier
}

static void loops(void)
{
#ifdef __clang__ // the tasks of gcc's loops are not known to be ordered
#pragma omp single
    {
        shared[LOOP] = 1;
#pragma omp taskloop
        for (int i = 0; i < THREADS; i++) {
#pragma omp critical(loop)
            shared[LOOP] = shared[LOOP] + 1;
        }
        shared[LOOP] = shared[LOOP] * 0 + THREADS;
    }
#endif
}

int main(void)
{
    omp_lock_t lock;
    omp_nest_lock_t nest;
    long sum = 0, wrong = 0;
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
    for (int round = 0; round < ROUNDS; round++) {
        locks(&lock, &nest);
        chain();
        group();
        sum += broadcast(round) != 2 * round;
        nested();
        alone(round);
        by_master(round);
        loops();
    }
    wrong = sum;
#pragma omp parallel num_threads(THREADS) reduction(task, + : sum)
    {
#pragma omp single
        shared[SUM] = 1;
        sum += shared[SUM];
    }
    wrong += sum - THREADS;
    printf("%lx %zu\n", (unsigned long)shared, sizeof shared);
    return wrong || shared[LOCK] != 2 * ROUNDS * THREADS || shared[NEST] != 2 * ROUNDS * THREADS ||
           shared[NAMED] != ROUNDS * THREADS || shared[CHAIN] != ROUNDS * ROUNDS ||
           shared[GROUP] != 2 * ROUNDS * ROUNDS || shared[NESTED] != 3 || shared[ALONE] != 0 ||
           shared[MASTER] != ROUNDS - 1;
}
