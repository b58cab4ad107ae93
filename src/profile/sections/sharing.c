// SPDX-License-Identifier: MIT
// Section `sharing`: programs or threads that share caches.
#include <deja/sharing.h>

#include <stdlib.h>

#include "profile/fields.h"
#include "profile/json.h"
#include "profile/sections/sharing_check.h"

enum { SHARERS_MOST = 1 << 20 };

#define REQUIRED .flags = DJ_FIELD_REQUIRED
#define LANE(member_) offsetof(dj_sharer_distances, lane.member_)
static const dj_field distance_fields[] = {
    DJ_AT(U32, "sharers_per_cache", dj_sharer_distances, sharers_per_cache, REQUIRED),
    DJ_AT(U64, "accesses", dj_sharer_distances, lane.accesses, REQUIRED),
    DJ_AT(U64, "distinct", dj_sharer_distances, lane.distinct, REQUIRED,
          .about = "blocks that it was the first of its cache to access"),
    DJ_AT(U64, "cold", dj_sharer_distances, lane.cold, REQUIRED,
          .about = "accesses that miss in a cache of any size"),
    DJ_AT(U64, "invalidated", dj_sharer_distances, invalidated, .flags = DJ_FIELD_OMIT,
          .about = "those of them to blocks that another cache wrote to since this one last accessed them"),
    DJ_AT(MOMENTS, "distance", dj_sharer_distances, lane.moments, REQUIRED, .histogram_at = LANE(distance),
          .binned_at = LANE(binned)),
    DJ_AT(BOOL, "binned", dj_sharer_distances, lane.binned, .flags = DJ_FIELD_NOT_JSON),
    DJ_AT(HISTOGRAM, "histogram", dj_sharer_distances, lane.distance, REQUIRED, .binned_at = LANE(binned),
          .log2_at = LANE(in_log2_bins), .about = "of the reuse distances"),
    DJ_LONGEST(dj_sharer_distances, lane.),
    DJ_END,
};
static const dj_table distances = {distance_fields, sizeof(dj_sharer_distances), DJ_ROW_OBJECT};

static const dj_field bin_fields[] = {
    DJ_AT(U64, "lo", dj_expected_bin, lo, REQUIRED),
    DJ_AT(U64, "hi", dj_expected_bin, hi, REQUIRED),
    DJ_AT(REAL, "count", dj_expected_bin, count, REQUIRED),
    DJ_END,
};
static const dj_table bin = {bin_fields, sizeof(dj_expected_bin), DJ_ROW_LINE};

static const dj_field prediction_fields[] = {
    DJ_AT(TEXT, "model", dj_prediction, model, REQUIRED),
    DJ_AT(REAL, "accuracy", dj_prediction, accuracy, REQUIRED,
          .about = "1 - E / 2, E: the sum of the differences of bars 1 wide"),
    DJ_AT(REAL, "accuracy_coarse", dj_prediction, accuracy_coarse, REQUIRED,
          .about = "the same for bars that are 1 % of their distance wide"),
    DJ_AT(REAL, "cold", dj_prediction, cold, REQUIRED),
    DJ_AT(REAL, "reuses", dj_prediction, reuses, REQUIRED),
    DJ_AT(LIST, "histogram", dj_prediction, bins, .rows = &bin,
          .count_at = offsetof(dj_prediction, bin_count), .flags = DJ_FIELD_REQUIRED),
    DJ_AT(REAL, "correlation", dj_prediction, correlation, .flags = DJ_FIELD_OMIT,
          .about =
              "of the first accesses to blocks that another sharer accesses too; near 1: the same order"),
    DJ_AT(REAL, "broken", dj_prediction, broken, .flags = DJ_FIELD_OMIT,
          .about = "reuses that another sharer is expected to break"),
    DJ_END,
};
static const dj_table prediction = {prediction_fields, sizeof(dj_prediction), DJ_ROW_OBJECT};

static bool is_thread(const void *row)
{
    return ((const dj_sharer_profile *)row)->is_thread;
}

static int read_thread(dj_json_reader *reader, void *row)
{
    dj_sharer_profile *s = row;
    s->is_thread = true;
    return dj_json_read_uint(reader, &s->thread);
}

#define COUNT(name_, about_) DJ_AT(U64, #name_, dj_sharer_profile, counts.name_, REQUIRED, .about = about_)
static const dj_field sharer_fields[] = {
    DJ_AT(TEXT, "name", dj_sharer_profile, name, REQUIRED),
    DJ_AT(U64, "thread", dj_sharer_profile, thread, .when = is_thread, .read = read_thread,
          .about = "its number in the trace; missing: not a thread"),
    DJ_AT(BOOL, "is_thread", dj_sharer_profile, is_thread, .flags = DJ_FIELD_NOT_JSON, .since = 4),
    DJ_AT(REAL, "speed", dj_sharer_profile, speed, .flags = DJ_FIELD_OMIT,
          .about = "relative to the others; missing: the order was recorded"),
    DJ_AT(REAL, "cpu_seconds", dj_sharer_profile, cpu_seconds, .flags = DJ_FIELD_OMIT,
          .about = "of the thread while it was recorded, sampled; missing: unknown"),
    DJ_AT(REAL, "native_cpu_seconds", dj_sharer_profile, native_cpu_seconds, .flags = DJ_FIELD_OMIT,
          .about = "the same in a run without a tracer"),
    DJ_AT(BOOL, "kinds_unknown", dj_sharer_profile, kinds_unknown, .flags = DJ_FIELD_OMIT, .since = 3,
          .about = "which of its accesses write; they count as reads"),
    DJ_AT(U64, "blocks", dj_sharer_profile, blocks, REQUIRED, .about = "distinct blocks that it accessed"),
    DJ_AT(U64, "shared", dj_sharer_profile, shared, REQUIRED,
          .about = "those of them that another sharer accessed too"),
    DJ_AT(U64, "shared_accesses", dj_sharer_profile, shared_accesses, REQUIRED, .about = "accesses to those"),
    COUNT(broken, "reuses: another sharer accessed the block in between"),
    COUNT(shortened, "reuses whose distance in the shared cache is shorter than alone"),
    COUNT(stretched, "reuses whose distance in the shared cache is longer than alone"),
    COUNT(found, "first accesses to blocks that another sharer had accessed before"),
    COUNT(true_sharing, "misses of private caches that deliver what another sharer wrote"),
    COUNT(false_sharing, "misses of private caches after another sharer wrote to other words of the block"),
    DJ_AT(OBJECT, "standalone", dj_sharer_profile, standalone, REQUIRED, .rows = &distances,
          .about = "as if it were alone"),
    DJ_AT(OBJECT, "concurrent", dj_sharer_profile, concurrent, REQUIRED, .rows = &distances,
          .about = "all share one cache"),
    DJ_AT(OBJECT, "private", dj_sharer_profile, separate, REQUIRED, .rows = &distances,
          .about = "each has its own cache; writes invalidate the block in the others"),
    DJ_AT(LIST, "groups", dj_sharer_profile, groups, .rows = &distances,
          .count_at = offsetof(dj_sharer_profile, group_count), .flags = DJ_FIELD_OMIT, .most = SHARERS_MOST,
          .about = "other numbers of sharers per cache"),
    DJ_AT(LIST, "predicted", dj_sharer_profile, predictions, .rows = &prediction,
          .count_at = offsetof(dj_sharer_profile, prediction_count), .flags = DJ_FIELD_OMIT,
          .about = "`concurrent`, predicted from each sharer alone"),
    DJ_END,
};
static const dj_table sharer = {sharer_fields, sizeof(dj_sharer_profile), DJ_ROW_OBJECT};

static const dj_field class_fields[] = {
    DJ_AT(U64, "sharers", dj_sharing_class, sharers, REQUIRED, .about = "a bit for each sharer"),
    DJ_AT(U64, "blocks", dj_sharing_class, blocks, REQUIRED),
    DJ_END,
};
static const dj_table class = {class_fields, sizeof(dj_sharing_class), DJ_ROW_LINE};

static bool is_not_for_all(const void *row)
{
    return ((const dj_shared_cache *)row)->sharers != DJ_SHARED_BY_ALL;
}

static const dj_field cache_fields[] = {
    DJ_AT(TEXT, "name", dj_shared_cache, name, REQUIRED),
    DJ_AT(U64, "bytes", dj_shared_cache, bytes, REQUIRED),
    DJ_AT(U32, "sharers", dj_shared_cache, sharers, .when = is_not_for_all,
          .about = "that share each such cache; missing: all"),
    DJ_END,
};
static const dj_table cache = {cache_fields, sizeof(dj_shared_cache), DJ_ROW_LINE};

#define RANGE(type_, struct_)                                                                                \
    DJ_AT(type_, "minimum", struct_, minimum, REQUIRED), DJ_AT(type_, "median", struct_, median, REQUIRED),  \
        DJ_AT(type_, "maximum", struct_, maximum, REQUIRED), DJ_END
static const dj_field count_range_fields[] = {RANGE(U64, dj_count_range)};
static const dj_field mean_range_fields[] = {RANGE(REAL, dj_mean_range)};
static const dj_table count_range = {count_range_fields, sizeof(dj_count_range), DJ_ROW_LINE};
static const dj_table mean_range = {mean_range_fields, sizeof(dj_mean_range), DJ_ROW_LINE};

static const dj_field schedule_misses_fields[] = {
    DJ_AT(TEXT, "cache", dj_schedule_misses, cache, REQUIRED),
    DJ_AT(OBJECT, "all", dj_schedule_misses, all, REQUIRED, .rows = &count_range,
          .about = "of all sharers together"),
    DJ_AT(LIST, "sharers", dj_schedule_misses, sharers, .rows = &count_range,
          .count_at = offsetof(dj_schedule_misses, count), .flags = DJ_FIELD_REQUIRED, .most = SHARERS_MOST),
    DJ_END,
};
static const dj_table schedule_misses = {schedule_misses_fields, sizeof(dj_schedule_misses), DJ_ROW_OBJECT};

static const dj_field schedules_fields[] = {
    DJ_AT(U64, "count", dj_schedules, count, REQUIRED, .about = "schedules that were measured"),
    DJ_AT(U64, "quantum", dj_schedules, quantum, REQUIRED, .about = "accesses of a turn"),
    DJ_AT(U64, "seed", dj_schedules, seed, REQUIRED, .about = "of the first schedule; the others follow"),
    DJ_AT(U64, "waits", dj_schedules, waits, REQUIRED,
          .about = "how often a thread waits for another one, without waits that others imply"),
    DJ_AT(REAL, "forced", dj_schedules, forced, .since = 4,
          .about = "share of the accesses made while no other thread could have run"),
    DJ_AT(LIST, "misses", dj_schedules, caches, .rows = &schedule_misses,
          .count_at = offsetof(dj_schedules, cache_count), .flags = DJ_FIELD_REQUIRED,
          .about = "in each of `shared_caches`; none if these were not measured"),
    DJ_AT(OBJECT, "distance", dj_schedules, distance, REQUIRED, .rows = &mean_range,
          .about = "mean reuse distance in one cache for all"),
    DJ_AT(LIST, "distances", dj_schedules, distances, .rows = &mean_range,
          .count_at = offsetof(dj_schedules, distance_count), .flags = DJ_FIELD_REQUIRED,
          .most = SHARERS_MOST, .about = "the same for each sharer"),
    DJ_END,
};
static const dj_table schedules = {schedules_fields, sizeof(dj_schedules), DJ_ROW_OBJECT};

static const dj_field fields[] = {
    DJ_AT(TEXT, "interleaving", dj_sharing, order, REQUIRED, .about = "how the accesses were interleaved"),
    DJ_AT(BOOL, "random", dj_sharing, random, .flags = DJ_FIELD_OMIT, .about = "the order is random"),
    DJ_AT(U64, "word_bytes", dj_sharing, word_bytes, REQUIRED,
          .about = "the unit in which writes are compared with reads"),
    DJ_AT(LIST, "sharers", dj_sharing, sharers, .rows = &sharer, .count_at = offsetof(dj_sharing, count),
          .flags = DJ_FIELD_REQUIRED, .most = SHARERS_MOST),
    DJ_AT(LIST, "sharing_classes", dj_sharing, classes, .rows = &class,
          .count_at = offsetof(dj_sharing, class_count), .flags = DJ_FIELD_OMIT,
          .about = "blocks that exactly these sharers accessed"),
    DJ_AT(LIST, "shared_caches", dj_sharing, caches, .rows = &cache,
          .count_at = offsetof(dj_sharing, cache_count), .flags = DJ_FIELD_OMIT,
          .about = "caches of the machine, and how many sharers each has"),
    DJ_AT(POINTER, "schedules", dj_sharing, schedules, .rows = &schedules, .flags = DJ_FIELD_OMIT, .since = 2,
          .about = "what changes over several schedules; all else is that of the first"),
    DJ_END,
};

dj_sharing *dj_profile_sharing(const dj_profile *profile)
{
    return dj_profile_section(profile, &dj_section_sharing);
}

const dj_sharer_distances *dj_sharer_in_cache(const dj_sharing *sharing, size_t number,
                                              uint32_t sharers_per_cache)
{
    const dj_sharer_profile *s = &sharing->sharers[number];
    if (sharers_per_cache >= sharing->count)
        return &s->concurrent;
    if (sharers_per_cache == 1)
        return &s->separate;
    for (size_t i = 0; i < s->group_count; i++)
        if (s->groups[i].sharers_per_cache == sharers_per_cache)
            return &s->groups[i];
    return NULL;
}

static int settle_distances(dj_context *context, const dj_profile *profile, dj_sharer_distances *d)
{
    d->lane.id = (dj_lane_id){.block_bytes = profile->lanes[0].id.block_bytes, .sampling = 1};
    return dj_lane_settle(context, &d->lane, profile->provenance.exact);
}

static int settle_sharer(dj_context *context, const dj_profile *profile, dj_sharer_profile *s)
{
    int err = settle_distances(context, profile, &s->standalone);
    if (!err)
        err = settle_distances(context, profile, &s->concurrent);
    if (!err)
        err = settle_distances(context, profile, &s->separate);
    for (size_t i = 0; !err && i < s->group_count; i++)
        err = settle_distances(context, profile, &s->groups[i]);
    s->is_thread |= s->thread > 0; // older files
    return err;
}

static int settle(dj_context *context, dj_profile *profile, dj_lane_profile *lane, void *value)
{
    (void)lane;
    dj_sharing *s = value;
    for (size_t i = 0; i < s->cache_count; i++)
        if (s->caches[i].sharers == 0)
            s->caches[i].sharers = DJ_SHARED_BY_ALL;
    for (size_t i = 0; i < s->count; i++) {
        int err = settle_sharer(context, profile, &s->sharers[i]);
        if (err)
            return dj_fail_within(context, err, "sharers");
    }
    return dj_sharing_check(context, profile, s);
}

// What observer `sharing-places` has not taken over.
static void free_places(void *value)
{
    dj_sharing *s = value;
    for (size_t i = 0; i < s->place_count; i++)
        dj_sharing_tally_destroy(s->places[i]);
    free(s->places);
    free(s->invalidations);
    free(s->shared_blocks);
}

const dj_section_ops dj_section_sharing = {
    .name = "sharing",
    .summary = "programs or threads that share caches",
    .version = 4,
    .scope = DJ_SCOPE_PROFILE,
    .spread = true,
    .table = {fields, sizeof(dj_sharing), DJ_ROW_OBJECT},
    .free = free_places,
    .settle = settle,
};
