// SPDX-License-Identifier: MIT
// Observer `joint` against brute force over the accesses of each thread.
#include "unit/observe/joint_trace.h"

static uint64_t count_of(const dj_histogram *h, uint64_t value)
{
    return dj_histogram_sum(h, value, value + 1);
}

static uint64_t distinct_in(const uint64_t *keys, size_t from, size_t end)
{
    uint64_t distinct = 0;
    for (size_t i = from; i < end; i++) {
        bool again = false;
        for (size_t k = from; !again && k < i; k++)
            again = keys[k] == keys[i];
        distinct += !again;
    }
    return distinct;
}

// Removes every reuse of the thread from the cells: all must be there, and nothing must remain.
static void check_cells(const dj_joint_sharer *row, const uint64_t *keys, size_t count)
{
    uint64_t left = 0;
    for (size_t i = 0; i < row->cell_count; i++)
        left += row->cells[i].count;
    for (size_t i = 0; i < count; i++) {
        size_t before = i;
        while (before-- > 0 && keys[before] != keys[i])
            ;
        if (before == SIZE_MAX)
            continue;
        const uint64_t time = dj_fine_bin_low(dj_fine_bin(i - before, 5), 5);
        const uint64_t distance = distinct_in(keys, before + 1, i);
        size_t at = 0;
        while (at < row->cell_count && (row->cells[at].time != time || row->cells[at].distance != distance))
            at++;
        assert_true(at < row->cell_count && row->cells[at].count > 0);
        row->cells[at].count--;
        left--;
    }
    assert_int_equal(left, 0);
}

static void check_windows(const dj_joint_sharer *row, const uint64_t *keys, size_t count)
{
    size_t level = 0;
    for (size_t length = 2; length <= count; length *= 2, level++) {
        double sum = 0, squares = 0;
        const size_t windows = count / length;
        for (size_t w = 0; w < windows; w++) {
            const double distinct = (double)distinct_in(keys, w * length, (w + 1) * length);
            sum += distinct;
            squares += distinct * distinct;
        }
        const double mean = sum / (double)windows, variance = squares / (double)windows - mean * mean;
        assert_true(level < row->window_count);
        assert_int_equal(row->windows[level].length, length);
        assert_int_equal(row->windows[level].windows, windows);
        assert_true(fabs(row->windows[level].mean - mean) < 1e-9);
        assert_true(fabs(row->windows[level].variance - variance) < 1e-6);
    }
    assert_int_equal(row->window_count, level);
}

static void check_times(const dj_joint_sharer *row, const uint64_t *keys, size_t count)
{
    dj_histogram *time = NULL, *first = NULL, *last = NULL;
    assert_int_equal(dj_histogram_create(context, &time), DJ_OK);
    assert_int_equal(dj_histogram_create(context, &first), DJ_OK);
    assert_int_equal(dj_histogram_create(context, &last), DJ_OK);
    for (size_t i = 0; i < count; i++) {
        size_t before = i, after = i + 1;
        while (before-- > 0 && keys[before] != keys[i])
            ;
        while (after < count && keys[after] != keys[i])
            after++;
        if (before == SIZE_MAX)
            assert_int_equal(dj_histogram_add(first, context, i + 1, 1), DJ_OK);
        else
            assert_int_equal(dj_histogram_add(time, context, i - before, 1), DJ_OK);
        if (after == count)
            assert_int_equal(dj_histogram_add(last, context, count - i, 1), DJ_OK);
    }
    for (uint64_t i = 0; i <= count; i++) {
        assert_int_equal(count_of(row->time, i), count_of(time, i));
        assert_int_equal(count_of(row->first, i), count_of(first, i));
        assert_int_equal(count_of(row->last, i), count_of(last, i));
    }
    dj_histogram_destroy(time);
    dj_histogram_destroy(first);
    dj_histogram_destroy(last);
}

static void check_sample(const dj_joint_sharer *row, const uint64_t *keys, size_t count)
{
    assert_int_equal(row->sample_count, row->distinct); // few keys
    assert_int_equal(row->sample_first_count, row->sample_count);
    for (size_t i = 0; i < count; i++) {
        size_t before = 0, at = 0;
        const uint64_t hash = dj_random_mix(keys[i] + UINT64_C(0x9e3779b97f4a7c15));
        while (keys[before] != keys[i])
            before++;
        while (at < row->sample_count && row->sample[at] != hash)
            at++;
        assert_true(at < row->sample_count);
        assert_int_equal(row->sample_first[at], before + 1);
    }
}

// With few keys the samples are complete.
static void check_estimated_classes(const dj_joint *joint)
{
    uint64_t data[1 << THREADS] = {0};
    const dj_joint_sharer *rows[THREADS];
    dj_sharing_class *classes = NULL;
    size_t count = 0;
    for (uint64_t key = 0; key < KEYS + 30 * THREADS; key++) {
        unsigned sharers = 0;
        for (unsigned t = 0; t < THREADS; t++)
            for (size_t i = 0; i < threads[t].count; i++)
                sharers |= (unsigned)(threads[t].keys[i] == key) << t;
        data[sharers]++;
    }
    for (size_t i = 0; i < THREADS; i++)
        rows[i] = &joint->rows[i];
    assert_int_equal(dj_corun_classes(context, rows, THREADS, &classes, &count), DJ_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(classes[i].blocks, data[classes[i].sharers]);
        data[classes[i].sharers] = 0;
    }
    for (unsigned i = 1; i < 1 << THREADS; i++)
        assert_int_equal(data[i], 0);
    free(classes);
}

// Removes every interval of 1, 2, 4, … accesses from the turns: all must be there, and nothing must remain.
static void check_turns(const dj_joint_sharer *row, const size_t *positions, size_t count)
{
    uint64_t windows = 0, others = 0;
    for (size_t length = 1; length < count; length *= 2) {
        uint64_t sums[64 * 4] = {0}, numbers[64 * 4] = {0};
        for (size_t i = length; i < count; i += length) {
            const uint64_t between = positions[i] - positions[i - length] - length;
            sums[dj_fine_bin(between, 2)] += between;
            numbers[dj_fine_bin(between, 2)]++;
        }
        for (size_t i = 0; i < row->turn_count; i++)
            if (row->turns[i].length == length) {
                const uint64_t bin = dj_fine_bin(row->turns[i].others / row->turns[i].windows, 2);
                assert_int_equal(row->turns[i].others, sums[bin]);
                assert_int_equal(row->turns[i].windows, numbers[bin]);
                numbers[bin] = 0;
            }
        for (size_t bin = 0; bin < 64 * 4; bin++)
            assert_int_equal(numbers[bin], 0);
    }
    for (size_t i = 0; i < row->turn_count; i++) {
        windows += row->turns[i].windows;
        others += row->turns[i].length == 1 ? row->turns[i].others : 0;
    }
    assert_true(windows < 2 * count);
    assert_int_equal(others, positions[count - 1] - positions[0] - (count - 1));
}

static void check_partitioned(const dj_profile *profile)
{
    const dj_joint *joint = dj_lane_joint(&profile->lanes[1]);
    assert_non_null(joint);
    assert_int_equal(joint->count, THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(joint->rows[i].accesses, threads[i].count);
        assert_int_equal(joint->rows[i].distinct, distinct_in(threads[i].keys, 0, threads[i].count));
        check_times(&joint->rows[i], threads[i].keys, threads[i].count);
        check_windows(&joint->rows[i], threads[i].keys, threads[i].count);
        check_turns(&joint->rows[i], threads[i].positions, threads[i].count);
        check_sample(&joint->rows[i], threads[i].keys, threads[i].count);
        check_cells(&joint->rows[i], threads[i].keys, threads[i].count);
    }
    check_estimated_classes(joint);
}

static void test_threads(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        make_trace(seed, seed < 5 ? 40 + 100 * seed : MOST);
        dj_profile *profile = measured(true, 2);
        assert_null(dj_lane_joint(&profile->lanes[0])); // not among the lanes requested
        for (int columns = 0; columns < 2; columns++) {
            dj_profile *again = saved_and_loaded(profile, columns);
            check_partitioned(again);
            dj_profile_destroy(again);
        }
        check_partitioned(profile);
        dj_profile_destroy(profile);
    }
}

// Beyond 2^14 accesses positions share bins, but numbers and sums are exact.
static void test_long(void **state)
{
    (void)state;
    make_trace(9, LONG);
    dj_profile *profile = measured(true, 2);
    const dj_joint_sharer *row = &dj_lane_joint(&profile->lanes[1])->rows[0];
    const uint64_t *keys = threads[0].keys;
    const size_t count = threads[0].count;
    assert_true(count > 1 << 14);
    double first = 0, last = 0, got_first = 0, got_last = 0;
    for (uint64_t key = 0; key < KEYS; key++) {
        size_t from = 0, end = count;
        while (from < count && keys[from] != key)
            from++;
        while (end > 0 && keys[end - 1] != key)
            end--;
        first += from < count ? (double)from + 1 : 0;
        last += from < count ? (double)(count - end + 1) : 0;
    }
    for (uint64_t v = 0, n; (n = dj_histogram_next(row->first, &v)) != 0; v++)
        got_first += (double)(n * v);
    for (uint64_t v = 0, n; (n = dj_histogram_next(row->last, &v)) != 0; v++)
        got_last += (double)(n * v);
    assert_true(fabs(first - got_first) < 0.5);
    assert_true(fabs(last - got_last) < 0.5);
    dj_profile_destroy(profile);
}

static void test_one_sharer(void **state)
{
    (void)state;
    make_trace(3, 500);
    dj_profile *profile = measured(false, 0);
    const dj_joint *joint = dj_lane_joint(&profile->lanes[0]);
    assert_non_null(joint);
    assert_int_equal(joint->count, 1);
    assert_int_equal(joint->rows[0].accesses, 500);
    dj_profile_destroy(profile);
}

// Two ranges of keys, of which a part is common, estimated from samples.
static void test_large_samples(void **state)
{
    (void)state;
    enum { COUNT = 15000 };
    free(trace_text);
    FILE *file = open_memstream(&trace_text, &trace_bytes);
    for (unsigned i = 0; i < COUNT; i++)
        fprintf(file, "%u,1\n%u,2\n", i, i + COUNT * 3 / 5);
    fclose(file);
    dj_profile *profile = measured(true, 2);
    const dj_joint *joint = dj_lane_joint(&profile->lanes[1]);
    const dj_joint_sharer *rows[] = {&joint->rows[0], &joint->rows[1]};
    dj_sharing_class *classes = NULL;
    size_t count = 0;
    assert_int_equal(dj_corun_classes(context, rows, 2, &classes, &count), DJ_OK);
    assert_int_equal(count, 3);
    const double want[] = {COUNT * 0.6, COUNT * 0.6, COUNT * 0.4};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(classes[i].sharers, i + 1);
        assert_true(fabs((double)classes[i].blocks / want[i] - 1) < 0.2); // about 3 standard errors
    }
    free(classes);
    dj_profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_one_sharer),
        cmocka_unit_test(test_large_samples),
    };
    return cmocka_run_group_tests(tests, make_context, clean_up);
}
