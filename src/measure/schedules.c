// SPDX-License-Identifier: MIT
#include "measure/schedules.h"

#include <deja/corun.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

// The values of all schedules: those of one row together.
typedef struct values {
    const dj_sharing_request *request;
    size_t sharers; // the row after them is for all together
    size_t rows;    // of misses: sharers + 1 for each cache
    size_t most, count;
    uint64_t *misses;
    double *distances;
    uint64_t accesses, chosen; // of all schedules, and those made while another thread could have run
} values;

static int create(dj_context *context, const dj_sharing_request *request, size_t sharers, values *v)
{
    *v = (values){.request = request,
                  .sharers = sharers,
                  .rows = (sharers + 1) * request->cache_count,
                  .most = request->schedules ? request->schedules : 1};
    v->misses = calloc(v->rows * v->most + 1, sizeof *v->misses);
    v->distances = calloc((sharers + 1) * v->most, sizeof *v->distances);
    return v->misses && v->distances ? DJ_OK : dj_fail_memory(context, "the schedules", 0);
}

static void destroy(values *v)
{
    free(v->misses);
    free(v->distances);
}

static void note_choices(const dj_source *source, values *v)
{
    size_t count;
    const dj_sharer *sharers = dj_source_sharers(source, &count);
    for (size_t i = 0; i < count; i++) {
        v->accesses += sharers[i].accesses;
        v->chosen += sharers[i].chosen;
    }
}

// Adds the values of one schedule.
static int note(dj_context *context, const dj_profile *profile, const dj_source *source, values *v)
{
    const dj_sharing *s = dj_profile_sharing(profile);
    const uint64_t block = profile->lanes[0].id.block_bytes;
    int err = DJ_OK;
    for (size_t c = 0, row = 0; c < v->request->cache_count; c++, row++) {
        const dj_shared_cache *cache = &v->request->caches[c];
        uint64_t all = 0, misses = 0;
        for (size_t i = 0; !err && i < v->sharers; i++, row++) {
            err = dj_sharer_misses(context, dj_sharer_in_cache(s, i, cache->sharers), cache->bytes / block,
                                   &misses);
            v->misses[row * v->most + v->count] = misses;
            all += misses;
        }
        if (err)
            return err;
        v->misses[row * v->most + v->count] = all;
    }
    double sum = 0, reuses = 0;
    for (size_t i = 0; i < v->sharers; i++) {
        dj_moments moments = dj_lane_moments(&s->sharers[i].concurrent.lane);
        v->distances[i * v->most + v->count] = moments.mean;
        sum += moments.mean * (double)moments.count;
        reuses += (double)moments.count;
    }
    v->distances[v->sharers * v->most + v->count] = reuses > 0 ? sum / reuses : 0;
    note_choices(source, v);
    v->count++;
    return DJ_OK;
}

static int compare_counts(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int compare_means(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static dj_count_range range_of_misses(const values *v, size_t row)
{
    uint64_t *of = v->misses + row * v->most;
    qsort(of, v->count, sizeof *of, compare_counts);
    return (dj_count_range){of[0], of[(v->count - 1) / 2], of[v->count - 1]};
}

static dj_mean_range range_of_distances(const values *v, size_t row)
{
    double *of = v->distances + row * v->most;
    qsort(of, v->count, sizeof *of, compare_means);
    return (dj_mean_range){of[0], of[(v->count - 1) / 2], of[v->count - 1]};
}

static int add_cache(dj_context *context, const values *v, size_t number, dj_schedules *to)
{
    dj_schedule_misses *m = &to->caches[to->cache_count++];
    size_t first = number * (v->sharers + 1);
    m->sharers = calloc(v->sharers + 1, sizeof *m->sharers);
    if (!m->sharers)
        return dj_fail_memory(context, "the schedules", 0);
    for (; m->count < v->sharers; m->count++)
        m->sharers[m->count] = range_of_misses(v, first + m->count);
    m->all = range_of_misses(v, first + v->sharers);
    return dj_copy_text(context, v->request->caches[number].name, &m->cache);
}

// Sorts the values.
static int summarize(dj_context *context, const values *v, const dj_stored_threads *threads, dj_sharing *to)
{
    const dj_interleave_options *how = &v->request->interleave;
    dj_schedules *s = to->schedules = calloc(1, sizeof *s);
    if (!s)
        return dj_fail_memory(context, "the schedules", sizeof *s);
    s->count = v->count;
    s->quantum = how->quantum ? how->quantum : DJ_QUANTUM_DEFAULT;
    s->seed = how->seed;
    s->waits = dj_stored_threads_waits(threads);
    s->forced = v->accesses > 0 ? (double)(v->accesses - v->chosen) / (double)v->accesses : 0;
    s->caches = calloc(v->request->cache_count + 1, sizeof *s->caches);
    s->distances = calloc(v->sharers + 1, sizeof *s->distances);
    int err = s->caches && s->distances ? DJ_OK : dj_fail_memory(context, "the schedules", 0);
    for (size_t c = 0; !err && c < v->request->cache_count; c++)
        err = add_cache(context, v, c, s);
    for (; !err && s->distance_count < v->sharers; s->distance_count++)
        s->distances[s->distance_count] = range_of_distances(v, s->distance_count);
    if (!err)
        s->distance = range_of_distances(v, v->sharers);
    return err;
}

// Measures only what varies.
static int measure_one(dj_context *context, const dj_measurement *m, dj_stored_threads *threads, values *v)
{
    dj_sharing_request sharing = *m->sharing;
    dj_measurement again = *m;
    dj_profile *profile = NULL;
    sharing.by_thread = sharing.predictable = false;
    sharing.only_distances = true;
    sharing.interleave.seed += v->count;
    again.sharing = &sharing;
    again.attribute = NULL;
    again.observer_count = 0;
    again.after_reading = NULL;
    int err = dj_stored_threads_open(context, threads, &sharing.interleave, &again.source);
    if (err)
        return err;
    err = dj_measurement_run(context, &again, &profile);
    if (!err)
        err = note(context, profile, again.source, v);
    dj_profile_destroy(profile);
    dj_source_close(again.source);
    return err;
}

// The first schedule is complete.
static int mark_stopped(dj_context *context, const values *v, dj_provenance *provenance)
{
    char why[96];
    snprintf(why, sizeof why, "interrupted after %zu of %zu schedules", v->count, v->most);
    free(provenance->partial_reason);
    provenance->partial_reason = NULL;
    provenance->partial = true;
    int err = dj_copy_text(context, why, &provenance->partial_reason);
    return err ? err : dj_fail(context, DJ_ERR_STOPPED, "%s", why);
}

int dj_schedules_measure(dj_context *context, const dj_measurement *m, dj_stored_threads *threads,
                         const dj_source *first, dj_profile *profile)
{
    dj_sharing *to = dj_profile_sharing(profile);
    values v;
    int err = create(context, m->sharing, to->count, &v);
    if (!err)
        err = note(context, profile, first, &v);
    while (!err && v.count < v.most)
        err = measure_one(context, m, threads, &v);
    if (!err || (err == DJ_ERR_STOPPED && v.count > 0)) {
        int added = summarize(context, &v, threads, to);
        if (!added && err)
            added = mark_stopped(context, &v, &profile->provenance);
        err = added ? added : err;
    }
    destroy(&v);
    return err;
}
