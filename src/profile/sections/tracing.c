// SPDX-License-Identifier: MIT
// Section `tracing` of a lane.
#include <deja/tracing.h>

#include "profile/fields.h"

enum { BANDS_MOST = 1 << 12 };

#define REQUIRED .flags = DJ_FIELD_REQUIRED
static const dj_field band_fields[] = {
    DJ_AT(U64, "size", dj_tracing_band, size, REQUIRED, .about = "blocks of the cache"),
    DJ_AT(REAL, "low", dj_tracing_band, low, REQUIRED, .about = "least miss ratio up to the next size"),
    DJ_AT(REAL, "high", dj_tracing_band, high, REQUIRED, .about = "greatest miss ratio up to the next size"),
    DJ_END,
};
static const dj_table band_row = {band_fields, sizeof(dj_tracing_band), DJ_ROW_CELLS};

#define OF_BUDGET .flags = DJ_FIELD_OMIT, .since = 3
static const dj_field fields[] = {
    DJ_AT(U64, "bursts", dj_tracing, bursts, REQUIRED, .about = "stretches of the run that were traced"),
    DJ_AT(U64, "accesses", dj_tracing, accesses, REQUIRED, .about = "in the bursts"),
    DJ_AT(U64, "unknown", dj_tracing, unknown, REQUIRED,
          .about = "accesses to a block that the burst had not accessed before"),
    DJ_AT(REAL, "share", dj_tracing, share, REQUIRED, .about = "of the run that was traced"),
    DJ_AT(REAL, "error", dj_tracing, error, REQUIRED,
          .about = "relative standard error of the number of all accesses"),
    DJ_AT(LIST, "bands", dj_tracing, bands, .rows = &band_row, .most = BANDS_MOST,
          .count_at = offsetof(dj_tracing, band_count), REQUIRED),
    DJ_AT(REAL, "weight", dj_tracing, weight, .since = 2,
          .about = "accesses that one stands for, after the first burst"),
    DJ_AT(REAL, "longest", dj_tracing, longest, .since = 2,
          .about = "part of the run that the longest interval with one burst takes"),
    DJ_NUMBER_LIST("groups", dj_tracing, groups, group_count, .most = DJ_SPREAD_GROUPS, .since = 2,
                   .about = "length of each group of bursts"),
    DJ_AT(REAL, "budget", dj_tracing, budget, OF_BUDGET,
          .about = "what the run could cost, as a factor of its cost without bursts"),
    DJ_AT(REAL, "cost", dj_tracing, cost, OF_BUDGET, .about = "what it has cost, likewise; missing: unknown"),
    DJ_AT(REAL, "rate", dj_tracing, rate, OF_BUDGET, .about = "the rate of bursts that the budget allows"),
    DJ_AT(REAL, "unsampled", dj_tracing, unsampled, OF_BUDGET,
          .about = "part of the run in which no burst could begin"),
    DJ_END,
};

static int check(dj_context *context, void *value)
{
    const dj_tracing *t = value;
    if (!(t->share > 0 && t->share < 1) || !(t->error >= 0) || t->unknown > t->accesses || t->bursts == 0)
        return dj_fail(context, DJ_ERR_INPUT, "tracing: these bursts are impossible");
    if (t->group_count != 0 &&
        (t->group_count != DJ_SPREAD_GROUPS - 1 || !(t->weight >= 1 && t->longest >= 0 && t->longest <= 1)))
        return dj_fail(context, DJ_ERR_INPUT, "tracing: these groups of bursts are impossible");
    if ((t->budget != 0 || t->rate != 0) && !(t->budget > 1 && t->cost >= 0 && t->rate > 0 && t->rate < 1 &&
                                              t->unsampled >= 0 && t->unsampled < 1))
        return dj_fail(context, DJ_ERR_INPUT, "tracing: this budget is impossible");
    if (t->band_count == 0 || t->bands[0].size != 0)
        return dj_fail(context, DJ_ERR_INPUT, "tracing: bands must begin at size 0");
    for (size_t i = 0; i < t->band_count; i++) {
        const dj_tracing_band *b = &t->bands[i];
        if (!(b->low >= 0 && b->low <= b->high && b->high <= 1) || (i > 0 && b->size <= b[-1].size))
            return dj_fail(context, DJ_ERR_INPUT,
                           "tracing: bands[%zu] is not a range of ratios, or its size does not increase", i);
    }
    return DJ_OK;
}

static int settle(dj_context *context, dj_profile *profile, dj_lane_profile *lane, void *value)
{
    const dj_tracing *t = value;
    if (profile->provenance.exact || t->accesses > lane->accesses)
        return dj_fail(context, DJ_ERR_INPUT, "tracing: it does not fit the lane that it is about");
    return DJ_OK;
}

const dj_tracing *dj_lane_tracing(const dj_lane_profile *lane)
{
    return dj_lane_section(lane, &dj_section_tracing);
}

const dj_section_ops dj_section_tracing = {
    .name = "tracing",
    .summary = "the part of a run that was traced, and the error of estimates from it",
    .version = 3,
    .scope = DJ_SCOPE_LANE,
    .table = {fields, sizeof(dj_tracing), DJ_ROW_OBJECT},
    .check = check,
    .settle = settle,
};
