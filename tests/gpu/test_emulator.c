// SPDX-License-Identifier: MIT
// The emulated device, which other tests use like a real one, does what CUDA specifies, and aborts
// where a real one would hang or answer at random.
#include "base/random.h"
#include "gpu/emulate/emulate.h"
#include "gpu/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka needs the four above it
#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 100000 };

static uint32_t in[MOST], out[MOST];

static const uint32_t counts[] = {1, 31, 32, 33, 255, 256, 257, 511, 1000, 4096, 65537, MOST};
enum { COUNTS = sizeof counts / sizeof counts[0] };

static int fill(void **state)
{
    dj_random random;
    (void)state;
    dj_random_seed(&random, 3);
    for (uint32_t i = 0; i < MOST; i++)
        in[i] = (uint32_t)dj_random_next(&random);
    return 0;
}

static void test_shared_memory(void **state)
{
    (void)state;
    for (unsigned c = 0; c < COUNTS; c++) {
        uint32_t count = counts[c];
        assert_int_equal(kernel_reverse(in, out, count), 0);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t first = i / KERNEL_THREADS * KERNEL_THREADS;
            uint32_t n = count - first < KERNEL_THREADS ? count - first : KERNEL_THREADS;
            assert_int_equal(out[i], in[first + n - 1 - (i - first)]);
        }
    }
}

static void test_sums(void **state)
{
    (void)state;
    for (unsigned c = 0; c < COUNTS; c++) {
        uint64_t got = 0, sum = 0;
        assert_int_equal(kernel_sum(in, counts[c], &got), 0);
        assert_int_equal(kernel_running_sums(in, out, counts[c]), 0);
        for (uint32_t i = 0; i < counts[c]; i++) {
            sum += in[i];
            assert_int_equal(out[i], (uint32_t)sum);
        }
        assert_int_equal(got, sum);
    }
}

static void check_lane(const kernel_lane *k, uint32_t yes, uint32_t lane, uint32_t threads)
{
    uint32_t match = 0;
    int count = 0;
    for (uint32_t i = lane % 3; i < 32; i += 3)
        match |= UINT32_C(1) << i;
    for (uint32_t i = 0; i < threads; i++)
        count += (int)(yes >> i % 32 & 1);
    assert_int_equal(k->ballot, yes);
    assert_int_equal(k->any, yes != 0);
    assert_int_equal(k->all, yes == UINT32_MAX);
    assert_int_equal(k->match, match);
    assert_int_equal(k->from_lane_5, 105);
    assert_int_equal(k->up_3, 100 + (lane < 3 ? lane : lane - 3));
    assert_int_equal(k->down_3, 100 + (lane > 28 ? lane : lane + 3));
    assert_int_equal(k->xor_9, 100 + (lane ^ 9));
    assert_int_equal(k->in_quarters, 100 + lane / 8 * 8 + 1);
    assert_int_equal(k->wide, UINT64_C(1) << ((lane + 1) % 32 + 31));
    assert_int_equal(k->count, count);
    assert_int_equal(k->some, threads > 40 && yes >> 8 & 1);
    assert_int_equal(k->every, threads <= 40 || yes == UINT32_MAX);
}

static void test_lanes(void **state)
{
    (void)state;
    static const uint32_t votes[] = {0, 1, 0x80000000, 0x12345678, UINT32_MAX};
    static const uint32_t threads[] = {32, 96, 1024};
    static kernel_lane got[1024];
    for (unsigned t = 0; t < 3; t++)
        for (unsigned v = 0; v < 5; v++) {
            assert_int_equal(kernel_lanes(votes[v], threads[t], got), 0);
            for (uint32_t i = 0; i < threads[t]; i++)
                check_lane(&got[i], votes[v], i % 32, threads[t]);
        }
}

static void test_atomics(void **state)
{
    (void)state;
    kernel_atomics a = {.max = 5, .exch = 1};
    enum { N = 10000, KEYS = 700 };
    uint32_t sum = 0;
    for (uint32_t i = 0; i < N; i++)
        sum += i % KEYS;
    assert_int_equal(kernel_count(N, KEYS, &a), 0);
    assert_int_equal(a.add, sum);
    assert_int_equal(a.max, N - 1);
    assert_int_equal(a.min, 7);
    assert_int_equal(a.bits, UINT32_MAX);
    assert_int_equal(a.exch, 77);
    assert_int_equal(a.wide, (uint64_t)N << 33);
    assert_int_equal(a.slots, KEYS);
}

// Pairs are sorted by the requested bits, stably.
static void check_sort(uint32_t count, int begin, int end)
{
    static uint64_t key[MOST], sorted[MOST];
    static uint32_t place[MOST];
    uint64_t mask = end - begin == 64 ? UINT64_MAX : (UINT64_C(1) << (end - begin)) - 1;
    for (uint32_t i = 0; i < count; i++) {
        key[i] = sorted[i] = (uint64_t)(in[i] % 1000) << 32 | in[MOST - 1 - i] % 5;
        place[i] = i;
    }
    assert_int_equal(kernel_sort(sorted, place, count, begin, end), 0);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(sorted[i], key[place[i]]);
        if (i == 0)
            continue;
        uint64_t a = sorted[i - 1] >> begin & mask, b = sorted[i] >> begin & mask;
        assert_true(a < b || (a == b && place[i - 1] < place[i]));
    }
}

static void test_cub(void **state)
{
    (void)state;
    static uint8_t flag[MOST];
    for (unsigned c = 0; c < COUNTS; c++) {
        check_sort(counts[c], 0, 64);
        check_sort(counts[c], 0, 3);
        check_sort(counts[c], 32, 42);
        uint32_t kept = 0, expected = 0;
        for (uint32_t i = 0; i < counts[c]; i++)
            flag[i] = in[i] % 3 == 0;
        assert_int_equal(kernel_pick(in, flag, counts[c], out, &kept), 0);
        for (uint32_t i = 0; i < counts[c]; i++)
            if (flag[i])
                assert_int_equal(out[expected++], in[i]);
        assert_int_equal(kept, expected);
    }
}

static void test_other_order(void **state)
{
    dj_emulated_backwards(true);
    test_shared_memory(state);
    test_sums(state);
    test_lanes(state);
    dj_emulated_backwards(false);
}

static void test_streams(void **state)
{
    (void)state;
    uint32_t got = 0;
    assert_int_equal(kernel_streams(5, 9, &got), 0);
    assert_int_equal(got, 6);
    dj_emulated_late(true); // so the copy that was not waited for sees later values
    assert_int_equal(kernel_streams(5, 9, &got), 0);
    assert_int_equal(got, 10);
    dj_emulated_late(false);
}

static void test_failures(void **state)
{
    (void)state;
    enum { OUT_OF_MEMORY = 2, LAUNCH_FAILURE = 719 };
    unsigned failed = 0;
    uint64_t before = dj_emulated_calls(), sum;
    assert_int_equal(kernel_sum(in, 1000, &sum), 0);
    uint64_t calls = dj_emulated_calls() - before;
    for (uint64_t i = 0; i < calls; i++) {
        dj_emulated_fail(i, LAUNCH_FAILURE);
        failed += kernel_sum(in, 1000, &sum) == LAUNCH_FAILURE;
    }
    dj_emulated_fail(0, 0);
    assert_int_equal(failed, calls - 2); // the errors of the two cudaFree are ignored
    dj_emulated_memory(1000);
    assert_int_equal(kernel_sum(in, 250, &sum), OUT_OF_MEMORY);
    assert_int_equal(kernel_sum(in, 248, &sum), 0);
    dj_emulated_memory(UINT64_C(1) << 30);
    assert_int_equal(dj_emulated_used(), 0);
    assert_int_equal(dj_emulated_held(), 0);
}

static void check_fault(enum kernel_fault fault, const char *message)
{
    int pipes[2];
    char said[1000] = "";
    size_t n = 0;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(pipes[1], STDERR_FILENO);
        kernel_fault(fault);
        _exit(0);
    }
    close(pipes[1]);
    for (ssize_t got; n < sizeof said - 1 && (got = read(pipes[0], said + n, sizeof said - 1 - n)) > 0;)
        n += (size_t)got;
    close(pipes[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    if (!strstr(said, message))
        fail_msg("fault %d says: %s", fault, said);
}

static void test_faults(void **state)
{
    (void)state;
    check_fault(FAULT_HALF_WARP, "deadlock in warp");
    check_fault(FAULT_TWO_BARRIERS, "while other threads wait in line");
    check_fault(FAULT_GONE, "lanes 0x8 have ended");
    check_fault(FAULT_MASK, "only full ones");
    check_fault(FAULT_OPERATIONS, "while other lanes wait in line");
    check_fault(FAULT_COPY, "12 bytes at 8 of a piece of 16");
    check_fault(FAULT_SIDE, "no memory of the device");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared_memory), cmocka_unit_test(test_sums),
        cmocka_unit_test(test_lanes),         cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_cub),           cmocka_unit_test(test_other_order),
        cmocka_unit_test(test_streams),       cmocka_unit_test(test_failures),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
