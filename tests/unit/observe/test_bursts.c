// SPDX-License-Identifier: MIT
// Observer bursts: any access is among those that count with the same probability, and what bursts find is
// what brute force finds in the same stretches of the trace.
#include <deja/deja.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fine_bins.h"
#include "base/random.h"
#include "filter/sample_options.h"
#include "observe/bursts/schedule.h"
#include "support/context.h"
#include "support/sanitized.h"

enum { LENGTH = 1500000 / SANITIZED_SHARE, BURSTS_MOST = 256, RATE_LOG2 = 7 };

static void check_order(unsigned log2, enum dj_burst_kind kind)
{
    dj_burst_schedule schedule = dj_burst_schedule_begin(log2, log2, kind);
    dj_burst_finder finder = dj_burst_finder_begin(&schedule);
    dj_burst before = {0}, last = {0};
    uint64_t total = 0;
    for (unsigned i = 0; i < 10000; i++) {
        const dj_burst b = dj_burst_schedule_next(&schedule);
        assert_true(b.begin <= b.counted && b.counted <= b.end);
        assert_true(i < 2 || b.begin >= before.end); // at most two overlap
        assert_true(b.end >= last.end && b.counted >= last.counted);
        assert_true(b.end - b.begin < UINT64_C(1) << DJ_BURST_MOST_LOG2);
        if (b.begin > last.end && last.end > 0) {
            assert_true(dj_burst_finder_meets(&finder, last.end - 1, last.end));
            assert_false(dj_burst_finder_meets(&finder, last.end, b.begin));
            assert_true(dj_burst_finder_meets(&finder, last.end, b.begin + 1));
        }
        total += b.end - b.begin;
        before = last;
        last = b;
    }
    assert_true(total * 100 < last.end); // in the long run, few accesses are in bursts
}

static void test_order(void **state)
{
    (void)state;
    for (unsigned log2 = 1; log2 <= 20; log2++) {
        check_order(log2, DJ_BURSTS_SHORT);
        check_order(log2, DJ_BURSTS_LONG);
    }
}

// The weights of the bursts that count an access, on average: 1 for every access of the trace.
static void check_coverage(enum dj_burst_kind kind)
{
    enum { SEEDS = 20000 / SANITIZED_SHARE };
    static const uint64_t places[] = {0,      1,      255,    256,    1023,   4095,   4096,
                                      8191,   16383,  16384,  196607, 196608, 196700, 262143,
                                      262144, 262200, 300000, 393215, 393216, 400000};
    enum { PLACES = sizeof places / sizeof places[0] };
    double sum[PLACES] = {0}, squares[PLACES] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        dj_burst_schedule schedule = dj_burst_schedule_begin(seed * 77, RATE_LOG2, kind);
        double weight[PLACES] = {0};
        for (dj_burst b = {0}; b.begin <= places[PLACES - 1];) {
            b = dj_burst_schedule_next(&schedule);
            for (unsigned i = 0; i < PLACES; i++)
                weight[i] += places[i] >= b.counted && places[i] < b.end ? (double)b.weight : 0;
        }
        for (unsigned i = 0; i < PLACES; i++) {
            sum[i] += weight[i];
            squares[i] += weight[i] * weight[i];
        }
    }
    for (unsigned i = 0; i < PLACES; i++) {
        const double mean = sum[i] / SEEDS, error = sqrt((squares[i] / SEEDS - mean * mean) / SEEDS);
        assert_true(error < 0.05 * sqrt(SANITIZED_SHARE)); // the test is able to fail
        assert_true(fabs(mean - 1) < 4.5 * error);
    }
}

static void test_coverage(void **state)
{
    (void)state;
    check_coverage(DJ_BURSTS_SHORT);
    check_coverage(DJ_BURSTS_LONG);
}

// One burst, by brute force: the distance of each access that counts, from a list of the blocks by last use.
typedef struct found {
    double accesses, *misses[2]; // by size: if unknown distances are hits, if they are misses; weighted
    uint64_t *reuses, *unknown, cold;
    uint64_t *longer; // by distance: accesses that are known to have at least this distance
} found;

typedef struct access_list {
    uint64_t *key;
    bool *belongs;
    size_t count;
} access_list;

enum { SIZES_MOST = 1 << 14 };

static found brute_force(const access_list *trace, const dj_burst *b)
{
    found f = {.reuses = calloc(SIZES_MOST, sizeof *f.reuses),
               .unknown = calloc(SIZES_MOST, sizeof *f.unknown)};
    uint64_t *stack = malloc((b->end - b->begin + 1) * sizeof *stack), depth = 0;
    for (uint64_t i = b->begin; i < b->end && i < trace->count; i++) {
        uint64_t d = 0;
        if (!trace->belongs[i])
            continue;
        while (d < depth && stack[d] != trace->key[i])
            d++;
        if (i >= b->counted) {
            f.accesses++;
            assert_true(d < SIZES_MOST);
            if (d < depth)
                f.reuses[d]++;
            else if (b->begin == 0)
                f.cold++;
            else
                f.unknown[depth]++;
        }
        depth += d == depth;
        memmove(stack + 1, stack, d * sizeof *stack);
        stack[0] = trace->key[i];
    }
    free(stack);
    f.longer = calloc(SIZES_MOST, sizeof *f.longer);
    for (uint64_t d = SIZES_MOST, more = f.cold; d-- > 0; more += f.unknown[d]) {
        more += f.reuses[d];
        f.longer[d] = more;
    }
    for (unsigned end = 0; end < 2; end++)
        f.misses[end] = calloc(SIZES_MOST, sizeof(double));
    for (uint64_t size = 0; size < SIZES_MOST; size++)
        for (uint64_t d = 0; d < SIZES_MOST && size < 400; d++) { // enough to test the errors
            f.misses[0][size] += d >= size ? (double)(f.reuses[d] + f.unknown[d]) : 0;
            f.misses[1][size] += (double)f.unknown[d] + (d >= size ? (double)f.reuses[d] : 0);
        }
    for (uint64_t size = 0; size < 400; size++) {
        f.misses[0][size] += (double)f.cold;
        f.misses[1][size] += (double)f.cold;
    }
    return f;
}

static dj_profile *measure(const access_list *trace, const dj_sample_options *values, uint64_t block)
{
    const dj_filter_choice filter = {dj_filter_find("sample"), values};
    const dj_request request = {.blocks = &block, .block_count = 1, .filters = &filter, .filter_count = 1};
    const dj_source_options format = {.format = "u64le"};
    dj_source *source = NULL;
    dj_profile *profile = NULL;
    assert_int_equal(dj_source_open_memory(context, trace->key, trace->count * sizeof *trace->key, "keys",
                                           &format, &source),
                     DJ_OK);
    assert_int_equal(dj_measure_source(context, source, &request, &profile), DJ_OK);
    dj_source_close(source);
    return profile;
}

// As the observer derives it.
static uint64_t seed_of(const char *description)
{
    uint64_t seed = 0;
    for (; *description; description++)
        seed = dj_random_mix(seed + (unsigned char)*description);
    return seed;
}

static uint64_t misses_of(const dj_lane_profile *lane, uint64_t size)
{
    return lane->accesses - dj_histogram_sum(lane->distance, 0, size);
}

typedef struct kind_found {
    dj_burst when[BURSTS_MOST];
    found bursts[BURSTS_MOST];
    size_t count;
} kind_found;

// The miss ratio in bursts: an unknown distance is as long as others that are at least so long.
static double survivors(const found *bursts, const dj_burst *when, size_t count, uint64_t size)
{
    double ratio = 1;
    for (uint64_t d = 0; d < size; d++) {
        double these = 0, longer = 0;
        for (size_t i = 0; i < count; i++) {
            these += (double)(when[i].weight * bursts[i].reuses[d]);
            longer += (double)(when[i].weight * bursts[i].longer[d]);
        }
        ratio *= these > 0 ? 1 - these / longer : 1;
    }
    return ratio;
}

// Whether the profile has the misses that bursts find in a cache. Never fewer than at the size where they
// end.
static bool matches(const dj_lane_profile *lane, const kind_found *k, uint64_t size, uint64_t least)
{
    const double ratio = survivors(k->bursts, k->when, k->count, size);
    const double want = fmax(ratio * (double)lane->accesses, (double)least);
    return fabs((double)misses_of(lane, size) - want) <= 1.001;
}

// Short bursts know the smallest caches, long ones those up to the head.
static uint64_t compare_misses(const dj_lane_profile *lane, const dj_sample *sample, const kind_found *kinds)
{
    const uint64_t least = misses_of(lane, sample->head);
    uint64_t size = 1, end;
    while (size < sample->head && matches(lane, &kinds[DJ_BURSTS_SHORT], size, 0))
        size++;
    assert_true(size >= 512);
    for (end = size; size < sample->head && !matches(lane, &kinds[DJ_BURSTS_LONG], size, least);)
        size++;
    // Those that are not below the misses at the first size of the long bursts.
    for (; end < size; end++)
        assert_true(matches(lane, &kinds[DJ_BURSTS_SHORT], end, misses_of(lane, size)));
    for (; end < sample->head; end += 1 + end / 64)
        assert_true(matches(lane, &kinds[DJ_BURSTS_LONG], end, least));
    return size;
}

// The standard error of a ratio, from the differences of consecutive bursts.
static double error_of(const found *bursts, const dj_burst *when, size_t count, unsigned end, uint64_t size)
{
    double weighted = 0, misses = 0, squares = 0, effective = 0;
    for (size_t i = 0; i < count; i++) {
        weighted += (double)when[i].weight * bursts[i].accesses;
        misses += (double)when[i].weight * bursts[i].misses[end][size];
        effective += pow((double)when[i].weight * bursts[i].accesses, 2);
    }
    effective = weighted * weighted / effective;
    for (size_t i = 0; i < count; i++) {
        const double this =
            (double)when[i].weight * (bursts[i].misses[end][size] - misses / weighted * bursts[i].accesses);
        const double before =
            i == 0 ? 0
                   : (double)when[i - 1].weight *
                         (bursts[i - 1].misses[end][size] - misses / weighted * bursts[i - 1].accesses);
        squares += i == 0 ? 0 : (this - before) * (this - before);
    }
    const double n = (double)count, freedom = effective * 2 / 3 - 1;
    // Student's quantile for a normal one of 3: 3.1374 for 60 degrees of freedom, 3.2693 for 30.
    const double student = 3 + 7.5 / freedom + 17.25 / pow(freedom, 2) + 30.19 / pow(freedom, 3);
    return fmax(student * sqrt(squares / 2 * n / (n - 1)) / weighted, 2 / effective) / 3.6;
}

static double stored_error(const dj_sample *sample, uint64_t size)
{
    size_t at = 0;
    while (at + 1 < sample->error_count && sample->errors[at + 1].size <= size)
        at++;
    return sample->errors[at].error;
}

// `end`: where the short bursts end.
static void compare_errors(const dj_lane_profile *lane, const dj_sample *sample, const kind_found *k,
                           uint64_t end)
{
    const found *bursts = k->bursts;
    const dj_burst *when = k->when;
    const size_t count = k->count;
    const double least = (double)misses_of(lane, end) / (double)lane->accesses;
    for (uint64_t size = 1; size < 31; size += 3) {
        double most = 0, open = 0;
        for (uint64_t at = size; at < size + 2; at++) {
            const double middle = survivors(bursts, when, count, at);
            double ends[2] = {0, 0}, weighted = 0;
            for (size_t i = 0; i < count; i++) {
                weighted += (double)when[i].weight * bursts[i].accesses;
                ends[0] += (double)when[i].weight * bursts[i].misses[0][at];
                ends[1] += (double)when[i].weight * bursts[i].misses[1][at];
            }
            open = fmax(open, fmax(ends[1] / weighted - middle, middle - ends[0] / weighted));
            most =
                fmax(most, fmax(error_of(bursts, when, count, 0, at), error_of(bursts, when, count, 1, at)));
        }
        const double want = most + (open + fmax(least - survivors(bursts, when, count, size), 0)) / 3.6;
        assert_true(fabs(stored_error(sample, size) - want) < 1e-3 * want + 1e-9);
    }
}

static void find_all(const access_list *trace, const dj_lane_profile *lane, enum dj_burst_kind kind,
                     kind_found *to)
{
    dj_burst_schedule schedule = dj_burst_schedule_begin(seed_of(lane->id.filter), RATE_LOG2, kind);
    for (to->count = 0;;) {
        dj_burst *when = &to->when[to->count];
        *when = dj_burst_schedule_next(&schedule);
        if (when->counted >= trace->count)
            return;
        if (when->end > 0)
            to->bursts[to->count++] = brute_force(trace, when);
        assert_true(to->count < BURSTS_MOST);
    }
}

static void free_all(kind_found *k)
{
    for (size_t i = 0; i < k->count; i++) {
        free(k->bursts[i].reuses);
        free(k->bursts[i].unknown);
        free(k->bursts[i].longer);
        free(k->bursts[i].misses[0]);
        free(k->bursts[i].misses[1]);
    }
}

static void check(const char *kind, dj_generate_options options, uint64_t block)
{
    static kind_found kinds[DJ_BURST_KINDS];
    access_list trace = {0};
    const dj_sample_options values = {"1%", 5, NULL};
    assert_int_equal(dj_generate_addresses(context, kind, &options, &trace.key, &trace.count), DJ_OK);
    dj_profile *profile = measure(&trace, &values, block);
    const dj_lane_profile *lane = &profile->lanes[0];
    const dj_sample *sample = dj_lane_sample(lane);
    trace.belongs = malloc(trace.count);
    memset(trace.belongs, true, trace.count);
    for (size_t i = 0; i < trace.count; i++)
        trace.key[i] /= block;
    for (unsigned i = 0; i < DJ_BURST_KINDS; i++)
        find_all(&trace, lane, (enum dj_burst_kind)i, &kinds[i]);
    assert_int_equal(sample->bursts, kinds[0].count + kinds[1].count);
    compare_errors(lane, sample, &kinds[DJ_BURSTS_SHORT], compare_misses(lane, sample, kinds));
    for (unsigned i = 0; i < DJ_BURST_KINDS; i++)
        free_all(&kinds[i]);
    dj_profile_destroy(profile);
    free(trace.key);
    free(trace.belongs);
}

static void test_brute_force(void **state)
{
    (void)state;
    check("zipf", (dj_generate_options){.keys = 50000, .accesses = LENGTH, .seed = 1, .exponent = 0.99}, 1);
    check("uniform", (dj_generate_options){.keys = 20000, .accesses = LENGTH, .seed = 1}, 8);
}

// Too few bursts say nothing about their error.
static void test_short_trace(void **state)
{
    (void)state;
    access_list trace = {0};
    const dj_generate_options options = {.keys = 20000, .accesses = 12000, .seed = 1};
    const dj_sample_options values = {"1%", 0, NULL};
    assert_int_equal(dj_generate_addresses(context, "uniform", &options, &trace.key, &trace.count), DJ_OK);
    dj_profile *profile = measure(&trace, &values, 1);
    assert_true(dj_lane_sample(&profile->lanes[0])->bursts < 8);
    assert_int_equal(dj_lane_sample(&profile->lanes[0])->head, 0);
    dj_profile_destroy(profile);
    free(trace.key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_coverage),
                                       cmocka_unit_test(test_brute_force),
                                       cmocka_unit_test(test_short_trace)};
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
