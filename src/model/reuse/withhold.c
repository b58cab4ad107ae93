// SPDX-License-Identifier: MIT
// Advice from an estimate. A pair of uses is certain, since both were seen, in one burst or in the sample.
// How many misses it has is not, and a part of the run does not show how much data a loop uses.
#include <deja/reuse.h>
#include <deja/tracing.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"

// The cache in which the reuse has the largest share of the misses; the number of cuts if in none.
static size_t worst_cut(const dj_attribution *a, const dj_reuses *reuses, const dj_reuse *reuse)
{
    size_t worst = a->cut_count;
    double most = 0;
    for (size_t i = 0; i < a->cut_count; i++) {
        const double all = (double)reuses->all_misses[i];
        const double share = all > 0 ? (double)reuse->misses[i] / all : 0;
        if (share > 0 && share >= most) {
            most = share;
            worst = i;
        }
    }
    return worst;
}

// The evidence is that of the place that uses the data again. False: it is exact.
static bool find_range(const dj_profile *profile, const dj_reuses *reuses, const dj_reuse *reuse,
                       dj_row_range *range, bool *weak)
{
    const dj_attribution *a = dj_profile_attribution(profile);
    const dj_tally *to = &a->places[reuse->to].tally;
    const size_t cut = worst_cut(a, reuses, reuse);
    const bool misses = cut < a->cut_count;
    const double estimate = misses ? dj_tally_misses(to, a, a->cuts[cut].blocks) : (double)to->accesses;
    const double whole = misses ? (double)reuses->all_misses[cut] : (double)profile->accesses;
    if (!dj_tally_range(profile, to, cut, range))
        return false;
    *weak = dj_range_is_weak(range, estimate, whole);
    return true;
}

static int withhold(dj_reuse *reuse, dj_context *context, const char *why)
{
    char *text = strdup(why);
    if (!text)
        return dj_fail_memory(context, "advice", strlen(why));
    free(reuse->text);
    reuse->text = text;
    reuse->advice = NULL;
    reuse->outer_loop = DJ_NOWHERE;
    return DJ_OK;
}

int dj_reuses_withhold(dj_reuses *reuses, dj_context *context, const dj_profile *profile)
{
    int err = DJ_OK;
    for (size_t i = 0; !err && i < reuses->count; i++) {
        dj_reuse *reuse = &reuses->list[i];
        char why[256], low[DJ_HUMAN_BYTES], high[DJ_HUMAN_BYTES];
        dj_row_range range;
        bool weak;
        if (!reuse->advice || !find_range(profile, reuses, reuse, &range, &weak))
            continue;
        if (reuse->advice->whole_run) {
            err =
                withhold(reuse, context,
                         "No advice: it would depend on how much data the loops use, which a sample does not "
                         "show. Trace the whole run, without --sample.");
        } else if (weak) {
            snprintf(why, sizeof why,
                     "No advice: the estimate is too uncertain, with %s to %s misses where the data is used "
                     "again. Use a larger --sample, or run for longer.",
                     dj_human_short(low, range.low), dj_human_short(high, range.high));
            err = withhold(reuse, context, why);
        }
    }
    return err;
}
