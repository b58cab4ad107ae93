// SPDX-License-Identifier: MIT
// Which limits the counts of a run, or their changes, are beyond.
#include "model/diff/limit.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A change of a part below this share of the total is none: a function with three misses soon has four.
static const double LEAST_CHANGE = 0.001;

typedef struct range {
    double low, value, high;
} range;

typedef struct search {
    dj_context *context;
    const dj_diff_request *request;
    const dj_diff *diff;
    bool has_before;
    dj_crossings *found;
    size_t capacity;
} search;

// What a limit is compared with: a total, a point or a part.
typedef struct subject {
    const dj_diff_count *count;
    const dj_diff_count *accesses; // of a ratio; NULL: `count` is the measure
    const char *measure;
    const char *part; // NULL: the total
} subject;

static range count_of(const dj_diff *diff, const dj_diff_count *count, int run)
{
    const double value = dj_diff_value(diff, count, run), error = count->errors[run];
    return (range){fmax(0, value - error), value, value + error};
}

static range divide(range a, range b)
{
    if (b.value <= 0)
        return (range){0, 0, 0};
    return (range){a.low / b.high, a.value / b.value, b.low > 0 ? a.high / b.low : INFINITY};
}

static range measure(const dj_diff *diff, const subject *s, int run)
{
    const range count = count_of(diff, s->count, run);
    if (!s->accesses)
        return count;
    range ratio = divide(count, count_of(diff, s->accesses, run));
    ratio.high = fmin(ratio.high, 1);
    return ratio;
}

static double percent(double before, double after)
{
    return after == before ? 0 : before > 0 ? 100 * (after - before) / before : INFINITY;
}

static range compare(const dj_limit *limit, range before, range after)
{
    if (limit->kind == DJ_LIMIT_VALUE)
        return after;
    if (limit->kind == DJ_LIMIT_CHANGE)
        return (range){after.low - before.high, after.value - before.value, after.high - before.low};
    return (range){percent(before.high, after.low), percent(before.value, after.value),
                   percent(before.low, after.high)};
}

static bool is_beyond(const dj_limit *limit, double value)
{
    if (limit->inclusive && value == limit->value)
        return true;
    return limit->below ? value < limit->value : value > limit->value;
}

static bool is_too_small(const search *s, const dj_limit *limit, const subject *part)
{
    const dj_diff_count *total = &s->diff->accesses;
    if (!part->part || limit->kind != DJ_LIMIT_PERCENT)
        return false;
    for (size_t c = 0; limit->measure != DJ_LIMIT_ACCESSES && c < s->diff->cache_count; c++)
        if (s->diff->caches[c].blocks == limit->blocks)
            total = &s->diff->misses[c];
    return fabs(dj_diff_change(s->diff, part->count)) <
           LEAST_CHANGE * dj_diff_value(s->diff, total, DJ_BEFORE);
}

static int add(search *s, const dj_crossing *crossing, const subject *part)
{
    dj_crossings *found = s->found;
    if (found->count == s->capacity) {
        const size_t capacity = s->capacity ? 2 * s->capacity : 8;
        dj_crossing *list = realloc(found->list, capacity * sizeof *list);
        if (!list)
            return dj_fail_memory(s->context, "limits", capacity * sizeof *list);
        found->list = list;
        s->capacity = capacity;
    }
    dj_crossing *to = &found->list[found->count++];
    *to = *crossing;
    to->measure = strdup(part->measure);
    to->part = part->part ? strdup(part->part) : NULL;
    found->crossed |= to->crossed;
    return to->measure && (to->part || !part->part) ? DJ_OK : dj_fail_memory(s->context, "limits", 0);
}

static int test(search *s, const dj_limit *limit, const subject *what)
{
    const range before = measure(s->diff, what, DJ_BEFORE), after = measure(s->diff, what, DJ_AFTER);
    const range found = compare(limit, before, after);
    const bool certain = is_beyond(limit, limit->below ? found.high : found.low);
    const bool possible = is_beyond(limit, limit->below ? found.low : found.high);
    const dj_crossing crossing = {
        .limit = limit,
        .before = s->has_before ? before.value : NAN,
        .after = after.value,
        .change = found.value,
        .low = found.low,
        .high = found.high,
        .certain = certain,
        .crossed = limit->kind == DJ_LIMIT_VALUE ? possible : certain,
    };
    return possible && !is_too_small(s, limit, what) ? add(s, &crossing, what) : DJ_OK;
}

static int test_curve(search *s, const dj_limit *limit)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < s->diff->point_count; i++) {
        const dj_diff_point *point = &s->diff->points[i];
        char name[64];
        snprintf(name, sizeof name, "%" PRIu64 ".%s", point->size,
                 limit->measure == DJ_LIMIT_RATIO ? "ratio" : "misses");
        const subject at = {&point->misses, limit->measure == DJ_LIMIT_RATIO ? &s->diff->accesses : NULL,
                            name, NULL};
        err = test(s, limit, &at);
    }
    return err;
}

static size_t find_cache(const dj_diff *diff, uint64_t blocks)
{
    size_t c = 0;
    while (c < diff->cache_count && diff->caches[c].blocks != blocks)
        c++;
    return c;
}

static int test_total(search *s, const dj_limit *limit)
{
    const bool ratio = limit->measure == DJ_LIMIT_RATIO;
    char name[300];
    subject total = {.accesses = ratio ? &s->diff->accesses : NULL, .measure = name};
    snprintf(name, sizeof name, "%s",
             limit->measure == DJ_LIMIT_ACCESSES   ? "accesses"
             : limit->measure == DJ_LIMIT_DISTINCT ? "distinct"
                                                   : "cold");
    if (limit->measure == DJ_LIMIT_ACCESSES || limit->measure == DJ_LIMIT_DISTINCT ||
        limit->measure == DJ_LIMIT_COLD) {
        total.count = limit->measure == DJ_LIMIT_ACCESSES   ? &s->diff->accesses
                      : limit->measure == DJ_LIMIT_DISTINCT ? &s->diff->distinct
                                                            : &s->diff->cold;
        return test(s, limit, &total);
    }
    if (!limit->cache)
        return test_curve(s, limit);
    const size_t c = find_cache(s->diff, limit->blocks);
    dj_diff_point point = {0};
    int err = DJ_OK;
    snprintf(name, sizeof name, "%.200s.%s", limit->cache, ratio ? "ratio" : "misses");
    total.count = c < s->diff->cache_count ? &s->diff->misses[c] : &point.misses;
    if (c == s->diff->cache_count)
        err = dj_diff_at(s->context, s->request, s->diff, limit->blocks, &point);
    return err ? err : test(s, limit, &total);
}

static bool is_meant(const dj_limit *limit, const char *name)
{
    return !limit->part || (name && (strcmp(name, limit->part) == 0 || fnmatch(limit->part, name, 0) == 0));
}

static const dj_diff_rows *find_rows(const dj_diff *diff, enum dj_by by)
{
    for (size_t i = 0; i < diff->row_lists; i++)
        if (diff->rows[i].by == by)
            return &diff->rows[i];
    return NULL;
}

static int test_parts(search *s, const dj_limit *limit)
{
    const dj_diff_rows *rows = find_rows(s->diff, limit->by);
    const bool misses = limit->measure != DJ_LIMIT_ACCESSES;
    const size_t c = misses ? find_cache(s->diff, limit->blocks) : 0;
    char name[300];
    size_t meant = 0;
    int err = DJ_OK;
    if (!rows)
        return dj_fail(
            s->context, DJ_ERR_USAGE,
            "limit '%s': the profile does not say which code and data the accesses belong to; limits "
            "on parts need it",
            limit->text);
    if (misses && c == s->diff->cache_count)
        return dj_limits_fail_parts(s->context, limit);
    snprintf(name, sizeof name, misses ? "%.200s%s" : "accesses", misses ? limit->cache : "",
             limit->measure == DJ_LIMIT_RATIO ? ".ratio" : ".misses");
    for (size_t i = 0; !err && i < rows->count; i++) {
        const dj_diff_row *row = &rows->list[i];
        const subject part = {misses ? &row->misses[c] : &row->accesses,
                              limit->measure == DJ_LIMIT_RATIO ? &row->accesses : NULL, name, row->name};
        if (!is_meant(limit, row->name) && !is_meant(limit, row->was))
            continue;
        meant++;
        err = test(s, limit, &part);
    }
    if (!err && meant == 0 && limit->part)
        err = dj_fail(s->context, DJ_ERR_USAGE, "limit '%s': there is no %s '%s'", limit->text,
                      dj_by_name(limit->by), limit->part);
    return err;
}

static double excess(const dj_crossing *c)
{
    const double change = c->limit->below ? -c->change : c->change;
    return isnan(change) ? 0 : change;
}

// What is certain first, then the farthest from the limit, then the largest.
static int farthest_first(const void *left, const void *right)
{
    const dj_crossing *a = left, *b = right;
    if (a->crossed != b->crossed)
        return a->crossed ? -1 : 1;
    if (excess(a) != excess(b))
        return excess(a) > excess(b) ? -1 : 1;
    if (a->after != b->after)
        return a->after > b->after ? -1 : 1;
    return strcmp(a->part ? a->part : a->measure, b->part ? b->part : b->measure);
}

static int check_limit(search *s, const dj_limit *limit)
{
    const size_t first = s->found->count;
    int err = limit->of_parts ? test_parts(s, limit) : test_total(s, limit);
    if (s->found->count > first)
        qsort(s->found->list + first, s->found->count - first, sizeof *s->found->list, farthest_first);
    return err;
}

// One run is compared with itself: its values count, its changes are none.
static dj_diff_request complete(const dj_limits *limits, const dj_diff_request *request)
{
    dj_diff_request out = *request;
    if (!out.profiles[DJ_BEFORE]) {
        out.profiles[DJ_BEFORE] = out.profiles[DJ_AFTER];
        out.names[DJ_BEFORE] = out.names[DJ_AFTER];
    }
    out.all_rows = true;
    out.by_count = 0;
    for (int by = 0; dj_profile_attribution(out.profiles[DJ_AFTER]) && by < DJ_BY_COUNT; by++)
        for (size_t i = 0; i < limits->count; i++)
            if (limits->list[i].of_parts && (int)limits->list[i].by == by) {
                out.by[out.by_count++] = (enum dj_by)by;
                break;
            }
    return out;
}

int dj_limits_check(dj_context *context, const dj_limits *limits, const dj_diff_request *request,
                    dj_crossings **out)
{
    const dj_diff_request both = complete(limits, request);
    dj_diff *diff = NULL;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return dj_fail_memory(context, "limits", sizeof **out);
    int err = request->profiles[DJ_BEFORE] ? DJ_OK : dj_limits_need_one_run(context, limits);
    if (!err)
        err = dj_diff_profiles(context, &both, &diff);
    search s = {.context = context,
                .request = &both,
                .diff = diff,
                .has_before = request->profiles[DJ_BEFORE] != NULL,
                .found = *out};
    for (size_t i = 0; !err && i < limits->count; i++)
        err = check_limit(&s, &limits->list[i]);
    dj_diff_destroy(diff);
    if (err) {
        dj_crossings_destroy(*out);
        *out = NULL;
    }
    return err;
}

void dj_crossings_destroy(dj_crossings *crossings)
{
    for (size_t i = 0; crossings && i < crossings->count; i++) {
        free(crossings->list[i].measure);
        free(crossings->list[i].part);
    }
    if (crossings)
        free(crossings->list);
    free(crossings);
}
