// SPDX-License-Identifier: MIT
// Filters and partitions: whatever is left out, filled or kept apart, each lane
// answers as brute force does on the accesses that are left, on every engine,
// however late it answers, folded or not, at several block sizes, on any number
// of observers' threads, and, where they can be joined, from pieces.
#include "contract/scenarios.h"
#include "contract/truth.h"
#include "support/counting_engine.h"
#include <deja/partitions.h>

#include <stdio.h>

enum { SEEDS = 40, THREADS = 5, FILES = 3, PIECES_MOST = SAMPLE_MOST * 60, LANES_MOST = 6 };

// What the samples do not say, from their numbers.
static uint64_t thread_of(uint32_t access)
{
    return 100 + (access * UINT32_C(2654435761) >> 7) % THREADS;
}

static uint64_t file_of(uint32_t access)
{
    return access * FILES / (trace.count + 1);
}

static uint64_t clock_of(uint32_t access)
{
    return access / 3 * UINT64_C(1000000); // a millisecond for three
}

typedef struct reader {
    uint32_t at, end;
    dj_random random;
} reader;

static int add_events(dj_context *where, dj_batch *batch, uint32_t at, uint32_t first)
{
    const dj_event thread = {.index = batch->count, .type = DJ_EVENT_THREAD, .a = thread_of(at), .text = "t"};
    const dj_event file = {.index = batch->count, .type = DJ_EVENT_FILE, .a = file_of(at), .text = ""};
    int err = DJ_OK;
    if (at == first || thread_of(at) != thread_of(at - 1))
        err = dj_batch_add_event(where, batch, &thread);
    if (!err && (at == first || file_of(at) != file_of(at - 1)))
        err = dj_batch_add_event(where, batch, &file);
    return err;
}

static int read_some(void *state, dj_context *where, dj_pool *pool, dj_batch **out)
{
    reader *r = state;
    *out = NULL;
    if (r->at >= r->end)
        return DJ_OK;
    int err = dj_pool_take(where, pool, out);
    if (err)
        return err;
    dj_batch *batch = *out;
    dj_batch_buffers to = dj_batch_writable(batch);
    dj_batch_set_columns(batch, DJ_COLUMN_SIZE | DJ_COLUMN_DEVICE | DJ_COLUMN_SITE | DJ_COLUMN_PLACE |
                                    DJ_COLUMN_KIND | DJ_COLUMN_CLOCK);
    uint32_t most = (uint32_t)(dj_random_next(&r->random) % 60), first = r->at;
    for (; !err && r->at < r->end && batch->count < most; r->at++) {
        const sample_access *a = &trace.accesses[r->at];
        err = add_events(where, batch, r->at, first == 0 ? 0 : UINT32_MAX);
        uint32_t i = batch->count++;
        to.address[i] = a->address;
        to.size[i] = a->size;
        to.device[i] = a->device;
        to.site[i] = a->site;
        to.place[i] = a->place;
        to.kind[i] = a->kind;
        to.clock[i] = clock_of(r->at);
    }
    return err;
}

static void run_some(dj_pipeline *p, uint32_t from, uint32_t to)
{
    static const dj_source_ops ops = {.next = read_some};
    static const dj_source_info info = {.format = "sample", .kind = DJ_CLASS_BLOCK_IO, .default_block = 1};
    reader r = {.at = from, .end = to};
    dj_source *source = NULL;
    dj_random_seed(&r.random, from * 31 + to);
    check(dj_source_create(context, &ops, &r, &info, &source));
    check(dj_pipeline_run(p, context, source));
    dj_source_close(source);
}

// What is asked for; the option structures of the filters begin like these.
typedef struct window_options {
    const char *from, *until;
} window_options;

typedef struct plan {
    int only; // -1: all, 0: reads, 1: writes
    window_options window;
    uint64_t warm_up;
    enum dj_partition partition;
} plan;

typedef struct chosen {
    dj_filter_choice list[3];
    size_t count;
} chosen;

static chosen choose(const plan *want)
{
    chosen c = {.count = 0};
    if (want->only >= 0)
        c.list[c.count++] = (dj_filter_choice){dj_filter_find("only"), &want->only};
    if (want->window.from || want->window.until)
        c.list[c.count++] = (dj_filter_choice){dj_filter_find("window"), &want->window};
    if (want->warm_up)
        c.list[c.count++] = (dj_filter_choice){dj_filter_find("warm-up"), &want->warm_up};
    return c;
}

// One access in one lane, as brute force has it.
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
    const char *ends[] = {want->window.from, want->window.until};
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
    uint8_t kind = trace.accesses[request].kind;
    bool right = want->only < 0 || kind == DJ_KIND_MODIFY ||
                 kind == (want->only == 0 ? DJ_KIND_READ : DJ_KIND_WRITE);
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

// Looks back over what is there, in the same part.
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

// An observer that holds all it is shown against the truth.
typedef struct checker {
    uint32_t seen, wrong, watched;
    uint64_t ids[LANES_MOST];
    const dj_partition_table *parts[LANES_MOST];
} checker;

static checker checked; // of the last pipeline that was finished
static const char *told; // what was wrong first

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
    for (uint32_t i = 0; i < view->batch->count; i++, c->seen++)
        for (uint32_t lane = 0; lane < view->lane_count; lane++) {
            const answer *want = &truth[dj_batch_time(view->batch, i)].lanes[lane];
            const char *wrong = compare_one(view, lane, i, want);
            const uint32_t *part = view->lanes[lane].partition;
            if (!wrong && part && want->verdict != DJ_VERDICT_ABSENT &&
                c->parts[lane]->rows[part[i]].id != want->part)
                wrong = "partition";
            told = wrong ? wrong : told;
            c->wrong += wrong != NULL;
        }
    return DJ_OK;
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
    check(dj_pipeline_create(context, &config, &p));
    return p;
}

// Whether a histogram holds exactly these distances.
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
                 checked.wrong, told);
    compare_profile(profile, times);
    dj_profile_destroy(profile);
    dj_pipeline_destroy(p);
}

// All that can be asked for, by the seed.
static plan plan_of(uint64_t seed, bool partitions)
{
    static char ends[4][2][24];
    dj_random r;
    dj_random_seed(&r, seed * 77 + 5);
    plan p = {.only = (int)(dj_random_next(&r) % 3) - 1};
    char(*text)[24] = ends[seed % 4];
    uint64_t from = dj_random_next(&r) % (trace.count + 1), length = 1 + dj_random_next(&r) % 400;
    uint64_t how = dj_random_next(&r) % 5;
    bool timed = dj_random_next(&r) % 2;
    snprintf(text[0], sizeof text[0], timed ? "%llums" : "%llu", (unsigned long long)from / (timed ? 3 : 1));
    snprintf(text[1], sizeof text[1], timed ? "%llums" : "%llu",
             (unsigned long long)(from / (timed ? 3 : 1) + length));
    p.window.from = how == 1 || how == 3 ? text[0] : NULL;
    p.window.until = how == 2 || how == 3 ? text[1] : NULL;
    p.warm_up = dj_random_next(&r) % 2 ? dj_random_next(&r) % 300 : 0;
    if (partitions)
        p.partition = (enum dj_partition)(dj_random_next(&r) % 4);
    return p;
}

static bool fits(const dj_engine_ops *engine, const plan *plans, size_t groups)
{
    for (size_t g = 0; g < groups; g++)
        if (plans[g].partition != DJ_PARTITION_NONE && engine->for_long)
            return false;
    return (engine->can & DJ_CAN_EXACT) != 0;
}

// With as much as the engine can tell.
static bool choose_needs(const dj_engine_ops *engine, uint64_t seed)
{
    checking.needs = DJ_NEED_PER_ACCESS;
    if (engine->can & DJ_CAN_TAGS)
        checking.needs |= DJ_NEED_TAGS | DJ_NEED_FINER;
    if (engine->can & DJ_CAN_WEIGHTS && seed % 2)
        checking.needs |= DJ_NEED_WEIGHTS;
    // Without times some engines answer several block sizes at once.
    return engine->can & DJ_CAN_TIMES && seed % 3;
}

static void test_every_engine(void **state)
{
    (void)state;
    static const char *const with_times[] = {"histogram", "partitions", "time", NULL};
    static const char *const without[] = {"histogram", "partitions", NULL};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sample_make(&trace, seed);
        const scenario *s = &scenarios[seed % SCENARIOS];
        const size_t groups = 1 + seed % 2;
        const plan plans[2] = {plan_of(seed, true), plan_of(seed + 1000, true)};
        make_truth(s, plans, groups);
        for (size_t i = 0; i < engine_count(); i++) {
            const dj_engine_ops *engine = engine_get(i);
            if (!fits(engine, plans, groups))
                continue;
            bool times = choose_needs(engine, seed + i);
            observer_threads = (unsigned)(seed + i) % 4;
            dj_pipeline *p = make(s, plans, groups, engine, times ? with_times : without, false);
            run_some(p, 0, trace.count);
            finish_and_compare(p, engine->name, seed, times);
        }
    }
    observer_threads = 0;
}

// Several sources one after the other, and a profile between them.
static void test_goes_on(void **state)
{
    (void)state;
    static const char *const observers[] = {"histogram", "partitions", "time", NULL};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sample_make(&trace, seed + 300);
        const scenario *s = &scenarios[seed % SCENARIOS];
        const plan one = plan_of(seed + 300, true);
        dj_profile *between = NULL;
        make_truth(s, &one, 1);
        choose_needs(dj_engine_find("fast"), seed);
        dj_pipeline *p = make(s, &one, 1, dj_engine_find("fast"), observers, false);
        run_some(p, 0, trace.count / 2);
        check(dj_pipeline_finish(p, context, &between));
        dj_profile_destroy(between);
        run_some(p, trace.count / 2, trace.count);
        finish_and_compare(p, "fast", seed, true);
    }
}

static void test_joined_anywhere(void **state)
{
    (void)state;
    static const char *const observers[] = {"histogram", "time", NULL};
    for (uint64_t seed = 0; seed < 2 * SEEDS; seed++) {
        sample_make(&trace, seed + 600);
        const scenario *s = &scenarios[seed % SCENARIOS];
        const plan plans[2] = {{.only = (int)(seed % 2)}, {.only = (int)(seed / 2 % 3) - 1}};
        const size_t groups = 1 + seed % 2;
        make_truth(s, plans, groups);
        for (size_t i = 0; i < engine_count(); i++) {
            const dj_engine_ops *engine = engine_get(i);
            if (~engine->can & (DJ_CAN_EXACT | DJ_CAN_SUMMARY | DJ_CAN_TIMES))
                continue;
            choose_needs(engine, seed);
            dj_pipeline *parts[3];
            uint32_t cuts[4] = {0, (uint32_t)(seed * 7 % (trace.count + 1)), 0, trace.count};
            cuts[2] = cuts[1] + (trace.count - cuts[1]) / 3;
            for (int k = 0; k < 3; k++) {
                parts[k] = make(s, plans, groups, engine, observers, true);
                run_some(parts[k], cuts[k], cuts[k + 1]);
            }
            // Either neighbours first; the truth is by position, which the joined pieces have.
            int first = seed % 2 ? 0 : 1;
            check(dj_pipeline_join(parts[first], context, parts[first + 1]));
            check(dj_pipeline_join(parts[0], context, parts[first ? 1 : 2]));
            dj_pipeline_destroy(parts[1]);
            dj_pipeline_destroy(parts[2]);
            dj_profile *profile = NULL;
            check(dj_pipeline_finish(parts[0], context, &profile));
            compare_profile(profile, true);
            dj_profile_destroy(profile);
            dj_pipeline_destroy(parts[0]);
        }
    }
}

// By way of files.
static void test_summaries(void **state)
{
    (void)state;
    const dj_observer_choice choices[] = {{.ops = dj_observer_find("histogram")},
                                          {.ops = dj_observer_find("time")},
                                          {.ops = dj_observer_find("strides")},
                                          {.ops = dj_observer_find("keys")}};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sample_make(&trace, seed + 900);
        const scenario *s = &scenarios[seed % SCENARIOS];
        const plan want = {.only = (int)(seed % 2)};
        const chosen filters = choose(&want);
        const dj_lane_group group = {.blocks = s->blocks,
                                     .block_count = s->block_count,
                                     .filters = filters.list,
                                     .filter_count = filters.count};
        dj_pipeline_config config = {.groups = &group,
                                     .group_count = 1,
                                     .split = s->split,
                                     .observers = choices,
                                     .observer_count = 4};
        dj_pipeline *whole = NULL, *parts[2];
        make_truth(s, &want, 1);
        check(dj_pipeline_create(context, &config, &whole));
        run_some(whole, 0, trace.count);
        config.summarize = true;
        for (uint32_t k = 0; k < 2; k++) {
            check(dj_pipeline_create(context, &config, &parts[k]));
            run_some(parts[k], k * (trace.count / 2), k ? trace.count : trace.count / 2);
            parts[k] = through_file(parts[k]);
        }
        check(dj_pipeline_join(parts[0], context, parts[1]));
        dj_pipeline_destroy(parts[1]);
        parts[0] = through_file(parts[0]);
        dj_profile *a = NULL, *b = NULL;
        check(dj_pipeline_finish(whole, context, &a));
        check(dj_pipeline_finish(parts[0], context, &b));
        compare_profile(a, true);
        compare_profile(b, true);
        for (size_t i = 0; i < a->lane_count; i++) {
            const dj_stride_profile *x = dj_lane_strides(&a->lanes[i]), *y = dj_lane_strides(&b->lanes[i]);
            assert_int_equal(x->pairs, y->pairs);
            assert_int_equal(x->within, y->within);
            assert_int_equal(dj_lane_keys(&a->lanes[i])->single_use, dj_lane_keys(&b->lanes[i])->single_use);
            assert_string_equal(dj_lane_filter(&a->lanes[i]), dj_lane_filter(&b->lanes[i]));
        }
        dj_profile_destroy(a);
        dj_profile_destroy(b);
        dj_pipeline_destroy(whole);
        dj_pipeline_destroy(parts[0]);
    }
}

// An engine that counts by itself: what it had counted before is taken off.
static void test_totals(void **state)
{
    (void)state;
    const dj_observer_choice histogram = {.ops = dj_observer_find("histogram")};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sample_make(&trace, seed + 1200);
        const scenario *s = &scenarios[seed % SCENARIOS];
        plan want = plan_of(seed + 1200, false);
        want.warm_up = seed % 5 ? seed * 13 : 0;
        const chosen filters = choose(&want);
        const dj_lane_group group = {.blocks = s->blocks,
                                     .block_count = s->block_count,
                                     .filters = filters.list,
                                     .filter_count = filters.count};
        const dj_pipeline_config config = {.engine = counting_engine(seed % 2, 0),
                                           .groups = &group,
                                           .group_count = 1,
                                           .split = s->split,
                                           .observers = &histogram,
                                           .observer_count = 1};
        dj_pipeline *p = NULL;
        dj_profile *profile = NULL;
        make_truth(s, &want, 1);
        check(dj_pipeline_create(context, &config, &p));
        run_some(p, 0, trace.count / 3);
        check(dj_pipeline_finish(p, context, &profile));
        dj_profile_destroy(profile);
        run_some(p, trace.count / 3, trace.count);
        check(dj_pipeline_finish(p, context, &profile));
        compare_profile(profile, false);
        dj_profile_destroy(profile);
        dj_pipeline_destroy(p);
    }
}

static int judge_nothing(void *state, dj_context *where, const dj_batch *batch, uint8_t *verdicts)
{
    (void)state, (void)where, (void)batch, (void)verdicts;
    return DJ_OK;
}

static void describe_nothing(const void *options, char *text, size_t room)
{
    (void)options;
    snprintf(text, room, "none");
}

static int create_nothing(dj_context *where, const void *options, void **state)
{
    (void)where, (void)options;
    *state = NULL;
    return DJ_OK;
}

static void refuse(const dj_pipeline_config *config, const char *why)
{
    dj_pipeline *p = NULL;
    assert_int_equal(dj_pipeline_create(context, config, &p), DJ_ERR_UNSUPPORTED);
    if (!strstr(dj_context_message(context), why))
        fail_msg("%s", dj_context_message(context));
}

static void test_refused(void **state)
{
    (void)state;
    const uint64_t block = 1;
    dj_filter_ops ops = {.name = "deletes",
                         .summary = "deletes",
                         .verdicts = 1u << DJ_VERDICT_INVALIDATE,
                         .describe = describe_nothing,
                         .create = create_nothing,
                         .destroy = free,
                         .judge = judge_nothing};
    const dj_filter_choice filter = {.ops = &ops};
    dj_lane_group group = {.blocks = &block, .block_count = 1, .filters = &filter, .filter_count = 1};
    dj_pipeline_config config = {.groups = &group, .group_count = 1};
    refuse(&config, "filter deletes takes elements out of the stack, which engine 'fast' cannot do");
    ops.verdicts = 1u << DJ_VERDICT_FILL;
    config.summarize = true;
    refuse(&config, "cannot be joined from pieces");
    ops.verdicts = 1u << DJ_VERDICT_ABSENT;
    ops.by_position = true;
    refuse(&config, "filter deletes (deletes) needs the whole trace");
    group = (dj_lane_group){.blocks = &block, .block_count = 1, .partition = DJ_PARTITION_DEVICE};
    refuse(&config, "cannot be joined from pieces");
    config.summarize = false;
    config.engine = dj_engine_find("parallel");
    refuse(&config, "one for each device");
    config.engine = NULL;
    static const char *const alone[] = {"simulate", "key-lists"};
    for (size_t i = 0; i < 2; i++) {
        const dj_observer_choice observer = {.ops = dj_observer_find(alone[i])};
        config.observers = &observer;
        config.observer_count = 1;
        refuse(&config, "not for a stack of each device");
    }
}

static int make_room(void **state)
{
    truth = calloc(PIECES_MOST, sizeof *truth);
    return truth ? make_context(state) : 1;
}

static int drop_room(void **state)
{
    free(truth);
    return drop_context(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_engine),    cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_joined_anywhere), cmocka_unit_test(test_summaries),
        cmocka_unit_test(test_totals),          cmocka_unit_test(test_refused),
    };
    return engines_are_here() ? cmocka_run_group_tests(tests, make_room, drop_room) : 77;
}
