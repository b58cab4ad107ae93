// SPDX-License-Identifier: MIT
// Hills of a histogram: most reuses are concentrated in a few ranges of distances (Ding and Zhong 2001,
// section 3.2). dj_effective_sizes (model/curve/effective.c) selects from the same bins those of long reuses
// at which a cache gains most; hills are all ranges, short ones too, with the part of the program that each
// is.
#include <deja/model.h>

#include <stdlib.h>
#include <string.h>

#include "model/predict/named.h"

static const double SHARE_LEAST = 0.02, PART_LEAST = 0.01;
static const double SHARES[DJ_CONCENTRATIONS] = {0.90, 0.95, 0.99};
enum { FIRST_LONG = 7 };
_Static_assert(1u << (FIRST_LONG - 1) == DJ_LONG_DISTANCE, "the first bin of long distances");

void dj_hills_destroy(dj_hills *hills)
{
    for (size_t i = 0; hills && i < hills->count; i++)
        for (size_t k = 0; k < DJ_HILL_PARTS; k++) {
            free(hills->list[i].objects[k].name);
            free(hills->list[i].lines[k].name);
        }
    free(hills);
}

static int largest_first(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a < b) - (a > b);
}

// The fewest bins that hold each share.
static unsigned concentrate(const uint64_t *counts, unsigned first, uint64_t *total, dj_concentration *out)
{
    uint64_t sorted[DJ_PREDICT_BINS] = {0}, sum = 0;
    unsigned from = DJ_PREDICT_BINS, last = 0, used = 0;
    for (unsigned bin = first; bin < DJ_PREDICT_BINS; bin++) {
        *total += sorted[bin] = counts[bin];
        if (counts[bin] == 0)
            continue;
        from = bin < from ? bin : from;
        last = bin;
    }
    qsort(sorted, DJ_PREDICT_BINS, sizeof *sorted, largest_first);
    for (size_t i = 0; i < DJ_CONCENTRATIONS; i++) {
        while (used < DJ_PREDICT_BINS && (double)sum < SHARES[i] * (double)*total)
            sum += sorted[used++];
        out[i] = (dj_concentration){SHARES[i], used};
    }
    return *total > 0 ? last - (first > 0 ? first : from) + 1 : 0;
}

static void find(const uint64_t *counts, dj_hills *out)
{
    const double least = SHARE_LEAST * (double)out->reuses;
    for (unsigned bin = 0; bin < DJ_PREDICT_BINS && out->count < DJ_HILLS_MAX; bin++) {
        if (counts[bin] == 0 || (double)counts[bin] < least)
            continue;
        dj_hill *hill = &out->list[out->count++];
        hill->first_bin = bin;
        do {
            hill->reuses += counts[bin];
            hill->last_bin = bin++;
        } while (bin < DJ_PREDICT_BINS && counts[bin] > 0 && (double)counts[bin] >= least);
        hill->lo = hill->first_bin == 0 ? 0 : UINT64_C(1) << (hill->first_bin - 1);
        hill->hi = hill->last_bin == 0 ? 0 : UINT64_MAX >> (64 - hill->last_bin);
    }
}

static int find_middles(dj_context *context, const dj_lane_profile *lane, dj_hills *out)
{
    dj_signature s;
    int err = dj_signature_of_lane(context, lane, DJ_AT_LONGEST, &s);
    if (err)
        return err;
    for (size_t i = 0; i < out->count; i++) {
        const double middle =
            dj_signature_below(&s, (double)out->list[i].lo) + (double)out->list[i].reuses / 2;
        out->list[i].middle = dj_signature_mean(&s, middle, middle + 0.5);
    }
    dj_signature_free(&s);
    return DJ_OK;
}

// Keeps the largest parts.
static int offer(dj_context *context, const char *name, double share, dj_hill_part *parts, size_t *count)
{
    size_t at = *count;
    while (at > 0 && parts[at - 1].share < share)
        at--;
    if (share < PART_LEAST || at == DJ_HILL_PARTS)
        return DJ_OK;
    char *copy = strdup(name);
    if (!copy)
        return dj_fail_memory(context, "the hills of a histogram", 0);
    if (*count == DJ_HILL_PARTS)
        free(parts[DJ_HILL_PARTS - 1].name);
    else
        ++*count;
    memmove(&parts[at + 1], &parts[at], (*count - at - 1) * sizeof *parts);
    parts[at] = (dj_hill_part){copy, share};
    return DJ_OK;
}

static int find_parts(dj_context *context, const dj_profile *profile, enum dj_by by, dj_hills *out)
{
    dj_named_parts named;
    int err = dj_named_entities(context, profile, by, &named);
    for (size_t i = 0; !err && i < named.count; i++) {
        dj_signature s;
        err = dj_signature_of_tally(context, &named.list[i].tally, dj_profile_attribution(profile), &s);
        if (err)
            break;
        for (size_t h = 0; !err && h < out->count; h++) {
            dj_hill *hill = &out->list[h];
            const double reuses =
                dj_signature_below(&s, (double)hill->hi + 1) - dj_signature_below(&s, (double)hill->lo);
            const double share = reuses / (double)hill->reuses;
            err = by == DJ_BY_OBJECT
                      ? offer(context, named.list[i].name, share, hill->objects, &hill->object_count)
                      : offer(context, named.list[i].name, share, hill->lines, &hill->line_count);
        }
        dj_signature_free(&s);
    }
    dj_named_free(&named);
    return err;
}

int dj_hills_find(dj_context *context, const dj_profile *profile, dj_hills **out)
{
    uint64_t counts[DJ_PREDICT_BINS];
    if (profile->lane_count == 0)
        return dj_fail(context, DJ_ERR_USAGE, "the profile has no reuse distances");
    const dj_lane_profile *lane = &profile->lanes[0];
    dj_hills *hills = calloc(1, sizeof *hills);
    if (!hills)
        return dj_fail_memory(context, "the hills of a histogram", sizeof *hills);
    for (unsigned bin = 0; bin < DJ_PREDICT_BINS; bin++) {
        const uint64_t lo = bin == 0 ? 0 : UINT64_C(1) << (bin - 1);
        counts[bin] = dj_histogram_sum(lane->distance, lo, bin == 0 ? 1 : bin < 64 ? 2 * lo : UINT64_MAX);
    }
    hills->bins = concentrate(counts, 0, &hills->reuses, hills->all);
    hills->long_bins = concentrate(counts, FIRST_LONG, &hills->long_reuses, hills->longs);
    find(counts, hills);
    int err = find_middles(context, lane, hills);
    if (!err)
        err = find_parts(context, profile, DJ_BY_OBJECT, hills);
    if (!err)
        err = find_parts(context, profile, DJ_BY_LINE, hills);
    if (err)
        dj_hills_destroy(hills);
    else
        *out = hills;
    return err;
}
