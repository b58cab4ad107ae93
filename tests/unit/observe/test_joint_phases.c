// SPDX-License-Identifier: MIT
// The phases that observer `joint` finds, against brute force; phases of profiles that do not add up.
#include "unit/observe/joint_trace.h"

// Distinct keys among those in keys[from … end - 1], below KEYS.
static uint64_t few_in(const uint32_t *keys, size_t from, size_t end)
{
    bool seen[KEYS] = {false};
    uint64_t distinct = 0;
    for (size_t i = from; i < end; i++) {
        distinct += !seen[keys[i]];
        seen[keys[i]] = true;
    }
    return distinct;
}

// Each cell of a kind has the reuses in phases of that kind, and the windows of a kind lie in them.
static void check_phases(const dj_joint_sharer *row, const uint32_t *keys, size_t count, size_t length)
{
    size_t last[KEYS], windows = 0;
    uint64_t left = 0, cold[DJ_JOINT_PHASES] = {0};
    memset(last, -1, sizeof last);
    for (size_t i = 0; i < row->cell_count; i++)
        left += row->cells[i].count;
    for (size_t i = 0; i < count; i++) {
        const size_t before = last[keys[i]], phase = i / length;
        last[keys[i]] = i;
        cold[phase] += before == SIZE_MAX;
        if (before == SIZE_MAX)
            continue;
        const uint64_t time = dj_fine_bin_low(dj_fine_bin(i - before, 5), 5);
        const uint64_t distance = few_in(keys, before + 1, i);
        size_t at = 0;
        while (at < row->cell_count && (row->cells[at].kind != row->phases[phase].kind ||
                                        row->cells[at].time != time || row->cells[at].distance != distance))
            at++;
        assert_true(at < row->cell_count && row->cells[at].count-- > 0);
        left--;
    }
    assert_int_equal(left, 0);
    for (size_t i = 0; i < row->phase_count; i++)
        assert_int_equal(row->phases[i].cold, cold[i]);
    for (uint64_t kind = 0; kind < 2; kind++)
        for (size_t size = 2; size <= length; size *= 2) {
            double sum = 0, squares = 0, n = 0;
            for (size_t from = 0; from + size <= count; from += size)
                if (row->phases[from / length].kind == kind) {
                    const double distinct = (double)few_in(keys, from, from + size);
                    sum += distinct;
                    squares += distinct * distinct;
                    n++;
                }
            const dj_joint_window *w = &row->kind_windows[windows++];
            assert_true(w->kind == kind && w->length == size && (double)w->windows == n);
            assert_true(fabs(w->mean - sum / n) < 1e-9);
            assert_true(fabs(w->variance - (squares / n - sum / n * (sum / n))) < 1e-6);
        }
    assert_int_equal(row->kind_window_count, windows);
}

// Phases with many keys and with few. Longer traces have longer phases.
static void test_phases(void **state)
{
    (void)state;
    static const size_t counts[] = {40000, 300000}, lengths[] = {4096, 16384};
    for (size_t n = 0; n < 2; n++) {
        uint32_t *keys = malloc(counts[n] * sizeof *keys);
        dj_random random;
        dj_random_seed(&random, n);
        free(trace_text);
        FILE *file = open_memstream(&trace_text, &trace_bytes);
        for (size_t i = 0; i < counts[n]; i++) {
            keys[i] = (uint32_t)dj_random_below(&random, i / (2 * lengths[n]) % 2 ? 5 : KEYS);
            fprintf(file, "%u,0\n", keys[i]);
        }
        fclose(file);
        dj_profile *first = measured(false, 0), *profile = saved_and_loaded(first, n == 0);
        const dj_joint_sharer *row = &dj_lane_joint(&profile->lanes[0])->rows[0];
        assert_int_equal(row->phase_length, lengths[n]);
        assert_int_equal(row->phase_count, (counts[n] + lengths[n] - 1) / lengths[n]);
        for (size_t i = 0; i < row->phase_count; i++)
            assert_int_equal(row->phases[i].kind, i / 2 % 2);
        check_phases(row, keys, counts[n], lengths[n]);
        dj_profile_destroy(first);
        dj_profile_destroy(profile);
        free(keys);
    }
}

static void refuse_profile(dj_profile *profile)
{
    char *data = NULL;
    size_t bytes = 0;
    dj_profile *again = NULL;
    FILE *file = open_memstream(&data, &bytes);
    assert_int_equal(dj_profile_save(context, profile, DJ_BINS_LOG2, 0, file), DJ_OK);
    fclose(file);
    file = fmemopen(data, bytes, "r");
    assert_int_equal(dj_profile_load(context, file, "joint", &again), DJ_ERR_INPUT);
    assert_non_null(strstr(dj_context_message(context), "do not add up"));
    fclose(file);
    free(data);
}

// Phases that do not cover the trace, have unknown kinds or too many first accesses.
static void test_bad_phases(void **state)
{
    (void)state;
    make_trace(1, 500);
    dj_profile *profile = measured(false, 0);
    dj_joint_sharer *row = dj_lane_joint(&profile->lanes[0])->rows;
    const dj_joint_sharer good = *row;
    const dj_joint_phase phase = row->phases[0];
    assert_true(row->phase_count == 1 && row->cells[0].kind == 0);
    row->phase_length = 256;
    refuse_profile(profile);
    row->phase_length = 0;
    refuse_profile(profile);
    *row = good;
    row->phases[0].kind = 1;
    refuse_profile(profile);
    row->phases[0] = phase;
    row->phases[0].cold++;
    refuse_profile(profile);
    row->phases[0] = phase;
    row->cells[row->cell_count - 1].kind = 1;
    refuse_profile(profile);
    row->cells[row->cell_count - 1].kind = 0;
    row->phase_count = 0;
    refuse_profile(profile);
    *row = good;
    dj_profile_destroy(saved_and_loaded(profile, false));
    dj_profile_destroy(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_bad_phases),
    };
    return cmocka_run_group_tests(tests, make_context, clean_up);
}
