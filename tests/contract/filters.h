// SPDX-License-Identifier: MIT
// The effect of filters and partitions on a sample trace, by brute force, and an observer that compares
// a pipeline with it.
#ifndef TESTS_CONTRACT_FILTERS_H
#define TESTS_CONTRACT_FILTERS_H

#include "contract/parted_trace.h"
#include "contract/truth.h"
#include <deja/partitions.h>

// One access in one lane, by brute force.
typedef struct answer {
    uint64_t distance, filled, prev_time, byte_distance, time;
    uint32_t prev_tag;
    uint8_t verdict;
    uint64_t part; // id
} answer;

typedef struct piece {
    sample_access access;
    uint32_t request;
    answer lanes[LANES_MOST];
} piece;

static piece *truth;
static uint32_t truth_count;

static void split(uint64_t block, bool split_them)
{
    sample_truth cut;
    sample_split(&trace, block, split_them, &cut);
    truth_count = cut.count;
    memset(truth, 0, (cut.count + 1) * sizeof *truth);
    for (uint32_t i = 0; i < cut.count; i++) {
        truth[i].access = cut.pieces[i].access;
        truth[i].request = cut.pieces[i].request;
    }
    free(cut.pieces);
}

static bool in_window(const plan *want, uint32_t request)
{
    const char *ends[] = {want->window.from, want->window.limit ? want->window.limit : want->window.until};
    bool inside[2];
    for (int k = 0; k < 2; k++) {
        bool timed = ends[k] && strstr(ends[k], "ms");
        uint64_t point = ends[k] ? strtoull(ends[k], NULL, 10) : 0;
        inside[k] = ends[k] && (timed ? clock_of(request) >= point * 1000000 : request >= point);
    }
    return (!ends[0] || inside[0]) && !inside[1];
}

static bool is_wanted(const plan *want, uint32_t request)
{
    const sample_access *a = &trace.accesses[request];
    bool right = want->only < 0 || a->kind == DJ_KIND_MODIFY ||
                 a->kind == (want->only == 0 ? DJ_KIND_READ : DJ_KIND_WRITE);
    if (want->sparse)
        right = right && is_rare(a->site, a->place, a->device, want->sparse);
    return right && in_window(want, request);
}

static uint64_t part_of(const plan *want, uint32_t request)
{
    switch (want->partition) {
    case DJ_PARTITION_THREAD:
        return thread_of(request);
    case DJ_PARTITION_DEVICE:
        return trace.accesses[request].device;
    case DJ_PARTITION_FILE:
        return file_of(request);
    default:
        return 0;
    }
}

static void judge(const plan *want, uint32_t lane)
{
    uint64_t wanted = 0;
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < truth_count; i++) {
        answer *a = &truth[i].lanes[lane];
        a->part = part_of(want, truth[i].request);
        a->verdict = DJ_VERDICT_ABSENT;
        if (!is_wanted(want, truth[i].request))
            continue;
        wanted += truth[i].request != last;
        last = truth[i].request;
        a->verdict = wanted <= want->warm_up ? DJ_VERDICT_FILL : DJ_VERDICT_COUNT;
    }
}

static bool is_there(uint32_t i, uint32_t lane, uint64_t part)
{
    return truth[i].lanes[lane].verdict != DJ_VERDICT_ABSENT && truth[i].lanes[lane].part == part;
}

// Searches the earlier accesses that are present, in the same partition.
static void answer_one(uint32_t i, uint32_t lane, uint64_t block, uint64_t finer, bool places)
{
    piece *p = &truth[i];
    answer *a = &p->lanes[lane];
    uint64_t distinct = 0, bytes = 0;
    uint32_t j = i;
    bool found = false;
    for (uint32_t k = 0; k < i; k++)
        a->time += is_there(k, lane, a->part);
    while (j-- > 0) {
        const piece *q = &truth[j];
        if (!is_there(j, lane, a->part))
            continue;
        if (sample_same_block(&p->access, &q->access, block)) {
            found = true;
            break;
        }
        bool later = false;
        for (uint32_t k = j + 1; k < i && !later; k++)
            later = is_there(k, lane, a->part) && sample_same_block(&q->access, &truth[k].access, block);
        distinct += !later;
        bytes += later ? 0 : q->access.size;
    }
    a->filled = found ? distinct : DJ_COLD;
    a->distance = a->verdict == DJ_VERDICT_COUNT ? a->filled : DJ_ABSENT;
    a->byte_distance = bytes;
    a->prev_time = found ? truth[j].lanes[lane].time : DJ_COLD;
    a->prev_tag = found ? sample_tag(&truth[j].access, finer, places) : 0;
}

static void make_truth(const scenario *s, const plan *plans, size_t groups)
{
    split(s->blocks[0], s->split);
    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t k = 0; k < s->block_count; k++) {
            uint32_t lane = g * (uint32_t)s->block_count + k;
            judge(&plans[g], lane);
            for (uint32_t i = 0; i < truth_count; i++)
                if (truth[i].lanes[lane].verdict != DJ_VERDICT_ABSENT)
                    answer_one(i, lane, s->blocks[k], k ? s->blocks[k - 1] : 0, s->tag == DJ_TAG_PLACE);
                else
                    truth[i].lanes[lane].distance = DJ_ABSENT;
        }
}

// An observer that compares everything it is shown with the truth.
typedef struct checker {
    uint32_t seen, wrong, watched;
    uint64_t ids[LANES_MOST];
    const dj_partition_table *parts[LANES_MOST];
} checker;

static checker checked;      // of the last pipeline that was finished
static uint8_t *shown;       // how often each position was
static bool demanding;       // needs some accesses that no lane sees
static const char *reported; // the first thing that was wrong

static int checker_create(dj_context *where, const dj_setup *setup, void **state)
{
    checker *c = calloc(1, sizeof *c);
    if (!c)
        return dj_fail_memory(where, "a test", 0);
    for (uint32_t i = 0; i < setup->lane_count; i++)
        c->parts[i] = setup->partitions[i];
    *state = c;
    return DJ_OK;
}

static const char *compare_one(const dj_view *view, uint32_t lane, uint32_t i, const answer *want)
{
    const dj_lane_view *got = &view->lanes[lane];
    uint8_t verdict = got->verdict ? got->verdict[i] : DJ_VERDICT_COUNT;
    if (verdict != want->verdict)
        return "verdict";
    if (got->distance[i] != want->distance)
        return "distance";
    if (verdict == DJ_VERDICT_FILL && got->filled[i] != want->filled)
        return "distance of a fill";
    if (verdict == DJ_VERDICT_ABSENT)
        return NULL;
    if (got->time && got->time[i] != want->time)
        return "time";
    if (got->prev_time && want->filled != DJ_COLD && got->prev_time[i] != want->prev_time)
        return "previous time";
    if (got->prev_time && dj_lane_view_time(view, lane, i) != want->time)
        return "time of the lane";
    if (got->prev_tag && want->filled != DJ_COLD && got->prev_tag[i] != want->prev_tag)
        return "previous tag";
    if (got->byte_distance && want->filled != DJ_COLD && got->byte_distance[i] != want->byte_distance)
        return "byte distance";
    return NULL;
}

static int checker_see(void *state, dj_context *where, const dj_view *view)
{
    (void)where;
    checker *c = state;
    for (uint32_t i = 0; i < view->batch->count; i++, c->seen++) {
        shown[dj_batch_time(view->batch, i)]++;
        for (uint32_t lane = 0; lane < view->lane_count; lane++) {
            const answer *want = &truth[dj_batch_time(view->batch, i)].lanes[lane];
            const char *wrong = compare_one(view, lane, i, want);
            const uint32_t *part = view->lanes[lane].partition;
            if (!wrong && part && want->verdict != DJ_VERDICT_ABSENT &&
                c->parts[lane]->rows[part[i]].id != want->part)
                wrong = "partition";
            reported = wrong ? wrong : reported;
            c->wrong += wrong != NULL;
        }
    }
    return DJ_OK;
}

static bool is_demanded(uint64_t position)
{
    return demanding && position / 100 % 2;
}

static bool checker_needs_all(void *state, const dj_batch *batch)
{
    bool any = false;
    for (uint32_t i = 0; i < batch->count; i++)
        any = any || is_demanded(dj_batch_time(batch, i));
    return state && any;
}

// Every access that a lane sees was shown once, and so were those that were demanded.
static void check_shown(uint64_t accesses)
{
    for (uint32_t i = 0; i < truth_count; i++) {
        bool there = i < accesses && is_demanded(i);
        for (uint32_t lane = 0; lane < LANES_MOST; lane++)
            there = there || truth[i].lanes[lane].verdict != DJ_VERDICT_ABSENT;
        assert_true(shown[i] <= 1 && shown[i] >= there);
    }
}

static int checker_merge(void *state, dj_context *where, const void *other, uint64_t position)
{
    (void)where, (void)position;
    ((checker *)state)->seen += ((const checker *)other)->seen;
    ((checker *)state)->wrong += ((const checker *)other)->wrong;
    return DJ_OK;
}

static int checker_finish(void *state, dj_context *where, dj_profile *profile)
{
    (void)where, (void)profile;
    checked = *(checker *)state;
    return DJ_OK;
}

static dj_observer_ops checking = {.name = "checking",
                                   .create = checker_create,
                                   .destroy = free,
                                   .see = checker_see,
                                   .needs_all = checker_needs_all,
                                   .merge = checker_merge,
                                   .finish = checker_finish};

static dj_pipeline *make(const scenario *s, const plan *plans, size_t groups, const dj_engine_ops *engine,
                         const char *const *observers, bool summarize)
{
    dj_observer_choice choices[8] = {{.ops = &checking}};
    size_t count = 1;
    for (; *observers; observers++)
        choices[count++].ops = dj_observer_find(*observers);
    chosen filters[2];
    dj_lane_group made[2];
    for (size_t g = 0; g < groups; g++) {
        filters[g] = choose(&plans[g]);
        made[g] = (dj_lane_group){.blocks = s->blocks,
                                  .block_count = s->block_count,
                                  .filters = filters[g].list,
                                  .filter_count = filters[g].count,
                                  .partition = plans[g].partition};
    }
    const dj_pipeline_config config = {.engine = engine,
                                       .groups = made,
                                       .group_count = groups,
                                       .split = s->split,
                                       .tag = s->tag,
                                       .observers = choices,
                                       .observer_count = count,
                                       .observer_threads = observer_threads,
                                       .summarize = summarize};
    dj_pipeline *p = NULL;
    memset(shown, 0, PIECES_MOST);
    check(dj_pipeline_create(context, &config, &p));
    return p;
}

// Whether a histogram contains exactly these distances.
static void compare_histogram(const dj_histogram *got, uint32_t lane, bool parted, uint64_t part,
                              bool (*use)(const answer *), uint64_t (*value)(const answer *))
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < truth_count; i++) {
        const answer *a = &truth[i].lanes[lane];
        if (!use(a) || (parted && a->part != part))
            continue;
        uint64_t same = 0, v = value(a);
        total++;
        for (uint32_t j = 0; j < truth_count; j++) {
            const answer *b = &truth[j].lanes[lane];
            same += use(b) && (!parted || b->part == part) && value(b) == v;
        }
        assert_int_equal(dj_histogram_sum(got, v, v + 1), same);
    }
    assert_int_equal(dj_histogram_moments(got).count, total);
}

static bool is_reuse(const answer *a)
{
    return a->verdict == DJ_VERDICT_COUNT && a->distance != DJ_COLD;
}

static uint64_t distance_of(const answer *a)
{
    return a->distance;
}

static uint64_t passed_of(const answer *a)
{
    return a->time - a->prev_time;
}

typedef struct sums {
    uint64_t accesses, cold, distinct;
} sums;

static sums sum_up(uint32_t lane, bool parted, uint64_t part)
{
    sums s = {0};
    for (uint32_t i = 0; i < truth_count; i++) {
        const answer *a = &truth[i].lanes[lane];
        bool there = a->verdict != DJ_VERDICT_ABSENT && (!parted || a->part == part);
        s.accesses += there && a->verdict == DJ_VERDICT_COUNT;
        s.cold += there && a->distance == DJ_COLD;
        s.distinct += there && a->filled == DJ_COLD;
    }
    return s;
}

static void compare_parts(const dj_lane_profile *lane, uint32_t number)
{
    const dj_partitions *parts = dj_lane_partitions(lane);
    uint64_t accesses = 0;
    for (size_t k = 0; k < parts->count; k++) {
        const dj_partition_profile *row = &parts->rows[k];
        sums want = sum_up(number, true, row->id);
        assert_int_equal(row->lane.accesses, want.accesses);
        assert_int_equal(row->lane.cold, want.cold);
        assert_int_equal(row->lane.distinct, want.distinct);
        compare_histogram(row->lane.distance, number, true, row->id, is_reuse, distance_of);
        accesses += want.accesses;
        for (size_t j = 0; j < k; j++)
            assert_int_not_equal(parts->rows[j].id, row->id);
    }
    assert_int_equal(accesses, lane->accesses);
}

static void compare_profile(const dj_profile *profile, bool times)
{
    for (uint32_t i = 0; i < profile->lane_count; i++) {
        const dj_lane_profile *lane = &profile->lanes[i];
        sums want = sum_up(i, false, 0);
        assert_int_equal(lane->accesses, want.accesses);
        assert_int_equal(lane->cold, want.cold);
        assert_int_equal(lane->distinct, want.distinct);
        compare_histogram(lane->distance, i, false, 0, is_reuse, distance_of);
        if (times)
            compare_histogram(dj_lane_time(lane), i, false, 0, is_reuse, passed_of);
        if (dj_lane_partitions(lane))
            compare_parts(lane, i);
    }
}

static void finish_and_compare(dj_pipeline *p, const char *engine, uint64_t seed, bool times)
{
    dj_profile *profile = NULL;
    check(dj_pipeline_finish(p, context, &profile));
    if (checked.wrong)
        fail_msg("engine %s, seed %llu: %u answers differ, as a %s", engine, (unsigned long long)seed,
                 checked.wrong, reported);
    check_shown(profile->accesses);
    compare_profile(profile, times);
    dj_profile_destroy(profile);
    dj_pipeline_destroy(p);
}

#endif
